// Sampling noise is told from change: simulated runs of realistic length.
#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include <aotscope/diff.hpp>

#include "random_run.hpp"

using namespace aotscope;
using namespace aotscope::profile;
using aotscope::test::Random;

namespace {

// Shares of a program's functions: a few hot ones and a long tail, as real programs have.
std::vector<double> program_shares(std::size_t functions) {
  std::vector<double> shares;
  double sum = 0;
  for (std::size_t i = 0; i < functions; ++i) {
    shares.push_back(1.0 / static_cast<double>(i + 1));
    sum += shares.back();
  }
  for (double& share : shares) share /= sum;
  return shares;
}

ImageEntry image_of(std::size_t functions) {
  ImageEntry image;
  image.path = "app.cwasm";
  image.arch = "x86-64";
  image.text_size = functions * 64;
  for (std::uint32_t i = 0; i < functions; ++i) {
    image.functions.push_back({i, i + 2, std::uint64_t{i} * 64, 64, "f" + std::to_string(i)});
  }
  return image;
}

// `rate` samples a second for `seconds`, each of a function by its share. In odd seconds function
// 0 takes `swing` more of the first two functions' time, in even ones less: phases.
Profile simulate(const std::vector<double>& shares, std::uint64_t seed, double seconds, double rate,
                 double swing = 0, bool stacks = false) {
  Profile profile;
  profile.info.stacks = stacks;
  profile.info.target_cpu_s = seconds;
  profile.add_image(image_of(shares.size()));
  Random random(seed);
  const auto uniform = [&] { return static_cast<double>(random.next() >> 11) * 0x1p-53; };
  const auto samples = static_cast<std::size_t>(seconds * rate);
  std::size_t phase = 0;
  double sign = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    Sample sample;
    sample.time_s = static_cast<double>(i) / rate;
    // Phases of a random direction, each one bucket long.
    if (swing > 0 && static_cast<std::size_t>(sample.time_s / 10) + 1 != phase) {
      phase = static_cast<std::size_t>(sample.time_s / 10) + 1;
      sign = random.one_in(2) ? 1 : -1;
    }
    double at = uniform();
    std::uint32_t function = 0;
    for (; function + 1 < shares.size(); ++function) {
      double share = shares[function];
      if (function == 0) share += sign * swing;
      if (function == 1) share -= sign * swing;
      if (at < share) break;
      at -= share;
    }
    sample.leaf = {FrameKind::wasm, 0, function};
    sample.text_offset = std::uint64_t{function} * 64;
    const FrameKey stack[] = {sample.leaf, {FrameKind::wasm, 0, 0}};
    if (stacks) sample.stack = stack;
    profile.add(sample);
  }
  return profile;
}

Diff compare(const Profile& a, const Profile& b, bool work = false) {
  return diff({&a, {}}, {&b, {}}, {.confidence = 0.99, .work = work});
}

std::size_t significant(const Diff& diff) {
  return static_cast<std::size_t>(
      std::count_if(diff.functions.begin(), diff.functions.end(),
                    [](const DiffRow& row) { return row.significant; }));
}

}  // namespace

TEST_CASE("normal quantile") {
  CHECK(normal_quantile(0.05) == Approx(1.959964).epsilon(1e-6));
  CHECK(normal_quantile(0.01) == Approx(2.575829).epsilon(1e-6));
  CHECK(normal_quantile(0.01 / 1000) == Approx(4.417173).epsilon(1e-5));
}

TEST_CASE("Wilson's interval, by its published values") {
  // Newcombe 1998, Statistics in Medicine 17, 857-872, table I: 81 of 263, 15 of 148, 0 of 20.
  const double z = normal_quantile(0.05);
  CHECK(wilson(81, 263, z).low == Approx(0.2553).margin(5e-5));
  CHECK(wilson(81, 263, z).high == Approx(0.3662).margin(5e-5));
  CHECK(wilson(15, 148, z).low == Approx(0.0624).margin(5e-5));
  CHECK(wilson(15, 148, z).high == Approx(0.1605).margin(5e-5));
  CHECK(wilson(0, 20, z).low == 0);
  CHECK(wilson(0, 20, z).high == Approx(0.1611).margin(5e-5));
}

TEST_CASE("Newcombe's interval of a difference, by its published values") {
  // Newcombe 1998, Statistics in Medicine 17, 873-890, table II, method 10: 56/70 - 48/80.
  const double z = normal_quantile(0.05);
  const Interval change = difference(48.0 / 80, wilson(48, 80, z), 56.0 / 70, wilson(56, 70, z));
  CHECK(change.low == Approx(0.0524).margin(5e-5));
  CHECK(change.high == Approx(0.3339).margin(5e-5));
}

TEST_CASE("two runs of the same thing show nothing") {
  const std::size_t functions = GENERATE(std::size_t{8}, std::size_t{300});
  const bool stacks = GENERATE(false, true);
  const double seconds = GENERATE(3.0, 60.0);
  const std::vector<double> shares = program_shares(functions);
  int tries_that_show = 0;
  constexpr int tries = 40;
  for (int i = 0; i < tries; ++i) {
    const auto seed = static_cast<std::uint64_t>(i) * 2;
    const Profile a = simulate(shares, seed + 1, seconds, 199, 0, stacks);
    const Profile b = simulate(shares, seed + 2, seconds * 1.3, 199, 0, stacks);
    if (significant(compare(a, b)) != 0) ++tries_that_show;
  }
  INFO(functions << " functions, " << seconds << " s");
  CHECK(tries_that_show <= tries / 20);
}

