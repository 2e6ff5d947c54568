// What keeps memory flat: limits are reached, sums stay exact.
#include <catch2/catch.hpp>

#include "unit/profile/random_run.hpp"

using namespace aotscope::profile;
using aotscope::test::describe_run;
using aotscope::test::functions_per_image;

namespace {

Profile with_functions(std::uint32_t count) {
  Profile profile;
  ImageEntry image;
  for (std::uint32_t i = 0; i < count; ++i) image.functions.push_back({i, i, i, 1, "f"});
  profile.add_image(std::move(image));
  return profile;
}

}  // namespace

TEST_CASE("a full tree counts new stacks as truncated, and totals stay exact") {
  constexpr std::uint32_t width = 600;  // width^2 stacks of three frames: more than max_nodes
  Profile profile = with_functions(width);
  std::uint64_t added = 0;
  for (std::uint32_t a = 1; a < width; ++a)
    for (std::uint32_t b = 1; b < width; ++b) {
      const FrameKey stack[] = {
          {FrameKind::wasm, 0, b}, {FrameKind::wasm, 0, a}, {FrameKind::wasm, 0, 0}};
      Sample sample;
      sample.stack = stack;
      profile.add(sample);
      ++added;
    }
  REQUIRE(added > Profile::max_nodes);
  CHECK(profile.stacks().size() <= Profile::max_nodes + width + 2);
  CHECK(profile.functions().at({FrameKind::wasm, 0, 0}).total == added);
  CHECK(profile.functions().at({FrameKind::wasm, 0, 5}).self == width - 1);
  // As a leaf and as a caller, and once where it is both.
  CHECK(profile.functions().at({FrameKind::wasm, 0, 5}).total == 2 * (width - 1) - 1);
  CHECK(profile.functions().at({FrameKind::wasm, 0, width - 1}).total == 2 * (width - 1) - 1);
  std::uint64_t self = 0, truncated = 0;
  for (const StackNode& node : profile.stacks()) {
    self += node.self;
    if (profile.stacks()[node.parent].frame.kind == FrameKind::truncated) truncated += node.self;
  }
  CHECK(self == added);
  CHECK(truncated > 0);
}

TEST_CASE("a stack deeper than the limit loses its outer frames to a marker") {
  Profile profile = with_functions(3);
  std::vector<FrameKey> stack(Profile::max_depth + 10, FrameKey{FrameKind::wasm, 0, 1});
  stack.back().id = 2;
  Sample sample;
  sample.stack = stack;
  profile.add(sample);
  CHECK(profile.stacks().size() == Profile::max_depth + 2);  // root and marker
  CHECK(profile.stacks()[1].frame.kind == FrameKind::truncated);
  CHECK(profile.functions().at({FrameKind::wasm, 0, 1}).total == 1);
}

TEST_CASE("many functions in each bucket widen the buckets too") {
  const std::uint32_t functions = GENERATE(1000U, 3000U);
  Profile profile = with_functions(functions);
  for (std::uint64_t second = 0; second < 1000; second += 10)
    for (std::uint32_t f = 0; f < functions; ++f) {
      Sample sample;
      sample.leaf = {FrameKind::wasm, 0, f};
      sample.time_s = static_cast<double>(second);
      profile.add(sample);
    }
  std::size_t rows = 0;
  for (const auto& [start, bucket] : profile.buckets()) rows += bucket.wasm.size();
  CHECK((rows <= Profile::max_bucket_rows || profile.buckets().size() < 2 * Profile::min_buckets));
  CHECK(profile.buckets().size() >= Profile::min_buckets);
  CHECK(profile.totals().total == 100 * functions);
}

TEST_CASE("threads and unknown regions are bounded") {
  Profile profile;
  profile.unknown_id(0);  // one of the regions that there may be
  Sample sample;
  for (std::uint32_t i = 1; i <= Profile::max_threads + 100; ++i) {
    sample.pid = 1;
    sample.tid = i;
    sample.leaf = {FrameKind::unknown, 0, profile.unknown_id(std::uint64_t{i} << 12)};
    profile.add(sample);
  }
  CHECK(profile.threads().size() <= Profile::max_threads + 1);
  CHECK(profile.threads().at({1, 0}).self == 100);
  CHECK(profile.unknowns().size() <= Profile::max_unknowns + 1);
  CHECK(profile.unknowns()[profile.unknown_id(0)].self == 101);
  CHECK(profile.totals().total == Profile::max_threads + 100);
}

TEST_CASE("addresses of an unknown region are bounded, its count is not") {
  Profile profile;
  Sample sample;
  sample.leaf = {FrameKind::unknown, 0, profile.unknown_id(0x1000)};
  for (sample.address = 0; sample.address < 2000; ++sample.address) profile.add(sample);
  CHECK(profile.unknowns()[0].addresses.size() == UnknownEntry::max_addresses);
  CHECK(profile.unknowns()[0].self == 2000);
}

TEST_CASE("names are cut, frames have names") {
  Profile profile;
  ImageEntry image;
  image.functions.push_back({0, 0, 0, 1, std::string(1U << 20, 'x')});
  profile.add_image(std::move(image));
  CHECK(profile.frame_name({FrameKind::wasm, 0, 0}).size() == max_name_bytes);
  CHECK(profile.frame_name({FrameKind::wasm, 0, 1}) == "[unknown]");
  CHECK(profile.frame_name({FrameKind::host, 0, profile.host_id("libc.so.6", "")}) == "libc.so.6");
  CHECK(profile.frame_name({FrameKind::host, 0, profile.host_id("libc.so.6", "read")}) == "read");
  CHECK(profile.frame_name({FrameKind::host, 0, 9}) == "[unknown]");
  CHECK(profile.frame_name({FrameKind::truncated, 0, 0}) == "[truncated]");
  CHECK(profile.frame_name({FrameKind::cut, 0, 0}) == "[cut]");
  CHECK(profile.host_id("libc.so.6", "read") == 1);
}
