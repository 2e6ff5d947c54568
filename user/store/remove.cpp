// Removes a recording, and nothing that is none.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <aotscope/store.hpp>

#include "create.hpp"
#include "header.hpp"
#include "lock.hpp"
#include "util/fd.hpp"

namespace aotscope::store {

Result<void> remove_recording(const std::filesystem::path& path) {
  if (WriterLock::held(path))
    return fail(fmt::format("{} is being written right now", path.string()));
  Header header{};
  ssize_t size = -1;
  {
    const util::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (fd) size = ::pread(fd.get(), header.data(), header.size(), 0);
  }
  if (size < 0) return fail(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  const std::string what = describe(std::span(header).first(static_cast<std::size_t>(size)));
  if (!what.empty()) return fail(fmt::format("{} is {}, no recording", path.string(), what));
  if (::unlink(path.c_str()) != 0)
    return fail(fmt::format("cannot remove {}: {}", path.string(), std::strerror(errno)));
  remove_sidecars(path.string());
  return {};
}

}  // namespace aotscope::store
