// The merged stacks as a tree with positions, for the flame graphs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <aotscope/profile.hpp>

namespace aotscope::view {

struct FlameNode {
  profile::FrameKey frame;
  std::uint32_t parent = 0;  // index into Flame::nodes; the root is its own
  std::uint32_t depth = 0;   // 0: the root, "all"
  std::uint64_t before = 0;  // samples to its left: where it starts
  std::uint64_t self = 0;
  std::uint64_t total = 0;
};

// nodes[0] is the root; a parent comes before its children, siblings go from the largest to the
// smallest. Nodes with fewer than `smallest` samples are left out, their samples stay in the
// parent's total.
struct Flame {
  std::vector<FlameNode> nodes;
  std::uint32_t depth = 0;  // of the deepest node
};
Flame flame_of(const profile::Profile& profile, std::uint64_t smallest);

// A function has the colour of the class that it burns most of its own time on.
std::string_view frame_color(const profile::Profile& profile, profile::FrameKey frame);

}  // namespace aotscope::view
