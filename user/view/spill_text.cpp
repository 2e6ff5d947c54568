// The compiler's spill metric beside the code and the samples.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "view/format.hpp"

namespace aotscope::view {
namespace {

struct Disagreement {
  std::uint32_t local;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> log;  // loads, stores
  std::optional<std::pair<std::uint32_t, std::uint32_t>> code;
};

std::vector<Disagreement> disagreements(const isa::SpillComparison& comparison) {
  std::vector<Disagreement> out;
  for (const auto& d : comparison.differ) {
    out.push_back({d.log.local_func, {{d.log.loads, d.log.stores}}, {{d.loads, d.stores}}});
  }
  for (const isa::FunctionCounts& f : comparison.not_in_log) {
    out.push_back({f.local_func, {}, {{f.counts.spill_loads, f.counts.spill_stores}}});
  }
  for (const isa::SpillEntry& entry : comparison.beyond) {
    out.push_back({entry.local_func, {{entry.loads, entry.stores}}, {}});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Disagreement& a, const Disagreement& b) { return a.local < b.local; });
  return out;
}

std::string modules_without_a_core(const isa::SpillLog& log, std::span<const SpillCheck> checks) {
  std::map<std::uint32_t, std::size_t> modules;
  for (const isa::SpillEntry& entry : log.entries) ++modules[entry.module];
  for (const SpillCheck& check : checks) modules.erase(check.image->core);
  std::string out;
  for (const auto& [module, functions] : modules) {
    fmt::format_to(std::back_inserter(out), "{}{} ({} functions)", out.empty() ? "" : ", ", module,
                   grouped(functions));
  }
  return out;
}

}  // namespace

std::string spill_check_text(const isa::SpillLog& log, std::span<const SpillCheck> checks) {
  std::string out;
  const auto line = [&]<typename... T>(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out), format, std::forward<T>(values)...);
    out += '\n';
  };
  std::size_t compared = 0;
  std::size_t agree = 0;
  bool any_disagreement = false;
  for (const SpillCheck& check : checks) {
    const isa::SpillComparison& c = check.comparison;
    compared += c.in_log + c.not_in_log.size();
    agree += c.agree;
    any_disagreement |= c.agree != c.in_log + c.not_in_log.size();
  }
  line("spill log: {} of {} functions agree with the code in spill_ld and spill_st", grouped(agree),
       grouped(compared));
  for (const SpillCheck& check : checks) {
    if (!check.comparison.other_build) continue;
    line("warning: the spill log is from another build than {} (core {}): {} of {} functions agree",
         base_name(check.image->path), check.image->core, grouped(check.comparison.agree),
         grouped(check.comparison.in_log + check.comparison.not_in_log.size()));
  }
  if (const std::string modules = modules_without_a_core(log, checks); !modules.empty()) {
    line("the log has modules that were not looked at here: {}", modules);
  }
  if (log.broken_lines != 0) {
    line("warning: {} broken line{} in the spill log", grouped(log.broken_lines),
         log.broken_lines == 1 ? "" : "s");
  }
  if (!any_disagreement) return out;
  line("{:>5} {:>7}  {:>8} {:>8}  {:>8} {:>8}  function", "core", "local", "log ld", "code ld",
       "log st", "code st");
  for (const SpillCheck& check : checks) {
    for (const Disagreement& d : disagreements(check.comparison)) {
      const auto cell = [](const auto& counts, bool loads) {
        return counts ? fmt::to_string(loads ? counts->first : counts->second) : std::string("-");
      };
      const auto& functions = check.image->functions;
      line("{:>5} {:>7}  {:>8} {:>8}  {:>8} {:>8}  {}", check.image->core, d.local,
           cell(d.log, true), cell(d.code, true), cell(d.log, false), cell(d.code, false),
           d.local < functions.size() ? safe_text(functions[d.local].name, 120)
                                      : std::string("(the image has no such function)"));
    }
  }
  return out;
}

std::string spill_cost_table(const profile::Profile& profile, const isa::SpillLog& log,
                             std::size_t limit) {
  struct Row {
    profile::FrameKey key;
    const profile::FunctionCount* count;
    std::uint64_t spills;  // samples
    const isa::SpillEntry* metric;
    std::size_t rank;  // by static spills in the log, 1 the largest
  };
  std::vector<const isa::SpillEntry*> by_size;
  for (const isa::SpillEntry& entry : log.entries) by_size.push_back(&entry);
  const auto size = [](const isa::SpillEntry* m) { return std::uint64_t{m->loads} + m->stores; };
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](const auto* a, const auto* b) { return size(a) > size(b); });
  std::map<const isa::SpillEntry*, std::size_t> rank;
  for (std::size_t i = 0; i < by_size.size(); ++i) rank[by_size[i]] = i + 1;

  std::vector<Row> rows;
  for (const auto& [key, count] : profile.functions()) {
    const std::uint64_t spills =
        count.classes[static_cast<std::size_t>(isa::InstrClass::spill_load)] +
        count.classes[static_cast<std::size_t>(isa::InstrClass::spill_store)];
    if (key.image >= profile.images().size() || count.self == 0) continue;
    const isa::SpillEntry* metric = log.find(profile.images()[key.image].core, key.id);
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
