// Callers and callees of one frame, out of the calling context tree. Both walk the nodes once:
// a parent's number is below its children's, so a descending loop sums up subtrees.
#include <algorithm>
#include <map>

#include <aotscope/profile.hpp>

namespace aotscope::profile {
namespace {

class Builder {
 public:
  explicit Builder(FrameKey frame) { tree_.nodes.push_back({.frame = frame, .children = {}}); }

  std::uint32_t child(std::uint32_t parent, FrameKey frame) {
    const auto fresh = static_cast<std::uint32_t>(tree_.nodes.size());
    const auto [it, inserted] = children_.try_emplace({parent, frame}, fresh);
    if (inserted) {
      tree_.nodes.push_back({.frame = frame, .children = {}});
      tree_.nodes[parent].children.push_back(fresh);
      parents_.push_back(parent);
    }
    return it->second;
  }

  void end(std::uint32_t node, std::uint64_t count) { tree_.nodes[node].ends += count; }

  CallTree take() && {
    for (auto node = static_cast<std::uint32_t>(tree_.nodes.size()); node-- > 0;) {
      CallNode& at = tree_.nodes[node];
      at.count += at.ends;
      if (node != 0) tree_.nodes[parents_[node - 1]].count += at.count;
    }
    for (CallNode& node : tree_.nodes)
      std::sort(node.children.begin(), node.children.end(), [this](auto a, auto b) {
        const CallNode& left = tree_.nodes[a];
        const CallNode& right = tree_.nodes[b];
        return left.count != right.count ? left.count > right.count : left.frame < right.frame;
      });
    return std::move(tree_);
  }

 private:
  CallTree tree_;
  std::vector<std::uint32_t> parents_;  // of node N + 1
  std::map<std::pair<std::uint32_t, FrameKey>, std::uint32_t> children_;
};

}  // namespace

CallTree callers_of(const Profile& profile, FrameKey frame) {
  const std::vector<StackNode>& nodes = profile.stacks();
  // Samples at or below each node that have met no deeper occurrence of `frame` yet.
  std::vector<std::uint64_t> below(nodes.size(), 0);
  Builder builder(frame);
  for (auto node = static_cast<std::uint32_t>(nodes.size()); node-- > 1;) {
    below[node] += nodes[node].self;
    if (below[node] == 0) continue;
    if (nodes[node].frame != frame) {
      below[nodes[node].parent] += below[node];
      continue;
    }
    std::uint32_t at = 0;
    for (std::uint32_t up = nodes[node].parent; up != 0; up = nodes[up].parent)
      at = builder.child(at, nodes[up].frame);
    builder.end(at, below[node]);
  }
  return std::move(builder).take();
}

CallTree callees_of(const Profile& profile, FrameKey frame) {
  const std::vector<StackNode>& nodes = profile.stacks();
  // A node may be without samples where the tree filled up in the middle of a stack.
  std::vector<std::uint64_t> below(nodes.size(), 0);
  for (auto node = static_cast<std::uint32_t>(nodes.size()); node-- > 1;) {
    below[node] += nodes[node].self;
    below[nodes[node].parent] += below[node];
  }
  constexpr std::uint32_t outside = UINT32_MAX;
  std::vector<std::uint32_t> place(nodes.size(), outside);  // node -> node of the call tree
  Builder builder(frame);
  for (std::uint32_t node = 1; node < nodes.size(); ++node) {
    if (below[node] == 0) continue;
    const std::uint32_t parent = place[nodes[node].parent];
    if (parent != outside)
      place[node] = builder.child(parent, nodes[node].frame);
    else if (nodes[node].frame == frame)
      place[node] = 0;
    if (place[node] != outside) builder.end(place[node], nodes[node].self);
  }
  return std::move(builder).take();
}

}  // namespace aotscope::profile
