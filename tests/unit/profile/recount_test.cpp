// The profile's incremental counters against a recount that keeps every sample.
#include <catch2/catch.hpp>

#include <chrono>
#include <set>

#include "unit/profile/random_run.hpp"

using namespace aotscope;
using namespace aotscope::profile;
using aotscope::test::describe_run;
using aotscope::test::RandomRun;

namespace {

// Everything by the book, from the definitions in profile.hpp.
struct Recount {
  Totals totals;
  std::map<FrameKey, FunctionCount> functions;
  std::map<FrameKey, std::uint64_t> host_total, self, kernel;
  std::map<std::vector<FrameKey>, std::pair<std::uint64_t, std::uint64_t>> stacks;
  std::map<std::uint32_t, std::uint64_t> threads;

  void add(const Sample& s) {
    const std::uint64_t in_kernel = s.kernel ? s.count : 0;
    totals.total += s.count;
    totals.kernel += in_kernel;
    self[s.leaf] += s.count;
    kernel[s.leaf] += in_kernel;
    threads[s.tid] += s.count;
    (s.leaf.kind == FrameKind::wasm   ? totals.wasm
     : s.leaf.kind == FrameKind::host ? totals.host
                                      : totals.unknown) += s.count;
    if (s.leaf.kind == FrameKind::wasm) {
      FunctionCount& f = functions[s.leaf];
      f.self += s.count;
      f.kernel += in_kernel;
      f.classes[static_cast<std::size_t>(s.cls)] += s.count;
      f.waits[static_cast<std::size_t>(s.waits)] += s.count;
      OffsetCount& o = f.offsets[s.text_offset];
      o.cls = s.cls;
      o.waits = s.waits;
      o.count += s.count;
      o.kernel += in_kernel;
    }
    std::vector<FrameKey> frames(s.stack.begin(), s.stack.end());
    if (frames.empty()) frames = {s.leaf};
    for (const FrameKey frame : std::set<FrameKey>(frames.begin(), frames.end())) {
      if (frame.kind == FrameKind::wasm) functions[frame].total += s.count;
      if (frame.kind == FrameKind::host) host_total[frame] += s.count;
    }
    auto& [count, count_kernel] = stacks[frames];
    count += s.count;
    count_kernel += in_kernel;
  }
};

std::map<std::vector<FrameKey>, std::pair<std::uint64_t, std::uint64_t>> stacks_of(
    const Profile& profile) {
  std::map<std::vector<FrameKey>, std::pair<std::uint64_t, std::uint64_t>> stacks;
  const auto& nodes = profile.stacks();
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {
    REQUIRE(nodes[node].parent < node);
    if (nodes[node].self == 0) continue;
    std::vector<FrameKey> frames;
    for (std::uint32_t up = node; up != 0; up = nodes[up].parent) frames.push_back(nodes[up].frame);
    REQUIRE(stacks.emplace(frames, std::pair(nodes[node].self, nodes[node].kernel)).second);
  }
  return stacks;
}

void check(const Profile& profile, const Recount& recount) {
  CHECK(profile.totals() == recount.totals);
  CHECK(profile.functions() == recount.functions);
  CHECK(stacks_of(profile) == recount.stacks);
  for (std::uint32_t i = 0; i < profile.hosts().size(); ++i) {
    const FrameKey key{FrameKind::host, 0, i};
    const auto at = [&](const auto& map) { return map.contains(key) ? map.at(key) : 0; };
    CHECK(profile.hosts()[i].self == at(recount.self));
    CHECK(profile.hosts()[i].kernel == at(recount.kernel));
    CHECK(profile.hosts()[i].total == at(recount.host_total));
  }
  for (const auto& [id, thread] : profile.threads())
    if (recount.threads.contains(id.second)) CHECK(thread.self == recount.threads.at(id.second));
}

void check_sums(const Profile& profile) {
  const Totals totals = profile.totals();
  std::uint64_t self = 0, kernel = 0, stacks = 0, buckets = 0, unknown = 0;
  for (const auto& [key, f] : profile.functions()) {
    std::uint64_t classes = 0, waits = 0, offsets = 0;
    for (const std::uint64_t n : f.classes) classes += n;
    for (const std::uint64_t n : f.waits) waits += n;
    for (const auto& [offset, o] : f.offsets) offsets += o.count;
    REQUIRE(classes == f.self);
    REQUIRE(waits == f.self);
    REQUIRE(offsets == f.self);
    REQUIRE(f.total >= f.self);
    self += f.self;
    kernel += f.kernel;
  }
  CHECK(self == totals.wasm);
  for (const HostEntry& host : profile.hosts()) self += host.self, kernel += host.kernel;
  for (const UnknownEntry& entry : profile.unknowns())
    self += entry.self, kernel += entry.kernel, unknown += entry.self;
  CHECK(self == totals.total);
  CHECK(unknown == totals.unknown);
  CHECK(kernel == totals.kernel);
  for (const StackNode& node : profile.stacks()) stacks += node.self;
  CHECK(stacks == totals.total);
  for (const auto& [start, bucket] : profile.buckets()) {
    CHECK(start % profile.bucket_seconds() == 0);
    std::uint64_t sum = bucket.host + bucket.unknown;
    for (const auto& [key, classes] : bucket.wasm)
      for (const std::uint64_t n : classes) sum += n;
    CHECK(sum == bucket.samples);
    buckets += sum;
  }
  CHECK(buckets == totals.total);
}

}  // namespace

