// The view room: what people and scripts read. Pure functions from a profile to text; no
// terminal, no files, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

// For a terminal without UTF-8: arrows, lines and dots as ASCII, other characters as \xNN.
std::string ascii_text(std::string_view text);

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
// samples, without a newline. A `;` in a name is written \x3b, so the frames can be counted, and
// the space before a number that ends a name \x20, so nobody takes it for samples; the markers
// [truncated] and [cut] are frames of their own. Given line by line: a long recording's stacks can
// be many times the size of the profile.
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

image::Arch arch_of(const profile::ImageEntry& image);

// Finds the function that a user means: a name as it is or as it is shown, a local index, or
// func[INDEX] with a wasm function index; `core` limits it to one core of a component. An unknown
// or ambiguous one is an error that lists the candidates. `profile` only serves to mention those
// with samples first; it may be null.
Result<profile::FrameKey> choose_function(std::span<const profile::ImageEntry> images,
                                          std::string_view wanted,
                                          std::optional<std::uint32_t> core,
                                          const profile::Profile* profile);

// ---- the compiler's spill metric -----------------------------------------------------------

// The spill log held against the code of one core, see isa::compare.
struct SpillCheck {
  const profile::ImageEntry* image = nullptr;  // for names and the core's number
  isa::SpillComparison comparison;
};
// In words: how many functions agree, every one that does not, a log of another build, and
// modules of the log that no core was held against.
std::string spill_check_text(const isa::SpillLog& log, std::span<const SpillCheck> checks);

// Which spills really cost: the functions by the samples on their spill loads and stores, beside
// what the log says of them.
std::string spill_cost_table(const profile::Profile& profile, const isa::SpillLog& log,
                             std::size_t limit);

// ---- annotate -------------------------------------------------------------------------------

// One function's code and, from a recording, its samples.
struct Listing {
  const profile::ImageEntry* image = nullptr;
  std::uint32_t local = 0;
  std::span<const std::uint8_t> code;         // the function's bytes
  const profile::Profile* profile = nullptr;  // null: from an image, no samples
  const isa::SpillLog* spill_log = nullptr;   // null: none given
};

struct AnnotateOptions {
  bool color = false;
  std::size_t hottest = 20;  // rows of the table of hottest instructions
};
// Header, mix of classes, callers, hottest instructions, then the whole listing.
std::string annotate_text(const Listing& listing, const AnnotateOptions& options);

// ---- inspect --------------------------------------------------------------------------------

// A core and the static counts of its functions, in their order.
struct InspectedCore {
  const profile::ImageEntry* image = nullptr;
  std::vector<isa::FunctionCounts> functions;
};

struct InspectOptions {
  std::size_t limit = 30;     // rows; 0: all
  std::string sort = "size";  // a column that inspect_columns() names
  bool color = false;
};
// What --sort takes: local, index, name, offset, size, instructions, spill-ld, spill-st, spills,
// frame-size, undecoded, and every class id.
std::vector<std::string> inspect_columns();
// One row for each function, the largest of the column first (name, local, index and offset
// ascend), and the sums.
std::string inspect_text(std::span<const InspectedCore> cores, const InspectOptions& options);
// Schema 1; all functions, in the order of cores and local indices; see README.
// With a spill log, `spill_log` holds the comparison; `log` is null without one.
std::string inspect_json(std::span<const InspectedCore> cores, const isa::SpillLog* log,
                         std::span<const SpillCheck> checks);

}  // namespace aotscope::view
