// `report --group`: the samples by something else than the full table, of a run or a part of it.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <aotscope/exports.hpp>
#include <aotscope/view.hpp>

#include "view/format.hpp"
#include "view/stack_frames.hpp"

namespace aotscope::view {
namespace {

using profile::FrameKey;
using profile::Profile;

struct GroupRow {
  std::string name;
  std::uint64_t self = 0;
  std::string detail;
};

// Function x class, of the whole run or of a window, and what is no wasm.
struct Counts {
  std::map<FrameKey, isa::PerClass<std::uint64_t>> wasm;
  std::uint64_t host = 0;
  std::uint64_t unknown = 0;
  std::uint64_t samples = 0;
};

Counts counts_of(const Profile& profile, const Window* window) {
  if (window != nullptr) {
    return {window->sum.wasm, window->sum.host, window->sum.unknown, window->sum.samples};
  }
  Counts out;
  for (const auto& [key, count] : profile.functions()) {
    if (count.self != 0) out.wasm[key] = count.classes;
  }
  const profile::Totals totals = profile.totals();
  out.host = totals.host;
  out.unknown = totals.unknown;
  out.samples = totals.total;
  return out;
}

std::uint64_t sum(const isa::PerClass<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void add(isa::PerClass<std::uint64_t>& into, const isa::PerClass<std::uint64_t>& from) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] += from[i];
}

std::vector<GroupRow> by_function(const Profile& profile, const Counts& counts) {
  std::vector<GroupRow> rows;
  for (const auto& [key, classes] : counts.wasm) {
    rows.push_back({frame_label(profile, key), sum(classes), mix_text(classes)});
  }
  return rows;
}

std::vector<GroupRow> by_class(const Counts& counts) {
  isa::PerClass<std::uint64_t> all{};
  for (const auto& [key, classes] : counts.wasm) add(all, classes);
  std::vector<GroupRow> rows;
  for (const ClassShare& part : ranked(all)) {
    rows.push_back({std::string(isa::class_id(part.cls)), part.count, {}});
  }
  return rows;
}

std::vector<GroupRow> by_image(const Profile& profile, const Counts& counts) {
  std::map<std::uint32_t, isa::PerClass<std::uint64_t>> images;
  for (const auto& [key, classes] : counts.wasm) add(images[key.image], classes);
  std::vector<GroupRow> rows;
  for (const auto& [image, classes] : images) {
    const profile::ImageEntry& entry = profile.images()[image];
    std::string name = base_name(entry.path);
    if (profile.images().size() > 1) name += fmt::format(" core {}", entry.core);
    rows.push_back({std::move(name), sum(classes), mix_text(classes)});
  }
  return rows;
}

std::vector<GroupRow> by_thread(const Profile& profile) {
  std::vector<GroupRow> rows;
  std::uint64_t unknown = profile.totals().total;  // samples without a thread: lean mode
  for (const auto& [id, thread] : profile.threads()) {
    std::string detail = fmt::format("pid {}", thread.pid);
    if (thread.kernel != 0) {
      detail += fmt::format("  kernel {:.1f}", percent(thread.kernel, thread.self));
    }
    unknown -= std::min(unknown, thread.self);
    const std::string tid = thread.tid == 0 ? "not known" : fmt::to_string(thread.tid);
    rows.push_back({fmt::format("{:>9}  {}", tid, safe_text(thread.comm, 40)), thread.self,
                    std::move(detail)});
  }
  if (unknown != 0) rows.push_back({"not known", unknown, {}});
  return rows;
}

// Outermost frame first; the middle of a deep stack says least.
std::string stack_label(const Profile& profile, std::uint32_t node) {
  constexpr std::size_t most = 12;
  const auto& nodes = profile.stacks();
  std::vector<FrameKey> path;
  for (; node != 0; node = nodes[node].parent) path.push_back(nodes[node].frame);
  std::string out;
  for (std::size_t i = path.size(); i-- > 0;) {
    if (path.size() > most && i >= most / 2 && i + most / 2 < path.size()) {
      if (i == most / 2) out += fmt::format(" > … {} more", path.size() - most);
      continue;
    }
    out += (out.empty() ? "" : " > ") + fit(frame_label(profile, path[i]), 40);
  }
  return out;
}

std::vector<GroupRow> by_stack(const Profile& profile, std::size_t limit) {
  const auto& nodes = profile.stacks();
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i].self != 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return nodes[a].self > nodes[b].self; });
  std::vector<GroupRow> rows;
  for (std::size_t i = 0; i < order.size(); ++i) {
    // Names are made only for what can be shown; the rest counts.
    const bool shown = limit == 0 || i < limit;
    rows.push_back({shown ? stack_label(profile, order[i]) : "", nodes[order[i]].self, {}});
  }
  return rows;
}

std::string_view title(GroupBy by) {
  switch (by) {
    case GroupBy::cls:
      return "class";
    case GroupBy::image:
      return "image";
    case GroupBy::thread:
      return "      tid  thread";
    case GroupBy::stack:
      return "stack, outermost frame first";
    default:
      return "function";
  }
}

}  // namespace

std::string group_text(const Profile& profile, const GroupOptions& options) {
  const Counts counts = counts_of(profile, options.window);
  std::vector<GroupRow> rows;
  bool whole = false;  // the rows hold host and unknown code too
  switch (options.by) {
    case GroupBy::function:
      rows = by_function(profile, counts);
      break;
    case GroupBy::cls:
      rows = by_class(counts);
      break;
    case GroupBy::image:
      rows = by_image(profile, counts);
      break;
    case GroupBy::thread:
      rows = by_thread(profile);
      whole = true;
      break;
    case GroupBy::stack:
      rows = by_stack(profile, options.limit);
      whole = true;
      break;
  }
  if (!whole && counts.host != 0) rows.push_back({"[host]", counts.host, {}});
  if (!whole && counts.unknown != 0) rows.push_back({"[unknown]", counts.unknown, {}});
  std::stable_sort(rows.begin(), rows.end(),
                   [](const GroupRow& a, const GroupRow& b) { return a.self > b.self; });
  const std::size_t all = rows.size();
  std::erase_if(rows, [&](const GroupRow& row) {
    return percent(row.self, counts.samples) < options.min_percent;
  });
  if (options.limit != 0 && rows.size() > options.limit) rows.resize(options.limit);

  std::string out;
  if (options.window != nullptr) {
    out = fmt::format("{:.0f} s to {:.1f} s of {}, in buckets of {} s: {} samples\n\n",
                      options.window->from_s, options.window->to_s,
                      duration_text(profile.info.duration_s), profile.bucket_seconds(),
                      grouped(counts.samples));
  }
  if (counts.samples == 0) return out + "no samples\n";
  std::size_t width = 14;
  for (const GroupRow& row : rows) width = std::max(width, display_width(row.name));
  if (options.by != GroupBy::stack) width = std::min<std::size_t>(width, 48);
  const Paint paint{options.color};
  out += paint.bold(fmt::format("{:>6} {:>10}  {}", "%", "samples", title(options.by))) + "\n";
  for (const GroupRow& row : rows) {
    std::string line = fmt::format("{:6.2f} {:>10}  {}  {}", percent(row.self, counts.samples),
                                   grouped(row.self), pad_right(row.name, width), row.detail);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  if (rows.size() < all) out += fmt::format("  … {} more\n", grouped(all - rows.size()));
  return out;
}

}  // namespace aotscope::view
