// Times of a run as --from and --to take them.
#pragma once

#include <string>

#include <aotscope/profile.hpp>
#include <aotscope/result.hpp>

namespace aotscope::cli {

// Seconds since the start of the recording: "90" or "10m" into the run, "-10m" from its end,
// "16:48" or "16:48:30" on the clock (the first such time since its start), "2026-11-29 16:48" of
// any day, "@1764435000" since 1970. Clock times are local ones; what was before the start is 0.
Result<double> run_time(const std::string& text, const profile::RunInfo& info);

}  // namespace aotscope::cli
