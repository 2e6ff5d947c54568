// The view room: what people and scripts read. Pure functions from a profile to text; no
// terminal, no files, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <aotscope/profile.hpp>

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

}  // namespace aotscope::view
