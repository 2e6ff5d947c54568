// The executable address space of a target over its epochs.
#include <algorithm>

#include <aotscope/process.hpp>

namespace aotscope::process {

void AddressSpace::add(Region region) {
  if (region.start >= region.end) return;
  changed_ = true;
  const std::uint64_t start = region.start;
  open_.insert_or_assign(start, std::move(region));
}

// Ends what is in [start, end): the part inside is closed, parts outside go on as they were.
void AddressSpace::remove(std::uint64_t start, std::uint64_t end, std::uint32_t epoch,
                          std::uint64_t now_ns) {
  auto it = open_.lower_bound(start);
  if (it != open_.begin() && std::prev(it)->second.end > start) --it;
  while (it != open_.end() && it->second.start < end) {
    Region region = std::move(it->second);
    it = open_.erase(it);
    changed_ = true;
    const auto keep = [&](std::uint64_t from, std::uint64_t to) {
      Region rest = region;
      rest.start = from;
      rest.end = to;
      rest.file_offset += from - region.start;
      open_.emplace(from, std::move(rest));
    };
    if (region.start < start) keep(region.start, start);
    if (region.end > end) keep(end, region.end);
    region.file_offset += std::max(start, region.start) - region.start;
    region.start = std::max(start, region.start);
    region.end = std::min(end, region.end);
    region.end_epoch = epoch;
    region.last_ns = now_ns;
    if (region.first_epoch < epoch) closed_.push_back(std::move(region));
  }
  update_placement_ends(now_ns);
}

void AddressSpace::update_placement_ends(std::uint64_t now_ns) {
  std::erase_if(live_placements_, [&](int number) {
    const TextPlacement& placement = placements_.at(number);
    const bool mapped = std::any_of(open_.begin(), open_.end(), [&](const auto& entry) {
      const Region& region = entry.second;
      // Or it may be, where reconcile() has code looked for again.
      return region.text == number ||
             (region.path.empty() && !region.resolved && region.start >= placement.base &&
              region.start < placement.base + placement.size);
    });
    if (!mapped) placements_.at(number).last_ns = now_ns;
    return !mapped;
  });
}

void AddressSpace::scan(const std::vector<Mapping>& mappings, std::uint32_t epoch,
                        std::uint64_t now_ns) {
  for (const Mapping& mapping : mappings) {
    // Only the parts that no open region covers.
    std::uint64_t at = mapping.start;
    while (at < mapping.end) {
      auto next = open_.upper_bound(at);
      if (next != open_.begin() && std::prev(next)->second.end > at) {
        at = std::prev(next)->second.end;
        continue;
      }
      const std::uint64_t stop =
          next == open_.end() ? mapping.end : std::min(mapping.end, next->second.start);
      Region region;
      region.start = at;
      region.end = stop;
      region.file_offset = mapping.file_offset + (at - mapping.start);
      region.path = mapping.anonymous() ? std::string() : mapping.path;
      region.writable = mapping.writable;
      region.first_ns = now_ns;
      region.first_epoch = epoch;
      // It may have been there since an earlier epoch, unless something else was.
      std::uint32_t since = 0;
      for (const Region& closed : closed_) {
        if (closed.start < stop && at < closed.end) since = std::max(since, closed.end_epoch);
      }
      region.first_epoch = std::min(epoch, since);
      add(std::move(region));
      at = stop;
    }
  }
}

void AddressSpace::reconcile(const std::vector<Mapping>& mappings, std::uint32_t epoch,
                             std::uint64_t now_ns) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> gone;
  for (const auto& [start, region] : open_) {
    std::uint64_t at = region.start;
    for (const Mapping& mapping : mappings) {  // sorted by start
      if (mapping.end <= at) continue;
      if (mapping.start >= region.end) break;
      if (mapping.anonymous() != region.path.empty()) continue;
      if (mapping.start > at) gone.emplace_back(at, mapping.start);
      at = std::min(mapping.end, region.end);
    }
    if (at < region.end) gone.emplace_back(at, region.end);
  }
  for (const auto& [start, end] : gone) remove(start, end, epoch, now_ns);
  // What is there still may be other code by now: it is looked for again.
  for (auto& [start, region] : open_) {
    if (!region.path.empty() || region.first_epoch >= epoch) continue;
    Region before = region;
    before.end_epoch = epoch;
    before.last_ns = now_ns;
    closed_.push_back(std::move(before));
    region.first_epoch = epoch;
    region.first_ns = now_ns;
    region.text = -1;  // its placement lives on if it is found again
    region.resolved = false;
    changed_ = true;
  }
  scan(mappings, epoch, now_ns);
}

void AddressSpace::apply(const aot_region_event& event) {
  const std::uint64_t end = event.start + event.length;
  const std::uint64_t old_start = event.old_start, length = event.length;
  switch (event.kind) {
    case AOT_REGION_EXEC_ON: {
      Region region;
      region.start = event.start;
      region.end = end;
      region.first_epoch = event.epoch;
      region.first_ns = event.time_ns;
      region.writable = (event.prot & 2) != 0;
      if (event.file_backed) region.path = "?";  // named by the next scan
      remove(event.start, end, event.epoch, event.time_ns);
      if (!event.file_backed) add(std::move(region));
      break;
    }
    case AOT_REGION_EXEC_OFF:
      remove(event.start, end, event.epoch, event.time_ns);
      break;
    case AOT_REGION_MOVED: {
      const std::uint64_t old_end = old_start + event.old_length;
      std::vector<Region> moved;
      for (const auto& [start, region] : open_) {
        if (region.start < old_end && old_start < region.end) moved.push_back(region);
      }
      remove(old_start, old_end, event.epoch, event.time_ns);
      remove(event.start, end, event.epoch, event.time_ns);
      for (Region region : moved) {
        const std::uint64_t from = std::max(region.start, old_start) - old_start;
        const std::uint64_t to = std::min(region.end, old_end) - old_start;
        region.start = event.start + from;
        region.end = event.start + std::min(to, length);
        region.first_epoch = event.epoch;
        region.first_ns = event.time_ns;
        region.text = -1;
        region.resolved = false;  // matched again by its bytes
        add(std::move(region));
      }
      break;
    }
    case AOT_REGION_EXEC:
    case AOT_REGION_EXIT:
      close_all(event.epoch, event.time_ns);
      break;
    default:
      break;
  }
}

