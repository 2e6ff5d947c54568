#include "view/format.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <aotscope/view.hpp>

namespace aotscope::view {

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string grouped(std::uint64_t number) {
  std::string digits = fmt::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "? s";
  if (seconds < 1) return fmt::format("{:.2f} s", seconds);
  if (seconds < 600) return fmt::format("{:.1f} s", seconds);
  const double minutes = std::floor(seconds / 60);
  if (minutes < 60) return fmt::format("{:.0f} min {:02.0f} s", minutes, seconds - minutes * 60);
  const double hours = std::floor(minutes / 60);
  return fmt::format("{:.0f} h {:02.0f} min", hours, minutes - hours * 60);
}

std::string base_name(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash != std::string_view::npos && slash + 1 < path.size()) path.remove_prefix(slash + 1);
  return safe_text(path, 128);
}

std::string function_label(const profile::Profile& profile, profile::FrameKey function) {
  return safe_text(profile.frame_name(function));
}

std::vector<ClassShare> ranked(const isa::PerClass<std::uint64_t>& counts) {
  std::uint64_t whole = 0;
  for (const std::uint64_t count : counts) whole += count;
  std::vector<ClassShare> out;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    out.push_back({static_cast<isa::InstrClass>(i), counts[i], percent(counts[i], whole)});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const ClassShare& a, const ClassShare& b) { return a.count > b.count; });
  return out;
}

std::string mix_text(const isa::PerClass<std::uint64_t>& counts, std::size_t most) {
  constexpr double smallest = 1.5;  // per cent: below it a class says nothing here
  std::string out;
  std::size_t shown = 0;
  for (const ClassShare& part : ranked(counts)) {
    if (shown == most || (shown > 0 && part.share < smallest)) break;
    fmt::format_to(std::back_inserter(out), "{}{} {:.0f}", shown == 0 ? "" : "  ",
                   isa::class_id(part.cls), part.share);
    ++shown;
  }
  return out;
}

std::string waits_text(const isa::PerClass<std::uint64_t>& classes,
                       const isa::PerClass<std::uint64_t>& waits) {
  constexpr double notable = 5;  // points
  const std::vector<ClassShare> landed = ranked(classes);
  const std::vector<ClassShare> waited = ranked(waits);
  if (landed.empty() || waited.empty()) return {};
  const auto text = [](const ClassShare& part) {
    return fmt::format("{} {:.0f}", isa::class_id(part.cls), part.share);
  };
  if (waited.front().cls != landed.front().cls) return text(waited.front());

  const ClassShare* best = nullptr;
  double best_gain = notable;
  for (const ClassShare& part : waited) {
    double before = 0;
    for (const ClassShare& l : landed) {
      if (l.cls == part.cls) before = l.share;
    }
    if (part.share - before >= best_gain) {
      best = &part;
      best_gain = part.share - before;
    }
  }
  return best == nullptr ? std::string() : text(*best);
}

std::string Paint::wrap(std::string_view code, std::string_view text) const {
  return on ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace aotscope::view
