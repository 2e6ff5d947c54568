// `report --speedscope`: github.com/jlfwong/speedscope, src/lib/file-format-spec.ts.
#include <algorithm>

#include <aotscope/exports.hpp>

#include "view/format.hpp"
#include "view/json_parts.hpp"
#include "view/stack_frames.hpp"

namespace aotscope::view {

using nlohmann::ordered_json;

std::string speedscope_json(const profile::Profile& profile) {
  const FrameTable table(profile);
  ordered_json frames = ordered_json::array();
  for (const profile::FrameKey frame : table.frames()) {
    ordered_json entry = {{"name", frame_label(profile, frame)}};
    if (const std::string file = frame_file(profile, frame); !file.empty()) entry["file"] = file;
    frames.push_back(std::move(entry));
  }

  const auto& nodes = profile.stacks();
  ordered_json samples = ordered_json::array();
  ordered_json weights = ordered_json::array();
  std::uint64_t total = 0;
  for (std::uint32_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i].self == 0) continue;
    std::vector<std::uint32_t> stack;  // outermost first
    for (std::uint32_t node = i; node != 0; node = nodes[node].parent) {
      stack.push_back(table.number(nodes[node].frame));
    }
    std::reverse(stack.begin(), stack.end());
    samples.push_back(std::move(stack));
    weights.push_back(nodes[i].self);
    total += nodes[i].self;
  }

  const std::string name =
      profile.images().empty() ? "aotscope" : base_name(profile.images().front().path);
  const ordered_json out = {{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                            {"name", name},
                            {"exporter", "aotscope"},
                            {"activeProfileIndex", 0},
                            {"shared", {{"frames", std::move(frames)}}},
                            {"profiles", ordered_json::array({{{"type", "sampled"},
                                                               {"name", name},
                                                               {"unit", "none"},
                                                               {"startValue", 0},
                                                               {"endValue", total},
                                                               {"samples", std::move(samples)},
                                                               {"weights", std::move(weights)}}})}};
  return json_text(out, true);
}

}  // namespace aotscope::view
