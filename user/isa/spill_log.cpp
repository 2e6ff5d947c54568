// wamrc's spill metric, read from whatever its stderr was written to: other output stands between
// the lines, a line may be cut off by it, and fields come and go with the compiler's version.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <tuple>

#include <aotscope/isa.hpp>

namespace aotscope::isa {
namespace {

constexpr std::string_view mark = "[aot-spill-metric]";

auto key(const SpillEntry& entry) { return std::tuple(entry.module, entry.local_func); }

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

enum class Field { missing, broken, read };

// `name=` followed by a whole number and white space. The last one counts: a function's name comes
// before the numbers and may hold anything. `complete` says that the text was not cut off, so a
// number may end it.
Field field(std::string_view text, std::string_view name, bool complete, std::uint32_t& out) {
  for (std::size_t at = text.rfind(name); at != std::string_view::npos;
       at = at == 0 ? std::string_view::npos : text.rfind(name, at - 1)) {
    const std::size_t from = at + name.size();
    if (at > 0 && !is_space(text[at - 1])) continue;  // the tail of another key
    if (from >= text.size() || text[from] != '=') continue;
    const char* begin = text.data() + from + 1;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(begin, end, out);
    if (error != std::errc() || stop == begin) return Field::broken;
    return stop == end ? (complete ? Field::read : Field::broken)
                       : (is_space(*stop) ? Field::read : Field::broken);
  }
  return Field::missing;
}

std::optional<SpillEntry> entry_of(std::string_view text, bool complete) {
  SpillEntry entry;
  if (field(text, "local_func", complete, entry.local_func) != Field::read ||
      field(text, "spill_ld", complete, entry.loads) != Field::read ||
      field(text, "spill_st", complete, entry.stores) != Field::read ||
      field(text, "mod", complete, entry.module) == Field::broken)
    return std::nullopt;
  return entry;
}

}  // namespace

const SpillEntry* SpillLog::find(std::uint32_t module, std::uint32_t local_func) const {
  const std::tuple wanted(module, local_func);
  const auto at = std::lower_bound(
      entries.begin(), entries.end(), wanted,
      [](const SpillEntry& entry, const auto& value) { return key(entry) < value; });
  return at != entries.end() && key(*at) == wanted ? &*at : nullptr;
}

SpillLog parse_spill_log(std::string_view text) {
  SpillLog log;
  for (std::size_t at = text.find(mark); at != std::string_view::npos;) {
    const std::size_t from = at + mark.size();
    const std::size_t next = text.find(mark, from);
    std::string_view rest = text.substr(from, next == std::string_view::npos ? next : next - from);
    // A line that another mark or the end of the text cuts off may have lost digits.
    const std::size_t newline = rest.find('\n');
    const bool complete = newline != std::string_view::npos;
    if (complete) rest = rest.substr(0, newline);
    if (const std::optional<SpillEntry> entry = entry_of(rest, complete))
      log.entries.push_back(*entry);
    else
      ++log.broken_lines;
    at = next;
  }
  std::stable_sort(log.entries.begin(), log.entries.end(),
                   [](const SpillEntry& a, const SpillEntry& b) { return key(a) < key(b); });
  // Compiled twice into one log: the later line is the build that was kept.
  const auto same = [](const SpillEntry& a, const SpillEntry& b) { return key(a) == key(b); };
  const auto kept = std::unique(log.entries.rbegin(), log.entries.rend(), same);
  log.entries.erase(log.entries.begin(), kept.base());
  return log;
}

Result<SpillLog> read_spill_log(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return fail(fmt::format("{}: {}", path.string(),
                            error ? error.message() : std::string("not a regular file")),
                "make one with WAMR_AOT_SPILL_METRIC=1 wamrc compile … 2> LOG");
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(fmt::format("{}: cannot be read", path.string()));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) return fail(fmt::format("{}: reading it failed", path.string()));
  SpillLog log = parse_spill_log(text);
  // An empty file is a program without spills; anything else should have had a line.
  if (log.entries.empty() && log.broken_lines != 0)
    return fail(fmt::format("{}: no whole [aot-spill-metric] line", path.string()));
  return log;
}

SpillComparison compare(const SpillLog& log, std::uint32_t module,
                        std::span<const FunctionCounts> counts) {
  SpillComparison result;
  std::vector<const StaticCounts*> by_local;
  for (const FunctionCounts& function : counts) {
    if (function.local_func >= by_local.size()) by_local.resize(function.local_func + 1);
    by_local[function.local_func] = &function.counts;
    const bool spills = function.counts.spill_loads != 0 || function.counts.spill_stores != 0;
    if (spills && !log.find(module, function.local_func)) result.not_in_log.push_back(function);
  }
  for (const SpillEntry& entry : log.entries) {
    if (entry.module != module) continue;
    ++result.in_log;
    const StaticCounts* ours =
        entry.local_func < by_local.size() ? by_local[entry.local_func] : nullptr;
    if (!ours)
      result.beyond.push_back(entry);
    else if (ours->spill_loads == entry.loads && ours->spill_stores == entry.stores)
      ++result.agree;
    else
      result.differ.push_back({entry, ours->spill_loads, ours->spill_stores});
  }
  const std::size_t known = result.in_log + result.not_in_log.size();
  result.other_build = !result.beyond.empty() || 2 * result.agree < known;
  return result;
}

}  // namespace aotscope::isa
