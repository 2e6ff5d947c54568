// The kernel room: loads the BPF programs, puts events on the target's threads, drains samples
// and region events. Needs CAP_BPF and CAP_PERFMON (CAP_SYS_ADMIN before Linux 5.8).
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include <aotscope/abi.h>
#include <aotscope/result.hpp>

namespace aotscope::kernel {

// What the timer counts. `precise` is perf_event_attr.precise_ip (":p", ":pp").
struct Event {
  std::string name;  // as the user knows it: "cpu-clock", "cycles:pp"
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint8_t precise = 0;
};
Result<Event> parse_event(std::string_view name);
// cycles where the machine has a PMU that this process may use, else cpu-clock.
Event default_event();

// kernel.perf_event_max_sample_rate, in Hz; 0 when it cannot be read.
std::uint64_t max_sample_rate();

struct Options {
  Event event;
  std::uint64_t frequency = 999;  // Hz; asked for, see Sampler::frequency()
  bool stacks = true;
  bool per_thread = false;                // lean mode: count by thread too
  std::uint32_t max_frames = 127;         // 1 to AOT_MAX_FRAMES
  std::uint32_t map_entries = 16384;      // distinct addresses between two drains, lean mode
  std::uint32_t buffer_bytes = 4u << 20;  // sample ring, stack mode; a power of two of pages
  bool follow = false;                    // children of a target become targets
};

// One sample, or in lean mode several alike. Frames lie in Batch::frames.
struct RawSample {
  std::uint32_t tgid = 0;
  std::uint32_t tid = 0;  // 0 in lean mode without per_thread
  std::uint32_t epoch = 0;
  bool in_kernel = false;
  bool truncated = false;
  bool has_top = false;
  std::array<std::uint64_t, 2> top{};  // words at the user stack pointer
  std::uint64_t count = 1;
  std::size_t first_frame = 0;  // Batch::frames[first_frame] is the user ip
  std::uint32_t frame_count = 1;
};

struct Batch {
  std::vector<std::uint64_t> frames;
  std::vector<RawSample> samples;
  std::vector<aot_region_event> regions;  // in ring order; sort by epoch before use

  std::span<const std::uint64_t> frames_of(const RawSample& s) const {
    return std::span(frames).subspan(s.first_frame, s.frame_count);
  }
  void clear() {
    frames.clear();
    samples.clear();
    regions.clear();
  }
};

class Sampler {
 public:
  // Loads and attaches the region programs; no target yet.
  static Result<std::unique_ptr<Sampler>> create(const Options& options);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // Region events of `pid` flow from here on. Call before reading its maps.
  Result<void> watch(pid_t pid);
  // Puts a sampling event on every thread of `pid`, inherited by threads it makes later.
  Result<void> sample_threads(pid_t pid);
  // Puts a sampling event on a child that waits to exec: counts from the exec on and is
  // inherited by its threads and processes.
  Result<void> sample_child(pid_t pid);
  void forget(pid_t pid);  // closes the target's events

  // Executable ranges of `pid` as user space knows them, so that calls elsewhere are not
  // reported. More than AOT_KNOWN_RANGES are merged with their neighbours.
  void set_known_ranges(pid_t pid, std::vector<aot_range> ranges);
  // Where `pid` has trampolines, which make no frame of their own: stacks then name their callers
  // too. An empty range: nowhere.
  void set_trampolines(pid_t pid, aot_range range);

  // Moves everything collected so far into `batch` (appended). Region events of every epoch that
  // a returned sample carries are in this batch or an earlier one, except for a change that was
  // just being reported when the sample was taken (its epoch is then
  // higher than any reported so far: wait for the next drain).
  void drain(Batch& batch);
  // The region events alone: cheap, for when region_fd() says so.
  void drain_regions(Batch& batch);
  // Readable when a region event waits.
  int region_fd() const;

  std::uint64_t frequency() const { return frequency_; }  // granted, Hz
  const Options& options() const { return options_; }
  std::uint32_t epoch() const;
  std::array<std::uint64_t, AOT_LOST_CAUSES> lost() const;

 private:
  struct Impl;
  Sampler();
  int sample_program() const;
  std::unique_ptr<Impl> impl_;
  Options options_;
  std::uint64_t frequency_ = 0;
};

// For doctor and for errors: which of CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE, CAP_SYS_ADMIN this
// process lacks in its effective set.
std::vector<std::string> missing_capabilities();
// A read-only descriptor of a tracefs root: the mounted one, else a private, detached mount.
Result<int> open_tracefs();

}  // namespace aotscope::kernel
