// kill -9 at any moment leaves a recording that lacks at most the flush that was being written.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/store/support.hpp"

using namespace aotscope;
using namespace aotscope::test;

namespace {

// Flush N holds N * 60 samples of one known run; each flush that has returned is told.
[[noreturn]] void record_for_ever(const std::filesystem::path& path, int told) {
  Profile profile;
  describe_run(profile);
  auto writer = store::Writer::create(path, false);
  if (!writer) _exit(1);
  RandomRun run(1, 2000);
  MadeCode code;
  for (std::uint32_t flush = 1;; ++flush) {
    run.feed(profile, 60);
    if (!(*writer)->flush(profile, &code)) _exit(1);
    if (write(told, &flush, sizeof flush) != sizeof flush) _exit(1);
  }
}

}  // namespace

TEST_CASE("kill -9 at fifty random moments") {
  Random random(42);
  int killed_in_flush = 0;
  for (int round = 0; round < 50; ++round) {
    Folder folder;
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) record_for_ever(folder / "a.db", pipe_ends[1]);
    close(pipe_ends[1]);
    std::uint32_t told = 0;
    REQUIRE(read(pipe_ends[0], &told, sizeof told) == sizeof told);
    usleep(static_cast<useconds_t>(random.below(60000)));
    kill(child, SIGKILL);
    REQUIRE(waitpid(child, nullptr, 0) == child);
    while (read(pipe_ends[0], &told, sizeof told) == sizeof told) {
    }
    close(pipe_ends[0]);

    const store::Recording recording = value(store::load(folder / "a.db"));
    CHECK_FALSE(recording.complete);
    // Which flush is it? Replay the same run.
    Profile profile;
    describe_run(profile);
    RandomRun run(1, 2000);
    std::uint32_t flush = 0;
    while (profile.totals().total < recording.profile.totals().total) {
      run.feed(profile, 60);
      ++flush;
    }
    INFO("round " << round << ": told " << told << ", found " << flush);
    CHECK((flush == told || flush == told + 1));
    check_same(recording.profile, profile);
    killed_in_flush += std::filesystem::exists(folder / "a.db-wal") ? 1 : 0;
  }
  CHECK(killed_in_flush > 25);  // or these were no kills in the middle
}