TEST_CASE("phases are no change: samples of a timer are not independent") {
  const std::vector<double> shares = program_shares(20);
  int with_dispersion = 0;
  constexpr int tries = 40;
  for (int i = 0; i < tries; ++i) {
    const auto seed = static_cast<std::uint64_t>(i) * 2;
    const Profile a = simulate(shares, seed + 1001, 300, 199, 0.1);
    const Profile b = simulate(shares, seed + 1002, 300, 199, 0.1);
    CHECK(dispersion(a, {FrameKind::wasm, 0, 0}) > 10);
    CHECK(dispersion(a, {FrameKind::wasm, 0, 5}) < 3);
    if (significant(compare(a, b)) != 0) ++with_dispersion;
  }
  CHECK(with_dispersion <= tries / 20);
}

TEST_CASE("a function that became 10 % slower is shown") {
  // The function takes a fifth of the time. The rest does the same work, so with --work only the
  // planted one differs; by shares the others fall by 2 %.
  std::vector<double> shares = {0.2, 0.3, 0.25, 0.15, 0.1};
  std::vector<double> slower = {0.22, 0.3, 0.25, 0.15, 0.1};
  for (double& share : slower) share /= 1.02;
  int found = 0;
  int others = 0;
  constexpr int tries = 20;
  for (int i = 0; i < tries; ++i) {
    const auto seed = static_cast<std::uint64_t>(i) * 2;
    const Profile a = simulate(shares, seed + 5001, 60, 999);
    const Profile b = simulate(slower, seed + 5002, 61.2, 999);
    const Diff by_work = compare(a, b, true);
    const DiffRow& first = by_work.functions.front();
    if (first.significant && first.name == "f0" && first.self.change() > 0) ++found;
    others += static_cast<int>(significant(by_work)) - (first.significant ? 1 : 0);
    CHECK(first.self.new_value == Approx(13.2).epsilon(0.05));
    const Diff by_share = compare(a, b);
    CHECK(by_share.functions.front().name == "f0");
    CHECK(by_share.functions.front().significant);
  }
  CHECK(found == tries);
  CHECK(others <= 1);
}

TEST_CASE("the same work in slightly more CPU time is no change") {
  const std::vector<double> shares = program_shares(20);
  int shown = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Profile a = simulate(shares, 7000 + seed, 60, 999, 0, true);
    const Profile b = simulate(shares, 8000 + seed, 61, 999, 0, true);
    if (significant(compare(a, b, true)) != 0) ++shown;
  }
  CHECK(shown <= 1);
}

TEST_CASE("a function that is new or gone") {
  Profile a = simulate({0.5, 0.5}, 1, 10, 999);
  Profile b = simulate({0.5, 0.3, 0.2}, 2, 10, 999);
  const Diff there = compare(a, b);
  const auto row = std::find_if(there.functions.begin(), there.functions.end(),
                                [](const DiffRow& r) { return r.name == "f2"; });
  REQUIRE(row != there.functions.end());
  CHECK(!row->old_key);
  CHECK(row->new_key);
  CHECK(row->significant);
  CHECK(row->self.old_samples == 0);
  const Diff back = compare(b, a);
  const auto gone = std::find_if(back.functions.begin(), back.functions.end(),
                                 [](const DiffRow& r) { return r.name == "f2"; });
  REQUIRE(gone != back.functions.end());
  CHECK(!gone->new_key);
  CHECK(gone->self.change() == Approx(-20).margin(3));
}

TEST_CASE("nothing in a run is no crash") {
  const Profile empty = simulate({1.0}, 1, 0, 999);
  const Profile some = simulate({0.5, 0.5}, 2, 1, 999);
  CHECK(compare(empty, empty).functions.empty());
  CHECK(significant(compare(empty, some)) == 0);
  CHECK(significant(compare(some, empty)) == 0);
  const Profile none;
  CHECK(compare(none, some).functions.size() == 2);
}

TEST_CASE("the sums of both sides are the recordings'") {
  Profile a;
  Profile b;
  aotscope::test::describe_run(a);
  aotscope::test::describe_run(b);
  aotscope::test::RandomRun(5, 100).feed(a, 5000);
  aotscope::test::RandomRun(6, 100).feed(b, 4000);
  const Diff result = compare(a, b);
  std::uint64_t old_sum = 0;
  std::uint64_t new_sum = 0;
  for (const DiffRow& row : result.functions) {
    old_sum += row.self.old_samples;
    new_sum += row.self.new_samples;
    CHECK(row.self.low <= row.self.change());
    CHECK(row.self.high >= row.self.change());
  }
  CHECK(old_sum == a.totals().wasm);
  CHECK(new_sum == b.totals().wasm);
  std::uint64_t class_sum = 0;
  for (const ClassRow& row : result.classes) class_sum += row.self.new_samples;
  CHECK(class_sum == b.totals().wasm);
}
