// A part of a run against a profile that only ever saw that part.
#include <catch2/catch.hpp>

#include "unit/profile/random_run.hpp"

using namespace aotscope::profile;
using aotscope::test::describe_run;
using aotscope::test::Random;
using aotscope::test::RandomRun;

namespace {

// What a slice does not keep.
Profile without_kernel(const Profile& profile) {
  double from = 0, to = 1e9;
  return profile.slice(from, to);
}

std::map<std::vector<FrameKey>, std::uint64_t> stacks_of(const Profile& profile) {
  std::map<std::vector<FrameKey>, std::uint64_t> stacks;
  const auto& nodes = profile.stacks();
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {
    if (nodes[node].self == 0) continue;
    std::vector<FrameKey> frames;
    for (std::uint32_t up = node; up != 0; up = nodes[up].parent) frames.push_back(nodes[up].frame);
    stacks[frames] += nodes[node].self;
  }
  return stacks;
}

void check_alike(const Profile& a, const Profile& b) {
  CHECK(a.totals() == b.totals());
  CHECK((a.functions() == b.functions()));
  CHECK((a.hosts() == b.hosts()));
  CHECK((stacks_of(a) == stacks_of(b)));
  for (std::size_t i = 0; i < a.unknowns().size(); ++i)
    CHECK(a.unknowns()[i].self == b.unknowns()[i].self);
}

}  // namespace

TEST_CASE("a slice counts what its time has") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  Profile all, part;
  describe_run(all);
  describe_run(part);
  RandomRun run(seed, 200);
  all.info.duration_s = 200;
  for (int i = 0; i < 3000; ++i) {
    const Sample sample = run.sample();
    all.add(sample);
    if (sample.time_s >= 50 && sample.time_s < 120) part.add(sample);
  }
  REQUIRE(all.detail_seconds() == 10);
  double from = 55, to = 111;  // in whole tens
  const Profile slice = all.slice(from, to);
  CHECK(from == 50);
  CHECK(to == 120);
  check_alike(slice, without_kernel(part));

  double begin = 0, end = 1e12;
  const Profile whole = all.slice(begin, end);
  CHECK(end == 200);
  CHECK(whole.totals().total == all.totals().total);
  for (const auto& [key, function] : all.functions()) {
    CHECK(whole.functions().at(key).self == function.self);
    CHECK(whole.functions().at(key).total == function.total);
    CHECK(whole.functions().at(key).classes == function.classes);
    CHECK(whole.functions().at(key).waits == function.waits);
  }
}

TEST_CASE("a slice where nothing was sampled is empty") {
  Profile profile;
  describe_run(profile);
  RandomRun run(4, 20);
  run.feed(profile, 100);
  double from = 500, to = 600;
  const Profile slice = profile.slice(from, to);
  CHECK(slice.totals() == Totals{});
  CHECK(slice.functions().empty());
  CHECK(from == 500);
  CHECK(to == 500);
}

TEST_CASE("a slice is a profile that counts on") {
  Profile profile;
  describe_run(profile);
  RandomRun run(5, 20);
  run.feed(profile, 100);
  double from = 0, to = 10;
  Profile slice = profile.slice(from, to);
  const std::uint64_t before = slice.totals().total;
  run.feed(slice, 50);
  CHECK(slice.totals().total > before);
  std::uint64_t self = 0;
  for (const StackNode& node : slice.stacks()) self += node.self;
  CHECK(self == slice.totals().total);
}

TEST_CASE("the hottest stay") {
  Counts counts;
  for (std::uint32_t id = 0; id < 10; ++id) counts.add(id, id == 3 ? 50 : 7);
  counts.add(8, 1);
  CHECK(counts.trim(10).empty());
  const auto cold = counts.trim(4);
  CHECK(cold.size() == 6);
  CHECK(counts.size() == 4);
  const auto rows = counts.rows();
  CHECK(std::count(rows.begin(), rows.end(), Counts::Row(3, 50)) == 1);
  CHECK(std::count(rows.begin(), rows.end(), Counts::Row(8, 8)) == 1);
  std::uint64_t sum = 0;
  for (const auto& [id, count] : cold) sum += count;
  for (const auto& [id, count] : rows) sum += count;
  CHECK(sum == 50 + 9 * 7 + 1);
}

