// Counters over time: a decaying window for "now", and the last minute second by second.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <utility>

#include <aotscope/tui.hpp>

namespace aotscope::tui {

// A sample counts half after so many seconds: long enough to read a steady figure, short enough
// to see a change of phase at once.
inline constexpr double half_life_s = 5;
double decay_over(double seconds);

// Below so many samples in the window, a mix of classes would flicker: the whole run's is shown.
inline constexpr double enough_samples = 30;

// CPU time in each of the last seconds.
class HistoryRing {
 public:
  // Spreads `cpu_s` evenly over (from, to].
  void add(double from_s, double to_s, double cpu_s);
  // The last full seconds before `now_s`, oldest first.
  History read(double now_s) const;

 private:
  void advance(std::int64_t second);
  std::array<float, history_slots + 1> slots_{};  // one more: the second that is under way
  std::int64_t second_ = 0;                       // of the newest slot
};

// One counter that only grows (or is zeroed), and how much of it is recent.
struct Counter {
  std::uint64_t before = 0;
  double recent = 0;
  // Returns what came since the last time.
  std::uint64_t update(std::uint64_t count, double decay) {
    const std::uint64_t delta = count >= before ? count - before : count;
    before = count;
    recent = recent * decay + static_cast<double>(delta);
    if (recent < 1e-3) recent = 0;
    return delta;
  }
};

struct FunctionWindow {
  Counter self;
  isa::PerClass<Counter> classes{};
  isa::PerClass<Counter> waits{};
  HistoryRing history;
  std::string name;
  std::string core;
  std::uint64_t round = 0;  // last update that saw it
};

// A rate over the last seconds of a figure that grows: CPU time in clock ticks is too coarse for
// one short interval.
class Meter {
 public:
  void add(double now_s, double value);
  double rate() const;  // per second
  std::size_t points() const { return points_.size(); }

 private:
  static constexpr double span_s = 4;
  std::deque<std::pair<double, double>> points_;
};

}  // namespace aotscope::tui
