// Who writes a recording holds a lock on it (flock, which knows nothing of SQLite's own locks), and
// the kernel drops it when the writer dies, however it dies.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <utility>

#include "util/fd.hpp"

namespace aotscope::store {

class WriterLock {
 public:
  WriterLock() = default;
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  ~WriterLock();

  // False when another writer holds it. A file system without such locks lets everybody in.
  bool take(const std::filesystem::path& path);
  static bool held(const std::filesystem::path& path);
  static bool own(const std::filesystem::path& path);  // held by this process

 private:
  util::UniqueFd fd_;
  std::pair<dev_t, ino_t> file_{};
};

}  // namespace aotscope::store
