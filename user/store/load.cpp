// The reader's side of a recording: opens the file read-only, makes sure that it is one, and
// reads all of it in one transaction, so that a recording in progress shows one whole flush.
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <aotscope/store.hpp>

#include "header.hpp"
#include "lock.hpp"
#include "reader.hpp"
#include "schema.hpp"
#include "sqlite.hpp"

namespace aotscope::store {
namespace {

constexpr int wait_ms = 2000;
constexpr int max_value_bytes = 64 << 20;
constexpr std::uintmax_t max_copy_bytes = 1ULL << 32;

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  bool make() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "aotscope-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr) return false;
    path_ = name;
    return true;
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Nothing in the file may run: no view, no trigger, no function of a hostile schema.
void harden(Db& db) {
  sqlite3* handle = db.handle();
  sqlite3_busy_timeout(handle, wait_ms);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, max_value_bytes);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  db.exec("PRAGMA cell_size_check = ON");
  db.exec("PRAGMA query_only = ON");
  db.exec("PRAGMA mmap_size = 0");  // a file cut short while it is read is an error, no SIGBUS
}

// Read through SQLite's own descriptor: closing another one of the same file would drop this
// process's POSIX locks on it, those of a Writer included.
std::string looks_like(Db& db) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(db.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  sqlite3_int64 size = 0;
  if (file == nullptr || file->pMethods == nullptr ||
      file->pMethods->xFileSize(file, &size) != SQLITE_OK)
    return {};  // the first query will say what is wrong
  Header header{};
  const int length = static_cast<int>(std::min<sqlite3_int64>(size, header.size()));
  const int code = length == 0 ? SQLITE_OK : file->pMethods->xRead(file, header.data(), length, 0);
  if (code != SQLITE_OK) return {};
  return describe(std::span(header).first(static_cast<std::size_t>(length)));
}

bool start_reading(Db& db) {
  harden(db);
  db.exec("BEGIN");
  return db.exec("SELECT name FROM sqlite_master LIMIT 1");
}

bool reopen(Db& db, const std::string& name, int flags) {
  db.forgive();
  return db.open(name, flags) && start_reading(db);
}

// Reading a write-ahead log takes a -shm file beside it, and rolling back a journal writes to the
// file: neither works in a folder that is read-only, as after a crash on a disk mounted so. With
// no log there the file alone is the recording; else a copy of both is read.
bool read_without_writing(Db& db, const std::string& path, TemporaryFolder& folder) {
  bool log = false;
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (const char* suffix : {"", "-wal", "-journal"}) {
    const std::uintmax_t size = fs::file_size(path + suffix, error);
    if (error) continue;
    bytes += size;
    if (*suffix != '\0' && size > 0) log = true;
  }
  if (!log) {
    std::string uri = "file:";
    for (const char c : path) {
      if (c == '?' || c == '#' || c == '%')
        uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
      else
        uri += c;
    }
    return reopen(db, uri + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  }
  if (bytes > max_copy_bytes || !folder.make()) return false;
  const std::string copy = (folder.path() / "recording.db").string();
  for (const char* suffix : {"", "-wal", "-journal"})
    if (!fs::copy_file(path + suffix, copy + suffix, error) && *suffix == '\0') return false;
  fs::permissions(copy, fs::perms::owner_read | fs::perms::owner_write, error);
  return reopen(db, copy, SQLITE_OPEN_READWRITE);
}

tl::unexpected<Error> damaged(const std::string& path, const std::string& what) {
  return fail(fmt::format("{} is a damaged recording: {}", path, what),
              "the sqlite3 shell's .recover may save a part of it");
}

tl::unexpected<Error> cannot_read(const std::string& path, const Db& db) {
  switch (db.code()) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_TOOBIG:
      return damaged(path, db.reason());
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fail(fmt::format("{} is being written right now", path), "try again in a moment");
    default:
      return fail(fmt::format("cannot read {}: {}", path, db.reason()));
  }
}

Result<void> check_version(const std::string& path, Db& db) {
  Statement query("PRAGMA user_version");
  const std::uint64_t version = query.next(db) ? query.bits(0) : 0;
  if (!db.ok()) return cannot_read(path, db);
  const auto signed_version = static_cast<std::int64_t>(version);
  if (signed_version > schema_version || (signed_version > 0 && signed_version < schema_version))
    return fail(fmt::format("{} has recording version {}; this aotscope reads version {}", path,
                            signed_version, schema_version),
                signed_version > schema_version
                    ? "read it with the aotscope that wrote it, or a newer one"
                    : "read it with the aotscope that wrote it");
  if (signed_version != schema_version)
    return damaged(path, fmt::format("there is no recording version {}", signed_version));
  return {};
}

// The tables have to be exactly ours: what a query means must not depend on the file. Tables and
// views that somebody has added are nobody's business.
Result<void> check_tables(const std::string& path, Db& db) {
  Statement query("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?");
  for (const Table& table : tables) {
    const bool found =
        query.next_for(db, std::string_view(table.name)) && query.text(0, 4096) == table.sql;
    if (!db.ok()) return cannot_read(path, db);
    if (!found) return damaged(path, fmt::format("table {} is not as it should be", table.name));
  }
  return {};
}

Result<void> check_path(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    return fail(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) return fail(fmt::format("{} is a folder, no recording", path));
  if (!S_ISREG(status.st_mode)) return fail(fmt::format("{} is no regular file", path));
  return {};
}

}  // namespace

Result<Recording> load(const fs::path& given) {
  const std::string path = given.string();
  if (auto there = check_path(path); !there) return tl::unexpected(there.error());

  std::error_code error;
  const fs::path resolved = fs::canonical(given, error);
  const std::string absolute = error ? path : resolved.string();
  TemporaryFolder folder;  // outlives the connection
  Db db;
  if (!db.open(absolute, SQLITE_OPEN_READONLY)) return cannot_read(path, db);
  if (const std::string what = looks_like(db); !what.empty())
    return fail(fmt::format("{} is {}, no recording", path, what),
                "`aotscope record` writes recordings");
  if (!start_reading(db) && (db.code() == SQLITE_CANTOPEN || db.code() == SQLITE_READONLY))
    read_without_writing(db, absolute, folder);
  if (!db.ok()) return cannot_read(path, db);

  if (auto fits = check_version(path, db); !fits) return tl::unexpected(fits.error());
  if (auto fits = check_tables(path, db); !fits) return tl::unexpected(fits.error());

  Recording recording;
  recording.live = WriterLock::held(absolute);
  Reader reader(db);
  Widths widths{0, recording.profile.bucket_seconds(), recording.profile.detail_seconds()};
  read_run(reader, recording, widths);
  if (reader.ok()) read_counts(reader, recording, widths);
  if (!reader.ok()) {
    if (db.code() == SQLITE_OK || db.code() == SQLITE_CORRUPT) return damaged(path, reader.what());
    return cannot_read(path, db);
  }
  return recording;
}

}  // namespace aotscope::store
