// The sampler as its users see it: targets in, batches of samples and region events out.
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <bpf/bpf.h>
#include <fmt/format.h>

#include "aotscope.skel.h"
#include "kernel/impl.hpp"

namespace aotscope::kernel {
namespace {

int take_region(void* context, void* data, std::size_t size) {
  Batch& batch = **static_cast<Batch**>(context);
  aot_region_event event{};
  std::memcpy(&event, data, std::min(size, sizeof event));
  batch.regions.push_back(event);
  return 0;
}

int take_sample(void* context, void* data, std::size_t size) {
  Batch& batch = **static_cast<Batch**>(context);
  aot_stack_head head;
  if (size < sizeof head) return 0;
  std::memcpy(&head, data, sizeof head);
  const std::size_t room = (size - sizeof head) / sizeof(std::uint64_t);
  if (head.frame_count == 0 || head.frame_count > room) return 0;
  RawSample sample;
  sample.tgid = head.tgid;
  sample.tid = head.tid;
  sample.epoch = head.epoch_mode >> 1;
  sample.in_kernel = (head.epoch_mode & 1) == AOT_MODE_KERNEL;
  sample.truncated = (head.flags & AOT_STACK_TRUNCATED) != 0;
  sample.has_top = (head.flags & AOT_STACK_HAS_TOP) != 0;
  sample.top = {head.top[0], head.top[1]};
  sample.first_frame = batch.frames.size();
  sample.frame_count = head.frame_count;
  batch.frames.resize(batch.frames.size() + head.frame_count);
  std::memcpy(batch.frames.data() + sample.first_frame,
              static_cast<const char*>(data) + sizeof head,
              head.frame_count * sizeof(std::uint64_t));
  batch.samples.push_back(sample);
  return 0;
}

void add_counted(Batch& batch, const aot_ip_key& key, std::uint64_t count) {
  RawSample sample;
  sample.tgid = key.tgid;
  sample.tid = key.tid;
  sample.epoch = key.epoch_mode >> 1;
  sample.in_kernel = (key.epoch_mode & 1) == AOT_MODE_KERNEL;
  sample.count = count;
  sample.first_frame = batch.frames.size();
  batch.frames.push_back(key.ip);
  batch.samples.push_back(sample);
}

}  // namespace

Sampler::Sampler() : impl_(std::make_unique<Impl>()) {}
Sampler::~Sampler() = default;

Result<std::unique_ptr<Sampler>> Sampler::create(const Options& options) {
  std::unique_ptr<Sampler> sampler(new Sampler);
  sampler->options_ = options;
  sampler->frequency_ = options.frequency;
  if (const std::uint64_t limit = max_sample_rate(); limit && options.frequency > limit) {
    sampler->frequency_ = limit;  // asking for more is EINVAL
  }
  Impl& impl = *sampler->impl_;
  if (auto loaded = impl.load(options); !loaded) return tl::unexpected(loaded.error());
  impl.region_ring.reset(
      ring_buffer__new(bpf_map__fd(impl.skeleton->maps.regions), take_region, &impl.into, nullptr));
  impl.sample_ring.reset(
      ring_buffer__new(bpf_map__fd(impl.skeleton->maps.samples), take_sample, &impl.into, nullptr));
  if (!impl.region_ring || !impl.sample_ring) {
    return tl::unexpected(load_error(errno, "map the ring buffers"));
  }
  if (auto attached = impl.attach_tracepoints(); !attached) {
    return tl::unexpected(attached.error());
  }
  return sampler;
}

int Sampler::sample_program() const { return bpf_program__fd(impl_->skeleton->progs.on_sample); }

Result<void> Sampler::watch(pid_t pid) {
  const auto key = static_cast<std::uint32_t>(pid);
  const aot_target target{};
  if (bpf_map__update_elem(impl_->skeleton->maps.targets, &key, sizeof key, &target, sizeof target,
                           BPF_ANY) != 0) {
    return fail(fmt::format("pid {}: too many targets", pid));
  }
  return {};
}

void Sampler::forget(pid_t pid) {
  const auto key = static_cast<std::uint32_t>(pid);
  bpf_map__delete_elem(impl_->skeleton->maps.targets, &key, sizeof key, 0);
  bpf_map__delete_elem(impl_->skeleton->maps.known_ranges, &key, sizeof key, 0);
  set_trampolines(pid, {});
  impl_->events.erase(pid);
}

void Sampler::set_trampolines(pid_t pid, aot_range range) {
  const auto key = static_cast<std::uint32_t>(pid);
  bpf_map* map = impl_->skeleton->maps.trampolines;
  if (range.start < range.end) {
    bpf_map__update_elem(map, &key, sizeof key, &range, sizeof range, BPF_ANY);
    impl_->with_trampolines.insert(pid);
  } else if (impl_->with_trampolines.erase(pid) != 0) {
    bpf_map__delete_elem(map, &key, sizeof key, 0);
  }
  impl_->skeleton->bss->with_trampolines =
      static_cast<std::uint32_t>(impl_->with_trampolines.size());
}

void Sampler::set_known_ranges(pid_t pid, std::vector<aot_range> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const aot_range& a, const aot_range& b) { return a.start < b.start; });
  // Too many: merge across the narrowest gaps; a call in a gap is then reported for nothing.
  while (ranges.size() > AOT_KNOWN_RANGES) {
    std::size_t narrowest = 1;
    for (std::size_t i = 2; i < ranges.size(); ++i) {
      if (ranges[i].start - ranges[i - 1].end <
          ranges[narrowest].start - ranges[narrowest - 1].end) {
        narrowest = i;
      }
    }
    ranges[narrowest - 1].end = std::max(ranges[narrowest - 1].end, ranges[narrowest].end);
    ranges.erase(ranges.begin() + static_cast<std::ptrdiff_t>(narrowest));
  }
  aot_known_ranges known{};
  std::copy(ranges.begin(), ranges.end(), std::begin(known.known));
  const auto key = static_cast<std::uint32_t>(pid);
  bpf_map__update_elem(impl_->skeleton->maps.known_ranges, &key, sizeof key, &known, sizeof known,
                       BPF_ANY);
}

