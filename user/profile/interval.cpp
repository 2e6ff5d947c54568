// Sampling noise: intervals of shares and of their differences.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <aotscope/diff.hpp>

namespace aotscope::profile {
namespace {

// What one bucket says of a function.
struct Point {
  double part = 0;
  double whole = 0;
};

// Mean squares of successive differences against their binomial expectation (von Neumann): a
// share that drifts slowly through the run is no noise of the comparison, neighbours that differ
// are.
double successive_dispersion(const std::vector<Point>& points) {
  constexpr double enough_samples = 50;  // in a bucket: the normal approximation holds
  constexpr std::size_t enough_pairs = 8;
  double part = 0;
  double whole = 0;
  for (const Point& point : points) {
    part += point.part;
    whole += point.whole;
  }
  if (part <= 0 || part >= whole) return 1;
  const double share = part / whole;
  double sum = 0;
  std::size_t pairs = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Point& a = points[i - 1];
    const Point& b = points[i];
    if (a.whole < enough_samples || b.whole < enough_samples) continue;
    const double step = b.part / b.whole - a.part / a.whole;
    sum += step * step / (share * (1 - share) * (1 / a.whole + 1 / b.whole));
    ++pairs;
  }
  return pairs < enough_pairs ? 1 : std::max(1.0, sum / static_cast<double>(pairs));
}

}  // namespace

double normal_quantile(double alpha) {
  double low = 0;
  double high = 40;  // erfc is 0 there
  for (int step = 0; step < 200; ++step) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > alpha ? low : high) = middle;
  }
  return low;
}

Interval wilson(double k, double n, double z) {
  if (n <= 0) return {0, 1};
  const double p = k / n;
  const double square = z * z / n;
  const double middle = (p + square / 2) / (1 + square);
  const double half = std::sqrt(square * (p * (1 - p) + square / 4)) / (1 + square);
  // Exact at the ends, where rounding would leave a trace.
  return {k <= 0 ? 0 : std::max(0.0, middle - half), k >= n ? 1 : std::min(1.0, middle + half)};
}

Interval difference(double a, Interval of_a, double b, Interval of_b) {
  return {b - a - std::hypot(b - of_b.low, of_a.high - a),
          b - a + std::hypot(of_b.high - b, a - of_a.low)};
}

double dispersion(const Profile& profile, FrameKey function) {
  // Below this the buckets hold a sample or none, and a run of days has many such functions.
  constexpr std::uint64_t enough = 30;
  const auto count = profile.functions().find(function);
  if (count == profile.functions().end() || count->second.self < enough) return 1;
  std::vector<Point> points;
  for (const auto& [start, bucket] : profile.buckets()) {
    Point point{0, static_cast<double>(bucket.samples)};
    if (const auto found = bucket.wasm.find(function); found != bucket.wasm.end()) {
      point.part = static_cast<double>(
          std::accumulate(found->second.begin(), found->second.end(), std::uint64_t{0}));
    }
    points.push_back(point);
  }
  return successive_dispersion(points);
}

double dispersion(const Profile& profile) {
  double sum = 0;
  double weight = 0;
  for (const auto& [key, count] : profile.functions()) {
    if (count.self == 0) continue;
    sum += static_cast<double>(count.self) * dispersion(profile, key);
    weight += static_cast<double>(count.self);
  }
  return weight > 0 ? sum / weight : 1;
}

}  // namespace aotscope::profile
