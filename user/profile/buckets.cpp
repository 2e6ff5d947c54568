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

}  // namespace

void Profile::add_bucket(const Sample& sample, FrameKey leaf, InstrClass cls) {
  // Not std::clamp: a time that is no number must end somewhere too.
  const double time_s = sample.time_s > 0 ? std::min(sample.time_s, latest_s) : 0;
  const auto second = static_cast<std::uint64_t>(time_s);
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
    bucket_rows_ = 0;
    std::map<std::uint64_t, Bucket> wider;
    while (!buckets_.empty()) {
      auto first = buckets_.extract(buckets_.begin());
      const std::uint64_t start = first.key() - first.key() % bucket_seconds_;
      if (wider.empty() || wider.rbegin()->first != start)
        wider.emplace_hint(wider.end(), start, std::move(first.mapped()));
      else
        merge(wider.rbegin()->second, std::move(first.mapped()));
    }
    buckets_ = std::move(wider);
    for (const auto& [start, bucket] : buckets_) bucket_rows_ += bucket.wasm.size();
  }
}

}  // namespace aotscope::profile
