// What is written is read back, field by field, while recording and after.
#include "unit/store/support.hpp"

using namespace aotscope;
using namespace aotscope::test;

TEST_CASE("every field comes back, after each flush and after the end") {
  using namespace std::string_literals;
  Folder folder;
  Profile profile;
  describe_run(profile);
  auto& info = profile.info;
  info.tool_version = "1.2.3";
  info.host_name = "h\xff\0st"s;
  info.kernel_release = "6.1.0";
  info.command_line = "aotscope record -p 7";
  info.event = "cpu-clock";
  info.precise = true;
  info.frequency_asked = 200000;
  info.frequency_hz = 999;
  info.started_unix_s = 1.7e9 + 0.25;
  info.stacks = true;
  info.parts = {{0, 1, "first\xff"}, {20, 3, ""}};
  RandomRun run(3, 3000);
  MadeCode code;
  auto writer = value(store::Writer::create(folder / "a.db", false));
  for (int flush = 1; flush <= 12; ++flush) {
    run.feed(profile, 200);
    info.duration_s = flush * 1.5;
    info.target_cpu_s = flush * 1.25;
    info.targets = {
        {7, "wamr\n", "wamr a;b", "wamr 3.0", flush * 0.5, false, {}},
        {8, "", "", "", 0, flush > 6, flush > 6 ? std::optional(-flush) : std::nullopt}};
    info.lost = {{"map-full", "--map-size", static_cast<std::uint64_t>(flush)}, {"ring", "", 1}};
    if (flush % 4 == 0) info.warnings.push_back("line\x01");
    if (flush == 9) info.warnings.clear();
    profile.regions.push_back({7, 1, 0xffff800000000000U, 4096, flush * 0.1, 0});
    profile.regions.front().last_s = flush;
    if (flush == 8) profile.regions.resize(3);
    if (flush == 5) {
      profile::ImageEntry late;
      late.path = "late";
      late.functions.push_back({0, 0, 0, 64, "late"});
      profile.add_image(std::move(late));
    }
    if (flush == 6) profile.name_thread(7, 7, "renamed");
    succeed(writer->flush(profile, &code));
    const store::Recording live = value(store::load(folder / "a.db"));
    INFO("flush " << flush);
    CHECK_FALSE(live.complete);
    check_same(live.profile, profile);
  }
  info.duration_s = 99;
  succeed(writer->finish(profile, &code));
  writer.reset();
  const store::Recording done = value(store::load(folder / "a.db"));
  CHECK(done.complete);
  check_same(done.profile, profile);
  std::size_t sampled = 0;
  for (const auto& [key, function] : profile.functions()) sampled += function.self != 0 ? 1 : 0;
  CHECK(done.code.size() == sampled);
  CHECK(code.asked == static_cast<int>(sampled));
  for (const auto& [key, bytes] : done.code) CHECK(bytes == MadeCode().code(key));
  // One file, that opens anywhere.
  CHECK_FALSE(std::filesystem::exists(folder / "a.db-wal"));
  CHECK_FALSE(std::filesystem::exists(folder / "a.db-shm"));
}

TEST_CASE("a loaded profile counts on") {
  Folder folder;
  Profile profile;
  describe_run(profile);
  RandomRun run(4, 60);
  run.feed(profile, 1000);
  auto writer = value(store::Writer::create(folder / "a.db", false));
  succeed(writer->finish(profile, nullptr));
  store::Recording recording = value(store::load(folder / "a.db"));
  RandomRun one(5, 60), two(5, 60);
  one.feed(profile, 500);
  two.feed(recording.profile, 500);
  check_same(recording.profile, profile);
}

TEST_CASE("buckets are rolled up in the file as in the profile") {
  Folder folder;
  Profile profile;
  describe_run(profile);
  auto writer = value(store::Writer::create(folder / "a.db", false));
  for (int hour = 1; hour <= 40; ++hour) {
    RandomRun run(static_cast<std::uint64_t>(hour), hour * 3600);
    run.feed(profile, 300);
    succeed(writer->flush(profile, nullptr));
  }
  CHECK(profile.bucket_seconds() > 10);
  CHECK(profile.detail_seconds() > 10);
  check_same(value(store::load(folder / "a.db")).profile, profile);
}

TEST_CASE("what an interval left out is not in the file either") {
  Folder folder;
  Profile profile;
  profile::ImageEntry image;
  for (std::uint32_t i = 0; i < 200; ++i) image.functions.push_back({i, i, i * 1000, 1000, "f"});
  profile.add_image(std::move(image));
  auto writer = value(store::Writer::create(folder / "a.db", false));
  Random random(3);
  for (int flush = 0; flush < 12; ++flush) {
    for (int i = 0; i < 4000; ++i) {
      Sample sample;
      sample.leaf = {FrameKind::wasm, 0, static_cast<std::uint32_t>(random.below(200))};
      sample.text_offset = sample.leaf.id * 1000 + random.below(1000);
      const FrameKey stack[] = {
          sample.leaf, {FrameKind::wasm, 0, static_cast<std::uint32_t>(random.below(200))}};
      sample.stack = stack;
      sample.time_s = 3;
      profile.add(sample);
    }
    succeed(writer->flush(profile, nullptr));
    check_same(value(store::load(folder / "a.db")).profile, profile);
  }
  CHECK(profile.details().at(0).trims > 0);
}

TEST_CASE("a profile that was zeroed starts its recording over") {
  Folder folder;
  Profile profile;
  describe_run(profile);
  auto writer = value(store::Writer::create(folder / "a.db", false));
  RandomRun run(6, 60);
  run.feed(profile, 1000);
  succeed(writer->flush(profile, nullptr));
  profile.zero();
  run.feed(profile, 100);
  succeed(writer->flush(profile, nullptr));
  check_same(value(store::load(folder / "a.db")).profile, profile);
}

TEST_CASE("an empty run, and no flush at all, are recordings") {
  Folder folder;
  const Profile profile;
  auto writer = value(store::Writer::create(folder / "a.db", false));
  CHECK_FALSE(value(store::load(folder / "a.db")).complete);
  CHECK(value(store::load(folder / "a.db")).profile.totals().total == 0);
  succeed(writer->finish(profile, nullptr));
  CHECK(value(store::load(folder / "a.db")).complete);
}

TEST_CASE("a text of any length leaves a recording that can be read") {
  Folder folder;
  Profile profile;
  profile.info.command_line.assign(5U << 20, 'x');
  profile.info.targets.push_back({1, std::string(2U << 20, 'c'), "", "", 0, false, {}});
  profile.name_thread(1, 1, std::string(2U << 20, 't'));
  auto writer = value(store::Writer::create(folder / "a.db", false));
  succeed(writer->finish(profile, nullptr));
  CHECK(value(store::load(folder / "a.db")).profile.info.command_line.size() == 1U << 20);
}

TEST_CASE("times that are no numbers do not spoil a recording") {
  Folder folder;
  Profile profile;
  profile.info.duration_s = std::numeric_limits<double>::quiet_NaN();
  profile.info.target_cpu_s = std::numeric_limits<double>::infinity();
  auto writer = value(store::Writer::create(folder / "a.db", false));
  succeed(writer->finish(profile, nullptr));
  CHECK(value(store::load(folder / "a.db")).profile.info.duration_s == 0);
}
