// Folded stacks: the input of flame graph tools, one stack for each line.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "view/format.hpp"

namespace aotscope::view {
namespace {

constexpr std::string_view digits = "0123456789";

// "draw 7": its last word is a number, as flame graph tools match one.
bool ends_in_number(std::string_view name) {
  const std::size_t space = name.rfind(' ');
  if (space == std::string_view::npos) return false;
  std::string_view word = name.substr(space + 1);
  const std::size_t whole = std::min(word.find_first_not_of(digits), word.size());
  if (whole == 0) return false;
  word.remove_prefix(whole);
  return word.empty() ||
         (word.front() == '.' && word.find_first_not_of(digits, 1) == std::string_view::npos);
}

// One frame of a folded line. Two things a name may not bring along: the separator, and a number
// as its last word, which flamegraph.pl takes for a first column of samples (a differential graph)
// and cuts off. safe_text has dealt with newlines and other controls.
std::string folded_frame(const profile::Profile& profile, profile::FrameKey frame) {
  std::string name = function_label(profile, frame);
  if (name.empty()) return "[unnamed]";
  if (ends_in_number(name)) name.replace(name.rfind(' '), 1, "\\x20");
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
