// Reads wamrc's spill metric and holds it against the code.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "view/format.hpp"

namespace aotscope::view {
namespace {

constexpr std::string_view tag = "[aot-spill-metric]";

// The number behind ` key=`; nothing when the key is missing, is not a number or does not fit.
std::optional<std::uint32_t> field(std::string_view line, std::string_view key) {
  for (std::size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
    const bool starts_word = at != 0 && (line[at - 1] == ' ' || line[at - 1] == '\t');
    const std::size_t equals = at + key.size();
    if (!starts_word || equals >= line.size() || line[equals] != '=') continue;
    std::uint32_t value = 0;
    const char* const end = line.data() + line.size();
    const auto [stop, error] = std::from_chars(line.data() + equals + 1, end, value);
    if (error != std::errc()) return {};
    if (stop != end && *stop != ' ' && *stop != '\t' && *stop != '\r') return {};
    return value;
  }
  return {};
}

}  // namespace

SpillLog parse_spill_log(std::string_view text) {
  SpillLog log;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    // Other output may come before the tag on its line: wamrc writes to an unbuffered stderr.
    for (std::size_t at = line.find(tag); at != std::string_view::npos;) {
      const std::size_t next = line.find(tag, at + tag.size());
      const std::string_view entry = line.substr(
          at + tag.size(), next == std::string_view::npos ? next : next - at - tag.size());
      at = next;
      const auto local = field(entry, "local_func");
      const auto loads = field(entry, "spill_ld");
      const auto stores = field(entry, "spill_st");
      if (!local || !loads || !stores) {
        ++log.broken_lines;
        continue;
      }
      const SpillMetric metric{field(entry, "mod").value_or(0), *local, *loads, *stores};
      const auto [place, is_new] = log.functions.try_emplace({metric.core, metric.local}, metric);
      if (!is_new && place->second != metric) {
        ++log.conflicts;
        place->second = metric;
      }
    }
  }
  return log;
}

SpillJoin join_spill_log(const SpillLog& log, std::span<const StaticSpills> counted,
                         bool complete) {
  SpillJoin join;
  auto unseen = log.functions;
  for (const StaticSpills& function : counted) {
    const auto logged = log.functions.find({function.core, function.local});
    if (logged == log.functions.end()) {
      if (function.loads == 0 && function.stores == 0) continue;
      ++join.compared;
      join.disagreements.push_back({function, {function.core, function.local, 0, 0}, false, true});
      continue;
    }
    unseen.erase({function.core, function.local});
    ++join.compared;
    if (logged->second.loads == function.loads && logged->second.stores == function.stores) {
      ++join.agreed;
    } else {
      join.disagreements.push_back({function, logged->second, true, true});
    }
  }
  if (complete) {
    for (const auto& [key, metric] : unseen) {
      ++join.compared;
      join.disagreements.push_back({{metric.core, metric.local, 0, 0, {}}, metric, true, false});
    }
  }
  std::stable_sort(join.disagreements.begin(), join.disagreements.end(),
                   [](const auto& a, const auto& b) {
                     return std::pair(a.counted.core, a.counted.local) <
                            std::pair(b.counted.core, b.counted.local);
                   });
  // The metric and the code agree exactly within one build, so a tenth is far beyond any defect
  // of the counting; a single function says nothing about the build.
  join.other_build =
      join.disagreements.size() > 1 && join.disagreements.size() * 10 >= join.compared;
  return join;
}

