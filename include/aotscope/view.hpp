// The view room: what people and scripts read. Pure functions from a profile to text; no
// terminal, no files, no clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <aotscope/profile.hpp>

namespace aotscope::view {

// Makes bytes from outside safe to show: control bytes and invalid UTF-8 become \xNN escapes (a
// bare ESC never reaches a terminal), and what is longer than `max_bytes` is cut with "…".
std::string safe_text(std::string_view raw, std::size_t max_bytes = 512);

struct TextOptions {
  std::size_t limit = 30;   // rows of functions; 0: all
  bool color = false;
  std::string recording;    // path for the closing hint; empty: no hint
};
// The table of SCREENS' `report (text)`: header, totals, functions, host, classes, hint.
std::string text_report(const profile::Profile& profile, const TextOptions& options);

struct JsonOptions {
  bool offsets = false;
  bool one_line = false;    // top --json: one object on one line
};
// Schema 1; see README.
std::string json_report(const profile::Profile& profile, const JsonOptions& options);

}  // namespace aotscope::view
