#include <catch2/catch.hpp>

#include <numeric>

#include "tui/window.hpp"

using namespace aotscope::tui;

TEST_CASE("a sample counts half after the half-life") {
  Counter counter;
  CHECK(counter.update(100, decay_over(1)) == 100);
  counter.update(100, decay_over(half_life_s));
  CHECK(counter.recent == Approx(50));
  counter.update(130, decay_over(half_life_s));
  CHECK(counter.recent == Approx(55));
}

TEST_CASE("the share of now does not depend on the interval") {
  // Two functions, 3 : 1, in steps of one second and of a tenth.
  for (const double step : {0.1, 1.0}) {
    Counter a, b;
    const int steps = static_cast<int>(20 / step + 0.5);
    for (int i = 1; i <= steps; ++i) {
      a.update(static_cast<std::uint64_t>(750 * step) * static_cast<std::uint64_t>(i),
               decay_over(step));
      b.update(static_cast<std::uint64_t>(250 * step) * static_cast<std::uint64_t>(i),
               decay_over(step));
    }
    CHECK(a.recent / (a.recent + b.recent) == Approx(0.75).epsilon(0.01));
  }
}

TEST_CASE("a counter that was zeroed begins anew") {
  Counter counter;
  counter.update(1000, 1);
  CHECK(counter.update(7, 0.5) == 7);
  CHECK(counter.before == 7);
}

TEST_CASE("the last minute, second by second, whatever the interval") {
  HistoryRing ring;
  double at = 0;
  for (int i = 0; i < 40; ++i, at += 0.5) ring.add(at, at + 0.5, 0.25);  // half a CPU, 20 s
  const History history = ring.read(at);
  CHECK(history[59] == Approx(0.5));
  CHECK(history[40] == Approx(0.5));
  CHECK(history[39] == 0);
  CHECK(std::accumulate(history.begin(), history.end(), 0.0F) == Approx(10));
}

TEST_CASE("a long interval is spread over its seconds") {
  HistoryRing ring;
  ring.add(0, 10, 10);
  const History history = ring.read(10);
  for (std::size_t i = 50; i < 60; ++i) CHECK(history[i] == Approx(1));
}

TEST_CASE("what is older than a minute is gone") {
  HistoryRing ring;
  ring.add(0, 1, 1);
  ring.add(100, 101, 0.5);
  const History history = ring.read(101);
  CHECK(std::accumulate(history.begin(), history.end(), 0.0F) == Approx(0.5));
  const History later = ring.read(500);
  CHECK(std::accumulate(later.begin(), later.end(), 0.0F) == 0);
  ring.add(1e9, 1e9 + 1, 1);  // a clock that leaps does not take its time
  CHECK(ring.read(1e9 + 1)[59] == Approx(1));
}

TEST_CASE("a rate over some seconds") {
  Meter meter;
  CHECK(meter.rate() == 0);
  for (int i = 0; i <= 100; ++i) meter.add(i * 0.1, i * 0.05);
  CHECK(meter.rate() == Approx(0.5));
  meter.add(10.1, 0.01);  // another process's figure: begins anew
  CHECK(meter.rate() == 0);
}
