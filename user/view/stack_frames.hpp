// What the exports of stacks share: frames by number, names, and classes for each stack.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <aotscope/profile.hpp>

namespace aotscope::view {

// The distinct frames of a profile's stacks, numbered as they first occur.
class FrameTable {
 public:
  explicit FrameTable(const profile::Profile& profile);
  const std::vector<profile::FrameKey>& frames() const { return frames_; }
  std::uint32_t number(profile::FrameKey frame) const { return numbers_.at(frame); }

 private:
  std::vector<profile::FrameKey> frames_;
  std::map<profile::FrameKey, std::uint32_t> numbers_;
};

// "mix.cwasm" for wasm, the module for host code, else empty. Safe to show.
std::string frame_file(const profile::Profile& profile, profile::FrameKey frame);
// Never empty, safe to show.
std::string frame_label(const profile::Profile& profile, profile::FrameKey frame);

// Deals each function's classes out over its stacks in proportion, see exports.hpp: when all
// stacks have had their share, nothing is left over.
class ClassDealer {
 public:
  explicit ClassDealer(const profile::Profile& profile);
  // Of `count` samples of a stack that ends in this function.
  isa::PerClass<std::uint64_t> deal(profile::FrameKey leaf, std::uint64_t count);

 private:
  std::map<profile::FrameKey, isa::PerClass<std::uint64_t>> left_;
};

}  // namespace aotscope::view