std::string spill_join_text(const SpillLog& log, const SpillJoin& join) {
  std::string out;
  const auto line = [&]<typename... T>(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out), format, std::forward<T>(values)...);
    out += '\n';
  };
  if (log.functions.empty()) {
    line("spill log: no {} lines; compile with WAMR_AOT_SPILL_METRIC=1 and keep stderr", tag);
  } else {
    line("spill log: {} of {} functions agree with the code", grouped(join.agreed),
         grouped(join.compared));
  }
  if (join.other_build) {
    line(
        "warning: the spill log is from another build than this image: {} of {} functions "
        "disagree",
        grouped(join.disagreements.size()), grouped(join.compared));
  }
  if (log.broken_lines != 0) {
    line("warning: {} broken line{} in the spill log", grouped(log.broken_lines),
         log.broken_lines == 1 ? "" : "s");
  }
  if (log.conflicts != 0) {
    line("warning: the spill log gives {} function{} twice with other figures; the last one counts",
         grouped(log.conflicts), log.conflicts == 1 ? "" : "s");
  }
  if (join.disagreements.empty()) return out;
  line("{:>5} {:>7}  {:>8} {:>8}  {:>8} {:>8}  function", "core", "local", "log ld", "code ld",
       "log st", "code st");
  for (const SpillJoin::Disagreement& d : join.disagreements) {
    const auto count = [](bool known, std::uint32_t value) {
      return known ? fmt::to_string(value) : std::string("-");
    };
    line("{:>5} {:>7}  {:>8} {:>8}  {:>8} {:>8}  {}", d.counted.core, d.counted.local,
         count(d.in_log, d.logged.loads), count(d.in_code, d.counted.loads),
         count(d.in_log, d.logged.stores), count(d.in_code, d.counted.stores),
         d.in_code ? safe_text(d.counted.name, 120) : "(no such function in the image)");
  }
  return out;
}

std::string spill_cost_table(const profile::Profile& profile, const SpillLog& log,
                             std::size_t limit) {
  struct Row {
    profile::FrameKey key;
    const profile::FunctionCount* count;
    std::uint64_t spills;  // samples
    const SpillMetric* metric;
    std::size_t rank;  // by static spills in the log, 1 the largest
  };
  std::vector<const SpillMetric*> by_size;
  for (const auto& [key, metric] : log.functions) by_size.push_back(&metric);
  const auto size = [](const SpillMetric* m) { return std::uint64_t{m->loads} + m->stores; };
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](const auto* a, const auto* b) { return size(a) > size(b); });
  std::map<const SpillMetric*, std::size_t> rank;
  for (std::size_t i = 0; i < by_size.size(); ++i) rank[by_size[i]] = i + 1;

  std::vector<Row> rows;
  for (const auto& [key, count] : profile.functions()) {
    const std::uint64_t spills =
        count.classes[static_cast<std::size_t>(isa::InstrClass::spill_load)] +
        count.classes[static_cast<std::size_t>(isa::InstrClass::spill_store)];
    if (key.image >= profile.images().size() || count.self == 0) continue;
    const auto logged = log.functions.find({profile.images()[key.image].core, key.id});
    const SpillMetric* metric = logged == log.functions.end() ? nullptr : &logged->second;
    if (spills == 0 && metric == nullptr) continue;
    rows.push_back({key, &count, spills, metric, metric == nullptr ? 0 : rank[metric]});
  }
  if (rows.empty()) return "no sample is in a function that spills\n";
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.spills > b.spills; });
  const std::size_t all = rows.size();
  if (limit != 0) rows.resize(std::min(rows.size(), limit));

  const std::uint64_t total = profile.totals().total;
  std::string out =
      fmt::format("{:>7}  {:>12}  {:>8} {:>8}  {:>6}  {:>4}  {:>6}  function\n", "spills%",
                  "of function%", "spill_ld", "spill_st", "rank", "core", "local");
  for (const Row& row : rows) {
    const auto cell = [&](std::uint64_t value) {
      return row.metric == nullptr ? std::string("-") : grouped(value);
    };
    fmt::format_to(std::back_inserter(out),
                   "{:7.2f}  {:12.1f}  {:>8} {:>8}  {:>6}  {:>4}  {:>6}  {}\n",
                   percent(row.spills, total), percent(row.spills, row.count->self),
                   cell(row.metric == nullptr ? 0 : row.metric->loads),
                   cell(row.metric == nullptr ? 0 : row.metric->stores), cell(row.rank),
                   profile.images()[row.key.image].core, row.key.id,
                   fit(function_label(profile, row.key), 60));
  }
  if (rows.size() < all) out += fmt::format("  … {} more\n", grouped(all - rows.size()));
  out +=
      "spills%: samples on spill loads and stores, of all samples; rank: by spill_ld + spill_st "
      "in the log\n";
  return out;
}

}  // namespace aotscope::view
