// `aotscope diff --json`: schema 1, a contract with scripts.
#include <aotscope/exports.hpp>

#include "view/json_parts.hpp"

namespace aotscope::view {
namespace {

using nlohmann::ordered_json;
using profile::Measure;

ordered_json measure_json(const Measure& measure) {
  return {{"old_samples", measure.old_samples},
          {"new_samples", measure.new_samples},
          {"old", measure.old_value},
          {"new", measure.new_value},
          {"change", measure.change()},
          {"low", measure.low},
          {"high", measure.high},
          {"significant", measure.significant()}};
}

ordered_json source_json(const DiffSource& source, double dispersion) {
  const profile::RunInfo& info = source.profile->info;
  return {{"file", source.file},           {"samples", source.profile->totals().total},
          {"event", info.event},           {"frequency_hz", info.frequency_hz},
          {"duration_s", info.duration_s}, {"target_cpu_s", info.target_cpu_s},
          {"dispersion", dispersion}};
}

std::string_view matched_id(profile::Matched matched) {
  switch (matched) {
    case profile::Matched::name:
      return "name";
    case profile::Matched::index:
      return "index";
    case profile::Matched::fingerprint:
      return "fingerprint";
    case profile::Matched::none:
      break;
  }
  return "none";
}

// Where the function is in that recording; null when it is not there.
ordered_json place_json(const std::optional<profile::FrameKey>& key,
                        const profile::Profile& profile) {
  if (!key) return nullptr;
  const profile::FunctionEntry* entry = profile.function(*key);
  return {{"image", key->image},
          {"local_func", key->id},
          {"func_index", entry == nullptr ? key->id : entry->index}};
}

ordered_json row_json(const profile::DiffRow& row, bool totals, const DiffSource& before,
                      const DiffSource& after) {
  const char* status = !row.old_key ? "new" : !row.new_key ? "vanished" : "both";
  ordered_json out = {{"name", row.name},
                      {"status", status},
                      {"matched_by", matched_id(row.matched)},
                      {"significant", row.significant},
                      {"old", place_json(row.old_key, *before.profile)},
                      {"new", place_json(row.new_key, *after.profile)},
                      {"self", measure_json(row.self)}};
  if (totals) out["total"] = measure_json(row.total);
  out["old_classes"] = class_counts(row.old_classes);
  out["new_classes"] = class_counts(row.new_classes);
  return out;
}

}  // namespace

std::string diff_json(const profile::Diff& diff, const DiffSource& before,
                      const DiffSource& after) {
  ordered_json functions = ordered_json::array();
  for (const profile::DiffRow& row : diff.functions) {
    functions.push_back(row_json(row, diff.totals, before, after));
  }
  ordered_json classes = ordered_json::array();
  for (const profile::ClassRow& row : diff.classes) {
    ordered_json entry = {{"class", isa::class_id(row.cls)}};
    entry.update(measure_json(row.self));
    classes.push_back(std::move(entry));
  }
  const ordered_json out = {{"schema", 1},
                            {"unit", diff.work ? "cpu-seconds" : "percent"},
                            {"confidence", diff.confidence},
                            {"comparisons", diff.comparisons},
                            {"method",
                             "Wilson score intervals, Newcombe difference, Bonferroni; "
                             "samples divided by the dispersion between time buckets"},
                            {"old", source_json(before, diff.old_dispersion)},
                            {"new", source_json(after, diff.new_dispersion)},
                            {"functions", std::move(functions)},
                            {"classes", std::move(classes)},
                            {"wasm", measure_json(diff.wasm)},
                            {"host", measure_json(diff.host)},
                            {"unknown", measure_json(diff.unknown)}};
  return json_text(out, false);
}

}  // namespace aotscope::view
