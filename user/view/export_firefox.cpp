// `report --firefox`: github.com/firefox-devtools/profiler, the processed profile format (its
// CHANGELOG-formats.md), version 48; newer versions of the Profiler upgrade it when they load it.
#include <map>

#include <aotscope/exports.hpp>
#include <aotscope/view.hpp>

#include "view/format.hpp"
#include "view/json_parts.hpp"
#include "view/stack_frames.hpp"

namespace aotscope::view {
namespace {

using nlohmann::ordered_json;
using profile::FrameKey;
using profile::FrameKind;

enum Category : std::uint8_t { other, wasm, host, unknown };

Category category_of(FrameKey frame) {
  switch (frame.kind) {
    case FrameKind::wasm:
      return wasm;
    case FrameKind::host:
      return host;
    case FrameKind::unknown:
      return unknown;
    default:
      return other;
  }
}

ordered_json category(const char* name, const char* color) {
  return {{"name", name}, {"color", color}, {"subcategories", {"Other"}}};
}

ordered_json repeated(std::size_t length, const ordered_json& value) {
  return ordered_json(std::vector<ordered_json>(length, value));
}

class FirefoxThread {
 public:
  explicit FirefoxThread(const profile::Profile& profile) : profile_(profile), frames_(profile) {}

  ordered_json json(double interval_ms) {
    const profile::RunInfo& info = profile_.info;
    const std::uint32_t pid = info.targets.empty() ? 0 : info.targets.front().pid;
    const std::string comm =
        info.targets.empty() ? "wasm" : safe_text(info.targets.front().comm, 80);
    ordered_json out = {{"processType", "default"},
                        {"processStartupTime", 0},
                        {"processShutdownTime", nullptr},
                        {"registerTime", 0},
                        {"unregisterTime", nullptr},
                        {"pausedRanges", ordered_json::array()},
                        {"name", comm},
                        {"isMainThread", true},
                        {"processName", comm},
                        {"pid", std::to_string(pid)},
                        {"tid", pid},
                        {"samples", samples(interval_ms)},
                        {"markers",
                         {{"length", 0},
                          {"data", ordered_json::array()},
                          {"name", ordered_json::array()},
                          {"startTime", ordered_json::array()},
                          {"endTime", ordered_json::array()},
                          {"phase", ordered_json::array()},
                          {"category", ordered_json::array()}}},
                        {"stackTable", stack_table()},
                        {"frameTable", frame_table()},
                        {"funcTable", func_table()}};
    out["resourceTable"] = resource_table();
    out["nativeSymbols"] = {{"length", 0},
                            {"libIndex", ordered_json::array()},
                            {"address", ordered_json::array()},
                            {"name", ordered_json::array()},
                            {"functionSize", ordered_json::array()}};
    out["stringArray"] = strings_;  // last: the tables have added to it
    return out;
  }

 private:
  std::size_t string(const std::string& text) {
    const auto [at, fresh] = string_numbers_.try_emplace(text, strings_.size());
    if (fresh) strings_.push_back(text);
    return at->second;
  }

  // Stacks with their samples in each interval of the run that they are known for.
  struct Interval {
    double start_ms = 0;
    double length_ms = 0;
    std::vector<profile::Counts::Row> stacks;
    std::uint64_t samples = 0;
  };
  std::vector<Interval> intervals(double interval_ms) const {
    const double end_ms = profile_.info.duration_s * 1000;
    std::vector<Interval> out;
    std::uint64_t known = 0;
    for (const auto& [start, detail] : profile_.details()) {
      const double start_ms = static_cast<double>(start) * 1000;
      const double length_ms = static_cast<double>(profile_.detail_seconds()) * 1000;
      out.push_back({start_ms,
                     end_ms > start_ms ? std::min(length_ms, end_ms - start_ms) : length_ms,
                     detail.stacks.rows(), detail.samples});
      known += detail.samples;
    }
    if (known == profile_.totals().total) return out;
    Interval all;  // a part of a run: nothing is known of its time
    const auto& nodes = profile_.stacks();
    for (std::uint32_t i = 1; i < nodes.size(); ++i) {
      if (nodes[i].self != 0) all.stacks.emplace_back(i, nodes[i].self);
      all.samples += nodes[i].self;
    }
    all.length_ms = static_cast<double>(all.samples) * interval_ms;
    return {all};
  }

  // Each stack of an interval takes as much of it as it has of its samples, so that its CPU time
  // against its length is the CPU use of the interval.
  ordered_json samples(double interval_ms) const {
    std::vector<std::uint32_t> stack;
    std::vector<double> time;
    std::vector<std::uint64_t> weight;
    std::vector<std::uint64_t> cpu_ns;
    for (const Interval& interval : intervals(interval_ms)) {
      std::uint64_t before = 0;
      for (const auto& [node, count] : interval.stacks) {
        before += count;
        stack.push_back(node - 1);
        time.push_back(interval.start_ms + interval.length_ms * static_cast<double>(before) /
                                               static_cast<double>(interval.samples));
        weight.push_back(count);
        cpu_ns.push_back(
            static_cast<std::uint64_t>(static_cast<double>(count) * interval_ms * 1e6));
      }
    }
    return {{"length", stack.size()}, {"stack", stack},          {"time", time},
            {"weight", weight},       {"weightType", "samples"}, {"threadCPUDelta", cpu_ns}};
  }

