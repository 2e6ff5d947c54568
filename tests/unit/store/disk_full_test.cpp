// A full disk costs nothing but the flushes that do not fit: the file keeps the last whole flush,
// and the next one that fits has everything.
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "unit/store/support.hpp"

using namespace aotscope;
using namespace aotscope::test;

namespace {

// Exit code of a test body that changes its own process for good.
int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

bool same(const Profile& a, const Profile& b) {
  return a.totals() == b.totals() && a.functions() == b.functions() && a.stacks() == b.stacks() &&
         a.buckets() == b.buckets() && a.hosts() == b.hosts() && a.images() == b.images();
}

// Fills the disk, checks, makes room, checks. Returns 0, or the number of what went wrong.
int fill(const std::filesystem::path& path, const std::function<void(bool)>& full) {
  auto writer = store::Writer::create(path, false);
  if (!writer) return 1;
  Profile profile, before;
  describe_run(profile);
  RandomRun run(1, 100000);
  run.feed(profile, 100);
  if (!(*writer)->flush(profile, nullptr)) return 2;
  full(true);
  int failed = 0;
  for (int i = 0; i < 30 && failed < 3; ++i) {
    if (failed == 0) before = profile;
    run.feed(profile, 2000);
    const auto flushed = (*writer)->flush(profile, nullptr);
    if (flushed && failed > 0) return 3;
    if (!flushed) {
      ++failed;
      if (flushed.error().message.find("cannot write") == std::string::npos) return 4;
    }
  }
  if (failed < 3) return 5;
  auto recording = store::load(path);
  if (!recording) return 6;
  if (!same(recording->profile, before)) return 7;
  full(false);
  if (!(*writer)->flush(profile, nullptr)) return 8;
  recording = store::load(path);
  if (!recording || !same(recording->profile, profile)) return 9;
  if (!(*writer)->finish(profile, nullptr)) return 10;
  recording = store::load(path);
  return recording && recording->complete && same(recording->profile, profile) ? 0 : 11;
}

}  // namespace

TEST_CASE("a full disk: a limit on the file's size") {
  Folder folder;
  CHECK(in_child([&] {
          signal(SIGXFSZ, SIG_IGN);
          return fill(folder / "a.db", [](bool full) {
            rlimit limit{full ? 600U << 10 : RLIM_INFINITY, RLIM_INFINITY};
            setrlimit(RLIMIT_FSIZE, &limit);
          });
        }) == 0);
}

TEST_CASE("a full disk: a small tmpfs") {
  if (geteuid() != 0) {
    WARN("skipped: mounting a tmpfs takes root");
    return;
  }
  Folder folder;
  const int result = in_child([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      return 77;
    if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=1m") != 0) return 77;
    return fill(folder / "a.db", [&](bool full) {
      if (!full) mount("tmpfs", folder.path().c_str(), "tmpfs", MS_REMOUNT, "size=64m");
    });
  });
  if (result == 77)
    WARN("skipped: this container may not mount");
  else
    CHECK(result == 0);
}

TEST_CASE("a full disk: nothing is left of a recording that could not be created") {
  Folder folder;
  write_recording(folder / "old.db");
  const std::string before = read_file(folder / "old.db");
  CHECK(in_child([&] {
          signal(SIGXFSZ, SIG_IGN);
          rlimit limit{8192, RLIM_INFINITY};
          setrlimit(RLIMIT_FSIZE, &limit);
          if (store::Writer::create(folder / "new.db", false)) return 1;
          return store::Writer::create(folder / "old.db", true) ? 2 : 0;
        }) == 0);
  CHECK(read_file(folder / "old.db") == before);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}
