#include "tui/window.hpp"

#include <algorithm>
#include <cmath>

namespace aotscope::tui {

double decay_over(double seconds) { return std::exp2(-std::max(0.0, seconds) / half_life_s); }

void HistoryRing::advance(std::int64_t second) {
  const auto size = static_cast<std::int64_t>(slots_.size());
  const std::int64_t from = std::max(second_ + 1, second - size + 1);
  for (std::int64_t s = from; s <= second; ++s) slots_[static_cast<std::size_t>(s % size)] = 0;
  second_ = std::max(second_, second);
}

void HistoryRing::add(double from_s, double to_s, double cpu_s) {
  if (!(to_s > from_s) || from_s < 0 || cpu_s <= 0) return;
  const auto size = static_cast<std::int64_t>(slots_.size());
  const auto last = static_cast<std::int64_t>(std::floor(to_s));
  advance(last);
  const double each = cpu_s / (to_s - from_s);
  const auto first = std::max(static_cast<std::int64_t>(std::floor(from_s)), last - size + 1);
  for (std::int64_t s = first; s <= last; ++s) {
    const double begin = std::max(from_s, static_cast<double>(s));
    const double end = std::min(to_s, static_cast<double>(s + 1));
    slots_[static_cast<std::size_t>(s % size)] += static_cast<float>((end - begin) * each);
  }
}

History HistoryRing::read(double now_s) const {
  History out{};
  const auto size = static_cast<std::int64_t>(slots_.size());
  const auto now = static_cast<std::int64_t>(std::floor(now_s));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t second = now - static_cast<std::int64_t>(out.size() - i);
    if (second < 0 || second > second_ || second <= second_ - size) continue;
    out[i] = slots_[static_cast<std::size_t>(second % size)];
  }
  return out;
}

void Meter::add(double now_s, double value) {
  if (!points_.empty() && (value < points_.back().second || now_s <= points_.back().first)) {
    if (now_s <= points_.back().first) return;
    points_.clear();
  }
  points_.emplace_back(now_s, value);
  while (points_.size() > 2 && now_s - points_[1].first >= span_s) points_.pop_front();
}

double Meter::rate() const {
  if (points_.size() < 2) return 0;
  return (points_.back().second - points_.front().second) /
         (points_.back().first - points_.front().first);
}

}  // namespace aotscope::tui
