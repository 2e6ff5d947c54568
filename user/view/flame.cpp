#include "view/flame.hpp"

#include <algorithm>

#include "view/class_color.hpp"
#include "view/format.hpp"

namespace aotscope::view {

Flame flame_of(const profile::Profile& profile, std::uint64_t smallest) {
  const auto& nodes = profile.stacks();
  // A parent comes before its children, so one pass from the end sums everything up.
  std::vector<std::uint64_t> total(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {
    total[i] += nodes[i].self;
    if (i != 0) total[nodes[i].parent] += total[i];
  }
  std::vector<std::vector<std::uint32_t>> children(nodes.size());
  for (std::uint32_t i = 1; i < nodes.size(); ++i) {
    if (total[i] >= std::max<std::uint64_t>(1, smallest)) children[nodes[i].parent].push_back(i);
  }

  Flame flame;
  if (nodes.empty()) return flame;
  flame.nodes.push_back({{}, 0, 0, 0, nodes[0].self, total[0]});
  // Breadth first; a stack can be too deep for recursion. source[N]: the profile's node of N.
  std::vector<std::uint32_t> source{0};
  for (std::uint32_t at = 0; at < flame.nodes.size(); ++at) {
    std::vector<std::uint32_t>& order = children[source[at]];
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return total[a] > total[b]; });
    std::uint64_t before = flame.nodes[at].before;
    const std::uint32_t depth = flame.nodes[at].depth + 1;
    for (const std::uint32_t child : order) {
      flame.nodes.push_back(
          {nodes[child].frame, at, depth, before, nodes[child].self, total[child]});
      source.push_back(child);
      before += total[child];
      flame.depth = std::max(flame.depth, depth);
    }
  }
  return flame;
}

std::string_view frame_color(const profile::Profile& profile, profile::FrameKey frame) {
  if (frame.kind == profile::FrameKind::host) return host_color;
  if (frame.kind != profile::FrameKind::wasm) return unknown_color;
  const auto found = profile.functions().find(frame);
  if (found == profile.functions().end()) return host_color;
  const auto classes = ranked(found->second.classes);
  return classes.empty() ? host_color : class_colors[static_cast<std::size_t>(classes.front().cls)];
}

}  // namespace aotscope::view
