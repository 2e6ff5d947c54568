// The view room: what people and scripts read. Pure functions from a profile to text; no
// terminal, no files, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <aotscope/image.hpp>
#include <aotscope/profile.hpp>
#include <aotscope/result.hpp>

namespace aotscope::view {

// ---- names from outside ---------------------------------------------------------------------

// Makes bytes from outside safe to show: control characters (C0, C1, DEL), invalid UTF-8, line
// separators and bidirectional overrides become \xNN escapes (a bare ESC never reaches a
// terminal). The result has at most `max_bytes` bytes; what does not fit is cut and ends in "…".
std::string safe_text(std::string_view raw, std::size_t max_bytes = 512);

// Columns that `text` (safe text, valid UTF-8) takes on a terminal: 0 for combining characters,
// 2 for wide ones, else 1. An invalid byte counts as 1.
std::size_t display_width(std::string_view text);
// The longest beginning that fits into `width` columns, ending in "…" when something was cut.
std::string fit(std::string_view text, std::size_t width);
// Exactly `width` columns: cut by fit(), or filled with spaces behind or before the text.
std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);

// ---- report ---------------------------------------------------------------------------------

enum class SortBy : std::uint8_t { self, total, kernel, name };

struct TextOptions {
  std::size_t limit = 30;  // rows of functions; 0: all
  bool color = false;
  std::string recording;  // path for the closing hint; empty: no hint
  SortBy sort = SortBy::self;
  double min_percent = 0;  // leaves out functions below this share of all samples
};
// The table of SCREENS' `report (text)`: header, totals, functions, host, classes, hint.
std::string text_report(const profile::Profile& profile, const TextOptions& options);

struct JsonOptions {
  bool offsets = false;
  bool one_line = false;  // top --json: one object on one line
};
// Schema 1; see README. `classes` and `waits` hold only the classes that have samples; names that
// are not UTF-8 have U+FFFD in place of the bad bytes, so the text is always valid JSON.
std::string json_report(const profile::Profile& profile, const JsonOptions& options);

// ---- stacks ---------------------------------------------------------------------------------

// Folded stacks, one line for each: frames outermost first, joined by `;`, a space and the
// samples, without a newline. A `;` in a name is written \x3b, so the frames can be counted; the
// markers [truncated] and [cut] are frames of their own. Given line by line: a long recording's
// stacks can be many times the size of the profile.
void folded_stacks(const profile::Profile& profile,
                   const std::function<void(std::string_view)>& line);

struct TreeOptions {
  double min_percent = 0.5;  // of the root's samples; smaller branches are left out and counted
  bool color = false;
};
enum class TreeKind : std::uint8_t { callers, callees };
// A tree with shares of the root's samples. Chains without a fork stay in one column, and
// repeated frames of a recursion in one line.
std::string call_tree(const profile::Profile& profile, profile::FrameKey frame, TreeKind kind,
                      const TreeOptions& options);

// ---- which function -------------------------------------------------------------------------

// What a report needs to know of a core that has no recording.
profile::ImageEntry image_entry(const image::Core& core, std::uint32_t number);

// Finds the function that a user means: a name as it is or as it is shown, a local index, or
// func[INDEX] with a wasm function index; `core` limits it to one core of a component. An unknown
// or ambiguous one is an error that lists the candidates. `profile` only serves to mention those
// with samples first; it may be null.
Result<profile::FrameKey> choose_function(std::span<const profile::ImageEntry> images,
                                          std::string_view wanted,
                                          std::optional<std::uint32_t> core,
                                          const profile::Profile* profile);

// ---- the compiler's spill metric -----------------------------------------------------------

// What wamrc logs about one function with WAMR_AOT_SPILL_METRIC=1:
// `[aot-spill-metric] local_func=3 mod=0 name=<anon> … spill_ld=511 spill_st=66 …`, one line for
// each function that spills.
struct SpillMetric {
  std::uint32_t core = 0;  // mod=; 0 in logs that lack it
  std::uint32_t local = 0;
  std::uint32_t loads = 0;
  std::uint32_t stores = 0;
  bool operator==(const SpillMetric&) const = default;
};
struct SpillLog {
  std::map<std::pair<std::uint32_t, std::uint32_t>, SpillMetric> functions;  // by {core, local}
  std::size_t broken_lines = 0;   // have the tag, but not the fields
  std::size_t conflicts = 0;      // a function said twice with other figures; the last one counts
};
// Read by key: other fields, other output between the lines and broken lines do no harm.
SpillLog parse_spill_log(std::string_view text);

// One function's static spill counts, as found in its code.
struct StaticSpills {
  std::uint32_t core = 0;
  std::uint32_t local = 0;
  std::uint32_t loads = 0;
  std::uint32_t stores = 0;
  std::string name;  // raw
};
// The log held against the code. `complete`: `counted` has every function of its cores (an image,
// not a recording), so that one which is only in the log is a disagreement too.
struct SpillJoin {
  struct Disagreement {
    StaticSpills counted;
    SpillMetric logged;
    bool in_log = true;   // false: the code spills, the log says nothing
    bool in_code = true;  // false: the log names a function that the image lacks
  };
  std::size_t compared = 0;  // functions of `counted` that spill or are in the log
  std::size_t agreed = 0;
  std::vector<Disagreement> disagreements;  // by core and local index
  // So many disagree that the log must be of another build than the code.
  bool other_build = false;
};
SpillJoin join_spill_log(const SpillLog& log, std::span<const StaticSpills> counted,
                         bool complete);
// The result in words: how many agree, every one that does not, and a log of another build.
std::string spill_join_text(const SpillLog& log, const SpillJoin& join);

// Which spills really cost: the functions by the samples on their spill loads and stores, beside
// what the log says of them.
std::string spill_cost_table(const profile::Profile& profile, const SpillLog& log,
                             std::size_t limit);

}  // namespace aotscope::view
