// Samples in time: buckets of one width, doubled when there are too many of them.
#include <algorithm>

#include <aotscope/profile.hpp>

namespace aotscope::profile {
namespace {

constexpr double latest_s = 1e10;  // some 300 years: keeps any clock within the arithmetic

void merge(Bucket& into, Bucket&& from) {
  for (const auto& [key, classes] : from.wasm) {
    PerClass<std::uint64_t>& sum = into.wasm[key];
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += classes[i];
  }
  into.host += from.host;
  into.unknown += from.unknown;
  into.samples += from.samples;
}

void merge(Detail& into, Detail&& from) {
  into.stacks.add(from.stacks);
  into.offsets.add(from.offsets);
  into.samples += from.samples;
}

// Neighbours in pairs: what starts within the same `width` seconds becomes one.
template <typename Part>
void widen(std::map<std::uint64_t, Part>& parts, std::uint64_t width) {
  std::map<std::uint64_t, Part> wider;
  while (!parts.empty()) {
    auto first = parts.extract(parts.begin());
    const std::uint64_t start = first.key() - first.key() % width;
    if (wider.empty() || wider.rbegin()->first != start)
      wider.emplace_hint(wider.end(), start, std::move(first.mapped()));
    else
      merge(wider.rbegin()->second, std::move(first.mapped()));
  }
  parts = std::move(wider);
}

// Not std::clamp: a time that is no number must end somewhere too.
std::uint64_t whole_second(double time_s) {
  return static_cast<std::uint64_t>(time_s > 0 ? std::min(time_s, latest_s) : 0);
}

}  // namespace

void Profile::add_bucket(const Sample& sample, FrameKey leaf, InstrClass cls) {
  const std::uint64_t second = whole_second(sample.time_s);
  Bucket& bucket = buckets_[second - second % bucket_seconds_];
  bucket.samples += sample.count;
  if (leaf.kind == FrameKind::wasm) {
    const auto [it, fresh] = bucket.wasm.try_emplace(leaf);
    if (fresh) ++bucket_rows_;
    it->second[static_cast<std::size_t>(cls)] += sample.count;
  } else if (leaf.kind == FrameKind::host) {
    bucket.host += sample.count;
  } else {
    bucket.unknown += sample.count;
  }
  limit_buckets();
}

// Ends because at twice latest_s everything is in one bucket.
void Profile::limit_buckets() {
  while (buckets_.size() > max_buckets ||
         (bucket_rows_ > max_bucket_rows && buckets_.size() >= 2 * min_buckets)) {
    bucket_seconds_ *= 2;
    widen(buckets_, bucket_seconds_);
    bucket_rows_ = 0;
    for (const auto& [start, bucket] : buckets_) bucket_rows_ += bucket.wasm.size();
  }
}

void Profile::add_detail(double time_s, std::uint32_t node, const OffsetCount* offset,
                         std::uint64_t count) {
  const std::uint64_t second = whole_second(time_s);
  const auto [at, fresh] = details_.try_emplace(second - second % detail_seconds_);
  if (fresh) pack_details();
  Detail& detail = at->second;
  detail.samples += count;
  if (detail.stacks.add(node, count)) ++detail_rows_;
  if (offset != nullptr && detail.offsets.add(offset->id, count)) ++detail_rows_;
  limit_details();
}

void Profile::limit_details() {
  Detail& last = details_.rbegin()->second;
  if (std::max(last.stacks.size(), last.offsets.size()) > last.trim_at) trim(last);
  while (details_.size() > max_buckets ||
         (detail_rows_ > max_detail_rows && details_.size() >= 2 * min_buckets)) {
    detail_seconds_ *= 2;
    widen(details_, detail_seconds_);
    for (auto& [start, detail] : details_) trim(detail);
    pack_details();
    detail_rows_ = 0;
    for (const auto& [start, detail] : details_)
      detail_rows_ += detail.stacks.size() + detail.offsets.size();
  }
}

// All but the newest one, which grows.
void Profile::pack_details() {
  for (auto& [start, detail] : details_) {
    if (start == details_.rbegin()->first) break;
    detail.stacks.pack();
    detail.offsets.pack();
  }
}

void Profile::trim(Detail& detail) {
  const std::size_t before = detail.stacks.size() + detail.offsets.size();
  const auto cold = detail.stacks.trim(max_detail_ids);
  for (const auto& [node, count] : cold) {
    FrameKey leaf = nodes_[node].frame;
    if (leaf.kind == FrameKind::unknown) leaf.id = unknown_id(0);
    detail.stacks.add(child(child(0, {FrameKind::truncated, 0, 0}), leaf), count);
  }
  if (detail.offsets.trim(max_detail_ids).empty() && cold.empty()) return;
  ++detail.trims;
  detail.trim_at = 2 * std::max({max_detail_ids, detail.stacks.size(), detail.offsets.size()});
  detail_rows_ += detail.stacks.size() + detail.offsets.size();
  detail_rows_ -= std::min(detail_rows_, before);
}

}  // namespace aotscope::profile