void AddressSpace::close_all(std::uint32_t epoch, std::uint64_t now_ns) {
  remove(0, UINT64_MAX, epoch, now_ns);
}

AddressSpace AddressSpace::fork(std::uint32_t epoch, std::uint64_t now_ns) const {
  AddressSpace child;
  for (const auto& [start, region] : open_) {
    Region copy = region;
    copy.first_epoch = epoch;
    copy.first_ns = now_ns;
    copy.text = -1;
    copy.resolved = false;
    child.add(std::move(copy));
  }
  return child;
}

const Region* AddressSpace::find(std::uint32_t epoch, std::uint64_t address) const {
  auto it = open_.upper_bound(address);
  if (it != open_.begin()) {
    const Region& region = std::prev(it)->second;
    if (address < region.end && region.first_epoch <= epoch) return &region;
  }
  for (auto closed = closed_.rbegin(); closed != closed_.rend(); ++closed) {
    if (closed->start <= address && address < closed->end && closed->first_epoch <= epoch &&
        epoch < closed->end_epoch) {
      return &*closed;
    }
  }
  return nullptr;
}

std::vector<Region*> AddressSpace::unresolved() {
  std::vector<Region*> found;
  const auto wanted = [](const Region& region) { return region.path.empty() && !region.resolved; };
  for (auto& [start, region] : open_) {
    if (wanted(region)) found.push_back(&region);
  }
  for (Region& region : closed_) {
    if (wanted(region)) found.push_back(&region);
  }
  return found;
}

void AddressSpace::place(const Region& wanted, const TextPlacement& placement) {
  const Region whole = wanted;  // `wanted` may live in the containers changed below
  const std::uint64_t text_end = (placement.base + placement.size + 4095) & ~std::uint64_t{4095};
  // The same text at the same place again, part of it hidden for a while: one placement.
  int number = -1;
  for (const int live : live_placements_) {
    const TextPlacement& known = placements_.at(live);
    if (known.base == placement.base && known.image == placement.image) number = live;
  }
  if (number < 0) {
    number = next_placement_++;
    TextPlacement& added = placements_[number] = placement;
    added.last_ns = whole.open() ? 0 : whole.last_ns;
    if (whole.open()) live_placements_.insert(number);
    // A server that makes instances for days: the oldest that ended are forgotten, once no
    // sample can be theirs any more.
    while (placements_.size() > max_placements) {
      const auto oldest = std::find_if(placements_.begin(), placements_.end(),
                                       [](const auto& one) { return one.second.last_ns != 0; });
      if (oldest == placements_.end() || oldest->first == number) break;
      std::erase_if(closed_, [&](const Region& region) { return region.text == oldest->first; });
      placements_.erase(oldest);
    }
  }
  const std::uint64_t start = std::max(whole.start, placement.base);
  const std::uint64_t end = std::min(whole.end, text_end);
  Region text = whole;
  text.start = start;
  text.end = end;
  text.text = number;
  text.resolved = true;
  const auto pieces = [&](auto&& put) {
    if (whole.start < start) {
      Region before = whole;
      before.end = start;
      put(std::move(before));
    }
    if (end < whole.end) {
      Region after = whole;
      after.start = end;
      put(std::move(after));
    }
    put(std::move(text));
  };
  if (whole.open()) {
    open_.erase(whole.start);
    pieces([&](Region piece) { open_.emplace(piece.start, std::move(piece)); });
    changed_ = true;
  } else {
    std::erase_if(closed_, [&](const Region& region) {
      return region.start == whole.start && region.end == whole.end &&
             region.first_epoch == whole.first_epoch;
    });
    pieces([&](Region piece) { closed_.push_back(std::move(piece)); });
  }
}

const TextPlacement* AddressSpace::former_placement(std::uint64_t start, std::uint64_t end) const {
  for (auto it = placements_.rbegin(); it != placements_.rend(); ++it) {
    const std::uint64_t text_end =
        (it->second.base + it->second.size + 4095) & ~std::uint64_t{4095};
    if (it->second.base <= start && end <= text_end) return &it->second;
  }
  return nullptr;
}

std::vector<aot_range> AddressSpace::known_ranges() const {
  std::vector<aot_range> ranges;
  for (const auto& [start, region] : open_) {
    if (!ranges.empty() && ranges.back().end == region.start) {
      ranges.back().end = region.end;
    } else {
      ranges.push_back({region.start, region.end});
    }
  }
  return ranges;
}

void AddressSpace::forget_before(std::uint32_t epoch) {
  std::erase_if(closed_, [&](const Region& region) { return region.end_epoch <= epoch; });
}

std::vector<const Region*> AddressSpace::open_regions() const {
  std::vector<const Region*> found;
  for (const auto& [start, region] : open_) found.push_back(&region);
  return found;
}

}  // namespace aotscope::process
