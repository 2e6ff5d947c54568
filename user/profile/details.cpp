// Stacks and instructions in time, and the part of a run that they make up.
#include <algorithm>
#include <functional>

#include <aotscope/profile.hpp>

namespace aotscope::profile {

bool Counts::add(std::uint32_t id, std::uint64_t count) {
  const auto at = std::lower_bound(ids_.begin(), ids_.end(), id);
  const auto index = at - ids_.begin();
  if (at != ids_.end() && *at == id) {
    counts_[static_cast<std::size_t>(index)] += count;
    return false;
  }
  ids_.insert(at, id);
  counts_.insert(counts_.begin() + index, count);
  return true;
}

void Counts::add(const Counts& other) {
  Counts sum;
  sum.ids_.reserve(std::max(size(), other.size()));
  sum.counts_.reserve(sum.ids_.capacity());
  std::size_t a = 0, b = 0;
  while (a < size() || b < other.size()) {
    const bool mine = b == other.size() || (a < size() && ids_[a] <= other.ids_[b]);
    const bool theirs = a == size() || (b < other.size() && other.ids_[b] <= ids_[a]);
    sum.ids_.push_back(mine ? ids_[a] : other.ids_[b]);
    sum.counts_.push_back((mine ? counts_[a] : 0) + (theirs ? other.counts_[b] : 0));
    a += mine ? 1 : 0;
    b += theirs ? 1 : 0;
  }
  *this = std::move(sum);
}

std::vector<Counts::Row> Counts::trim(std::size_t most) {
  if (size() <= most) return {};
  std::vector<std::uint64_t> sorted = counts_;
  const auto edge = sorted.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(sorted.begin(), edge, sorted.end(), std::greater<>());
  const std::uint64_t limit = *edge;  // what is above it stays, and of its equals as many as fit
  std::size_t equals = most - static_cast<std::size_t>(std::count_if(
                                  counts_.begin(), counts_.end(),
                                  [&](std::uint64_t count) { return count > limit; }));
  std::vector<Row> cold;
  Counts kept;
  for (std::size_t i = 0; i < size(); ++i) {
    const bool keep = counts_[i] > limit || (counts_[i] == limit && equals > 0);
    if (keep && counts_[i] == limit) --equals;
    if (keep) {
      kept.ids_.push_back(ids_[i]);
      kept.counts_.push_back(counts_[i]);
    } else {
      cold.emplace_back(ids_[i], counts_[i]);
    }
  }
  *this = std::move(kept);
  return cold;
}

std::uint64_t Counts::of(std::uint32_t id) const {
  const auto at = std::lower_bound(ids_.begin(), ids_.end(), id);
  if (at == ids_.end() || *at != id) return 0;
  return counts_[static_cast<std::size_t>(at - ids_.begin())];
}

Profile Profile::slice(double& from_s, double& to_s) const {
  Detail sum;
  const double from = from_s, to = to_s;
  bool first = true;
  for (const auto& [start, detail] : details_) {
    const auto begin = static_cast<double>(start);
    const double end = begin + static_cast<double>(detail_seconds_);
    if (end <= from || begin >= to) continue;
    if (first) from_s = begin;
    first = false;
    to_s = info.duration_s > begin ? std::min(end, info.duration_s) : end;
    sum.stacks.add(detail.stacks);
    sum.offsets.add(detail.offsets);
  }
  if (first) to_s = from_s;

  Profile out;
  out.info = info;
  out.regions = regions;
  out.images_ = images_;
  out.hosts_ = hosts_;
  out.host_ids_ = host_ids_;
  for (HostEntry& host : out.hosts_) host.self = host.total = host.kernel = 0;
  out.unknown_ids_ = unknown_ids_;
  for (const UnknownEntry& entry : unknowns_) {
    out.unknowns_.emplace_back().region = entry.region;
  }
  out.nodes_ = nodes_;
  out.slots_ = slots_;
  for (StackNode& node : out.nodes_) node.self = node.kernel = 0;
  out.relink();

  const auto stacks = sum.stacks.ids();
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    const std::uint64_t count = sum.stacks.counts()[i];
    StackNode& node = out.nodes_[stacks[i]];
    node.self = count;
    out.totals_.total += count;
    if (node.frame.kind == FrameKind::host) {
      out.hosts_[node.frame.id].self += count;
      out.totals_.host += count;
    } else if (node.frame.kind == FrameKind::unknown) {
      out.unknowns_[node.frame.id].self += count;
      out.totals_.unknown += count;
    }
    out.charge_totals(stacks[i], count);
  }
  // What the leaves say goes first; instructions say what it was, as far as they were kept.
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    const FrameKey leaf = out.nodes_[stacks[i]].frame;
    if (leaf.kind == FrameKind::wasm) out.functions_[leaf].self += sum.stacks.counts()[i];
  }
  const auto offsets = sum.offsets.ids();
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto& [key, offset] = offset_keys_[offsets[i]];
    OffsetCount entry = functions_.at(key).offsets.at(offset);
    entry.count = sum.offsets.counts()[i];
    entry.kernel = 0;
    entry.id = static_cast<std::uint32_t>(out.offset_keys_.size());
    out.offset_keys_.emplace_back(key, offset);
    FunctionCount& function = out.functions_[key];
    function.classes[static_cast<std::size_t>(entry.cls)] += entry.count;
    function.waits[static_cast<std::size_t>(entry.waits)] += entry.count;
    function.offsets.emplace(offset, entry);
  }
  for (auto& [key, function] : out.functions_) {
    out.totals_.wasm += function.self;
    std::uint64_t rest = function.self;
    for (const auto& [offset, entry] : function.offsets) rest -= std::min(rest, entry.count);
    if (rest == 0) continue;
    const std::uint64_t start = images_[key.image].functions[key.id].offset;
    const auto [it, fresh] = function.offsets.try_emplace(start);
    if (fresh) {
      it->second.id = static_cast<std::uint32_t>(out.offset_keys_.size());
      out.offset_keys_.emplace_back(key, start);
    }
    it->second.count += rest;
    function.classes[static_cast<std::size_t>(it->second.cls)] += rest;
    function.waits[static_cast<std::size_t>(it->second.waits)] += rest;
  }
  std::erase_if(out.functions_, [](const auto& entry) {
    return entry.second.self == 0 && entry.second.total == 0;
  });
  out.links_.of.clear();  // made anew when a sample is added
  return out;
}

}  // namespace aotscope::profile
