// Small whole files (procfs, sysfs) read into a string.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>

#include "util/fd.hpp"

namespace aotscope::util {

// At most `limit` bytes; nullopt when it cannot be opened or read (errno says why).
inline std::optional<std::string> read_small_file(int dir, const char* path,
                                                  std::size_t limit = 1 << 20) {
  UniqueFd fd(::openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return std::nullopt;
  std::string text;
  char chunk[4096];
  while (text.size() < limit) {
    const ssize_t got = ::read(fd.get(), chunk, sizeof chunk);
    if (got < 0) {
      if (errno == EINTR) continue;
      return std::nullopt;
    }
    if (got == 0) break;
    text.append(chunk, static_cast<std::size_t>(got));
  }
  if (text.size() > limit) text.resize(limit);
  return text;
}

inline std::optional<std::string> read_small_file(const std::string& path,
                                                  std::size_t limit = 1 << 20) {
  return read_small_file(AT_FDCWD, path.c_str(), limit);
}

}  // namespace aotscope::util
