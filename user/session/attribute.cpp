// From addresses to frames: one sample at a time.
#include <algorithm>

#include <fmt/format.h>

#include "session/impl.hpp"

namespace aotscope::session {

using profile::FrameKey;
using profile::FrameKind;

namespace {

constexpr std::size_t max_cached_places = 1 << 16;

std::string_view base_name(std::string_view path) {
  constexpr std::string_view deleted = " (deleted)";
  if (path.ends_with(deleted)) path.remove_suffix(deleted.size());
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

FrameKey Session::Impl::host_frame(Target& target, const process::Region& region,
                                   std::uint64_t address) {
  if (!region.path.starts_with('/')) {  // [vdso], [vsyscall], [stack]
    return {FrameKind::host, 0, profile.host_id(region.path, "")};
  }
  const std::uint64_t offset = region.file_offset + (address - region.start);
  const std::string file = process::proc_path(
      target.identity.pid,
      region.path == target.identity.exe ? std::string("exe") : fmt::format("root{}", region.path));
  return {FrameKind::host, 0,
          profile.host_id(base_name(region.path), symbols.lookup(file, offset))};
}

Place Session::Impl::place_of(Target& target, std::uint32_t epoch, std::uint64_t address) {
  const AddressKey key{address, epoch};
  if (const auto known = target.places.find(key); known != target.places.end()) {
    return known->second;
  }
  Place place;
  const process::Region* region = target.space.find(epoch, address);
  if (!region) return place;  // not cached: a scan may find it
  place.mapped = true;
  if (region->text >= 0) {
    const auto& placement = target.space.placements().at(region->text);
    place.text_offset = address - placement.base;
    if (const image::Function* function =
            images[placement.image].core->function_at(place.text_offset)) {
      place.frame = {FrameKind::wasm, placement.image, function->local};
    } else {
      place.frame = {FrameKind::unknown, 0, profile.unknown_id(region->start)};
    }
  } else if (!region->path.empty()) {
    place.frame = host_frame(target, *region, address);
  } else if (region->writable) {
    place.frame = {FrameKind::host, 0, profile.host_id("[trampoline]", "")};
  } else {
    place.frame = {FrameKind::unknown, 0, profile.unknown_id(region->start)};
  }
  if (target.places.size() >= max_cached_places) target.places.clear();
  target.places.emplace(key, place);
  return place;
}

isa::FrameState Session::Impl::frame_state(const Place& place) {
  if (place.frame.kind != FrameKind::wasm) return isa::FrameState::complete;
  const LiveImage& image = images[place.frame.image];
  const auto code = image.code->code(place.frame.id);
  const std::uint64_t start = image.core->functions()[place.frame.id].offset;
  return code ? code->frame_state(static_cast<std::uint32_t>(place.text_offset - start))
              : isa::FrameState::complete;
}

std::vector<FrameKey> Session::Impl::stack_of(Target& target, const kernel::RawSample& sample,
                                              std::span<const std::uint64_t> frames,
                                              const Place& leaf) {
  std::vector<FrameKey> stack{leaf.frame};
  // True when the chain ends here: the address is code of nobody.
  const auto push = [&](std::uint64_t return_address) {
    const Place place = place_of(target, sample.epoch, return_address - 1);
    if (!place.mapped) {
      stack.push_back({FrameKind::cut, 0, 0});
      return false;
    }
    FrameKey frame = place.frame;
    if (frame.kind == FrameKind::host && !options.host_frames &&
        profile.hosts()[frame.id].symbol.empty() &&
        profile.hosts()[frame.id].module != "[trampoline]") {
      // Host code without symbols says nothing frame by frame.
      frame = {FrameKind::host, 0, profile.host_id("[host]", "")};
      if (stack.back() == frame) return true;
    }
    stack.push_back(frame);
    return true;
  };

  // In a prologue and on `ret` the frame pointer is the caller's: the walk begins one too far
  // out, and the return address is still at the top of the stack.
  if (options.repair_stacks && sample.has_top) {
    const isa::FrameState state = frame_state(leaf);
    if (state != isa::FrameState::complete) {
      const std::uint64_t caller = sample.top[state == isa::FrameState::return_at_sp ? 0 : 1];
      if (place_of(target, sample.epoch, caller - 1).mapped) push(caller);
    }
  }
  for (std::size_t i = 1; i < frames.size(); ++i) {
    if (frames[i] == 0) break;  // the outermost frame's chain ends in a zero
    if (!push(frames[i])) return stack;
  }
  if (sample.truncated) stack.push_back({FrameKind::truncated, 0, 0});
  return stack;
}

// False when it is too early to tell; `last`: take what is known now.
bool Session::Impl::attribute(const kernel::RawSample& raw, std::span<const std::uint64_t> frames,
                              bool last) {
  const auto found = targets.find(raw.tgid);
  if (found == targets.end()) {
    // A followed child whose fork event is still to come.
    if (!last) return false;
  }
  profile::Sample sample;
  sample.kernel = raw.in_kernel;
  sample.count = raw.count;
  sample.pid = raw.tgid;
  sample.tid = raw.tid;
  sample.address = frames.front();
  sample.time_s = seconds(monotonic_ns());
  std::vector<FrameKey> stack;
  if (found != targets.end()) {
    Target& target = *found->second;
    const Place leaf = place_of(target, raw.epoch, frames.front());
    if (!leaf.mapped && !last) {
      target.wants_scan = true;
      return false;
    }
    if (leaf.mapped) {
      sample.leaf = leaf.frame;
    } else {
      sample.leaf = {FrameKind::unknown, 0, profile.unknown_id(0)};
    }
    if (leaf.frame.kind == FrameKind::wasm && leaf.mapped) {
      sample.text_offset = leaf.text_offset;
      const LiveImage& image = images[leaf.frame.image];
      const std::uint64_t start = image.core->functions()[leaf.frame.id].offset;
      if (const auto code = image.code->code(leaf.frame.id)) {
        if (const isa::Instr* instr =
                code->at(static_cast<std::uint32_t>(leaf.text_offset - start))) {
          sample.cls = instr->cls;
          sample.waits = instr->waits;
        }
      }
    }
    if (sampler->options().stacks) {
      Place start = leaf;
      start.frame = sample.leaf;
      stack = stack_of(target, raw, frames, start);
      sample.stack = stack;
    }
    if (raw.tid != 0 && target.named_threads.insert(raw.tid).second) {
      const auto name = process::thread_name(target.identity.pid, static_cast<pid_t>(raw.tid));
      profile.name_thread(raw.tgid, raw.tid, name.empty() ? target.identity.comm : name);
    }
  } else {
    sample.leaf = {FrameKind::unknown, 0, profile.unknown_id(0)};
  }
  profile.add(sample);
  return true;
}

}  // namespace aotscope::session
