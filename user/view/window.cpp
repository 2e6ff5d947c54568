// A part of a run, as far as its time buckets tell; and how busy each function was, when.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <aotscope/exports.hpp>
#include <aotscope/view.hpp>

#include "view/format.hpp"
#include "view/json_parts.hpp"
#include "view/stack_frames.hpp"

namespace aotscope::view {
namespace {

using nlohmann::ordered_json;
using profile::Bucket;
using profile::FrameKey;
using profile::Profile;

std::uint64_t sum(const isa::PerClass<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

// Where a bucket ends: the last one is cut by the end of the recording.
double bucket_end(const Profile& profile, std::uint64_t start) {
  const auto end = static_cast<double>(start + profile.bucket_seconds());
  const double last = profile.info.duration_s;
  return last > static_cast<double>(start) ? std::min(end, last) : end;
}

std::vector<std::pair<FrameKey, std::uint64_t>> hottest(const Bucket& bucket) {
  std::vector<std::pair<FrameKey, std::uint64_t>> rows;
  for (const auto& [key, classes] : bucket.wasm) rows.emplace_back(key, sum(classes));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return rows;
}

}  // namespace

Window window_of(const Profile& profile, double from_s, double to_s) {
  Window out;
  out.from_s = std::max(0.0, from_s);
  out.to_s = out.from_s;
  bool first = true;
  for (const auto& [start, bucket] : profile.buckets()) {
    const auto begin = static_cast<double>(start);
    const double end = bucket_end(profile, start);
    if (end <= from_s || begin >= to_s) continue;
    if (first) out.from_s = begin;
    first = false;
    out.to_s = end;
    for (const auto& [key, classes] : bucket.wasm) {
      isa::PerClass<std::uint64_t>& into = out.sum.wasm[key];
      for (std::size_t i = 0; i < into.size(); ++i) into[i] += classes[i];
    }
    out.sum.host += bucket.host;
    out.sum.unknown += bucket.unknown;
    out.sum.samples += bucket.samples;
  }
  return out;
}

std::string window_json(const Profile& profile, const Window& window) {
  isa::PerClass<std::uint64_t> classes{};
  std::uint64_t wasm = 0;
  ordered_json functions = ordered_json::array();
  for (const auto& [key, self] : hottest(window.sum)) {
    const isa::PerClass<std::uint64_t>& counts = window.sum.wasm.at(key);
    const profile::FunctionEntry* entry = profile.function(key);
    functions.push_back({{"image", key.image},
                         {"local_func", key.id},
                         {"func_index", entry == nullptr ? key.id : entry->index},
                         {"name", profile.frame_name(key)},
                         {"self", self},
                         {"classes", class_counts(counts)}});
    for (std::size_t i = 0; i < classes.size(); ++i) classes[i] += counts[i];
    wasm += self;
  }
  ordered_json images = ordered_json::array();
  for (const profile::ImageEntry& image : profile.images()) images.push_back(image_json(image));
  const ordered_json out = {
      {"schema", 1},
      {"event", profile.info.event},
      {"frequency_hz", profile.info.frequency_hz},
      {"window",
       {{"from_s", window.from_s}, {"to_s", window.to_s}, {"bucket_s", profile.bucket_seconds()}}},
      {"samples",
       {{"total", window.sum.samples},
        {"wasm", wasm},
        {"host", window.sum.host},
        {"unknown", window.sum.unknown}}},
      {"images", std::move(images)},
      {"functions", std::move(functions)},
      {"classes", class_counts(classes)}};
  return json_text(out, false);
}

Timeline timeline_of(const Profile& profile, const Window& window, std::size_t functions,
                     std::size_t most_columns) {
  Timeline out;
  if (window.sum.samples == 0 || profile.info.frequency_hz == 0) return out;
  const auto width = static_cast<double>(profile.bucket_seconds());
  const auto buckets = static_cast<std::size_t>(std::ceil((window.to_s - window.from_s) / width));
  // Columns of whole buckets, as few to a column as fit.
  const std::size_t each = std::max<std::size_t>(1, (buckets + most_columns - 1) / most_columns);
  const std::size_t columns = std::max<std::size_t>(1, (buckets + each - 1) / each);
  out.column_s = width * static_cast<double>(each);
  for (std::size_t i = 0; i < columns; ++i) {
    out.starts.push_back(window.from_s + static_cast<double>(i) * out.column_s);
  }
  const auto add_row = [&](std::string name, auto count_of) {
    std::vector<double> busy(columns);
    for (const auto& [start, bucket] : profile.buckets()) {
      const auto begin = static_cast<double>(start);
      if (begin < window.from_s || begin >= window.to_s) continue;
      const auto at = static_cast<std::size_t>((begin - window.from_s) / out.column_s);
      busy[std::min(at, columns - 1)] += static_cast<double>(count_of(bucket));
    }
    for (std::size_t i = 0; i < columns; ++i) {
      const double seconds = std::min(out.starts[i] + out.column_s, window.to_s) - out.starts[i];
      busy[i] /= std::max(seconds, 1e-3) * static_cast<double>(profile.info.frequency_hz);
    }
    out.rows.push_back({std::move(name), std::move(busy)});
  };
  add_row("all", [](const Bucket& bucket) { return bucket.samples; });
  out.highest = *std::max_element(out.rows.front().busy.begin(), out.rows.front().busy.end());
  const auto rows = hottest(window.sum);
  for (std::size_t i = 0; i < std::min(rows.size(), functions); ++i) {
    const FrameKey key = rows[i].first;
    add_row(frame_label(profile, key), [&](const Bucket& bucket) {
      const auto found = bucket.wasm.find(key);
      return found == bucket.wasm.end() ? std::uint64_t{0} : sum(found->second);
    });
  }
  return out;
}

std::string timeline_text(const Profile& profile, const Window& window,
                          const TimelineOptions& options) {
  constexpr std::string_view blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::string_view plain[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
  constexpr std::size_t most_columns = 60;
  const auto& levels = options.ascii ? plain : blocks;
  const Timeline line = timeline_of(profile, window, options.functions, most_columns);
  if (line.rows.empty()) return {};
  std::string out =
      fmt::format("timeline {} to {}, {} each column; the highest is {:.0f} % of a CPU",
                  window.from_s == 0 ? "0 s" : duration_text(window.from_s),
                  duration_text(window.to_s), duration_text(line.column_s), line.highest * 100);
  out = Paint{options.color}.bold(out) + "\n";
  for (const TimelineRow& row : line.rows) {
    for (const double value : row.busy) {
      // The lowest level is for what is there at all.
      const double level = line.highest > 0 ? std::ceil(value / line.highest * 8) : 0;
      out += levels[static_cast<std::size_t>(std::clamp(level, 0.0, 8.0))];
    }
    const double mean = std::accumulate(row.busy.begin(), row.busy.end(), 0.0) /
                        static_cast<double>(row.busy.size());
    const bool first = &row == &line.rows.front();
    fmt::format_to(std::back_inserter(out), "  {:5.1f}  {}\n", mean * 100,
                   first ? "all, mean % of a CPU" : fit(row.name, 48));
  }
  return out;
}

}  // namespace aotscope::view
