// What the parts of the sampler share: the loaded programs and what keeps them attached.
#pragma once

#include <bpf/libbpf.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

#include <aotscope/kernel.hpp>

#include "util/fd.hpp"

struct aotscope_bpf;

namespace aotscope::kernel {

struct SkeletonDeleter {
  void operator()(aotscope_bpf* skeleton) const;
};
struct RingDeleter {
  void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
};
struct LinkDeleter {
  void operator()(bpf_link* link) const { bpf_link__destroy(link); }
};

struct Sampler::Impl {
  std::unique_ptr<aotscope_bpf, SkeletonDeleter> skeleton;
  std::vector<util::UniqueFd> tracepoints;                    // perf events of the syscalls
  std::vector<std::unique_ptr<bpf_link, LinkDeleter>> links;  // exec, fork, exit
  std::unique_ptr<ring_buffer, RingDeleter> sample_ring;
  std::unique_ptr<ring_buffer, RingDeleter> region_ring;
  std::map<pid_t, std::vector<util::UniqueFd>> events;  // one for each thread, by target
  std::set<pid_t> with_trampolines;                     // targets
  aot_slot* slots = nullptr;                            // the slots map, mapped
  std::size_t slot_count = 0;                           // of both buffers
  Batch* into = nullptr;                                // where the ring callbacks write
  bool membarrier_works = true;

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  Result<void> load(const Options& options);
  Result<void> map_slots();
  Result<void> attach_tracepoints();
  void drain_counters(Batch& batch);
};

// EPERM and EACCES by name of what is missing; else the kernel's own words.
Error load_error(int error, const std::string& what);

// One sampling event for each thread of `pid`, disabled, with the program on it.
Result<std::vector<util::UniqueFd>> open_thread_events(pid_t pid, const Event& event,
                                                       std::uint64_t frequency, int program);

}  // namespace aotscope::kernel
