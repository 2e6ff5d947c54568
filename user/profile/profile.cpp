// Counters: who exists, and what one sample adds to each of them.
#include <aotscope/profile.hpp>

namespace aotscope::profile {

Profile::Profile() : nodes_(1) { relink(); }

std::uint32_t Profile::add_image(ImageEntry image) {
  const auto id = static_cast<std::uint32_t>(images_.size());
  image.id = id;
  std::uint32_t local = 0;
  for (FunctionEntry& function : image.functions) {
    function.local = local++;
    if (function.name.size() > max_name_bytes) function.name.resize(max_name_bytes);
  }
  images_.push_back(std::move(image));
  return id;
}

std::uint32_t Profile::host_id(std::string_view module, std::string_view symbol) {
  auto key = std::pair(std::string(module.substr(0, max_name_bytes)),
                       std::string(symbol.substr(0, max_name_bytes)));
  const auto [it, fresh] =
      host_ids_.try_emplace(std::move(key), static_cast<std::uint32_t>(hosts_.size()));
  if (fresh) {
    HostEntry entry;
    entry.module = it->first.first;
    entry.symbol = it->first.second;
    hosts_.push_back(std::move(entry));
  }
  return it->second;
}

std::uint32_t Profile::unknown_id(std::uint64_t region) {
  if (const auto it = unknown_ids_.find(region); it != unknown_ids_.end()) return it->second;
  if (region != 0 && unknowns_.size() >= max_unknowns) return unknown_id(0);
  const auto id = static_cast<std::uint32_t>(unknowns_.size());
  unknown_ids_.emplace(region, id);
  UnknownEntry entry;
  entry.region = region;
  unknowns_.push_back(std::move(entry));
  return id;
}

ThreadEntry& Profile::thread(std::uint32_t pid, std::uint32_t tid) {
  auto it = threads_.find({pid, tid});
  if (it == threads_.end()) {
    if (threads_.size() >= max_threads) tid = 0;
    it = threads_.try_emplace({pid, tid}).first;
    it->second.pid = pid;
    it->second.tid = tid;
  }
  return it->second;
}

void Profile::name_thread(std::uint32_t pid, std::uint32_t tid, std::string_view comm) {
  ThreadEntry& entry = thread(pid, tid);
  if (entry.tid == tid) entry.comm = comm;
}

bool Profile::names_something(FrameKey frame) const {
  switch (frame.kind) {
    case FrameKind::wasm:
      return frame.image < images_.size() && frame.id < images_[frame.image].functions.size();
    case FrameKind::host:
      return frame.id < hosts_.size();
    case FrameKind::unknown:
      return frame.id < unknowns_.size();
    case FrameKind::truncated:
    case FrameKind::cut:
      return true;
  }
  return false;
}

// One key for one thing: `image` means something for wasm only, and markers carry no id.
FrameKey Profile::known(FrameKey frame) {
  if (!names_something(frame)) return {FrameKind::unknown, 0, unknown_id(0)};
  if (frame.kind != FrameKind::wasm) frame.image = 0;
  if (frame.kind == FrameKind::truncated || frame.kind == FrameKind::cut) frame.id = 0;
  return frame;
}

void Profile::add(const Sample& sample) {
  if (sample.count == 0) return;
  const std::uint64_t count = sample.count;
  const std::uint64_t kernel = sample.kernel ? count : 0;
  FrameKey leaf = known(sample.stack.empty() ? sample.leaf : sample.stack.front());
  if (leaf.kind == FrameKind::truncated || leaf.kind == FrameKind::cut)
    leaf = {FrameKind::unknown, 0, unknown_id(0)};

  InstrClass cls = InstrClass::other;
  const OffsetCount* instruction = nullptr;
  switch (leaf.kind) {
    case FrameKind::wasm: {
      FunctionCount& function = functions_[leaf];
      const auto [it, fresh] = function.offsets.try_emplace(sample.text_offset);
      OffsetCount& offset = it->second;
      if (fresh) {
        offset.cls = sample.cls;
        offset.waits = sample.waits;
        offset.id = static_cast<std::uint32_t>(offset_keys_.size());
        offset_keys_.emplace_back(leaf, sample.text_offset);
      }
      instruction = &offset;
      offset.count += count;
      offset.kernel += kernel;
      function.self += count;
      function.kernel += kernel;
      function.classes[static_cast<std::size_t>(offset.cls)] += count;
      function.waits[static_cast<std::size_t>(offset.waits)] += count;
      cls = offset.cls;
      totals_.wasm += count;
      break;
    }
    case FrameKind::host:
      hosts_[leaf.id].self += count;
      hosts_[leaf.id].kernel += kernel;
      totals_.host += count;
      break;
    default: {
      UnknownEntry& entry = unknowns_[leaf.id];
      entry.self += count;
      entry.kernel += kernel;
      if (const auto it = entry.addresses.find(sample.address); it != entry.addresses.end())
        it->second += count;
      else if (entry.addresses.size() < UnknownEntry::max_addresses)
        entry.addresses.emplace(sample.address, count);
      totals_.unknown += count;
    }
  }
  totals_.total += count;
  totals_.kernel += kernel;

  const std::uint32_t node = charge_stack(leaf, sample.stack, count);
  nodes_[node].self += count;
  nodes_[node].kernel += kernel;

  add_thread(sample);
  add_bucket(sample, leaf, cls);
  add_detail(sample.time_s, node, instruction, count);
}

void Profile::add_thread(const Sample& sample) {
  if (sample.tid == 0) return;
  ThreadEntry& entry = thread(sample.pid, sample.tid);
  entry.self += sample.count;
  if (sample.kernel) entry.kernel += sample.count;
}

double RunInfo::sampled_s() const {
  double sum = 0;
  for (const RunPart& part : parts) sum += part.duration_s;
  return parts.empty() ? duration_s : sum;
}

Totals Profile::totals() const {
  Totals totals = totals_;
  totals.lost = 0;
  for (const LostCause& lost : info.lost) totals.lost += lost.count;
  return totals;
}

PerClass<std::uint64_t> Profile::classes() const {
  PerClass<std::uint64_t> sum{};
  for (const auto& [key, function] : functions_)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += function.classes[i];
  return sum;
}

PerClass<std::uint64_t> Profile::waits() const {
  PerClass<std::uint64_t> sum{};
  for (const auto& [key, function] : functions_)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += function.waits[i];
  return sum;
}

const FunctionEntry* Profile::function(FrameKey wasm) const {
  if (wasm.kind != FrameKind::wasm || !names_something(wasm)) return nullptr;
  return &images_[wasm.image].functions[wasm.id];
}

std::string Profile::frame_name(FrameKey frame) const {
  switch (frame.kind) {
    case FrameKind::wasm:
      if (const FunctionEntry* entry = function(frame)) return entry->name;
      break;
    case FrameKind::host:
      if (frame.id < hosts_.size()) {
        const HostEntry& entry = hosts_[frame.id];
        return entry.symbol.empty() ? entry.module : entry.symbol;
      }
      break;
    case FrameKind::unknown:
      break;
    case FrameKind::truncated:
      return "[truncated]";
    case FrameKind::cut:
      return "[cut]";
  }
  return "[unknown]";
}

void Profile::zero() {
  for (HostEntry& host : hosts_) host.self = host.total = host.kernel = 0;
  for (UnknownEntry& entry : unknowns_) {
    entry.self = entry.kernel = 0;
    entry.addresses.clear();
  }
  for (auto& [id, entry] : threads_) entry.self = entry.kernel = 0;
  functions_.clear();
  nodes_.assign(1, StackNode{});
  slots_.clear();
  relink();
  buckets_.clear();
  bucket_seconds_ = 10;
  bucket_rows_ = 0;
  details_.clear();
  detail_seconds_ = 10;
  detail_rows_ = 0;
  offset_keys_.clear();
  totals_ = {};
}

}  // namespace aotscope::profile
