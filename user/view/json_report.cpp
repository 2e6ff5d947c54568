// `report --json` and `top --json`. The keys of schema 1 are a contract with scripts: they keep
// their names and meaning; new ones may be added.
#include <algorithm>

#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "view/json_parts.hpp"

namespace aotscope::view {
namespace {

using nlohmann::ordered_json;
using profile::FrameKey;
using profile::FunctionCount;
using profile::Profile;

std::string hex(std::uint64_t address) { return fmt::format("{:#x}", address); }

ordered_json samples(const profile::Totals& totals) {
  return {{"total", totals.total},   {"wasm", totals.wasm},       {"host", totals.host},
          {"kernel", totals.kernel}, {"unknown", totals.unknown}, {"lost", totals.lost}};
}

ordered_json images(const Profile& profile) {
  ordered_json out = ordered_json::array();
  for (const profile::ImageEntry& image : profile.images()) out.push_back(image_json(image));
  return out;
}

ordered_json regions(const Profile& profile) {
  ordered_json out = ordered_json::array();
  for (const profile::RegionEntry& region : profile.regions) {
    out.push_back({{"pid", region.pid},
                   {"image", region.image},
                   {"start", hex(region.start)},
                   {"size", region.size},
                   {"first_s", region.first_s},
                   {"last_s", region.last_s}});
  }
  return out;
}

using FunctionRow = std::pair<FrameKey, const FunctionCount*>;

// Hottest first; ties by image and local index, so that equal runs give equal text.
std::vector<FunctionRow> by_self(const Profile& profile) {
  std::vector<FunctionRow> rows;
  for (const auto& [key, count] : profile.functions()) rows.emplace_back(key, &count);
  std::stable_sort(rows.begin(), rows.end(), [](const FunctionRow& a, const FunctionRow& b) {
    return a.second->self != b.second->self ? a.second->self > b.second->self
                                            : a.second->total > b.second->total;
  });
  return rows;
}

ordered_json functions(const Profile& profile, const std::vector<FunctionRow>& rows) {
  ordered_json out = ordered_json::array();
  for (const auto& [key, count] : rows) {
    const profile::FunctionEntry* entry = profile.function(key);
    ordered_json row = {{"image", key.image},
                        {"local_func", key.id},
                        {"func_index", entry == nullptr ? key.id : entry->index},
                        {"name", profile.frame_name(key)},
                        {"self", count->self},
                        {"total", count->total},
                        {"kernel", count->kernel},
                        {"classes", class_counts(count->classes)}};
    if (!profile.info.precise) row["waits"] = class_counts(count->waits);
    out.push_back(std::move(row));
  }
  return out;
}

ordered_json hosts(const Profile& profile) {
  std::vector<const profile::HostEntry*> rows;
  for (const profile::HostEntry& host : profile.hosts()) {
    if (host.self != 0 || host.total != 0) rows.push_back(&host);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return a->self > b->self; });
  ordered_json out = ordered_json::array();
  for (const profile::HostEntry* host : rows) {
    out.push_back({{"module", host->module},
                   {"symbol", host->symbol},
                   {"self", host->self},
                   {"total", host->total},
                   {"kernel", host->kernel}});
  }
  return out;
}

ordered_json unknowns(const Profile& profile) {
  ordered_json out = ordered_json::array();
  for (const profile::UnknownEntry& unknown : profile.unknowns()) {
    if (unknown.self == 0) continue;
    ordered_json addresses = ordered_json::array();
    for (const auto& [address, count] : unknown.addresses) {
      addresses.push_back({{"address", hex(address)}, {"count", count}});
    }
    out.push_back({{"region", hex(unknown.region)},
                   {"self", unknown.self},
                   {"kernel", unknown.kernel},
                   {"addresses", std::move(addresses)}});
  }
  return out;
}

ordered_json threads(const Profile& profile) {
  ordered_json out = ordered_json::array();
  for (const auto& [id, thread] : profile.threads()) {
    out.push_back({{"pid", thread.pid},
                   {"tid", thread.tid},
                   {"comm", thread.comm},
                   {"self", thread.self},
                   {"kernel", thread.kernel}});
  }
  return out;
}

ordered_json targets(const Profile& profile) {
  ordered_json out = ordered_json::array();
  for (const profile::TargetEntry& target : profile.info.targets) {
    ordered_json row = {{"pid", target.pid},         {"comm", target.comm},
                        {"command", target.command}, {"runtime", target.runtime},
                        {"cpu_s", target.cpu_s},     {"exited", target.exited}};
    if (target.exit_status) row["exit_status"] = *target.exit_status;
    out.push_back(std::move(row));
  }
  return out;
}

ordered_json lost_by_cause(const Profile& profile) {
  ordered_json out = ordered_json::array();
  for (const profile::LostCause& lost : profile.info.lost) {
    if (lost.count == 0) continue;
    out.push_back({{"cause", lost.cause}, {"count", lost.count}, {"hint", lost.hint}});
  }
  return out;
}

ordered_json offsets(const std::vector<FunctionRow>& rows, bool precise) {
  ordered_json out = ordered_json::array();
  for (const auto& [key, count] : rows) {
    for (const auto& [offset, at] : count->offsets) {
      ordered_json row = {{"image", key.image}, {"local_func", key.id},
                          {"offset", offset},   {"class", isa::class_id(at.cls)},
                          {"count", at.count},  {"kernel", at.kernel}};
      if (!precise) row["waits"] = isa::class_id(at.waits);
      out.push_back(std::move(row));
    }
  }
  return out;
}

}  // namespace

std::string json_report(const Profile& profile, const JsonOptions& options) {
  const profile::RunInfo& info = profile.info;
  const std::vector<FunctionRow> rows = by_self(profile);
  ordered_json out = {{"schema", 1},
                      {"event", info.event},
                      {"frequency_hz", info.frequency_hz},
                      {"duration_s", info.duration_s},
                      {"samples", samples(profile.totals())},
                      {"images", images(profile)},
                      {"regions", regions(profile)},
                      {"functions", functions(profile, rows)},
                      {"host", hosts(profile)}};
  if (options.offsets) out["offsets"] = offsets(rows, info.precise);
  out["unknown"] = unknowns(profile);
  out["classes"] = class_counts(profile.classes());
  if (!info.precise) out["waits"] = class_counts(profile.waits());
  out["threads"] = threads(profile);
  out["targets"] = targets(profile);
  out["lost_by_cause"] = lost_by_cause(profile);
  out["warnings"] = info.warnings;
  out["frequency_asked_hz"] = info.frequency_asked;
  out["target_cpu_s"] = info.target_cpu_s;
  out["parts"] = ordered_json::array();
  for (const profile::RunPart& part : info.parts) {
    out["parts"].push_back({{"start_s", part.start_s},
                            {"duration_s", part.duration_s},
                            {"command_line", part.command_line}});
  }
  out["stacks"] = info.stacks;
  out["precise"] = info.precise;
  out["tool_version"] = info.tool_version;
  out["host_name"] = info.host_name;
  out["kernel_release"] = info.kernel_release;
  out["command_line"] = info.command_line;
  out["started_unix_s"] = info.started_unix_s;
  return json_text(out, options.one_line);
}

}  // namespace aotscope::view
