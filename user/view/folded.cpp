// Folded stacks: the input of flame graph tools, one stack for each line.
#include <map>

#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "view/format.hpp"

namespace aotscope::view {
namespace {

// One frame of a folded line. The separator is the one character that a name may not bring along;
// safe_text has dealt with newlines and other controls.
std::string folded_frame(const profile::Profile& profile, profile::FrameKey frame) {
  const std::string name = function_label(profile, frame);
  if (name.empty()) return "[unnamed]";
  std::string out;
  for (const char c : name) {
    if (c == ';') {
      out += "\\x3b";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

void folded_stacks(const profile::Profile& profile,
                   const std::function<void(std::string_view)>& line) {
  const std::vector<profile::StackNode>& nodes = profile.stacks();
  std::map<profile::FrameKey, std::string> names;  // a frame occurs on many stacks
  const auto name = [&](profile::FrameKey frame) -> const std::string& {
    const auto [place, is_new] = names.try_emplace(frame);
    if (is_new) place->second = folded_frame(profile, frame);
    return place->second;
  };
  std::vector<std::uint32_t> path;
  std::string text;
  for (std::uint32_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i].self == 0) continue;
    path.clear();
    for (std::uint32_t node = i; node != 0; node = nodes[node].parent) path.push_back(node);
    text.clear();
    for (auto node = path.rbegin(); node != path.rend(); ++node) {
      if (!text.empty()) text += ';';
      text += name(nodes[*node].frame);
    }
    fmt::format_to(std::back_inserter(text), " {}", nodes[i].self);
    line(text);
  }
}

}  // namespace aotscope::view
