// `report --svg`: a flame graph without scripts. The outermost frame is at the bottom.
#include <fmt/format.h>

#include <aotscope/exports.hpp>
#include <aotscope/view.hpp>

#include "view/class_color.hpp"
#include "view/flame.hpp"
#include "view/format.hpp"
#include "view/stack_frames.hpp"
#include "view/utf8.hpp"

namespace aotscope::view {
namespace {

using profile::Profile;

constexpr double width = 1200;
constexpr double margin = 10;
constexpr double row = 17;
constexpr double character = 7.0;  // of the monospaced font at 11.5 px

// For XML 1.0: `text` is safe text, so controls are gone; what is left is markup, and U+FFFE and
// U+FFFF, which no XML document may hold.
std::string xml(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character at = next_character(text);
    const std::string_view bytes = text.substr(0, at.length);
    if (bytes == "&") {
      out += "&amp;";
    } else if (bytes == "<") {
      out += "&lt;";
    } else if (bytes == ">") {
      out += "&gt;";
    } else if (bytes == "\"") {
      out += "&quot;";
    } else if (!at.valid || at.code == 0xFFFE || at.code == 0xFFFF) {
      out += "\xEF\xBF\xBD";  // U+FFFD
    } else {
      out += bytes;
    }
    text.remove_prefix(at.length);
  }
  return out;
}

std::string tooltip(const Profile& profile, const FlameNode& node, std::uint64_t all) {
  std::string out = node.depth == 0 ? "all" : frame_label(profile, node.frame);
  const std::string file = node.depth == 0 ? "" : frame_file(profile, node.frame);
  if (!file.empty()) out += "  " + file;
  out += fmt::format("\n{} samples, {:.2f} %", grouped(node.total), percent(node.total, all));
  if (node.self != 0) out += fmt::format(", self {:.2f} %", percent(node.self, all));
  const auto found = profile.functions().find(node.frame);
  if (node.depth != 0 && found != profile.functions().end() && found->second.self != 0) {
    out += "\n" + mix_text(found->second.classes);
  }
  return out;
}

}  // namespace

std::string flame_svg(const Profile& profile) {
  const std::uint64_t all = profile.totals().total;
  const double per_sample = all == 0 ? 0 : (width - 2 * margin) / static_cast<double>(all);
  const auto smallest = per_sample == 0 ? 1 : static_cast<std::uint64_t>(1.0 / 3 / per_sample);
  const Flame flame = flame_of(profile, smallest);
  const double height = (flame.depth + 1) * row + 60;
  const std::string title =
      fmt::format("{}: {} samples, {}",
                  profile.images().empty() ? "aotscope" : base_name(profile.images().front().path),
                  grouped(all), duration_text(profile.info.sampled_s()));
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n"
      "<style>\n"
      "svg {{ background: #fff; font: 11.5px ui-monospace, Menlo, Consolas, monospace }}\n"
      ".title, .key {{ fill: #222 }}\n"
      "rect {{ rx: 2px }}\n"
      "g:hover > rect {{ stroke: #222 }}\n"
      "@media (prefers-color-scheme: dark) {{\n"
      "  svg {{ background: #16181d }} .title, .key {{ fill: #ddd }}\n"
      "  g:hover > rect {{ stroke: #fff }}\n"
      "}}\n"
      "</style>\n"
      "<text class=\"title\" x=\"{2:.0f}\" y=\"20\">{3}</text>\n",
      width, height, margin, xml(title));
  for (const FlameNode& node : flame.nodes) {
    const double x = margin + static_cast<double>(node.before) * per_sample;
    const double w = static_cast<double>(node.total) * per_sample;
    const double y = height - 30 - (node.depth + 1) * row;
    const std::string_view color = node.depth == 0 ? host_color : frame_color(profile, node.frame);
    fmt::format_to(std::back_inserter(out),
                   "<g><title>{}</title><rect x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" "
                   "height=\"{:.0f}\" fill=\"{}\"/>",
                   xml(tooltip(profile, node, all)), x, y, w, row - 1, color);
    const auto fits = static_cast<std::size_t>(std::max(0.0, (w - 6) / character));
    if (fits >= 3) {
      const std::string label = node.depth == 0 ? "all" : frame_label(profile, node.frame);
      fmt::format_to(std::back_inserter(out), "<text x=\"{:.2f}\" y=\"{:.0f}\">{}</text>", x + 3,
                     y + 12, xml(fit(label, fits)));
    }
    out += "</g>\n";
  }
  // The classes' colours, as many as fit into one line.
  double x = margin;
  for (const ClassShare& part : ranked(profile.classes())) {
    const std::string_view id = isa::class_id(part.cls);
    const double w = static_cast<double>(id.size()) * character + 22;
    if (x + w > width - margin) break;
    fmt::format_to(std::back_inserter(out),
                   "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"10\" height=\"10\" fill=\"{}\"/>"
                   "<text class=\"key\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n",
                   x, height - 19, class_colors[static_cast<std::size_t>(part.cls)], x + 14,
                   height - 10, id);
    x += w;
  }
  return out + "</svg>\n";
}

}  // namespace aotscope::view
