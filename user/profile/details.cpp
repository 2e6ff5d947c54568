// Stacks and instructions in time, and the part of a run that they make up.
#include <algorithm>
#include <functional>

#include <aotscope/profile.hpp>

namespace aotscope::profile {

namespace {

void put(std::vector<std::uint8_t>& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 0x80));
  out.push_back(static_cast<std::uint8_t>(value));
}

std::uint64_t take(const std::vector<std::uint8_t>& in, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint64_t byte = in[at++];
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

}  // namespace

void Counts::pack() {
  if (ids_.empty()) return;
  packed_.clear();
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    put(packed_, ids_[i] - last);
    put(packed_, counts_[i]);
    last = ids_[i];
  }
  packed_.shrink_to_fit();
  packed_rows_ = ids_.size();
  ids_ = {};
  counts_ = {};
}

std::vector<Counts::Row> Counts::rows() const {
  std::vector<Row> out;
  out.reserve(size());
  std::uint32_t id = 0;
  for (std::size_t i = 0, at = 0; i < packed_rows_; ++i) {
    id += static_cast<std::uint32_t>(take(packed_, at));
    out.emplace_back(id, take(packed_, at));
  }
  for (std::size_t i = 0; i < ids_.size(); ++i) out.emplace_back(ids_[i], counts_[i]);
  return out;
}

void Counts::unpack() {
  if (packed_rows_ == 0) return;
  for (const auto& [id, count] : rows()) {
    ids_.push_back(id);
    counts_.push_back(count);
  }
  packed_ = {};
  packed_rows_ = 0;
}

bool Counts::add(std::uint32_t id, std::uint64_t count) {
  unpack();
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
  const std::vector<Row> mine = rows(), theirs = other.rows();
  packed_ = {};
  packed_rows_ = 0;
  ids_.clear();
  counts_.clear();
  for (std::size_t a = 0, b = 0; a < mine.size() || b < theirs.size();) {
    const bool first = b == theirs.size() || (a < mine.size() && mine[a].first <= theirs[b].first);
    const bool second = a == mine.size() || (b < theirs.size() && theirs[b].first <= mine[a].first);
    ids_.push_back(first ? mine[a].first : theirs[b].first);
    counts_.push_back((first ? mine[a].second : 0) + (second ? theirs[b].second : 0));
    a += first ? 1 : 0;
    b += second ? 1 : 0;
  }
}

std::vector<Counts::Row> Counts::trim(std::size_t most) {
  if (size() <= most) return {};
  unpack();
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

  const auto stacks = sum.stacks.rows();
  for (const auto& [id, count] : stacks) {
    StackNode& node = out.nodes_[id];
    node.self = count;
    out.totals_.total += count;
    if (node.frame.kind == FrameKind::host) {
      out.hosts_[node.frame.id].self += count;
      out.totals_.host += count;
    } else if (node.frame.kind == FrameKind::unknown) {
      out.unknowns_[node.frame.id].self += count;
      out.totals_.unknown += count;
    }
    out.charge_totals(id, count);
  }
  // What the leaves say goes first; instructions say what it was, as far as they were kept.
  for (const auto& [id, count] : stacks) {
    const FrameKey leaf = out.nodes_[id].frame;
    if (leaf.kind == FrameKind::wasm) out.functions_[leaf].self += count;
  }
  for (const auto& [id, count] : sum.offsets.rows()) {
    const auto& [key, offset] = offset_keys_[id];
    OffsetCount entry = functions_.at(key).offsets.at(offset);
    entry.count = count;
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
