// Which core's text is in which executable region of a target.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "session/impl.hpp"

namespace aotscope::session {
namespace {

constexpr std::uint64_t page = 4096;
std::uint64_t page_up(std::uint64_t bytes) { return (bytes + page - 1) & ~(page - 1); }

image::Fingerprint fingerprint_of(const aot_region_event& event) {
  image::Fingerprint fingerprint;
  fingerprint.length = event.length;
  static_assert(AOT_FP_WINDOWS == image::Fingerprint::kWindows);
  static_assert(AOT_FP_BYTES == image::Fingerprint::kWindowSize);
  std::memcpy(fingerprint.windows.data(), event.windows, sizeof event.windows);
  return fingerprint;
}

// The fingerprint that was taken of what holds this region, null for none.
const aot_region_event* fingerprinted(const Target& target, const process::Region& region) {
  const auto [first, last] = target.fingerprints.equal_range(region.first_epoch);
  for (auto it = first; it != last; ++it) {
    const aot_region_event& event = it->second;
    if (event.start <= region.start && region.end <= event.start + event.length) return &event;
  }
  return nullptr;
}

}  // namespace

// Before the first sample: what is mapped, and of generated code a few bytes. To open an image and
// to match it may take longer than the code stays.
void Session::Impl::first_look(Target& target) {
  const std::uint32_t epoch = sampler->epoch();
  const auto mappings = process::executable_mappings(target.identity.pid);
  if (!mappings) return;
  target.space.scan(*mappings, epoch, started_ns);
  process::Memory memory(target.identity.pid);
  decltype(target.fingerprints) taken;
  constexpr std::size_t most = 256;
  for (const process::Region* region : target.space.unresolved()) {
    aot_region_event event{};
    event.start = region->start;
    event.length = region->end - region->start;
    event.has_fingerprint = 1;
    for (std::size_t i = 0; i < AOT_FP_WINDOWS && event.has_fingerprint; ++i) {
      const std::uint64_t offset = image::Fingerprint::window_offset(event.length, i);
      event.has_fingerprint = memory.read(event.start + offset, event.windows[i]);
    }
    if (event.has_fingerprint && taken.size() < most) taken.emplace(region->first_epoch, event);
  }
  // A change in between: the bytes may not be those of this epoch.
  if (sampler->epoch() == epoch) target.fingerprints = std::move(taken);
}

std::vector<std::shared_ptr<const image::Core>> Session::Impl::cores_of(
    const Target& target) const {
  std::vector<std::shared_ptr<const image::Core>> cores;
  for (const std::uint32_t number : target.images) cores.push_back(images[number].core);
  return cores;
}

void Session::Impl::scan(Target& target, bool is_truth) {
  // Read before the maps: what they show may be newer, and its event says so.
  const std::uint32_t epoch = sampler->epoch();
  auto mappings = process::executable_mappings(target.identity.pid);
  if (!mappings) return;
  if (is_truth) {
    target.space.reconcile(*mappings, epoch, monotonic_ns());
  } else {
    target.space.scan(*mappings, epoch, monotonic_ns());
  }
}

void Session::Impl::put(Target& target, const process::Region& region, std::uint64_t base,
                        std::uint32_t image) {
  process::TextPlacement placement;
  placement.base = base;
  placement.size = images[image].core->text().size();
  placement.image = image;
  placement.first_ns = region.first_ns;
  target.space.place(region, placement);
  target.places.clear();
  images[image].mapped = true;
}

void Session::Impl::resolve(Target& target) {
  if (target.space.unresolved().empty()) return;
  const auto cores = cores_of(target);
  if (cores.empty()) return;
  process::Memory memory(target.identity.pid);

  // Neighbouring regions are one range: a text may have become executable in steps.
  std::vector<image::Range> ranges;
  for (const process::Region* region : target.space.unresolved()) {
    if (!region->open()) continue;
    if (!ranges.empty() && ranges.back().end == region->start) {
      ranges.back().end = region->end;
    } else {
      ranges.push_back({region->start, region->end});
    }
  }
  const auto placements = image::match_texts(cores, ranges, memory);
  // A change that is not drained yet: the bytes may be newer than the region.
  const bool current = sampler->epoch() == last_epoch;
  for (const image::Placement& found : placements) {
    const std::uint32_t image = target.images[found.cores.front()];
    if (found.cores.size() > 1) {
      warn(
          fmt::format("{} and {} have the same text, byte for byte: samples in either are shown "
                      "as the first",
                      images[image].shown, images[target.images[found.cores[1]]].shown));
    }
    const std::uint64_t end = page_up(found.base + found.size);
    for (bool again = true; again;) {  // place() cuts regions: look anew after each
      again = false;
      for (const process::Region* region : target.space.unresolved()) {
        if (!region->open() || region->start >= end || region->end <= found.base) continue;
        // What the kernel side saw when the region came decides over what is there now.
        const aot_region_event* event = fingerprinted(target, *region);
        if (event && (event->start != found.base || event->length != page_up(found.size))) {
          event = nullptr;  // of several texts, or of a part
        }
        if (!event && !current) continue;
        if (event) {
          const auto same = image::match_fingerprint(cores, fingerprint_of(*event));
          if (std::find(same.begin(), same.end(), found.cores.front()) == same.end()) continue;
        }
        put(target, *region, found.base, image);
        again = true;
        break;
      }
    }
  }
  if (current) resolve_by_parts(target, memory);

  std::vector<process::Region> left;
  for (const process::Region* region : target.space.unresolved()) left.push_back(*region);
  for (const process::Region& region : left) {
    std::uint8_t byte = 0;
    if (!region.open() || !memory.read(region.start, {&byte, 1})) {
      resolve_by_fingerprint(target, region);
    }
  }
  force_bases(target);
  // A change that is not drained yet may be why a region did not match: then it is closed soon
  // and tried again by its fingerprint, and nothing is said of it before.
  if (!current || sampler->epoch() != last_epoch) return;
  note_mismatch(target);
  for (process::Region* region : target.space.unresolved()) {
    region->resolved = true;
    target.fingerprints.erase(region->first_epoch);
  }
}

// A region that shows only some pages of a text: all of it must be pages of one text in order.
// Less would name functions in a file that is not the one that runs.
void Session::Impl::resolve_by_parts(Target& target, image::MemoryReader& memory) {
  std::vector<process::Region> open;
  std::uint64_t largest = 0;
  for (const std::uint32_t number : target.images) {
    largest = std::max<std::uint64_t>(largest, page_up(images[number].core->text().size()));
  }
  for (const process::Region* region : target.space.unresolved()) {
    // Trampolines are writable; a text is not.
    if (region->open() && !region->writable && region->end - region->start <= largest) {
      open.push_back(*region);
    }
  }
  if (open.empty()) return;
  image::PartMatcher matcher(cores_of(target));
  for (const process::Region& region : open) {
    const image::Range range{region.start, region.end};
    for (const image::Part& part : matcher.match(std::span(&range, 1), memory)) {
      if (part.start != region.start || part.end != region.end) continue;
      const process::TextPlacement* former =
          target.space.former_placement(region.start, region.end);
      const image::Part::Origin* chosen =
          part.origins.size() == 1 ? &part.origins.front() : nullptr;
      for (const image::Part::Origin& origin : part.origins) {
        if (former && former->base == part.start - origin.text_offset &&
            former->image == target.images[origin.core]) {
          chosen = &origin;
        }
      }
      if (chosen) {
        put(target, region, part.start - chosen->text_offset, target.images[chosen->core]);
      } else {
        warn(fmt::format("pid {}: the code at {:#x} is part of several texts: shown by address",
                         target.identity.pid, region.start));
      }
    }
  }
}

// A region that is gone, or whose process is: what the kernel side copied of it tells.
void Session::Impl::resolve_by_fingerprint(Target& target, const process::Region& region) {
  const aot_region_event* event = fingerprinted(target, region);
  if (!event) return;
  const auto cores = cores_of(target);
  const auto same = image::match_fingerprint(cores, fingerprint_of(*event));
  if (same.empty()) return;
  if (same.size() > 1) {
    warn(
        fmt::format("pid {}: code that was at {:#x} for a moment may be of {} or {}: shown by "
                    "address",
                    target.identity.pid, region.start, images[target.images[same[0]]].shown,
                    images[target.images[same[1]]].shown));
    return;
  }
  put(target, region, event->start, target.images[same.front()]);
}

void Session::Impl::force_bases(Target& target) {
  for (const ForcedBase& base : options.bases) {
    if (base.core >= target.images.size()) continue;
    const std::uint32_t image = target.images[base.core];
    const std::uint64_t end = page_up(base.address + images[image].core->text().size());
    std::vector<process::Region> covered;
    for (const process::Region* region : target.space.unresolved()) {
      if (region->start < end && base.address < region->end) covered.push_back(*region);
    }
    for (const process::Region& region : covered) put(target, region, base.address, image);
  }
}

// The image is known and code of its kind runs, but not this code: say so, once.
void Session::Impl::note_mismatch(Target& target) {
  if (target.said_mismatch || !target.space.placements().empty()) return;
  const process::Region* other = nullptr;
  for (const process::Region* region : target.space.unresolved()) {
    if (region->open() && !region->writable) other = region;
  }
  if (!other) return;
  std::string names;
  for (const std::uint32_t number : target.images) {
    const std::size_t size = images[number].core->text().size();
    if (size == 0) continue;
    if (!names.empty()) names += ", ";
    names += fmt::format("{} (text of {} bytes)", images[number].shown, size);
  }
  target.said_mismatch = true;
  warn(
      fmt::format("pid {} runs code at {:#x} ({} bytes) that is not {}: it was started from "
                  "another build; its samples are shown by address",
                  target.identity.pid, other->start, other->end - other->start, names));
}

}  // namespace aotscope::session