void Sampler::Impl::drain_counters(Batch& batch) {
  const std::uint32_t full = skeleton->bss->active;
  __atomic_store_n(&skeleton->bss->active, full ^ 1u, __ATOMIC_SEQ_CST);
  // Programs run under RCU: after a grace period none still counts in the old map. A global
  // membarrier is one; where it is refused (nohz_full), a sample runs for microseconds.
  if (membarrier_works && ::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) != 0) {
    membarrier_works = false;
  }
  if (!membarrier_works) ::usleep(10000);

  const std::size_t table = slot_count / 2;
  for (aot_slot& slot : std::span(slots + full * table, table)) {
    if (slot.count == 0) continue;
    add_counted(batch, slot.key, slot.count);
    slot.count = 0;
  }
  const bpf_map* map = full ? skeleton->maps.counters_b : skeleton->maps.counters_a;
  constexpr std::uint32_t chunk = 1024;
  std::vector<aot_ip_key> keys(chunk);
  std::vector<std::uint64_t> counts(chunk);
  std::uint32_t cursor = 0, next = 0;
  void* in = nullptr;
  for (;;) {
    auto count = static_cast<std::uint32_t>(keys.size());
    const int error = bpf_map_lookup_and_delete_batch(bpf_map__fd(map), in, &next, keys.data(),
                                                      counts.data(), &count, nullptr);
    if (error == -ENOSPC) {  // one bucket holds more than a chunk
      keys.resize(keys.size() * 2);
      counts.resize(keys.size());
      continue;
    }
    if (error != 0 && error != -ENOENT) break;
    for (std::uint32_t i = 0; i < count; ++i) add_counted(batch, keys[i], counts[i]);
    if (error == -ENOENT) break;
    cursor = next;
    in = &cursor;
  }
}

void Sampler::drain(Batch& batch) {
  impl_->into = &batch;
  if (options_.stacks) {
    ring_buffer__consume(impl_->sample_ring.get());
  } else {
    impl_->drain_counters(batch);
  }
  drain_regions(batch);  // after the samples: see the header
}

void Sampler::drain_regions(Batch& batch) {
  impl_->into = &batch;
  ring_buffer__consume(impl_->region_ring.get());
  impl_->into = nullptr;
}

int Sampler::region_fd() const { return ring_buffer__epoll_fd(impl_->region_ring.get()); }
std::uint32_t Sampler::epoch() const {
  return __atomic_load_n(&impl_->skeleton->bss->epoch, __ATOMIC_SEQ_CST);
}

std::array<std::uint64_t, AOT_LOST_CAUSES> Sampler::lost() const {
  std::array<std::uint64_t, AOT_LOST_CAUSES> lost{};
  for (std::size_t i = 0; i < lost.size(); ++i) {
    lost[i] = __atomic_load_n(&impl_->skeleton->bss->lost[i], __ATOMIC_RELAXED);
  }
  return lost;
}

}  // namespace aotscope::kernel
