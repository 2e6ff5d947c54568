// The tables of the text report.
#include <algorithm>

#include <fmt/format.h>

#include "view/report_parts.hpp"

namespace aotscope::view {
namespace {

using profile::FrameKey;
using profile::FunctionCount;
using profile::Profile;

struct Row {
  FrameKey key;
  const FunctionCount* count = nullptr;
};

std::vector<Row> sorted_rows(const Profile& profile, SortBy sort) {
  std::vector<Row> rows;
  for (const auto& [key, count] : profile.functions()) rows.push_back({key, &count});
  // The map's order, image and local index, breaks ties.
  const auto by = [&](auto field) {
    std::stable_sort(rows.begin(), rows.end(), [field](const Row& a, const Row& b) {
      return a.count->*field > b.count->*field;
    });
  };
  switch (sort) {
    case SortBy::self:
      by(&FunctionCount::total);
      by(&FunctionCount::self);
      break;
    case SortBy::total:
      by(&FunctionCount::total);
      break;
    case SortBy::kernel:
      by(&FunctionCount::kernel);
      break;
    case SortBy::name:
      std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
        return profile.frame_name(a.key) < profile.frame_name(b.key);
      });
      break;
  }
  return rows;
}

// Text columns of one width each; numbers are formatted by the caller.
std::size_t widest(const std::vector<std::string>& cells, std::size_t least, std::size_t most) {
  std::size_t width = least;
  for (const std::string& cell : cells) width = std::max(width, display_width(cell));
  return std::min(width, most);
}

void trim_right(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

std::string function_table(const Profile& profile, const TextOptions& options) {
  constexpr std::size_t name_columns = 48;
  constexpr double kernel_worth_a_column = 0.05;  // per cent of all samples
  const profile::Totals totals = profile.totals();
  const bool show_total = profile.info.stacks;
  const bool show_kernel = percent(totals.kernel, totals.total) >= kernel_worth_a_column;

  std::vector<Row> rows = sorted_rows(profile, options.sort);
  const std::size_t all = rows.size();
  std::erase_if(rows, [&](const Row& row) {
    return percent(std::max(row.count->self, row.count->total), totals.total) < options.min_percent;
  });
  if (options.limit != 0 && rows.size() > options.limit) rows.resize(options.limit);
  if (rows.empty() && all == 0) return {};

  std::vector<std::string> names;
  std::vector<std::string> mixes;
  for (const Row& row : rows) {
    names.push_back(function_label(profile, row.key));
    mixes.push_back(mix_text(row.count->classes));
  }
  const std::size_t name_width = widest(names, 14, name_columns);
  const std::size_t mix_width = widest(mixes, 20, 80);

  const Paint paint{options.color};
  std::string head = fmt::format("{:>6}", "self%");
  if (show_total) head += "  total%";
  if (show_kernel) head += "  kernel%";
  head += fmt::format("  {}  core  {:>6}  top classes (share of the function)",
                      pad_right("function", name_width), "local");
  std::string out = paint.bold(head) + "\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const FunctionCount& count = *rows[i].count;
    const FrameKey key = rows[i].key;
    const std::uint32_t core =
        key.image < profile.images().size() ? profile.images()[key.image].core : 0;
    std::string line = fmt::format("{:6.2f}", percent(count.self, totals.total));
    if (show_total) line += fmt::format("  {:6.2f}", percent(count.total, totals.total));
    if (show_kernel) line += fmt::format("  {:7.2f}", percent(count.kernel, totals.total));
    line += fmt::format("  {}  {:>4}  {:>6}  ", pad_right(names[i], name_width), core, key.id);
    const std::string waits =
        profile.info.precise ? std::string() : waits_text(count.classes, count.waits);
    line += waits.empty() ? mixes[i] : pad_right(mixes[i], mix_width) + "  waits: " + waits;
    trim_right(line);
    out += line + "\n";
  }
  if (rows.size() < all) {
    out += fmt::format("  … {} more function{}\n", grouped(all - rows.size()),
                       all - rows.size() == 1 ? "" : "s");
  }
  return out;
}