  // Node N of the profile is stack N - 1; a parent comes before its children there too.
  ordered_json stack_table() const {
    const auto& nodes = profile_.stacks();
    ordered_json frame = ordered_json::array();
    ordered_json prefix = ordered_json::array();
    ordered_json categories = ordered_json::array();
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      frame.push_back(frames_.number(nodes[i].frame));
      categories.push_back(category_of(nodes[i].frame));
      if (nodes[i].parent == 0) {
        prefix.push_back(nullptr);
      } else {
        prefix.push_back(nodes[i].parent - 1);
      }
    }
    const std::size_t length = frame.size();
    return {{"length", length},
            {"frame", std::move(frame)},
            {"prefix", std::move(prefix)},
            {"category", std::move(categories)},
            {"subcategory", repeated(length, 0)}};
  }

  ordered_json frame_table() const {
    const std::size_t length = frames_.frames().size();
    ordered_json func = ordered_json::array();
    ordered_json categories = ordered_json::array();
    for (std::size_t i = 0; i < length; ++i) {
      func.push_back(i);
      categories.push_back(category_of(frames_.frames()[i]));
    }
    return {{"length", length},
            {"address", repeated(length, -1)},
            {"inlineDepth", repeated(length, 0)},
            {"category", std::move(categories)},
            {"subcategory", repeated(length, 0)},
            {"func", std::move(func)},
            {"nativeSymbol", repeated(length, nullptr)},
            {"innerWindowID", repeated(length, nullptr)},
            {"implementation", repeated(length, nullptr)},
            {"line", repeated(length, nullptr)},
            {"column", repeated(length, nullptr)}};
  }

  // One function for each frame, of the image or module that it is in.
  ordered_json func_table() {
    const std::size_t length = frames_.frames().size();
    ordered_json name = ordered_json::array();
    ordered_json resource = ordered_json::array();
    for (const FrameKey frame : frames_.frames()) {
      name.push_back(string(frame_label(profile_, frame)));
      const std::string file = frame_file(profile_, frame);
      if (file.empty()) {
        resource.push_back(-1);
        continue;
      }
      const auto [at, fresh] = resource_numbers_.try_emplace(file, resources_.size());
      if (fresh) resources_.push_back(string(file));
      resource.push_back(at->second);
    }
    return {{"length", length},
            {"name", std::move(name)},
            {"isJS", repeated(length, false)},
            {"relevantForJS", repeated(length, false)},
            {"resource", std::move(resource)},
            {"fileName", repeated(length, nullptr)},
            {"lineNumber", repeated(length, nullptr)},
            {"columnNumber", repeated(length, nullptr)}};
  }

  ordered_json resource_table() const {
    constexpr int library = 1;
    const std::size_t length = resources_.size();
    return {{"length", length},
            {"lib", repeated(length, nullptr)},
            {"name", resources_},
            {"host", repeated(length, nullptr)},
            {"type", repeated(length, library)}};
  }

  const profile::Profile& profile_;
  FrameTable frames_;
  std::vector<std::string> strings_;
  std::map<std::string, std::size_t> string_numbers_;
  std::vector<std::size_t> resources_;  // string numbers
  std::map<std::string, std::size_t> resource_numbers_;
};

}  // namespace

std::string firefox_json(const profile::Profile& profile) {
  const profile::RunInfo& info = profile.info;
  const double interval_ms =
      info.frequency_hz == 0 ? 1.0 : 1000.0 / static_cast<double>(info.frequency_hz);
  const ordered_json out = {
      {"meta",
       {{"interval", interval_ms},
        {"startTime", info.started_unix_s * 1000},
        {"processType", 0},
        {"product", "aotscope"},
        {"stackwalk", 1},
        {"version", 24},
        {"preprocessedProfileVersion", 48},
        {"symbolicated", true},
        {"oscpu", safe_text(info.kernel_release, 120)},
        {"extensions",
         {{"length", 0},
          {"baseURL", ordered_json::array()},
          {"id", ordered_json::array()},
          {"name", ordered_json::array()}}},
        {"categories",
         {category("Other", "grey"), category("Wasm", "blue"), category("Host", "orange"),
          category("Unknown", "red")}},
        {"markerSchema", ordered_json::array()},
        {"sampleUnits", {{"time", "ms"}, {"eventDelay", "ms"}, {"threadCPUDelta", "ns"}}}}},
      {"libs", ordered_json::array()},
      {"pages", ordered_json::array()},
      {"counters", ordered_json::array()},
      {"profilerOverhead", ordered_json::array()},
      {"threads", ordered_json::array({FirefoxThread(profile).json(interval_ms)})}};
  return json_text(out, true);
}

}  // namespace aotscope::view
