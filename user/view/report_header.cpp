// What was sampled, how, how often, and what went missing.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "view/report_parts.hpp"

namespace aotscope::view {
namespace {

using profile::Profile;
using profile::TargetEntry;

std::string image_text(const Profile& profile) {
  const auto& images = profile.images();
  if (images.empty()) return "no image";
  std::string out = base_name(images.front().path);
  if (images.size() > 1) {
    fmt::format_to(std::back_inserter(out), " and {} more core{}", images.size() - 1,
                   images.size() == 2 ? "" : "s");
  }
  return out;
}

std::string pids_text(const std::vector<TargetEntry>& targets) {
  constexpr std::size_t most = 8;
  std::string out = targets.size() == 1 ? "pid " : "pids ";
  for (std::size_t i = 0; i < std::min(targets.size(), most); ++i) {
    fmt::format_to(std::back_inserter(out), "{}{}", i == 0 ? "" : ",", targets[i].pid);
  }
  if (targets.size() > most) {
    fmt::format_to(std::back_inserter(out), " and {} more", targets.size() - most);
  }
  return out;
}

std::string runtimes_text(const std::vector<TargetEntry>& targets) {
  std::set<std::string> seen;
  std::string out;
  for (const TargetEntry& target : targets) {
    if (target.runtime.empty() || !seen.insert(target.runtime).second) continue;
    out += (out.empty() ? "" : ", ") + safe_text(target.runtime, 80);
  }
  return out;
}

}  // namespace

std::string rate_text(const Profile& profile) {
  const profile::RunInfo& info = profile.info;
  const profile::Totals totals = profile.totals();
  std::string out = fmt::format("{} {} Hz", safe_text(info.event, 60), info.frequency_hz);
  if (info.frequency_asked != 0 && info.frequency_asked != info.frequency_hz) {
    fmt::format_to(std::back_inserter(out), " ({} asked)", info.frequency_asked);
  }
  // Below this much CPU time the quotient is noise.
  constexpr double enough_cpu_s = 0.2;
  constexpr double tolerance = 0.05;
  if (info.target_cpu_s >= enough_cpu_s && info.frequency_hz > 0) {
    const double achieved = static_cast<double>(totals.total + totals.lost) / info.target_cpu_s;
    const double granted = static_cast<double>(info.frequency_hz);
    if (std::abs(achieved / granted - 1) > tolerance) {
      fmt::format_to(std::back_inserter(out), " ({:.0f} achieved)", achieved);
    }
  }
  if (info.precise) out += " precise";
  return out;
}

std::string header_lines(const Profile& profile) {
  const profile::RunInfo& info = profile.info;
  const profile::Totals totals = profile.totals();
  std::vector<std::string> parts = {image_text(profile)};
  if (const std::string runtimes = runtimes_text(info.targets); !runtimes.empty()) {
    parts.push_back(runtimes);
  }
  if (!info.targets.empty()) parts.push_back(pids_text(info.targets));
  parts.push_back(rate_text(profile));
  std::string length = duration_text(info.sampled_s());
  if (info.parts.size() > 1) length += fmt::format(" in {} runs", info.parts.size());
  parts.push_back(std::move(length));
  parts.push_back(grouped(totals.total) + (totals.total == 1 ? " sample" : " samples"));
  parts.push_back("lost " + grouped(totals.lost));
  std::string out = fmt::format("{}\n", fmt::join(parts, "  "));
  if (totals.total != 0) {
    fmt::format_to(std::back_inserter(out),
                   "wasm {:.1f}%  host {:.1f}%  kernel {:.1f}%  unknown {:.1f}%\n",
                   percent(totals.wasm, totals.total), percent(totals.host, totals.total),
                   percent(totals.kernel, totals.total), percent(totals.unknown, totals.total));
  }
  return out;
}

std::string no_samples_lines(const Profile& profile) {
  const profile::RunInfo& info = profile.info;
  std::string why;
  if (profile.totals().lost != 0) {
    why = "all of them were lost (see below)";
  } else if (info.targets.empty()) {
    why = "no target was seen";
  } else {
    const bool all_exited = std::all_of(info.targets.begin(), info.targets.end(),
                                        [](const TargetEntry& target) { return target.exited; });
    const bool mapped = !profile.regions.empty();
    // One tick of the sampler at the granted rate; with less CPU time than that there is no
    // sample to expect.
    const double tick_s =
        info.frequency_hz == 0 ? 0.001 : 1.0 / static_cast<double>(info.frequency_hz);
    const std::string cpu = fmt::format("{:.3f} s of CPU time", info.target_cpu_s);
    if (all_exited && info.target_cpu_s <= 2 * tick_s) {
      why = "the target exited before it was sampled, after " + cpu;
    } else if (info.target_cpu_s <= 2 * tick_s) {
      why = fmt::format("the target slept: it used {} in {}", cpu, duration_text(info.sampled_s()));
    } else {
      why = fmt::format("although the target used {} in {}", cpu, duration_text(info.sampled_s()));
    }
    if (!mapped && !profile.images().empty()) {
      why += "; it never mapped " + base_name(profile.images().front().path);
    } else if (profile.images().empty()) {
      why += "; no AOT image was found in it";
    }
  }
  return "no samples: " + why + "\n";
}

std::string lost_lines(const Profile& profile) {
  std::string out;
  for (const profile::LostCause& lost : profile.info.lost) {
    if (lost.count == 0) continue;
    fmt::format_to(std::back_inserter(out), "lost {}: {}{}{}\n", grouped(lost.count),
                   safe_text(lost.cause, 80), lost.hint.empty() ? "" : ", cured by ",
                   safe_text(lost.hint, 160));
  }
  return out;
}

std::string exit_lines(const Profile& profile) {
  std::string out;
  for (const TargetEntry& target : profile.info.targets) {
    if (!target.exited) continue;
    fmt::format_to(std::back_inserter(out), "pid {} exited during the recording", target.pid);
    if (target.exit_status) {
      fmt::format_to(std::back_inserter(out), " with status {}", *target.exit_status);
    }
    out += '\n';
  }
  return out;
}

}  // namespace aotscope::view
