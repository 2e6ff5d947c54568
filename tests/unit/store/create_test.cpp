// Which files a recording may take the place of.
#include <sys/stat.h>
#include <unistd.h>

#include "unit/store/support.hpp"

using namespace aotscope;
using namespace aotscope::test;
namespace fs = std::filesystem;

namespace {

Error refused(const fs::path& path, bool force) {
  auto writer = store::Writer::create(path, force);
  REQUIRE_FALSE(writer.has_value());
  CHECK(writer.error().message.find('\n') == std::string::npos);
  return writer.error();
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("an existing file is not overwritten without force") {
  Folder folder;
  write_recording(folder / "a.db");
  const std::string before = read_file(folder / "a.db");
  const Error error = refused(folder / "a.db", false);
  CHECK(error.message.find("a.db exists already") != std::string::npos);
  CHECK(error.hint.find("--force") != std::string::npos);
  CHECK(read_file(folder / "a.db") == before);
  CHECK(files_in(folder.path()) == 1);
}

TEST_CASE("force replaces a recording, a killed one's log too, or an empty file") {
  Folder folder;
  write_recording(folder / "a.db");
  write_file(folder / "a.db-wal", "old log");
  write_file(folder / "b.db", "");
  for (const char* name : {"a.db", "b.db"}) {
    Profile profile;
    auto writer = value(store::Writer::create(folder / name, true));
    succeed(writer->finish(profile, nullptr));
    CHECK(value(store::load(folder / name)).profile.images().empty());
  }
  CHECK(files_in(folder.path()) == 2);
}

TEST_CASE("force overwrites nothing that is no recording") {
  Folder folder;
  const std::string contents[] = {"notes", std::string("\0asm\1\0\0\0", 8),
                                  "\x7f"
                                  "ELF",
                                  std::string(100, 'x')};
  for (const std::string& content : contents) {
    write_file(folder / "f", content);
    refused(folder / "f", true);
    CHECK(read_file(folder / "f") == content);
  }
  fs::remove(folder / "f");
  sql(folder / "f", "CREATE TABLE t(a)");
  CHECK(refused(folder / "f", true).message.find("another program's") != std::string::npos);
  fs::create_directory(folder / "d");
  refused(folder / "d", true);
  REQUIRE(mkfifo((folder / "p").c_str(), 0600) == 0);
  refused(folder / "p", true);
  fs::create_symlink("nowhere", folder / "dangling");
  refused(folder / "dangling", true);
  refused("/dev/null", true);
  refused("/dev/full", true);
  CHECK(refused(folder / "none/a.db", false).message.find("none/a.db") != std::string::npos);
  CHECK(files_in(folder.path()) == 4);
}

TEST_CASE("a link is followed, and stays") {
  Folder folder;
  write_recording(folder / "a.db");
  fs::create_symlink("a.db", folder / "link");
  auto writer = value(store::Writer::create(folder / "link", true));
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(value(store::load(folder / "a.db")).profile.images().empty());
}

TEST_CASE("a log that belongs to nobody is not replayed into a new recording") {
  Folder folder;
  {
    Profile profile;
    describe_run(profile);
    auto writer = value(store::Writer::create(folder / "old.db", false));
    RandomRun run(1, 60);
    run.feed(profile, 100);
    succeed(writer->flush(profile, nullptr));
    fs::copy_file(folder / "old.db-wal", folder / "a.db-wal");
  }
  REQUIRE(fs::file_size(folder / "a.db-wal") > 0);
  auto writer = value(store::Writer::create(folder / "a.db", false));
  CHECK(value(store::load(folder / "a.db")).profile.images().empty());
}

TEST_CASE("a recording that was replaced or removed is not written on") {
  Folder folder;
  Profile profile;
  describe_run(profile);
  auto writer = value(store::Writer::create(folder / "a.db", false));
  succeed(writer->flush(profile, nullptr));
  auto other = value(store::Writer::create(folder / "a.db", true));
  succeed(other->flush(profile, nullptr));
  const auto flushed = writer->finish(profile, nullptr);
  REQUIRE_FALSE(flushed.has_value());
  CHECK(flushed.error().message.find("replaced") != std::string::npos);
  writer.reset();
  // The old one's end must not take the new one's log away.
  RandomRun run(1, 60);
  run.feed(profile, 100);
  succeed(other->flush(profile, nullptr));
  check_same(value(store::load(folder / "a.db")).profile, profile);
  succeed(other->finish(profile, nullptr));
  other.reset();
  check_same(value(store::load(folder / "a.db")).profile, profile);
}
