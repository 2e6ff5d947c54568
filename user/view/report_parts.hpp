// The parts of the text report, one function each; text_report.cpp puts them together.
// Each returns whole lines, or nothing when it has nothing to say.
#pragma once

#include <string>

#include <aotscope/view.hpp>

#include "view/format.hpp"

namespace aotscope::view {

// "mix.cwasm  wamr 3.0.0  pid 4121  cpu-clock 999 Hz  6.2 s  6,160 samples  lost 0" and the
// shares of wasm, host, kernel and unknown.
std::string header_lines(const profile::Profile& profile);
// "cpu-clock 999 Hz"; asked, granted and achieved rate apart where they differ.
std::string rate_text(const profile::Profile& profile);
// Why a recording has no samples.
std::string no_samples_lines(const profile::Profile& profile);

std::string function_table(const profile::Profile& profile, const TextOptions& options);
std::string host_table(const profile::Profile& profile);
std::string unknown_table(const profile::Profile& profile);
// Shares of the roll-ups and of the classes that are in none, of all samples of the process.
std::string class_lines(const profile::Profile& profile);
std::string lost_lines(const profile::Profile& profile);
std::string exit_lines(const profile::Profile& profile);

}  // namespace aotscope::view
