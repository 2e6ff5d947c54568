// The data of `report --html`, see html/report.js.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <aotscope/exports.hpp>
#include <aotscope/view.hpp>

#include "view/class_color.hpp"
#include "view/flame.hpp"
#include "view/format.hpp"
#include "view/html_page.hpp"
#include "view/json_parts.hpp"
#include "view/listing.hpp"
#include "view/report_parts.hpp"
#include "view/stack_frames.hpp"

namespace aotscope::view {
namespace {

using nlohmann::ordered_json;
using profile::FrameKey;
using profile::FrameKind;
using profile::Profile;

constexpr std::size_t most_functions = 5000;
constexpr std::size_t most_listings = 10;
constexpr std::size_t most_nodes = 20000;

// [[class, samples], …], the largest first.
ordered_json mix(const isa::PerClass<std::uint64_t>& counts) {
  ordered_json out = ordered_json::array();
  for (const ClassShare& part : ranked(counts)) {
    out.push_back({static_cast<std::size_t>(part.cls), part.count});
  }
  return out;
}

std::string run_text(const Profile& profile) {
  std::string out = rate_text(profile);
  for (const profile::TargetEntry& target : profile.info.targets) {
    out += fmt::format("  ·  pid {} {}", target.pid, safe_text(target.command, 160));
  }
  return out;
}

ordered_json timeline(const Profile& profile) {
  const Timeline line = timeline_of(profile, window_of(profile, 0, 1e300), 8, 120);
  ordered_json rows = ordered_json::array();
  for (const TimelineRow& row : line.rows) {
    rows.push_back({{"name", row.name}, {"values", row.busy}});
  }
  const std::string note =
      line.rows.empty()
          ? std::string("no samples")
          : fmt::format("CPU used, mean and by time; {} each bar, the highest is {:.0f} % of a CPU",
                        duration_text(line.column_s), line.highest * 100);
  return {{"note", note}, {"starts", line.starts}, {"rows", std::move(rows)}};
}

ordered_json flame(const Profile& profile) {
  // Small stacks go first when there are too many for a page.
  std::uint64_t smallest = 1;
  Flame graph = flame_of(profile, smallest);
  while (graph.nodes.size() > most_nodes) {
    smallest *= 2;
    graph = flame_of(profile, smallest);
  }
  std::map<FrameKey, std::size_t> numbers;
  ordered_json frames = ordered_json::array();
  ordered_json nodes = ordered_json::array();
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const FlameNode& node = graph.nodes[i];
    std::size_t number = 0;
    if (i != 0) {
      const auto [at, fresh] = numbers.try_emplace(node.frame, numbers.size());
      if (fresh) {
        frames.push_back({{"name", frame_label(profile, node.frame)},
                          {"file", frame_file(profile, node.frame)},
                          {"color", frame_color(profile, node.frame)}});
      }
      number = at->second;
    }
    nodes.push_back({number, node.parent, node.before, node.self, node.total});
  }
  return {{"frames", std::move(frames)}, {"nodes", std::move(nodes)}};
}

ordered_json listing(const Profile& profile, FrameKey key, std::span<const std::uint8_t> code) {
  Listing source;
  source.image = &profile.images()[key.image];
  source.local = key.id;
  source.code = code;
  source.profile = &profile;
  const FunctionListing function(source);
  ordered_json rows = ordered_json::array();
  for (const ListedInstr& row : function.instrs()) {
    const isa::Instr& instr = *row.instr;
    const bool waits = !profile.info.precise && instr.waits != instr.cls;
    rows.push_back({instr.offset, row.samples, static_cast<int>(instr.cls),
                    waits ? static_cast<int>(instr.waits) : -1,
                    safe_text(function.instruction_text(instr), 300), function.label(instr.offset),
                    function.blocks()[row.block].rank != 0 ? 1 : 0});
  }
  const std::uint64_t self = function.count() == nullptr ? 0 : function.count()->self;
  return {{"name", frame_label(profile, key)},
          {"self", self},
          {"note", fmt::format("{:.1f} % of all samples, {} instructions, {} bytes",
                               percent(self, profile.totals().total),
                               grouped(function.instrs().size()), grouped(code.size()))},
          {"rows", std::move(rows)}};
}

}  // namespace

std::string html_page(const Profile& profile, const FunctionCode& code) {
  const std::uint64_t total = profile.totals().total;
  std::vector<std::pair<FrameKey, const profile::FunctionCount*>> order;
  for (const auto& [key, count] : profile.functions()) order.emplace_back(key, &count);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second->self != b.second->self ? a.second->self > b.second->self
                                            : a.second->total > b.second->total;
  });
  if (order.size() > most_functions) order.resize(most_functions);

  ordered_json functions = ordered_json::array();
  ordered_json listings = ordered_json::array();
  for (const auto& [key, count] : order) {
    int number = -1;
    const auto bytes = code.find(key);
    if (bytes != code.end() && !bytes->second.empty() && count->self != 0 &&
        listings.size() < most_listings) {
      number = static_cast<int>(listings.size());
      listings.push_back(listing(profile, key, bytes->second));
    }
    functions.push_back({{"name", frame_label(profile, key)},
                         {"place", fmt::format("{}, {}", profile.images()[key.image].core, key.id)},
                         {"self", count->self},
                         {"total", count->total},
                         {"kernel", count->kernel},
                         {"classes", mix(count->classes)},
                         {"listing", number}});
  }
  const std::string title =
      profile.images().empty() ? "no image" : base_name(profile.images().front().path);
  const ordered_json data = {{"title", title},
                             {"run", run_text(profile)},
                             {"total", total},
                             {"stacks", profile.info.stacks},
                             {"figures", figures(profile)},
                             {"warnings", warnings(profile)},
                             {"classes", class_table()},
                             {"mix", mix(profile.classes())},
                             {"timeline", timeline(profile)},
                             {"functions", std::move(functions)},
                             {"flame", flame(profile)},
                             {"listings", std::move(listings)}};
  return make_page(title, report_files, data);
}

}  // namespace aotscope::view