TEST_CASE("cold stacks and instructions are left out of an interval, sums stay exact") {
  Profile profile;
  ImageEntry image;
  for (std::uint32_t i = 0; i < 300; ++i)
    image.functions.push_back({i, i, i * 1000, 1000, "f" + std::to_string(i)});
  profile.add_image(std::move(image));
  Random random(7);
  for (int i = 0; i < 100000; ++i) {
    const bool hot = random.one_in(2);
    Sample sample;
    const auto leaf = static_cast<std::uint32_t>(hot ? 5 : random.below(300));
    const FrameKey stack[] = {
        {FrameKind::wasm, 0, leaf},
        {FrameKind::wasm, 0, hot ? 1 : static_cast<std::uint32_t>(random.below(300))}};
    sample.stack = stack;
    sample.text_offset = leaf * 1000 + (hot ? 4 : random.below(1000));
    sample.cls = InstrClass::alu;
    sample.time_s = 1;
    profile.add(sample);
  }
  const Detail& detail = profile.details().at(0);
  CHECK(detail.trims > 0);
  CHECK(detail.trims < 100);  // rare
  CHECK(detail.offsets.size() <= 2 * Profile::max_detail_ids);
  CHECK(detail.stacks.size() <= 2 * Profile::max_detail_ids + 301);
  CHECK(detail.samples == 100000);
  double from = 0, to = 10;
  const Profile slice = profile.slice(from, to);
  CHECK(slice.totals().wasm == 100000);
  for (const auto& [key, function] : profile.functions()) {
    const FunctionCount& part = slice.functions().at(key);
    CHECK(part.self == function.self);
    std::uint64_t classes = 0, offsets = 0;
    for (const std::uint64_t count : part.classes) classes += count;
    for (const auto& [offset, entry] : part.offsets) offsets += entry.count;
    CHECK(classes == part.self);
    CHECK(offsets == part.self);
  }
  const FunctionCount& hot = profile.functions().at({FrameKind::wasm, 0, 5});
  CHECK(slice.functions().at({FrameKind::wasm, 0, 5}).offsets.at(5004).count ==
        hot.offsets.at(5004).count);
}

TEST_CASE("leaves that are all different do not make trimming frequent") {
  Profile profile;
  Sample sample;
  for (std::uint32_t i = 1; i <= 60000; ++i) {
    const bool host = i % 2 == 0;
    sample.leaf = host
                      ? FrameKey{FrameKind::host, 0, profile.host_id("m", std::to_string(i))}
                      : FrameKey{FrameKind::unknown, 0, profile.unknown_id(std::uint64_t{i} << 12)};
    profile.add(sample);
  }
  const Detail& detail = profile.details().at(0);
  CHECK(detail.trims > 0);
  CHECK(detail.trims < 10);
  double from = 0, to = 10;
  const Profile slice = profile.slice(from, to);
  CHECK(slice.totals().host == 30000);
  CHECK(slice.totals().unknown == 30000);
}

TEST_CASE("counts by id") {
  Counts counts, other;
  Random random(1);
  std::map<std::uint32_t, std::uint64_t> expected;
  for (int i = 0; i < 500; ++i) {
    const auto id = static_cast<std::uint32_t>(random.below(60));
    Counts& into = random.one_in(2) ? counts : other;
    into.add(id, 1 + id);
    expected[id] += 1 + id;
  }
  if (random.one_in(2)) counts.pack();
  counts.add(other);
  const std::vector<Counts::Row> rows(expected.begin(), expected.end());
  CHECK(counts.rows() == rows);
  counts.pack();
  CHECK(counts.rows() == rows);
  CHECK(counts.size() == rows.size());
  const Counts copy = counts;
  counts.add(30, 5);
  counts.add(4000000000, UINT64_MAX);
  CHECK(copy.rows() == rows);
  CHECK_FALSE(counts == copy);
  CHECK(counts.size() == rows.size() + 1);
  counts.pack();
  CHECK(counts.rows().back() == Counts::Row(4000000000, UINT64_MAX));
  CHECK(counts.trim(3).size() == rows.size() - 2);
  CHECK(counts.size() == 3);
  Counts none;
  none.pack();
  CHECK(none.rows().empty());
}

TEST_CASE("many stacks widen the details, and nothing is lost") {
  Profile profile;
  describe_run(profile);
  RandomRun run(6, 86400);
  run.feed(profile, 40000);
  Sample sample;
  for (std::uint32_t second = 0; second < 40000; second += 10) {
    sample.leaf = {FrameKind::wasm, 0, second % 40};
    sample.text_offset = sample.leaf.id * 64;
    sample.time_s = second;
    profile.add(sample);
  }
  std::uint64_t stacks = 0, samples = 0;
  for (const auto& [start, detail] : profile.details()) {
    CHECK(start % profile.detail_seconds() == 0);
    samples += detail.samples;
    for (const auto& [id, count] : detail.stacks.rows()) stacks += count;
  }
  CHECK(profile.details().size() <= Profile::max_buckets);
  CHECK(profile.detail_seconds() > 10);
  CHECK(stacks == profile.totals().total);
  CHECK(samples == profile.totals().total);
}
