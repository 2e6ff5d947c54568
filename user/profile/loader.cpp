#include "loader.hpp"

namespace aotscope::profile {

bool Loader::charge(std::uint64_t& total, std::uint64_t count, std::uint64_t kernel) {
  Totals& totals = profile_.totals_;
  if (!fits(count, kernel) || count > samples_ - totals.total) return false;
  total += count;
  totals.total += count;
  totals.kernel += kernel;
  return true;
}

bool Loader::host(HostEntry entry) {
  if (!charge(profile_.totals_.host, entry.self, entry.kernel)) return false;
  if (entry.total < entry.self || entry.total > samples_) return false;
  const auto id = static_cast<std::uint32_t>(profile_.hosts_.size());
  if (!profile_.host_ids_.try_emplace({entry.module, entry.symbol}, id).second) return false;
  profile_.hosts_.push_back(std::move(entry));
  return true;
}

bool Loader::unknown(std::uint64_t region, std::uint64_t self, std::uint64_t kernel) {
  if (!charge(profile_.totals_.unknown, self, kernel)) return false;
  const auto id = static_cast<std::uint32_t>(profile_.unknowns_.size());
  if (!profile_.unknown_ids_.emplace(region, id).second) return false;
  UnknownEntry entry;
  entry.region = region;
  entry.self = self;
  entry.kernel = kernel;
  profile_.unknowns_.push_back(std::move(entry));
  return true;
}

bool Loader::unknown_address(std::uint32_t id, std::uint64_t address, std::uint64_t count) {
  if (id >= profile_.unknowns_.size()) return false;
  UnknownEntry& entry = profile_.unknowns_[id];
  return count <= entry.self && entry.addresses.size() < UnknownEntry::max_addresses &&
         entry.addresses.emplace(address, count).second;
}

bool Loader::thread(ThreadEntry entry) {
  if (!fits(entry.self, entry.kernel)) return false;
  const auto key = std::pair(entry.pid, entry.tid);
  return profile_.threads_.try_emplace(key, std::move(entry)).second;
}

bool Loader::offset(FrameKey function, std::uint64_t offset, const OffsetCount& count) {
  const FunctionEntry* entry = profile_.function(function);
  if (entry == nullptr || !charge(profile_.totals_.wasm, count.count, count.kernel)) return false;
  FunctionCount& into = profile_.functions_[function];
  const auto [it, fresh] = into.offsets.emplace(offset, count);
  if (!fresh) return false;
  it->second.id = static_cast<std::uint32_t>(profile_.offset_keys_.size());
  profile_.offset_keys_.emplace_back(function, offset);
  into.self += count.count;
  into.kernel += count.kernel;
  into.classes[static_cast<std::size_t>(count.cls)] += count.count;
  into.waits[static_cast<std::size_t>(count.waits)] += count.count;
  return true;
}

bool Loader::function_total(FrameKey function, std::uint64_t self, std::uint64_t total,
                            std::uint64_t kernel) {
  if (profile_.function(function) == nullptr) return false;
  FunctionCount& into = profile_.functions_[function];
  if (into.self != self || into.kernel != kernel || total < self || total > samples_) return false;
  into.total = total;
  return true;
}

bool Loader::node(const StackNode& node) {
  const std::vector<StackNode>& nodes = profile_.nodes_;
  if (nodes.size() >= max_nodes || node.parent >= nodes.size()) return false;
  if (!profile_.names_something(node.frame) || !fits(node.self, node.kernel)) return false;
  if (node.frame.kind != FrameKind::wasm && node.frame.image != 0) return false;
  if (node.self > samples_ - node_samples_) return false;
  // One more than add() makes, for the marker of a stack that was cut at the limit.
  const std::uint32_t depth = depth_[node.parent] + 1;
  if (depth > Profile::max_depth + 1) return false;
  if (profile_.find_child(node.parent, node.frame) != 0) return false;
  const std::uint32_t id = profile_.child(node.parent, node.frame);
  profile_.nodes_[id].self = node.self;
  profile_.nodes_[id].kernel = node.kernel;
  node_samples_ += node.self;
  node_kernel_ += node.kernel;
  depth_.push_back(depth);
  return true;
}

bool Loader::bucket_seconds(std::uint64_t width) {
  if (width == 0 || width > 1ULL << 40) return false;
  profile_.bucket_seconds_ = width;
  return true;
}

bool Loader::bucket(std::uint64_t start, std::uint64_t host, std::uint64_t unknown,
                    std::uint64_t samples) {
  if (start % profile_.bucket_seconds_ != 0 || profile_.buckets_.size() >= Profile::max_buckets)
    return false;
  if (samples > samples_ || host > samples || unknown > samples - host) return false;
  const auto [it, fresh] = profile_.buckets_.try_emplace(start);
  it->second.host = host;
  it->second.unknown = unknown;
  it->second.samples = samples;
  return fresh;
}

bool Loader::bucket_count(std::uint64_t start, FrameKey function, InstrClass cls,
                          std::uint64_t count) {
  const auto bucket = profile_.buckets_.find(start);
  if (bucket == profile_.buckets_.end() || profile_.function(function) == nullptr) return false;
  if (count > bucket->second.samples) return false;
  const auto [it, fresh] = bucket->second.wasm.try_emplace(function);
  if (fresh) ++profile_.bucket_rows_;
  std::uint64_t& into = it->second[static_cast<std::size_t>(cls)];
  if (into != 0) return false;
  into = count;
  return true;
}

bool Loader::detail_seconds(std::uint64_t width) {
  if (width == 0 || width > 1ULL << 40) return false;
  profile_.detail_seconds_ = width;
  return true;
}

Detail* Loader::detail(std::uint64_t start) {
  auto& details = profile_.details_;
  if (start % profile_.detail_seconds_ != 0) return nullptr;
  if (const auto it = details.find(start); it != details.end()) return &it->second;
  return details.size() < Profile::max_buckets ? &details[start] : nullptr;
}

bool Loader::detail_stack(std::uint64_t start, std::uint32_t node, std::uint64_t count) {
  Detail* into = detail(start);
  if (into == nullptr || node == 0 || node >= profile_.nodes_.size()) return false;
  if (count > samples_ - detail_samples_) return false;  // a cold stack's count is not its own
  detail_samples_ += count;
  into->samples += count;
  ++profile_.detail_rows_;
  return into->stacks.add(node, count);
}

bool Loader::detail_offset(std::uint64_t start, FrameKey function, std::uint64_t offset,
                           std::uint64_t count) {
  Detail* into = detail(start);
  const auto known = profile_.functions_.find(function);
  if (into == nullptr || known == profile_.functions_.end()) return false;
  const auto entry = known->second.offsets.find(offset);
  if (entry == known->second.offsets.end() || count > entry->second.count) return false;
  ++profile_.detail_rows_;
  return into->offsets.add(entry->second.id, count);
}

// Stacks say how many samples of each interval were in wasm; its instructions have to agree.
const char* Loader::finish_details() {
  profile_.pack_details();
  if (detail_samples_ != samples_) return "stacks in time do not sum to the samples";
  for (const auto& [start, detail] : profile_.details_) {
    std::uint64_t wasm = 0, instructions = 0;
    for (const auto& [id, count] : detail.stacks.rows())
      if (profile_.nodes_[id].frame.kind == FrameKind::wasm) wasm += count;
    for (const auto& [id, count] : detail.offsets.rows()) {
      if (count > wasm - instructions) return "instructions in time are more than the samples";
      instructions += count;
    }
  }
  return nullptr;
}

const char* Loader::finish() {
  const Totals& totals = profile_.totals_;
  if (totals.total != samples_) return "functions, hosts and unknowns do not sum to the samples";
  if (node_samples_ != samples_ || node_kernel_ != totals.kernel)
    return "stacks do not sum to the samples";
  for (const auto& [key, function] : profile_.functions_)
    if (function.total < function.self) return "a sampled function has no total";
  std::uint64_t rest = samples_;
  for (const auto& [start, bucket] : profile_.buckets_) {
    std::uint64_t left = bucket.samples - bucket.host - bucket.unknown;
    for (const auto& [key, classes] : bucket.wasm)
      for (const std::uint64_t count : classes) {
        if (count > left) return "a bucket holds more than its samples";
        left -= count;
      }
    if (left != 0 || bucket.samples > rest) return "buckets do not sum to the samples";
    rest -= bucket.samples;
  }
  if (rest != 0) return "buckets do not sum to the samples";
  return finish_details();
}

}  // namespace aotscope::profile
