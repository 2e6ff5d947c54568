#include "cli/run_time.hpp"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>

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

}  // namespace aotscope::cli
