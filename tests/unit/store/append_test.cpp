// Going on with a recording, who may write one, and removing it.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/store/support.hpp"

using namespace aotscope;
using namespace aotscope::test;

namespace {

Error refused(const std::filesystem::path& path) {
  store::Recording recording;
  auto writer = store::Writer::append(path, recording);
  REQUIRE_FALSE(writer.has_value());
  CHECK(writer.error().message.find('\n') == std::string::npos);
  return writer.error();
}

}  // namespace

TEST_CASE("a recording goes on as if it had never ended") {
  Folder folder;
  Profile whole;
  describe_run(whole);
  RandomRun run(11, 300), again(11, 300);
  run.feed(whole, 900);
  {
    Profile first;
    describe_run(first);
    again.feed(first, 400);
    succeed(value(store::Writer::create(folder / "a.db", false))->finish(first, nullptr));
  }
  for (const std::size_t samples : {std::size_t{300}, std::size_t{200}}) {
    store::Recording recording;
    auto writer = value(store::Writer::append(folder / "a.db", recording));
    CHECK(recording.complete);
    again.feed(recording.profile, samples);
    succeed(writer->flush(recording.profile, nullptr));
    CHECK_FALSE(value(store::load(folder / "a.db")).complete);
    succeed(writer->finish(recording.profile, nullptr));
  }
  const store::Recording done = value(store::load(folder / "a.db"));
  CHECK(done.complete);
  check_same(done.profile, whole);
}

TEST_CASE("a recorder that was killed is gone on with, and no file beside it stays") {
  Folder folder;
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Profile profile;
    describe_run(profile);
    RandomRun run(12, 60);
    run.feed(profile, 500);
    auto writer = store::Writer::create(folder / "a.db", false);
    if (!writer || !(*writer)->flush(profile, nullptr)) _exit(1);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK_FALSE(value(store::load(folder / "a.db")).live);
  store::Recording recording;
  auto writer = value(store::Writer::append(folder / "a.db", recording));
  Profile whole;
  describe_run(whole);
  RandomRun run(12, 60);
  run.feed(whole, 500);
  check_same(recording.profile, whole);
  writer.reset();  // nothing was sampled after all
  check_same(value(store::load(folder / "a.db")).profile, whole);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("one writer at a time, and a reader knows of it") {
  Folder folder;
  Profile profile;
  describe_run(profile);
  auto writer = value(store::Writer::create(folder / "a.db", false));
  succeed(writer->flush(profile, nullptr));
  CHECK(value(store::load(folder / "a.db")).live);
  CHECK(refused(folder / "a.db").message.find("being written") != std::string::npos);
  CHECK_FALSE(store::remove_recording(folder / "a.db").has_value());
  // Another process sees the same.
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // The lock that fork() shares is not this process's own.
    store::Recording recording;
    const auto other = store::Writer::append(folder / "a.db", recording);
    _exit(!other && store::load(folder / "a.db")->live ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  succeed(writer->finish(profile, nullptr));
  writer.reset();
  CHECK_FALSE(value(store::load(folder / "a.db")).live);
}

TEST_CASE("what is no recording is neither gone on with nor removed") {
  Folder folder;
  for (const char* bytes : {"", "hello", "{}", "SQLite format 3"}) {
    write_file(folder / "f", bytes);
    refused(folder / "f");
    CHECK_FALSE(store::remove_recording(folder / "f").has_value());
    CHECK(read_file(folder / "f") == bytes);
  }
  refused(folder / "none");
  CHECK_FALSE(store::remove_recording(folder / "none").has_value());
  write_recording(folder / "a.db");
  std::filesystem::create_symlink("a.db", folder / "link.db");
  CHECK_FALSE(store::remove_recording(folder / "link.db").has_value());
  succeed(store::remove_recording(folder / "a.db"));
  CHECK_FALSE(std::filesystem::exists(folder / "a.db"));
}