std::string host_table(const Profile& profile) {
  constexpr std::size_t most = 10;
  const profile::Totals totals = profile.totals();
  std::vector<const profile::HostEntry*> rows;
  for (const profile::HostEntry& host : profile.hosts()) {
    if (host.self != 0) rows.push_back(&host);
  }
  if (rows.empty()) return {};
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return a->self > b->self; });
  const std::size_t all = rows.size();
  rows.resize(std::min(all, most));
  std::vector<std::string> modules;
  for (const profile::HostEntry* host : rows) modules.push_back(base_name(host->module));
  const std::size_t width = widest(modules, 14, 48);

  std::string out = fmt::format("{:>6}  {}  symbol\n", "self%", pad_right("host code", width));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string line = fmt::format("{:6.2f}  {}  {}", percent(rows[i]->self, totals.total),
                                   pad_right(modules[i], width), safe_text(rows[i]->symbol, 160));
    trim_right(line);
    out += line + "\n";
  }
  if (all > most) out += fmt::format("  … {} more\n", all - most);
  return out;
}

std::string unknown_table(const Profile& profile) {
  constexpr std::size_t most = 10;
  constexpr std::size_t most_addresses = 4;
  const profile::Totals totals = profile.totals();
  std::vector<const profile::UnknownEntry*> rows;
  for (const profile::UnknownEntry& unknown : profile.unknowns()) {
    if (unknown.self != 0) rows.push_back(&unknown);
  }
  if (rows.empty()) return {};
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return a->self > b->self; });
  std::string out =
      fmt::format("{:>6}  {:<18}  hottest addresses (samples)\n", "self%", "unknown code at");
  for (std::size_t i = 0; i < std::min(rows.size(), most); ++i) {
    const profile::UnknownEntry& row = *rows[i];
    std::vector<std::pair<std::uint64_t, std::uint64_t>> hot;  // samples, address
    for (const auto& [address, count] : row.addresses) hot.emplace_back(count, address);
    std::stable_sort(hot.begin(), hot.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    const std::string where =
        row.region == 0 ? std::string("no mapping") : fmt::format("{:#x}", row.region);
    out += fmt::format("{:6.2f}  {:<18}", percent(row.self, totals.total), where);
    for (std::size_t h = 0; h < std::min(hot.size(), most_addresses); ++h) {
      out += fmt::format("  {:#x} ({})", hot[h].second, grouped(hot[h].first));
    }
    out += hot.size() > most_addresses ? "  …\n" : "\n";
  }
  if (rows.size() > most) out += fmt::format("  … {} more\n", rows.size() - most);
  return out;
}

std::string class_lines(const Profile& profile) {
  constexpr std::size_t columns = 110;
  constexpr double smallest = 0.05;  // per cent: what would show as 0.0 is left out
  const profile::Totals totals = profile.totals();
  const isa::PerClass<std::uint64_t> counts = profile.classes();

  struct Part {
    std::string_view id;
    double share;
  };
  std::vector<Part> parts;
  isa::PerClass<bool> grouped_class{};
  double frame_stores = 0;
  for (const isa::RollUp& group : isa::roll_ups()) {
    std::uint64_t sum = 0;
    for (const isa::InstrClass cls : group.classes) sum += counts[static_cast<std::size_t>(cls)];
    // Frame stores overlap with spill; beside the others they would count spill stores twice.
    if (group.id == "frame stores") {
      frame_stores = percent(sum, totals.total);
      continue;
    }
    for (const isa::InstrClass cls : group.classes) {
      grouped_class[static_cast<std::size_t>(cls)] = true;
    }
    parts.push_back({group.id, percent(sum, totals.total)});
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (grouped_class[i]) continue;
    parts.push_back(
        {isa::class_id(static_cast<isa::InstrClass>(i)), percent(counts[i], totals.total)});
  }
  std::erase_if(parts, [](const Part& part) { return part.share < smallest; });
  if (parts.empty()) return {};
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.share > b.share; });

  std::vector<std::string> words;
  for (const Part& part : parts) words.push_back(fmt::format("{} {:.1f}", part.id, part.share));
  if (frame_stores >= smallest) {
    words.push_back(
        fmt::format("(spill-store and local-store together: frame stores {:.1f})", frame_stores));
  }
  std::string out;
  std::string line = "by class, % of all samples:";
  for (const std::string& word : words) {
    if (line.size() + 2 + word.size() > columns) {
      out += line + "\n";
      line = "   ";
    }
    line += "  " + word;
  }
  return out + line + "\n";
}

}  // namespace aotscope::view
