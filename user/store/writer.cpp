// The recorder's side of a recording.
//
// Why a write-ahead log and not a rollback journal: a reader never makes the sampler wait, and
// sees one whole flush or the other, while the recording goes on; a flush is one append without
// an fsync; and kill -9 at any moment leaves a file and a log that any later reader puts
// together. synchronous = NORMAL: the log is synced before it is copied into the file, so a power
// cut may lose the last flushes but not the file. finish() folds the log in and goes back to a
// journal, so a finished recording is one file that opens anywhere, read-only media included.
// Where the file system has no shared memory for the log, SQLite stays with the journal; a flush
// then waits a moment for a reader, or tries again with the next one.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "create.hpp"
#include "lock.hpp"
#include "rows.hpp"
#include "sqlite.hpp"

namespace aotscope::store {
namespace {

constexpr int journal_wait_ms = 250;

Error write_error(const std::string& path, const Db& db) {
  const bool full = db.code() == SQLITE_FULL;
  return Error{
      fmt::format("cannot write {}: {}", path, full ? "no space left on its disk" : db.reason()),
      full ? "free some space: the next flush writes what is missing" : ""};
}

class FileWriter final : public Writer {
 public:
  explicit FileWriter(std::string path) : path_(std::move(path)) {}
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  // Given up before its end: one file all the same.
  ~FileWriter() override {
    if (db_.handle() == nullptr || moved()) return;
    db_.forgive();
    db_.exec("PRAGMA journal_mode = DELETE");
  }

  // One that was killed keeps its lock until the kernel has put away all else that it had.
  Result<void> lock() {
    constexpr int tries = 20;
    for (int i = 0; i < tries; ++i) {
      if (lock_.take(path_)) return {};
      if (WriterLock::own(path_)) break;
      usleep(100'000);
    }
    return fail(fmt::format("{} is being written right now", path_), "choose another file with -o");
  }

  Result<void> open() {
    db_.open(path_, SQLITE_OPEN_READWRITE);
    if (db_.ok()) sqlite3_busy_timeout(db_.handle(), journal_wait_ms);
    db_.exec("PRAGMA journal_mode = WAL");
    db_.exec("PRAGMA synchronous = NORMAL");
    // What the log may keep of the disk after a large flush.
    db_.exec("PRAGMA journal_size_limit = 4194304");
    db_.exec("PRAGMA trusted_schema = OFF");
    // KiB. A flush touches the last pages of each table; SQLite would keep 2 MB of old ones.
    db_.exec("PRAGMA cache_size = -256");
    return checked();
  }

  Result<void> flush(const Profile& profile, CodeSource* code) override {
    return write(profile, code, false);
  }

  Result<void> finish(const Profile& profile, CodeSource* code) override {
    if (auto written = write(profile, code, true); !written) {
      return fail(written.error().message, "the file holds what was written before");
    }
    // Either may fail because somebody is reading right now. The recording is complete all the
    // same: the last one to close the file folds the log in.
    db_.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    db_.exec("PRAGMA journal_mode = DELETE");
    db_.forgive();
    return {};
  }

 private:
  Result<void> checked() {
    if (db_.ok()) return {};
    const Error error = write_error(path_, db_);
    db_.forgive();
    return tl::unexpected(error);
  }

  // SQLite finds the log by the file's name, so writing on under a name that somebody else has
  // taken would harm their file.
  bool moved() {
    int moved = 0;
    sqlite3_file_control(db_.handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved != 0;
  }

  Result<void> write(const Profile& profile, CodeSource* code, bool complete) {
    if (moved())
      return fail(fmt::format("cannot write {}: it was removed or replaced meanwhile", path_));
    const std::uint64_t samples = profile.totals().total;
    db_.exec("BEGIN IMMEDIATE");
    if (db_.ok()) {
      if (samples < samples_) restart_ = true;
      if (restart_) start_over();
      run_.write(db_, profile, complete);
      images_.write(db_, profile);
      counts_.write(db_, profile, code);
      buckets_.write(db_, profile);
      details_.write(db_, profile);
    }
    db_.exec("COMMIT");
    if (db_.ok()) {
      run_.commit();
      images_.commit();
      counts_.commit();
      buckets_.commit();
      details_.commit();
      samples_ = samples;
      restart_ = false;
      return {};
    }
    run_.discard();
    images_.discard();
    counts_.discard();
    buckets_.discard();
    details_.discard();
    auto failed = checked();
    // A failure such as a full disk has rolled back already.
    if (sqlite3_get_autocommit(db_.handle()) == 0) db_.exec("ROLLBACK");
    db_.forgive();
    return failed;
  }

  // The profile was zeroed: its counters restart, and so does the file.
  void start_over() {
    for (const char* table : {"unknown_addresses", "offsets", "function_totals", "stacks",
                              "buckets", "bucket_totals", "stack_buckets", "offset_buckets"})
      db_.exec(fmt::format("DELETE FROM {}", table).c_str());
    counts_.forget();
    buckets_.forget();
    details_.forget();
  }

  std::string path_;
  WriterLock lock_;  // outlives the connection
  Db db_;            // before the rows: their statements have to go first
  RunRows run_;
  ImageRows images_;
  CountRows counts_;
  BucketRows buckets_;
  DetailRows details_;
  std::uint64_t samples_ = 0;  // as of the last commit
  bool restart_ = false;       // zeroed since then
};

}  // namespace

Result<std::unique_ptr<Writer>> Writer::create(const std::filesystem::path& path, bool force) {
  Result<std::string> file = create_file(path, force);
  if (!file) return tl::unexpected(file.error());
  auto writer = std::make_unique<FileWriter>(*file);
  if (auto locked = writer->lock(); !locked) return tl::unexpected(locked.error());
  if (auto opened = writer->open(); !opened) return tl::unexpected(opened.error());
  return writer;
}

// The first flush writes every row once more over what is there: what the file holds is then
// exactly what the profile holds, whatever the killed recorder was in the middle of.
Result<std::unique_ptr<Writer>> Writer::append(const std::filesystem::path& path, Recording& into) {
  std::error_code error;
  const std::filesystem::path resolved = std::filesystem::canonical(path, error);
  const std::string name = error ? path.string() : resolved.string();
  auto writer = std::make_unique<FileWriter>(name);
  if (auto locked = writer->lock(); !locked) return tl::unexpected(locked.error());
  // Before the writer opens it: a reader that comes first to a write-ahead log leaves it behind.
  auto recording = load(path);
  if (!recording) return tl::unexpected(recording.error());
  recording->live = false;  // it is we who hold it
  if (auto opened = writer->open(); !opened) return tl::unexpected(opened.error());
  into = std::move(*recording);
  return writer;
}

}  // namespace aotscope::store
