// Caller and callee trees, as `perf report` users know them: shares of the function asked about.
#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "view/format.hpp"

namespace aotscope::view {
namespace {

using profile::CallNode;
using profile::CallTree;
using profile::FrameKey;
using profile::Profile;

class TreeText {
 public:
  TreeText(const Profile& profile, const CallTree& tree, TreeKind kind, const TreeOptions& options)
      : profile_(profile), tree_(tree), kind_(kind), options_(options), paint_{options.color} {}

  std::string text() {
    line(tree_.nodes[0].count, "", name(tree_.nodes[0].frame));
    below(0, "");
    return std::move(out_);
  }

 private:
  std::string name(FrameKey frame) const {
    const std::string label = function_label(profile_, frame);
    return label.empty() ? "[unnamed]" : label;
  }

  void line(std::uint64_t count, const std::string& indent, const std::string& what) {
    fmt::format_to(std::back_inserter(out_), "{:6.2f}  {:>11}  {}{}\n",
                   percent(count, tree_.nodes[0].count), grouped(count), paint_.dim(indent), what);
  }

  bool is_small(std::uint64_t count) const {
    return percent(count, tree_.nodes[0].count) < options_.min_percent;
  }

  // What ends at a node is a line of its own where the node also has branches; at a leaf it is
  // the leaf's own figure.
  std::string ends_here() const {
    return kind_ == TreeKind::callers ? "[outermost frame]" : "[self]";
  }

  // Everything below `at`. An unforked chain is walked, not recursed into, so that neither the
  // indent nor this function's own stack grows with it.
  void below(std::uint32_t at, std::string indent) {
    while (true) {
      const CallNode& node = tree_.nodes[at];
      std::vector<std::uint32_t> shown;
      std::uint64_t rest = 0;
      std::size_t left_out = 0;
      for (const std::uint32_t child : node.children) {
        if (is_small(tree_.nodes[child].count)) {
          rest += tree_.nodes[child].count;
          ++left_out;
        } else {
          shown.push_back(child);
        }
      }
      const bool ends = node.ends != 0 && !node.children.empty();
      const std::size_t lines = shown.size() + (ends ? 1U : 0U) + (left_out != 0 ? 1U : 0U);
      if (lines == 0) return;
      if (lines == 1 && shown.size() == 1) {
        at = chain_step(shown[0], indent);
        continue;
      }
      std::size_t done = 0;
      const auto fork = [&] { return ++done == lines ? "└─ " : "├─ "; };
      if (ends) line(node.ends, indent + fork(), ends_here());
      for (const std::uint32_t child : shown) {
        const std::string mark = fork();
        const std::string deeper = indent + (done == lines ? "   " : "│  ");
        std::uint32_t last = child;
        const std::size_t times = repeats(last);
        line(tree_.nodes[child].count, indent + mark, times_text(child, times));
        below(last, deeper);
      }
      if (left_out != 0) {
        line(rest, indent + fork(), fmt::format("[{} smaller]", grouped(left_out)));
      }
      return;
    }
  }

  // Prints the only child of a chain and returns the node to go on from.
  std::uint32_t chain_step(std::uint32_t child, const std::string& indent) {
    std::uint32_t last = child;
    const std::size_t times = repeats(last);
    line(tree_.nodes[child].count, indent, times_text(child, times));
    return last;
  }

  // How often the frame of `node` follows itself without anything ending or forking; `node`
  // becomes the last of them.
  std::size_t repeats(std::uint32_t& node) const {
    std::size_t times = 1;
    while (tree_.nodes[node].children.size() == 1 && tree_.nodes[node].ends == 0) {
      const std::uint32_t next = tree_.nodes[node].children[0];
      if (tree_.nodes[next].frame != tree_.nodes[node].frame) break;
      node = next;
      ++times;
    }
    return times;
  }

  std::string times_text(std::uint32_t node, std::size_t times) const {
    const std::string label = name(tree_.nodes[node].frame);
    return times == 1 ? label : fmt::format("{}  ×{}", label, times);
  }

  const Profile& profile_;
  const CallTree& tree_;
  TreeKind kind_;
  const TreeOptions& options_;
  Paint paint_;
  std::string out_;
};

}  // namespace

std::string call_tree(const Profile& profile, FrameKey frame, TreeKind kind,
                      const TreeOptions& options) {
  const bool callers = kind == TreeKind::callers;
  const CallTree tree =
      callers ? profile::callers_of(profile, frame) : profile::callees_of(profile, frame);
  const std::uint64_t count = tree.nodes[0].count;
  const std::string label = function_label(profile, frame);
  if (count == 0) return fmt::format("{} has no samples\n", label);
  const Paint paint{options.color};
  std::string out = paint.bold(fmt::format(
      "{} {}: {} sample{}, {:.2f}% of all", callers ? "callers of" : "callees of", label,
      grouped(count), count == 1 ? "" : "s", percent(count, profile.totals().total)));
  out += "\n";
  if (!profile.info.stacks) out += "the recording has no stacks, so nobody can be named\n";
  out += fmt::format("{:>6}  {:>11}\n", "%", "samples");
  return out + TreeText(profile, tree, kind, options).text();
}

}  // namespace aotscope::view
