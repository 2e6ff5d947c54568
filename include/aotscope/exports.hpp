// The view room's second half: a recording for other tools, in time, and beside another one.
// Pure functions from a profile to text or bytes, as view.hpp. The samples of each export sum to
// the recording's.
//
// A recording knows each function's samples by class, and each stack's samples, but not both at
// once. Where a format wants a class for each stack, a function's classes are dealt out over its
// stacks in proportion, so that every function's, every stack's and every class's sum is exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <aotscope/diff.hpp>
#include <aotscope/profile.hpp>
#include <aotscope/result.hpp>

namespace aotscope::view {

// ---- for other tools ------------------------------------------------------------------------

// pprof's profile.proto, gzipped: sample types samples/count and cpu/nanoseconds; a sample's
// labels are `class`, `image` and `core` of its innermost frame (wasm only).
Result<std::string> pprof_profile(const profile::Profile& profile);
// speedscope's "sampled" profile: stacks with weights.
std::string speedscope_json(const profile::Profile& profile);
// The Firefox Profiler's processed profile format, version 48: stacks with weights; the time of a
// sample is its place in the list, because a recording has no time for each stack.
std::string firefox_json(const profile::Profile& profile);
// One line for each function, host symbol and unknown region, a column for each class (RFC 4180).
std::string csv_report(const profile::Profile& profile);

// ---- in time, and by group ------------------------------------------------------------------

// The buckets that overlap [from_s, to_s), added up; a bucket is the finest that is known.
struct Window {
  profile::Bucket sum;
  double from_s = 0;
  double to_s = 0;
};
Window window_of(const profile::Profile& profile, double from_s, double to_s);

enum class GroupBy : std::uint8_t { function, cls, image, thread, stack };

struct GroupOptions {
  GroupBy by = GroupBy::function;
  const Window* window = nullptr;  // null: the whole run; not for threads and stacks
  std::size_t limit = 30;          // rows; 0: all
  double min_percent = 0;
  bool color = false;
};
std::string group_text(const profile::Profile& profile, const GroupOptions& options);
// The window as JSON, schema 1: functions and classes, as far as the buckets know.
std::string window_json(const profile::Profile& profile, const Window& window);

struct TimelineOptions {
  std::size_t functions = 10;
  bool color = false;
  bool ascii = false;  // a terminal without UTF-8
};
// A line for each of the top functions: how busy it was, when. Empty without samples.
std::string timeline_text(const profile::Profile& profile, const Window& window,
                          const TimelineOptions& options);

// The figures behind it: CPUs used by everything and by each of the top functions, in columns of
// whole buckets.
struct TimelineRow {
  std::string name;          // safe to show
  std::vector<double> busy;  // by column; 1 is one CPU
};
struct Timeline {
  double column_s = 0;
  double highest = 0;
  std::vector<double> starts;     // of the columns, seconds
  std::vector<TimelineRow> rows;  // the first is everything; none without samples
};
Timeline timeline_of(const profile::Profile& profile, const Window& window, std::size_t functions,
                     std::size_t most_columns);

// ---- pictures -------------------------------------------------------------------------------

// A flame graph as one SVG without scripts: well-formed XML whatever the names hold. Frames
// narrower than a third of a pixel are left out.
std::string flame_svg(const profile::Profile& profile);

// One page that needs nothing else: summary, time line, functions, flame graph, and the listing of
// the hottest functions whose code is known.
using FunctionCode = std::map<profile::FrameKey, std::vector<std::uint8_t>>;
std::string html_page(const profile::Profile& profile, const FunctionCode& code);

// ---- diff -----------------------------------------------------------------------------------

// One side of a diff, as its header names it.
struct DiffSource {
  std::string file;
  const profile::Profile* profile = nullptr;
};
struct DiffTextOptions {
  std::size_t limit = 30;  // rows of functions; 0: all
  bool color = false;
};
// What changed for certain first; what may be noise is dim, marked `~` and last.
std::string diff_text(const profile::Diff& diff, const DiffSource& before, const DiffSource& after,
                      const DiffTextOptions& options);
// Schema 1; see README.
std::string diff_json(const profile::Diff& diff, const DiffSource& before, const DiffSource& after);
// One page that needs nothing else: both sides, classes, functions, each with its interval.
std::string diff_html(const profile::Diff& diff, const DiffSource& before, const DiffSource& after);

}  // namespace aotscope::view
