// `inspect --json`: static counts of every function.
#include <aotscope/view.hpp>

#include "view/json_parts.hpp"

namespace aotscope::view {
namespace {

using nlohmann::ordered_json;

ordered_json function_json(const profile::ImageEntry& image, const isa::FunctionCounts& counted) {
  const profile::FunctionEntry& function = image.functions[counted.local_func];
  const isa::StaticCounts& counts = counted.counts;
  return {{"image", image.id},
          {"local_func", function.local},
          {"func_index", function.index},
          {"name", function.name},
          {"offset", function.offset},
          {"size", counts.size},
          {"instructions", counts.instructions},
          {"classes", class_counts(counts.classes)},
          {"spill_loads", counts.spill_loads},
          {"spill_stores", counts.spill_stores},
          {"frame_size", counts.frame_size},
          {"undecoded_bytes", counts.undecoded_bytes}};
}

// A function that the log and the code disagree about; null on the side that lacks it.
ordered_json disagreement(std::uint32_t image, std::uint32_t local, ordered_json log,
                          ordered_json code) {
  return {{"image", image}, {"local_func", local}, {"log", log}, {"code", code}};
}

ordered_json spills(std::uint32_t loads, std::uint32_t stores) {
  return {{"spill_loads", loads}, {"spill_stores", stores}};
}

ordered_json spill_log_json(const isa::SpillLog& log, std::span<const SpillCheck> checks) {
  std::size_t compared = 0;
  std::size_t agree = 0;
  bool other_build = false;
  ordered_json different = ordered_json::array();
  for (const SpillCheck& check : checks) {
    const isa::SpillComparison& c = check.comparison;
    const std::uint32_t image = check.image->id;
    compared += c.in_log + c.not_in_log.size();
    agree += c.agree;
    other_build |= c.other_build;
    for (const auto& d : c.differ) {
      different.push_back(disagreement(image, d.log.local_func, spills(d.log.loads, d.log.stores),
                                       spills(d.loads, d.stores)));
    }
    for (const isa::FunctionCounts& f : c.not_in_log) {
      different.push_back(disagreement(image, f.local_func, nullptr,
                                       spills(f.counts.spill_loads, f.counts.spill_stores)));
    }
    for (const isa::SpillEntry& entry : c.beyond) {
      different.push_back(
          disagreement(image, entry.local_func, spills(entry.loads, entry.stores), nullptr));
    }
  }
  return {{"functions", log.entries.size()},
          {"compared", compared},
          {"agree", agree},
          {"other_build", other_build},
          {"broken_lines", log.broken_lines},
          {"disagreements", std::move(different)}};
}

}  // namespace

std::string inspect_json(std::span<const InspectedCore> cores, const isa::SpillLog* log,
                         std::span<const SpillCheck> checks) {
  ordered_json out = {
      {"schema", 1}, {"images", ordered_json::array()}, {"functions", ordered_json::array()}};
  for (const InspectedCore& core : cores) {
    out["images"].push_back(image_json(*core.image));
    for (const isa::FunctionCounts& counted : core.functions) {
      out["functions"].push_back(function_json(*core.image, counted));
    }
  }
  if (log != nullptr) out["spill_log"] = spill_log_json(*log, checks);
  return json_text(out, false);
}

}  // namespace aotscope::view
