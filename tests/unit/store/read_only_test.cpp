// Recordings in a folder where nothing may be written: finished, killed, and in progress.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/store/support.hpp"

using namespace aotscope;
using namespace aotscope::test;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t unreadable = UINT64_MAX;

// The samples that somebody without the right to write reads; root may write anywhere, so this
// is a child that has become nobody.
std::uint64_t read_as_nobody(const fs::path& path) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    std::uint64_t samples = unreadable;
    if (geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0)) {
      const auto recording = store::load(path);
      if (recording) samples = recording->profile.totals().total;
      if (!recording) fprintf(stderr, "%s\n", recording.error().message.c_str());
    }
    _exit(write(ends[1], &samples, sizeof samples) == sizeof samples ? 0 : 1);
  }
  close(ends[1]);
  std::uint64_t samples = unreadable;
  CHECK(read(ends[0], &samples, sizeof samples) == sizeof samples);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return samples;
}

// What a killed recorder leaves: the file, its log and shared memory.
void leave_killed(const fs::path& path) {
  const pid_t child = fork();
  if (child == 0) {
    Profile profile;
    describe_run(profile);
    auto writer = store::Writer::create(path, false);
    RandomRun run(1, 60);
    for (int i = 0; i < 3; ++i) {
      run.feed(profile, 100);
      if (!writer || !(*writer)->flush(profile, nullptr)) _exit(1);
    }
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  REQUIRE(fs::exists(path.string() + "-wal"));
}

void lock(const fs::path& folder) {
  using enum fs::perms;
  for (const auto& entry : fs::directory_iterator(folder))
    fs::permissions(entry.path(), owner_read | group_read | others_read);
  fs::permissions(folder, owner_read | owner_exec | others_read | others_exec);
}

void unlock(const fs::path& folder) { fs::permissions(folder, fs::perms::owner_all); }

std::uint64_t samples_of(int flushes) {
  Profile profile;
  describe_run(profile);
  RandomRun run(1, 60);
  run.feed(profile, static_cast<std::size_t>(flushes) * 100);
  return profile.totals().total;
}

}  // namespace

TEST_CASE("a finished recording is read where nothing may be written") {
  Folder folder;
  write_recording(folder / "a?b#c%20.db");
  lock(folder.path());
  CHECK(read_as_nobody(folder / "a?b#c%20.db") != unreadable);
  unlock(folder.path());
}

TEST_CASE("a killed recording is read where nothing may be written") {
  Folder folder;
  leave_killed(folder / "a.db");
  SECTION("as it was left") {}
  SECTION("copied without the shared memory") { fs::remove(folder / "a.db-shm"); }
  lock(folder.path());
  CHECK(read_as_nobody(folder / "a.db") == samples_of(3));
  unlock(folder.path());
}

TEST_CASE("a recording in progress is read by somebody who may not write") {
  Folder folder;
  Profile profile;
  describe_run(profile);
  auto writer = value(store::Writer::create(folder / "a.db", false));
  RandomRun run(1, 60);
  run.feed(profile, 100);
  succeed(writer->flush(profile, nullptr));
  fs::permissions(folder.path(),
                  fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  CHECK(read_as_nobody(folder / "a.db") == samples_of(1));
}

TEST_CASE("the file alone, copied from a killed recording, is its last checkpoint or a clear no") {
  Folder folder;
  leave_killed(folder / "a.db");
  fs::copy_file(folder / "a.db", folder / "copy?.db");
  const auto recording = store::load(folder / "copy?.db");
  if (recording)
    CHECK(recording->profile.totals().total <= samples_of(3));
  else
    CHECK(recording.error().message.find("damaged") != std::string::npos);
}
