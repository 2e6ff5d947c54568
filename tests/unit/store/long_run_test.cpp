// A long run: the file stays small, flushes write little, loading is quick.
#include <chrono>
#include <ctime>
#include <sstream>

#include "unit/store/support.hpp"

using namespace aotscope;
using namespace aotscope::test;
namespace fs = std::filesystem;

namespace {

// One flush for each `step` seconds of a run of `length`, `each` samples in it. Most come from some
// stacks that return for ever, a few are new, as in a real program.
void simulate(Profile& profile, store::Writer& writer, double length, double step,
              std::size_t each) {
  Random random(1);
  RandomRun fresh(2, 0);
  RandomRun first(3, 0);
  std::vector<Sample> usual;
  for (int i = 0; i < 3000; ++i) usual.push_back(first.sample());
  for (double time = 0; time < length; time += step) {
    for (std::size_t i = 0; i < each; ++i) {
      Sample sample = random.one_in(500) ? fresh.sample() : usual[random.below(usual.size())];
      sample.time_s = time;
      profile.add(sample);
    }
    succeed(writer.flush(profile, nullptr));
  }
}

double cpu_seconds() { return static_cast<double>(clock()) / CLOCKS_PER_SEC; }

double written_megabytes() {
  std::istringstream in(read_file("/proc/self/io"));
  std::string word;
  double bytes = 0;
  while (in >> word)
    if (word == "wchar:") in >> bytes;
  return bytes / 1e6;
}

}  // namespace

TEST_CASE("an idle recorder writes nothing") {
  Folder folder;
  Profile profile;
  describe_run(profile);
  RandomRun run(1, 60);
  run.feed(profile, 500);
  auto writer = value(store::Writer::create(folder / "a.db", false));
  succeed(writer->flush(profile, nullptr));
  const auto size = fs::file_size(folder / "a.db-wal");
  for (int i = 0; i < 10; ++i) succeed(writer->flush(profile, nullptr));
  CHECK(fs::file_size(folder / "a.db-wal") == size);
}

TEST_CASE("a flush writes what changed") {
  Folder folder;
  Profile profile;
  describe_run(profile);
  RandomRun run(1, 60);
  run.feed(profile, 20000);
  auto writer = value(store::Writer::create(folder / "a.db", false));
  succeed(writer->flush(profile, nullptr));
  succeed(writer->flush(profile, nullptr));
  // The log is reused from its start after a checkpoint, so its size says nothing: count pages.
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open((folder / "a.db").c_str(), &db) == SQLITE_OK);
  sqlite3_exec(db, "SELECT key FROM meta", nullptr, nullptr, nullptr);  // opens the log
  int log = 0, moved = 0;
  REQUIRE(sqlite3_wal_checkpoint_v2(db, nullptr, SQLITE_CHECKPOINT_TRUNCATE, &log, &moved) ==
          SQLITE_OK);
  Sample sample;
  sample.leaf = {FrameKind::wasm, 0, 5};
  sample.text_offset = 5 * 64;
  profile.add(sample);
  succeed(writer->flush(profile, nullptr));
  REQUIRE(sqlite3_wal_checkpoint_v2(db, nullptr, SQLITE_CHECKPOINT_PASSIVE, &log, &moved) ==
          SQLITE_OK);
  sqlite3_close(db);
  CHECK(log > 0);
  CHECK(log <= 12);  // one page for each table it touches, and its way there
}

TEST_CASE("hours of buckets and stacks stay small") {
  Folder folder;
  Profile profile;
  describe_run(profile);
  auto writer = value(store::Writer::create(folder / "a.db", false));
  simulate(profile, *writer, 4 * 3600, 10, 50);
  succeed(writer->finish(profile, nullptr));
  CHECK(profile.bucket_seconds() == 20);
  check_same(value(store::load(folder / "a.db")).profile, profile);
}

// Hidden: `test_store [cost]` prints what ten minutes at 999 Hz cost, and how much is sampling.
TEST_CASE("cost of recording", "[.cost]") {
  Folder folder;
  Profile profile;
  describe_run(profile);
  auto writer = value(store::Writer::create(folder / "a.db", false));
  const double bytes = written_megabytes();
  const double cpu = cpu_seconds();
  simulate(profile, *writer, 600, 1, 999);
  succeed(writer->finish(profile, nullptr));
  WARN("per second: " << (cpu_seconds() - cpu) / 0.6 << " ms CPU, "
                      << (written_megabytes() - bytes) / 0.6 << " kB written; file "
                      << static_cast<double>(fs::file_size(folder / "a.db")) / 1e6 << " MB, "
                      << profile.stacks().size() << " stacks");
}

// Hidden: `test_store [week]` prints a simulated week's figures.
TEST_CASE("a week", "[.week]") {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::duration d) { return std::chrono::duration<double>(d).count(); };
  Folder folder;
  Profile profile;
  describe_run(profile);
  auto writer = value(store::Writer::create(folder / "a.db", false));
  const auto start = Clock::now();
  simulate(profile, *writer, 7 * 86400, 10, 100);
  succeed(writer->finish(profile, nullptr));
  const auto written = Clock::now();
  const store::Recording recording = value(store::load(folder / "a.db"));
  const auto loaded = Clock::now();
  WARN("write " << seconds(written - start) << " s, load " << seconds(loaded - written) << " s, "
                << static_cast<double>(fs::file_size(folder / "a.db")) / 1e6 << " MB, "
                << profile.stacks().size() << " stacks, " << profile.totals().total
                << " samples, bucket " << profile.bucket_seconds() << " s");
  CHECK(recording.profile.totals() == profile.totals());
}
