#include "cli/run_time.hpp"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <limits>

#include <fmt/format.h>

#include "cli/commands.hpp"

namespace aotscope::cli {
namespace {

// All of `text` by one of the shapes, or nothing. What a shape does not name stays in `time`.
template <std::size_t N>
bool parse(const std::string& text, const char* const (&shapes)[N], std::tm& time) {
  for (const char* shape : shapes) {
    std::tm parsed = time;
    const char* end = ::strptime(text.c_str(), shape, &parsed);
    if (end == nullptr || *end != '\0') continue;
    time = parsed;
    return true;
  }
  return false;
}

double unix_time(std::tm time) {
  time.tm_isdst = -1;  // the zone's own rule
  return static_cast<double>(std::mktime(&time));
}

std::optional<double> clock_time(const std::string& text, double started_unix_s) {
  if (text.starts_with('@')) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + 1, end, value);
    if (parsed.ec != std::errc{} || parsed.ptr != end || !std::isfinite(value)) return {};
    return value;
  }
  std::tm day{};
  if (std::tm time{};
      parse(text, {"%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M"},
            time)) {
    return unix_time(time);
  }
  const auto start = static_cast<std::time_t>(started_unix_s);
  if (::localtime_r(&start, &day) == nullptr) return {};
  day.tm_sec = 0;
  if (!parse(text, {"%H:%M:%S", "%H:%M"}, day)) return {};
  if (const double today = unix_time(day); today >= std::floor(started_unix_s)) return today;
  day.tm_mday += 1;
  return unix_time(day);
}

}  // namespace

Result<double> run_time(const std::string& text, const profile::RunInfo& info) {
  if (text == "0") return 0.0;  // no duration, but a time
  const bool relative = text.starts_with('-');
  if (!relative) {
    if (const auto time = clock_time(text, info.started_unix_s)) {
      return std::max(0.0, *time - info.started_unix_s);
    }
  }
  const auto length = parse_duration(std::string_view(text).substr(relative ? 1 : 0));
  if (!length) {
    return fail(fmt::format("{}: not a time of the run", text),
                "write 90 or 10m (into it), -10m (from its end), 16:48, \"2026-11-29 16:48\" or "
                "@UNIXTIME");
  }
  return relative ? std::max(0.0, info.duration_s - *length) : *length;
}

void add_time_options(CLI::App& command, TimeOptions& options) {
  CLI::Option* from = command.add_option(
      "--from", options.from,
      "Only from this time on: 90 or 10m into the run, -10m from its end, 16:48[:30], "
      "\"2026-11-29 16:48\" or @UNIXTIME");
  CLI::Option* to = command.add_option("--to", options.to, "Only up to this time");
  for (CLI::Option* time : {from, to}) time->type_name("TIME");
}

Result<std::pair<double, double>> times(const TimeOptions& options, const profile::RunInfo& info) {
  double from = 0;
  double to = std::numeric_limits<double>::infinity();
  for (const auto& [text, value] : {std::pair{&options.from, &from}, {&options.to, &to}}) {
    if (text->empty()) continue;
    const auto time = run_time(*text, info);
    if (!time) return tl::unexpected(time.error());
    *value = *time;
  }
  if (from >= to) {
    return fail(fmt::format("--from {} is not before --to {}", options.from, options.to));
  }
  return std::pair(from, to);
}

Result<void> cut(profile::Profile& profile, const TimeOptions& options) {
  if (!options.any()) return {};
  auto between = times(options, profile.info);
  if (!between) return tl::unexpected(between.error());
  auto& [from, to] = *between;
  const std::uint64_t step_s = profile.detail_seconds();
  profile = profile.slice(from, to);
  print_status(fmt::format("{:.0f} s to {:.1f} s of {:.1f} s, in steps of {} s", from, to,
                           profile.info.duration_s, step_s));
  return {};
}

}  // namespace aotscope::cli
