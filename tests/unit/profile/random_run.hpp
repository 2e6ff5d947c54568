// A made-up run: images, hosts and random samples from a seed, the same on every machine.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include <aotscope/profile.hpp>

namespace aotscope::test {

using profile::FrameKey;
using profile::FrameKind;
using profile::Profile;
using profile::Sample;

// splitmix64; the standard distributions differ between libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

inline constexpr std::uint32_t functions_per_image = 40;

inline void describe_run(Profile& profile) {
  using namespace std::string_literals;
  for (std::uint32_t i = 0; i < 2; ++i) {
    profile::ImageEntry image;
    image.path = "dir/app."s + std::to_string(i) + ".cwasm";
    image.core = i;
    image.format = "wamr-zig";
    image.version = 11;
    image.arch = "x86-64";
    image.text_size = 64 * functions_per_image;
    image.hash = std::string(32, static_cast<char>('a' + i));
    for (std::uint32_t f = 0; f < functions_per_image; ++f)
      image.functions.push_back({f, f + 3, std::uint64_t{f} * 64, 64, "f" + std::to_string(f)});
    image.functions[1].name = "a;b 7\x1b[31m\xff\xfe";
    image.functions[2].name = "nul\0inside"s;
    image.functions[3].name = "";
    profile.add_image(std::move(image));
  }
  profile.host_id("wamr", "");
  profile.host_id("wamr", "main");
  profile.host_id("[trampoline]", "");
  profile.unknown_id(0);
  profile.unknown_id(0xffffffffff600000U);
  profile.name_thread(7, 7, "wamr\xff");
}

// Hands out samples; a Sample points to a stack that lives as long as this.
class RandomRun {
 public:
  RandomRun(std::uint64_t seed, double length_s) : random_(seed), length_s_(length_s) {}

  Sample sample() {
    Sample sample;
    sample.leaf = frame(20);
    if (sample.leaf.kind == FrameKind::wasm) {
      sample.text_offset = sample.leaf.id * 64 + random_.below(16) * 4;
      sample.cls = static_cast<profile::InstrClass>(sample.text_offset % isa::class_count);
      sample.waits = static_cast<profile::InstrClass>(sample.text_offset / 3 % isa::class_count);
    }
    sample.address = random_.below(1500);
    sample.kernel = random_.one_in(5);
    sample.count = 1 + random_.below(3);
    sample.pid = 7;
    sample.tid = static_cast<std::uint32_t>(random_.below(4)) + 6;
    if (random_.one_in(9)) sample.tid = 0;
    sample.time_s = static_cast<double>(random_.below(1000000)) * 1e-6 * length_s_;
    if (!random_.one_in(8)) {
      stacks_.emplace_back();
      std::vector<FrameKey>& stack = stacks_.back();
      stack.push_back(sample.leaf);
      const std::uint64_t depth = random_.below(12);
      for (std::uint64_t i = 0; i < depth; ++i) stack.push_back(frame(6));
      if (random_.one_in(10)) stack.push_back({FrameKind::truncated, 0, 0});
      if (random_.one_in(10)) stack.push_back({FrameKind::cut, 0, 0});
      sample.stack = stack;
    }
    return sample;
  }

  void feed(Profile& profile, std::size_t samples) {
    for (std::size_t i = 0; i < samples; ++i) {
      profile.add(sample());
      stacks_.clear();
    }
  }

 private:
  // Few functions deep in the stack, so that recursion happens.
  FrameKey frame(std::uint32_t functions) {
    if (random_.one_in(10))
      return {FrameKind::host, 0, static_cast<std::uint32_t>(random_.below(3))};
    if (random_.one_in(15))
      return {FrameKind::unknown, 0, static_cast<std::uint32_t>(random_.below(2))};
    return {FrameKind::wasm, static_cast<std::uint32_t>(random_.below(2)),
            static_cast<std::uint32_t>(random_.below(functions))};
  }

  Random random_;
  double length_s_;
  std::deque<std::vector<FrameKey>> stacks_;
};

}  // namespace aotscope::test
