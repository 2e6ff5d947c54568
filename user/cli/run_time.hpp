// Times of a run as --from and --to take them.
#pragma once

#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include <aotscope/profile.hpp>
#include <aotscope/result.hpp>

namespace aotscope::cli {

// Seconds since the start of the recording: "90" or "10m" into the run, "-10m" from its end,
// "16:48" or "16:48:30" on the clock (the first such time since its start), "2026-11-29 16:48" of
// any day, "@1764435000" since 1970. Clock times are local ones; what was before the start is 0.
Result<double> run_time(const std::string& text, const profile::RunInfo& info);

// --from and --to, each empty when it was left out.
struct TimeOptions {
  std::string from;
  std::string to;
  bool any() const { return !from.empty() || !to.empty(); }
};
void add_time_options(CLI::App& command, TimeOptions& options);
Result<std::pair<double, double>> times(const TimeOptions& options, const profile::RunInfo& info);
// Makes the profile that of the part, and says which part that is; nothing without an option.
Result<void> cut(profile::Profile& profile, const TimeOptions& options);

}  // namespace aotscope::cli
