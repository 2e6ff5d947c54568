// Flush: samples in time. Only the newest bucket grows as a rule, so only its cells are compared
// one by one; an older one that changed is written whole. When the profile has widened its
// buckets, the tables are written anew: six times in a week.
#include "rows.hpp"

namespace aotscope::store {

void BucketRows::write(Db& db, const Profile& profile) {
  next_ = written_;
  if (next_.width != profile.bucket_seconds()) {
    db.exec("DELETE FROM buckets");
    db.exec("DELETE FROM bucket_totals");
    next_ = {};
    next_.width = profile.bucket_seconds();
  }
  for (const auto& [start, bucket] : profile.buckets()) {
    if (!db.ok()) return;
    std::uint64_t& samples = next_.samples[start];
    if (samples == bucket.samples) continue;
    const bool known = samples != 0 && next_.recent_start == start;
    samples = bucket.samples;
    total_.run(db, start, next_.width, bucket.samples, bucket.host, bucket.unknown);
    for (const auto& [key, classes] : bucket.wasm) {
      const profile::PerClass<std::uint64_t>* before = nullptr;
      if (known)
        if (const auto it = next_.recent.wasm.find(key); it != next_.recent.wasm.end())
          before = &it->second;
      for (std::size_t i = 0; i < classes.size(); ++i)
        if (classes[i] != (before != nullptr ? (*before)[i] : 0))
          count_.run(db, start, key.image, key.id, static_cast<std::uint32_t>(i), classes[i]);
    }
    if (start == profile.buckets().rbegin()->first) {
      next_.recent_start = start;
      next_.recent = bucket;
    }
  }
}

}  // namespace aotscope::store