TEST_CASE("every counter agrees with a recount of all samples") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U, 4U, 5U);
  Profile profile;
  describe_run(profile);
  Recount recount;
  RandomRun run(seed, 600);
  for (int i = 0; i < 4000; ++i) {
    const Sample sample = run.sample();
    profile.add(sample);
    recount.add(sample);
  }
  check(profile, recount);
  check_sums(profile);
}

TEST_CASE("a copy and a moved profile count on, each for itself") {
  Profile first;
  describe_run(first);
  Recount recount;
  RandomRun run(6, 60);
  const auto both = [&](Profile& profile, int samples) {
    for (int i = 0; i < samples; ++i) {
      const Sample sample = run.sample();
      profile.add(sample);
      recount.add(sample);
    }
  };
  both(first, 500);
  const Recount half = recount;
  Profile copy = first;
  both(copy, 500);
  check(copy, recount);
  check(first, half);
  Profile moved = std::move(copy);
  both(moved, 500);
  check(moved, recount);
  first = moved;
  both(first, 500);
  check(first, recount);
}

TEST_CASE("buckets keep every sample while they widen") {
  Profile profile;
  describe_run(profile);
  std::map<std::pair<std::uint64_t, FrameKey>, PerClass<std::uint64_t>> wasm;
  std::map<std::uint64_t, std::uint64_t> samples;
  const double week = 7 * 86400;
  RandomRun run(7, week);
  std::vector<Sample> all;
  for (int i = 0; i < 20000; ++i) all.push_back(run.sample());
  for (const Sample& sample : all) profile.add(sample);
  CHECK(profile.buckets().size() <= Profile::max_buckets);
  CHECK(profile.bucket_seconds() == 640);  // 10 * 2^6: a week in 945 buckets
  for (const Sample& sample : all) {
    const auto start = static_cast<std::uint64_t>(sample.time_s) / 640 * 640;
    samples[start] += sample.count;
    if (sample.leaf.kind == FrameKind::wasm)
      wasm[{start, sample.leaf}][static_cast<std::size_t>(sample.cls)] += sample.count;
  }
  CHECK(profile.buckets().size() == samples.size());
  std::size_t rows = 0;
  for (const auto& [start, bucket] : profile.buckets()) {
    REQUIRE(bucket.samples == samples[start]);
    for (const auto& [key, classes] : bucket.wasm) REQUIRE((classes == wasm[{start, key}]));
    rows += bucket.wasm.size();
  }
  CHECK(rows == wasm.size());
  check_sums(profile);
}

TEST_CASE("sums hold for samples that name nothing, or no time") {
  Profile profile;
  describe_run(profile);
  const FrameKey bad[] = {{FrameKind::wasm, 9, 0},          {FrameKind::wasm, 0, 9999},
                          {FrameKind::host, 0, 77},         {FrameKind::unknown, 0, 77},
                          {FrameKind::truncated, 0, 0},     {FrameKind::cut, 5, 5},
                          {static_cast<FrameKind>(9), 0, 0}};
  for (const FrameKey key : bad) {
    Sample sample;
    sample.leaf = key;
    sample.time_s = std::numeric_limits<double>::quiet_NaN();
    profile.add(sample);
    const FrameKey stack[] = {{FrameKind::wasm, 0, 1}, key};
    sample.stack = stack;
    sample.time_s = -1e300;
    profile.add(sample);
    sample.time_s = 1e300;
    profile.add(sample);
  }
  CHECK(profile.totals().unknown == std::size(bad));
  CHECK(profile.totals().wasm == 2 * std::size(bad));
  check_sums(profile);
}

TEST_CASE("an offset keeps its first class") {
  Profile profile;
  describe_run(profile);
  Sample sample;
  sample.leaf = {FrameKind::wasm, 0, 1};
  sample.text_offset = 70;
  sample.cls = InstrClass::alu;
  profile.add(sample);
  sample.cls = InstrClass::move;
  profile.add(sample);
  CHECK(profile.classes()[static_cast<std::size_t>(InstrClass::alu)] == 2);
  CHECK(profile.buckets().at(0).wasm.at(sample.leaf)[static_cast<std::size_t>(InstrClass::alu)] ==
        2);
  check_sums(profile);
}

TEST_CASE("zero drops the counters and keeps the names") {
  Profile profile;
  describe_run(profile);
  RandomRun run(8, 60);
  run.feed(profile, 300);
  const std::size_t hosts = profile.hosts().size();
  profile.zero();
  CHECK(profile.totals() == Totals{});
  CHECK(profile.functions().empty());
  CHECK(profile.stacks().size() == 1);
  CHECK(profile.hosts().size() == hosts);
  CHECK(profile.images().size() == 2);
  CHECK(profile.threads().at({7, 7}).comm == "wamr\xff");
  run.feed(profile, 300);
  check_sums(profile);
}

// Hidden: `test_profile [speed]` prints what a sample costs.
TEST_CASE("speed of add", "[.speed]") {
  Profile profile;
  describe_run(profile);
  RandomRun run(9, 7 * 86400.0);
  std::vector<Sample> samples;
  for (int i = 0; i < 20000; ++i) samples.push_back(run.sample());
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < 50; ++round)
    for (const Sample& sample : samples) profile.add(sample);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  WARN("ns per sample: " << took.count() * 1e9 / (50.0 * static_cast<double>(samples.size()))
                         << ", nodes: " << profile.stacks().size());
}
