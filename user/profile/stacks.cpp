// The calling context tree. One lookup for each frame of a sample, so the child index is an open
// addressing table of node numbers: a slot's key is read back from the node itself, which makes
// every lookup exact whatever the hash does.
#include <algorithm>

#include <aotscope/profile.hpp>

namespace aotscope::profile {
namespace {

std::size_t hash(std::uint32_t parent, FrameKey frame) {
  std::uint64_t h = (std::uint64_t{parent} << 32 | frame.id) * 0x9e3779b97f4a7c15U;
  h ^= h >> 32;
  h += std::uint64_t{frame.image} << 8 | static_cast<std::uint64_t>(frame.kind);
  h *= 0xd6e8feb86659fd93U;
  return h ^ h >> 32;
}

constexpr FrameKey truncated{FrameKind::truncated, 0, 0};

}  // namespace

std::uint32_t Profile::find_child(std::uint32_t parent, FrameKey frame) const {
  if (slots_.empty()) return 0;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash(parent, frame) & mask; slots_[at] != 0; at = (at + 1) & mask) {
    const StackNode& node = nodes_[slots_[at]];
    if (node.parent == parent && node.frame == frame) return slots_[at];
  }
  return 0;
}

void Profile::grow_slots() {
  const std::size_t size = slots_.empty() ? 64 : slots_.size() * 2;
  slots_.assign(size, 0);
  for (std::uint32_t node = 1; node < nodes_.size(); ++node) {
    std::size_t at = hash(nodes_[node].parent, nodes_[node].frame) & (size - 1);
    while (slots_[at] != 0) at = (at + 1) & (size - 1);
    slots_[at] = node;
  }
}

// The root is nobody's child, so 0 means "none" in find_child and "free" in a slot.
std::uint32_t Profile::child(std::uint32_t parent, FrameKey frame) {
  if (const std::uint32_t found = find_child(parent, frame)) return found;
  const auto node = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({.parent = parent, .frame = frame});
  if (nodes_.size() * 2 > slots_.size()) {
    grow_slots();
  } else {
    std::size_t at = hash(parent, frame) & (slots_.size() - 1);
    while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = node;
  }
  link(node);
  return node;
}

void Profile::link(std::uint32_t node) {
  links_.of.resize(nodes_.size());
  const FrameKey frame = nodes_[node].frame;
  for (std::uint32_t up = nodes_[node].parent; up != 0; up = nodes_[up].parent)
    if (nodes_[up].frame == frame) return;
  if (frame.kind == FrameKind::wasm) links_.of[node].function = &functions_[frame];
  if (frame.kind == FrameKind::host) links_.of[node].host = true;
}

void Profile::relink() {
  links_.of.assign(nodes_.size(), {});
  for (std::uint32_t node = 1; node < nodes_.size(); ++node) link(node);
}

// Raises the total of each distinct frame and returns the node that the sample's self goes to.
std::uint32_t Profile::charge_stack(FrameKey leaf, std::span<const FrameKey> stack,
                                    std::uint64_t count) {
  if (links_.of.size() != nodes_.size()) relink();  // this profile is a copy
  std::uint32_t node = 0;
  if (stack.size() > max_depth) {
    node = child(node, truncated);
    stack = stack.first(max_depth);
  }
  for (std::size_t i = stack.empty() ? 1 : stack.size(); i-- > 0;) {
    const FrameKey frame = i == 0 ? leaf : known(stack[i]);
    const std::uint32_t next = find_child(node, frame);
    if (next == 0 && nodes_.size() >= max_nodes) return charge_truncated(leaf, stack, count);
    node = next != 0 ? next : child(node, frame);
  }
  charge_totals(node, count);
  return node;
}

void Profile::charge_totals(std::uint32_t node, std::uint64_t count) {
  for (std::uint32_t up = node; up != 0; up = nodes_[up].parent) {
    if (FunctionCount* function = links_.of[up].function) function->total += count;
    if (links_.of[up].host) hosts_[nodes_[up].frame.id].total += count;
  }
}

// The tree is full: totals stay exact, the context is reduced to its leaf.
std::uint32_t Profile::charge_truncated(FrameKey leaf, std::span<const FrameKey> stack,
                                        std::uint64_t count) {
  std::vector<FrameKey> frames{leaf};
  for (std::size_t i = 1; i < stack.size(); ++i) frames.push_back(known(stack[i]));
  std::sort(frames.begin(), frames.end());
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  for (const FrameKey frame : frames) {
    if (frame.kind == FrameKind::wasm) functions_[frame].total += count;
    if (frame.kind == FrameKind::host) hosts_[frame.id].total += count;
  }
  return child(child(0, truncated), leaf);
}

}  // namespace aotscope::profile
