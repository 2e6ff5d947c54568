#include "create.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "header.hpp"
#include "schema.hpp"
#include "sqlite.hpp"

#include <aotscope/isa.hpp>
#include <aotscope/store.hpp>

namespace aotscope::store {
namespace {

constexpr const char* sidecars[] = {"-wal", "-shm", "-journal"};
constexpr const char* kinds[] = {"wasm", "host", "unknown", "truncated", "cut"};

tl::unexpected<Error> cannot(const std::string& path, int error) {
  const char* hint = error == ENOSPC || error == EDQUOT
                         ? "free some space, or choose a file on another disk with -o"
                     : error == EACCES || error == EPERM || error == EROFS || error == ENOENT
                         ? "choose another file with -o"
                         : "";
  return fail(fmt::format("cannot create {}: {}", path, std::strerror(error)), hint);
}

// A recording is private while it is made, and then as open as the umask lets new files be. The
// name cannot be guessed: in /tmp somebody else may have put a link there.
Result<std::string> empty_file_beside(const std::string& path) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    std::uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random) return cannot(path, errno);
    std::string name = fmt::format("{}.{:016x}.new", path, random);
    const int fd = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd >= 0) {
      close(fd);
      return name;
    }
    if (errno != EEXIST) return cannot(path, errno);
  }
  return cannot(path, EEXIST);
}

bool write_schema(Db& db) {
  db.exec("PRAGMA journal_mode = MEMORY");
  db.exec("PRAGMA synchronous = OFF");
  db.exec("BEGIN");
  db.exec(fmt::format("PRAGMA application_id = {}", application_id).c_str());
  db.exec(fmt::format("PRAGMA user_version = {}", schema_version).c_str());
  for (const Table& table : tables) db.exec(table.sql);
  Statement cls("INSERT INTO classes(id, name) VALUES(?, ?)");
  for (std::uint32_t i = 0; i < isa::class_count; ++i)
    cls.run(db, i, isa::class_id(static_cast<isa::InstrClass>(i)));
  Statement kind("INSERT INTO frame_kinds(id, name) VALUES(?, ?)");
  for (std::uint32_t i = 0; i < std::size(kinds); ++i) kind.run(db, i, std::string_view(kinds[i]));
  Statement meta("INSERT INTO meta(key, value) VALUES('complete', 0)");
  meta.run(db);
  return db.exec("COMMIT");
}

Result<void> may_replace(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return cannot(path, errno);
  Header header{};
  const ssize_t size = pread(fd, header.data(), header.size(), 0);
  close(fd);
  if (size < 0) return cannot(path, errno);
  if (size == 0) return {};
  const std::string what = describe(std::span(header).first(static_cast<std::size_t>(size)));
  if (what.empty()) return {};
  return fail(fmt::format("{} is {}, which --force does not overwrite", path, what),
              "choose another file with -o, or remove this one first");
}

// renameat2 with RENAME_NOREPLACE (Linux 3.15) is not there on every file system; link() is.
bool rename_without_replacing(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  return link(from.c_str(), to.c_str()) == 0 && unlink(from.c_str()) == 0;
}

}  // namespace

void remove_sidecars(const std::string& path) {
  for (const char* suffix : sidecars) unlink((path + suffix).c_str());
}

Result<std::string> create_file(const std::filesystem::path& given, bool force) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::weakly_canonical(given, error);
  const std::string path = error ? given.string() : absolute.string();

  struct stat status {};
  const bool exists = lstat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode))
    return fail(fmt::format("{} is no regular file", path), "choose another file with -o");
  if (exists && !force)
    return fail(fmt::format("{} exists already", path),
                "overwrite it with --force, or choose another file with -o");
  if (exists)
    if (auto allowed = may_replace(path); !allowed) return tl::unexpected(allowed.error());

  Result<std::string> fresh = empty_file_beside(path);
  if (!fresh) return fresh;
  {
    Db db;
    if (!db.open(*fresh, SQLITE_OPEN_READWRITE) || !write_schema(db)) {
      const std::string reason = db.reason();
      db.close();
      unlink(fresh->c_str());
      return fail(fmt::format("cannot create {}: {}", path, reason),
                  db.code() == SQLITE_FULL
                      ? "free some space, or choose a file on another disk with -o"
                      : "");
    }
  }
  // The order keeps a live recording whole whose file appeared after the look above.
  if (force) remove_sidecars(path);
  const bool renamed =
      force ? rename(fresh->c_str(), path.c_str()) == 0 : rename_without_replacing(*fresh, path);
  if (!renamed) {
    const int why = errno;
    unlink(fresh->c_str());
    if (why == EEXIST)
      return fail(fmt::format("{} exists already", path),
                  "overwrite it with --force, or choose another file with -o");
    return cannot(path, why);
  }
  if (!force) remove_sidecars(path);
  return path;
}

}  // namespace aotscope::store
