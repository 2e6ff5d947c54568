// The data of `diff --html`, see html/diff.js.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <aotscope/exports.hpp>
#include <aotscope/view.hpp>

#include "view/diff_parts.hpp"
#include "view/format.hpp"
#include "view/html_page.hpp"
#include "view/report_parts.hpp"

namespace aotscope::view {
namespace {

using nlohmann::ordered_json;
using profile::Diff;
using profile::DiffRow;
using profile::Measure;
using profile::Profile;

constexpr std::size_t most_functions = 5000;

std::string commands(const Profile& profile) {
  std::vector<std::string> out;
  for (const profile::TargetEntry& target : profile.info.targets) {
    out.push_back(fmt::format("{} (pid {})", safe_text(target.command, 160), target.pid));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string images(const Profile& profile) {
  std::vector<std::string> out;
  for (const profile::ImageEntry& image : profile.images()) {
    const std::string name = base_name(image.path);
    if (out.empty() || out.back() != name) out.push_back(name);
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

// [[label, old, new], …]
ordered_json sides(const Diff& diff, const DiffSource& before, const DiffSource& after) {
  const Profile& a = *before.profile;
  const Profile& b = *after.profile;
  ordered_json out = ordered_json::array();
  out.push_back({"recording", safe_text(before.file), safe_text(after.file)});
  out.push_back({"command", commands(a), commands(b)});
  out.push_back({"image", images(a), images(b)});
  out.push_back({"event", rate_text(a), rate_text(b)});
  const ordered_json old_figures = figures(a);
  const ordered_json new_figures = figures(b);
  for (std::size_t i = 0; i < old_figures.size(); ++i) {
    out.push_back({old_figures[i][0], old_figures[i][1], new_figures[i][1]});
  }
  const auto phases = [](double dispersion) { return fmt::format("×{:.1f}", dispersion); };
  if (diff.old_dispersion >= 1.5 || diff.new_dispersion >= 1.5) {
    out.push_back({"phases", phases(diff.old_dispersion), phases(diff.new_dispersion)});
  }
  return out;
}

ordered_json side_warnings(const DiffSource& before, const DiffSource& after) {
  ordered_json out = ordered_json::array();
  for (const auto& [which, source] : {std::pair{"old", &before}, std::pair{"new", &after}}) {
    for (const ordered_json& line : warnings(*source->profile)) {
      out.push_back(fmt::format("{}: {}", which, line.get<std::string>()));
    }
  }
  return out;
}

ordered_json measure(const Measure& of) { return {of.old_value, of.new_value, of.low, of.high}; }

// "0, 4", and where it is now where that differs.
std::string place(const DiffRow& row, const Profile& before, const Profile& after) {
  const auto one = [](const std::optional<profile::FrameKey>& key, const Profile& profile) {
    if (!key) return std::string();
    return fmt::format("{}, {}", profile.images()[key->image].core, key->id);
  };
  const std::string a = one(row.old_key, before);
  const std::string b = one(row.new_key, after);
  if (a == b || b.empty()) return a;
  return a.empty() ? b : a + " → " + b;
}

ordered_json function(const DiffRow& row, bool totals, const Profile& before,
                      const Profile& after) {
  ordered_json classes = ordered_json::array();
  for (const ClassChange& part : class_changes(row)) {
    classes.push_back({static_cast<int>(part.cls), part.change});
  }
  ordered_json out = {{"name", safe_text(row.name)},        {"matched", matched_text(row)},
                      {"place", place(row, before, after)}, {"significant", row.significant},
                      {"self", measure(row.self)},          {"classes", std::move(classes)}};
  if (totals) out["total"] = measure(row.total);
  return out;
}

template <typename Rows>
std::string changed(const Rows& rows) {
  const auto sure =
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.significant; });
  return fmt::format("{} of {}", sure, rows.size());
}

ordered_json summary(const Diff& diff, const Profile& before, const Profile& after) {
  ordered_json out = ordered_json::array();
  if (diff.work) {
    const double a = before.info.target_cpu_s;
    const double b = after.info.target_cpu_s;
    std::string text = fmt::format("{:.2f} s → {:.2f} s", a, b);
    if (a > 0) text += fmt::format(" ({:+.1f} %)", 100 * (b / a - 1));
    out.push_back({"CPU time", text});
  }
  out.push_back({"functions changed", changed(diff.functions)});
  out.push_back({"classes changed", changed(diff.classes)});
  return out;
}

}  // namespace

std::string diff_html(const Diff& diff, const DiffSource& before, const DiffSource& after) {
  const Profile& a = *before.profile;
  const Profile& b = *after.profile;
  const bool compared = a.totals().total != 0 && b.totals().total != 0;
  const std::string title = base_name(before.file) + " → " + base_name(after.file);
  ordered_json data = {
      {"title", title},
      {"run", diff.work ? "CPU seconds of the same work" : "shares of all samples"},
      {"unit", diff.work ? "CPU seconds" : "% of all samples"},
      {"method", ""},
      {"figures", ordered_json::array()},
      {"warnings", side_warnings(before, after)},
      {"classes", class_table()},
      {"sides", sides(diff, before, after)},
      {"compared", compared},
      {"totals", diff.totals},
      {"changes", ordered_json::array()},
      {"places", ordered_json::array()},
      {"functions", ordered_json::array()},
      {"left_out", ""}};
  if (!compared) {
    data["warnings"].push_back("no samples in one of the two: there is nothing to compare");
    return make_page(title, diff_files, data);
  }
  data["method"] = fmt::format(
      "Intervals hold with {:g} %, corrected for {} comparisons of functions. Where one includes 0 "
      "(~, grey) the difference may be sampling noise.",
      diff.confidence * 100, diff.comparisons);
  data["figures"] = summary(diff, a, b);
  for (const profile::ClassRow& row : diff.classes) {
    data["changes"].push_back({static_cast<int>(row.cls), measure(row.self)});
  }
  for (const auto& [name, of] : {std::pair{"wasm", &diff.wasm}, std::pair{"host", &diff.host},
                                 std::pair{"unknown", &diff.unknown}}) {
    if (of->old_samples + of->new_samples != 0) data["places"].push_back({name, measure(*of)});
  }
  for (const DiffRow& row : diff.functions) {
    if (data["functions"].size() == most_functions) break;
    data["functions"].push_back(function(row, diff.totals, a, b));
  }
  if (const std::size_t all = diff.functions.size(); all > most_functions) {
    data["left_out"] =
        fmt::format("{} with the smallest changes are left out", grouped(all - most_functions));
  }
  return make_page(title, diff_files, data);
}

}  // namespace aotscope::view
