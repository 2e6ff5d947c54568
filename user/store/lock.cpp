#include "lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <mutex>
#include <set>

namespace aotscope::store {
namespace {

// Closing any descriptor of a file drops this process's POSIX locks on it, SQLite's included, so
// held() must not open a file that a writer of this very process has.
struct Own {
  std::mutex mutex;
  std::set<std::pair<dev_t, ino_t>> files;
};
Own& locked() {
  static Own instance;
  return instance;
}

bool refused(int fd, int operation) {
  return ::flock(fd, operation | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace

bool WriterLock::take(const std::filesystem::path& path) {
  if (held(path)) return false;
  util::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return true;  // opening it for writing will say why
  if (refused(fd.get(), LOCK_EX)) return false;
  fd_ = std::move(fd);
  file_ = {status.st_dev, status.st_ino};
  const std::lock_guard guard(locked().mutex);
  locked().files.insert(file_);
  return true;
}

WriterLock::~WriterLock() {
  if (!fd_) return;
  const std::lock_guard guard(locked().mutex);
  locked().files.erase(file_);
}

bool WriterLock::own(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  const std::lock_guard guard(locked().mutex);
  return locked().files.contains({status.st_dev, status.st_ino});
}

bool WriterLock::held(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  if (own(path)) return true;
  const util::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  return fd && refused(fd.get(), LOCK_SH);
}

}  // namespace aotscope::store
