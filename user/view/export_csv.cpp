// `report --csv`: RFC 4180, one line for everything that has samples.
#include <algorithm>

#include <fmt/format.h>

#include <aotscope/exports.hpp>
#include <aotscope/view.hpp>

#include "view/format.hpp"
#include "view/stack_frames.hpp"

namespace aotscope::view {
namespace {

using profile::FrameKey;
using profile::FrameKind;

// Quoted where it has to be. A spreadsheet takes a cell that begins like a formula for one, and a
// name may be made for that: an apostrophe before it makes it text.
std::string cell(const std::string& text) {
  std::string out;
  if (!text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos) {
    out = "'";
  }
  out += text;
  if (out.find_first_of(",\"\r\n") == std::string::npos) return out;
  std::string quoted = "\"";
  for (const char c : out) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

std::string csv_report(const profile::Profile& profile) {
  std::string out = "kind,image,core,local_func,func_index,name,self,total,kernel";
  for (std::size_t i = 0; i < isa::class_count; ++i) {
    fmt::format_to(std::back_inserter(out), ",{}", isa::class_id(static_cast<isa::InstrClass>(i)));
  }
  out += "\r\n";
  const std::string no_classes(isa::class_count, ',');

  std::vector<std::pair<FrameKey, const profile::FunctionCount*>> rows;
  for (const auto& [key, count] : profile.functions()) rows.emplace_back(key, &count);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second->self > b.second->self; });
  for (const auto& [key, count] : rows) {
    const profile::FunctionEntry* entry = profile.function(key);
    fmt::format_to(std::back_inserter(out), "wasm,{},{},{},{},{},{},{},{}",
                   cell(frame_file(profile, key)), profile.images()[key.image].core, key.id,
                   entry == nullptr ? key.id : entry->index, cell(frame_label(profile, key)),
                   count->self, count->total, count->kernel);
    for (const std::uint64_t samples : count->classes) {
      fmt::format_to(std::back_inserter(out), ",{}", samples);
    }
    out += "\r\n";
  }
  for (const profile::HostEntry& host : profile.hosts()) {
    if (host.self == 0 && host.total == 0) continue;
    fmt::format_to(std::back_inserter(out), "host,{},,,,{},{},{},{}{}\r\n",
                   cell(safe_text(host.module)), cell(safe_text(host.symbol)), host.self,
                   host.total, host.kernel, no_classes);
  }
  for (const profile::UnknownEntry& unknown : profile.unknowns()) {
    if (unknown.self == 0) continue;
    fmt::format_to(std::back_inserter(out), "unknown,,,,,{:#x},{},,{}{}\r\n", unknown.region,
                   unknown.self, unknown.kernel, no_classes);
  }
  return out;
}

}  // namespace aotscope::view
