// Files that are no recording, or a recording that somebody or something has changed.
#include <sys/stat.h>
#include <unistd.h>

#include "unit/store/support.hpp"

using namespace aotscope;
using namespace aotscope::test;
namespace fs = std::filesystem;

namespace {

Error refused(const fs::path& path) {
  auto recording = store::load(path);
  INFO(path);
  REQUIRE_FALSE(recording.has_value());
  const Error error = recording.error();
  CHECK(error.message.find('\n') == std::string::npos);
  CHECK(error.message.find(path.string()) != std::string::npos);
  return error;
}

bool says(const Error& error, const char* words) {
  INFO(error.message);
  const bool found = error.message.find(words) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("what is no recording is named") {
  Folder folder;
  const auto file = [&](const std::string& bytes) {
    write_file(folder / "f", bytes);
    return folder / "f";
  };
  says(refused(folder / "none"), "No such file");
  says(refused(folder.path()), "folder");
  says(refused(file("")), "empty");
  says(refused(file("hello\n")), "no SQLite database");
  says(refused(file("\x7f"
                    "ELF\2\1\1")),
       "ELF");
  says(refused(file(std::string("\0asm\1\0\0\0", 8))), "WebAssembly");
  says(refused(file(std::string("\0aot", 4) + std::string(300, 'x'))), "cwasm");
  says(refused(file("PERFILE2" + std::string(300, '\0'))), "perf.data");
  says(refused(file(std::string("SQLite format 3\0", 16))), "cut");
  says(refused("/dev/null"), "no regular file");
  REQUIRE(mkfifo((folder / "fifo").c_str(), 0600) == 0);
  says(refused(folder / "fifo"), "no regular file");
  sql(folder / "other.db", "CREATE TABLE meta(key TEXT PRIMARY KEY, value)");
  says(refused(folder / "other.db"), "another program's SQLite database");
}

TEST_CASE("a recording of another version says which version it takes") {
  Folder folder;
  write_recording(folder / "a.db");
  sql(folder / "a.db", "PRAGMA user_version = 3");
  const Error newer = refused(folder / "a.db");
  says(newer, "version 3");
  CHECK(newer.hint.find("newer") != std::string::npos);
  sql(folder / "a.db", "PRAGMA user_version = 1");
  says(refused(folder / "a.db"), "version 1");
  sql(folder / "a.db", "PRAGMA user_version = 0");
  says(refused(folder / "a.db"), "damaged");
  sql(folder / "a.db", "PRAGMA user_version = -1");
  says(refused(folder / "a.db"), "damaged");
}

TEST_CASE("each impossible value is found") {
  const char* change = GENERATE(
      "UPDATE stacks SET parent = id WHERE id = 9", "UPDATE stacks SET parent = 99999 WHERE id = 3",
      "UPDATE stacks SET parent = -1 WHERE id = 3", "UPDATE stacks SET kind = 5 WHERE id = 3",
      "UPDATE stacks SET kind = 0, image = 9 WHERE id = 3", "DELETE FROM stacks WHERE id = 5",
      "UPDATE stacks SET kind = 0, image = 0, frame = 4294967295 WHERE id = 3",
      "UPDATE stacks SET self = self + 1 WHERE id = 3",
      "UPDATE stacks SET kernel = 9223372036854775807 WHERE id = 3",
      "UPDATE stacks SET self = -5 WHERE id = 3", "UPDATE stacks SET self = 'x' WHERE id = 3",
      "UPDATE offsets SET count = count + 1", "UPDATE offsets SET count = 9223372036854775807",
      "UPDATE offsets SET class = 24", "UPDATE offsets SET waits = -1",
      "UPDATE offsets SET image = 2 WHERE image = 1",
      "UPDATE offsets SET local_func = 40 WHERE local_func = 1",
      "UPDATE offsets SET kernel = count + 1", "UPDATE function_totals SET total = self - 1",
      "UPDATE function_totals SET self = self + 1", "DELETE FROM function_totals",
      "UPDATE function_totals SET total = 9007199254740992", "UPDATE buckets SET count = count + 1",
      "UPDATE buckets SET local_func = 999 WHERE local_func = 1",
      "UPDATE bucket_totals SET start_s = start_s + 1", "UPDATE bucket_totals SET width_s = 20",
      "UPDATE bucket_totals SET samples = samples - 1",
      "UPDATE bucket_totals SET host = samples + 1", "DELETE FROM buckets",
      "DELETE FROM bucket_totals", "DELETE FROM stack_buckets",
      "UPDATE stack_buckets SET count = count + 1",
      "UPDATE stack_buckets SET start_s = start_s + 1",
      "UPDATE stack_buckets SET stack = 0 WHERE stack = 1",
      "UPDATE stack_buckets SET stack = 4294967296 WHERE stack = 1",
      "UPDATE stack_buckets SET count = -1", "UPDATE offset_buckets SET count = count + 1",
      "UPDATE offset_buckets SET count = 9223372036854775807",
      "UPDATE offset_buckets SET image = 3 WHERE image = 1",
      "UPDATE offset_buckets SET offset = offset + 1000000",
      "UPDATE meta SET value = 0 WHERE key = 'detail_s'",
      "UPDATE meta SET value = 7 WHERE key = 'detail_s'", "INSERT INTO parts VALUES(0, 'x', 0, '')",
      "UPDATE meta SET value = 0 WHERE key = 'bucket_s'",
      "UPDATE meta SET value = 'x' WHERE key = 'samples'",
      "UPDATE meta SET value = -1 WHERE key = 'samples'",
      "UPDATE meta SET value = 9223372036854775807 WHERE key = 'samples'",
      "UPDATE meta SET value = NULL WHERE key = 'event'",
      "UPDATE meta SET value = 2 WHERE key = 'complete'", "DELETE FROM meta WHERE key = 'samples'",
      "UPDATE functions SET local_func = 1000 WHERE local_func = 20",
      "UPDATE functions SET name = zeroblob(5) WHERE local_func = 3",
      "UPDATE functions SET name = CAST(zeroblob(5000) AS TEXT) WHERE local_func = 3",
      "UPDATE functions SET offset = -1 WHERE local_func = 3", "DELETE FROM images WHERE id = 0",
      "UPDATE images SET id = 7 WHERE id = 1", "UPDATE regions SET image = 2",
      "UPDATE regions SET first_s = 9e999", "UPDATE hosts SET self = self + 1",
      "UPDATE hosts SET symbol = '' WHERE id = 1", "UPDATE hosts SET id = 9 WHERE id = 2",
      "UPDATE unknowns SET region = 0 + id * 0", "UPDATE unknown_addresses SET unknown = 3",
      "UPDATE threads SET kernel = self + 1", "UPDATE targets SET exited = 7",
      "UPDATE targets SET exit_status = 4294967296", "UPDATE lost SET count = 9223372036854775807",
      "UPDATE code SET image = 3 WHERE image = 1", "UPDATE code SET bytes = 'text'",
      "INSERT INTO warnings VALUES(77, x'00')", "DROP TABLE warnings",
      "ALTER TABLE stacks ADD COLUMN more",
      "DROP TABLE stacks; CREATE VIEW stacks AS SELECT 1 AS id",
      "DROP TABLE code; CREATE TABLE code(image, local_func, bytes AS (zeroblob(1000000000)))");
  Folder folder;
  write_recording(folder / "a.db");
  REQUIRE(store::load(folder / "a.db").has_value());
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open((folder / "a.db").c_str(), &db) == SQLITE_OK);
  const std::string text = change;
  const int code = sqlite3_exec(db, change, nullptr, nullptr, nullptr);
  INFO(text << ": " << sqlite3_errmsg(db));
  sqlite3_close(db);
  CHECK(code == SQLITE_OK);
  says(refused(folder / "a.db"), "damaged");
}

TEST_CASE("somebody's own tables, views and notes in a recording are left alone") {
  Folder folder;
  write_recording(folder / "a.db");
  sql(folder / "a.db",
      "CREATE VIEW mine AS SELECT name FROM functions; CREATE TABLE notes(t);"
      "INSERT INTO meta VALUES('note', 'mine'); CREATE INDEX i ON offsets(class);");
  CHECK(store::load(folder / "a.db").has_value());
}

TEST_CASE("a recording cut at any length is refused or whole") {
  Folder folder;
  write_recording(folder / "a.db");
  const std::string bytes = read_file(folder / "a.db");
  for (std::size_t size = 0; size < bytes.size(); size += bytes.size() / 97) {
    write_file(folder / "cut.db", bytes.substr(0, size));
    refused(folder / "cut.db");
  }
}

TEST_CASE("500 damaged recordings are refused or read, and never crash") {
  Folder folder;
  write_recording(folder / "a.db", 1, 200);
  const std::string good = read_file(folder / "a.db");
  Random random(99);
  int refusals = 0;
  for (int i = 0; i < 500; ++i) {
    std::string bytes = good;
    const std::uint64_t changes = 1 + random.below(12);
    for (std::uint64_t c = 0; c < changes; ++c) {
      // Page headers and the schema are where the structure is, so half of the changes go there.
      std::size_t at = random.below(bytes.size());
      if (random.one_in(2)) at = std::min(at / 4096 * 4096 + random.below(64), bytes.size() - 1);
      if (i % 4 != 0 && at < 100) at += 100;  // the header is checked first: mostly spare it
      bytes[at] = random.one_in(3) ? '\xff' : static_cast<char>(random.below(256));
    }
    write_file(folder / "m.db", bytes);
    const auto recording = store::load(folder / "m.db");
    if (recording) continue;
    ++refusals;
    CHECK(recording.error().message.find('\n') == std::string::npos);
    CHECK_FALSE(recording.error().message.empty());
  }
  CHECK(refusals > 250);
}

TEST_CASE("a damaged log loses flushes, not the recording") {
  Folder folder;
  Profile profile;
  describe_run(profile);
  auto writer = value(store::Writer::create(folder / "a.db", false));
  RandomRun run(1, 60);
  for (int i = 0; i < 5; ++i) {
    run.feed(profile, 50);
    succeed(writer->flush(profile, nullptr));
  }
  const std::string file = read_file(folder / "a.db");
  const std::string log = read_file(folder / "a.db-wal");
  REQUIRE(log.size() > 8192);
  Random random(7);
  for (int i = 0; i < 100; ++i) {
    fs::remove(folder / "m.db-shm");
    std::string bytes = log;
    bytes[random.below(bytes.size())] ^= static_cast<char>(1 + random.below(255));
    if (random.one_in(3)) bytes.resize(random.below(bytes.size()));
    write_file(folder / "m.db", file);
    write_file(folder / "m.db-wal", bytes);
    const auto recording = store::load(folder / "m.db");
    if (!recording) FAIL(recording.error().message);
    CHECK(recording->profile.totals().total <= profile.totals().total);
  }
}
