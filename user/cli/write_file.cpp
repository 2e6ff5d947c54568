#include "cli/write_file.hpp"

#include <cerrno>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/fd.hpp"

namespace aotscope::cli {
namespace {

tl::unexpected<Error> failed(const std::string& path, int error) {
  return fail(fmt::format("{}: {}", path, std::strerror(error)));
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Recordings are the one thing here that cannot be made again.
bool is_recording(const std::string& path) {
  constexpr std::string_view sqlite = "SQLite format 3";
  const util::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char head[sqlite.size()];
  return file.get() >= 0 && ::read(file.get(), head, sizeof head) == sizeof head &&
         std::memcmp(head, sqlite.data(), sizeof head) == 0;
}

}  // namespace

Result<void> write_file(const std::string& path, std::string_view bytes) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) {
    if (!S_ISREG(info.st_mode)) {
      const util::UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
      if (file.get() < 0 || !write_all(file.get(), bytes)) return failed(path, errno);
      return {};
    }
    if (is_recording(path)) {
      return fail(path + ": is a recording, which is not overwritten", "name another file");
    }
  }
  std::string beside = path + ".XXXXXX";
  util::UniqueFd file(::mkostemp(beside.data(), O_CLOEXEC));
  if (file.get() < 0) return failed(path, errno);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  int error = 0;
  if (!write_all(file.get(), bytes) || ::fchmod(file.get(), 0666 & ~mask) != 0 ||
      ::rename(beside.c_str(), path.c_str()) != 0) {
    error = errno;
    ::unlink(beside.c_str());
    return failed(path, error);
  }
  return {};
}

}  // namespace aotscope::cli
