// Flush: stacks and instructions in time, as write_buckets.cpp does it for the buckets.
#include "rows.hpp"

namespace aotscope::store {
namespace {

// What `now` has more than `before`, one call for each id with its new count.
template <typename Write>
void changed(const profile::Counts& before, const profile::Counts& now, Write write) {
  const auto old = before.rows();
  auto at = old.begin();
  for (const auto& [id, count] : now.rows()) {
    while (at != old.end() && at->first < id) ++at;
    if (at == old.end() || *at != std::pair(id, count)) write(id, count);
  }
}

}  // namespace

void DetailRows::write(Db& db, const Profile& profile) {
  next_ = written_;
  if (next_.width != profile.detail_seconds()) {
    db.exec("DELETE FROM stack_buckets");
    db.exec("DELETE FROM offset_buckets");
    next_ = {};
    next_.width = profile.detail_seconds();
  }
  const profile::Detail none;
  for (const auto& [start, detail] : profile.details()) {
    if (!db.ok()) return;
    std::uint64_t& samples = next_.samples[start];
    if (samples == detail.samples) continue;
    bool known = samples != 0 && next_.recent_start == start;
    if (known && next_.recent.trims != detail.trims) {
      clear_stacks_.run(db, start);
      clear_offsets_.run(db, start);
      known = false;
    }
    samples = detail.samples;
    const profile::Detail& before = known ? next_.recent : none;
    changed(before.stacks, detail.stacks, [&, at = start](std::uint32_t id, std::uint64_t count) {
      stack_.run(db, at, id, count);
    });
    changed(before.offsets, detail.offsets, [&, at = start](std::uint32_t id, std::uint64_t count) {
      const auto& [key, offset] = profile.offset_keys()[id];
      offset_.run(db, at, key.image, key.id, offset, count);
    });
    if (start == profile.details().rbegin()->first) {
      next_.recent_start = start;
      next_.recent = detail;
    }
  }
}

}  // namespace aotscope::store
