// What the parts of a session share.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include <aotscope/session.hpp>

#include "util/fd.hpp"

namespace aotscope::session {

// One core of one program, as the profile numbers it.
struct LiveImage {
  std::shared_ptr<const image::Core> core;  // null: known from an earlier run, not seen so far
  std::unique_ptr<isa::CodeCache> code;
  std::string shown;         // how the user or the command line names it
  std::uint32_t number = 0;  // core number in its program
  bool mapped = false;       // seen in some target
};

struct AddressKey {
  std::uint64_t address = 0;
  std::uint32_t epoch = 0;
  bool operator==(const AddressKey&) const = default;
};
struct AddressHash {
  std::size_t operator()(const AddressKey& key) const {
    return (key.address ^ (std::uint64_t{key.epoch} << 48)) * 0x9E3779B97F4A7C15u >> 16;
  }
};

// What an address is, in some epoch.
struct Place {
  profile::FrameKey frame;
  std::uint64_t text_offset = 0;  // wasm
  bool mapped = false;            // in an executable mapping that we know
};

struct Target {
  process::Identity identity;
  std::string runtime;
  process::AddressSpace space;
  util::UniqueFd pidfd;
  std::vector<std::uint32_t> images;  // candidates, in the order of their programs
  std::unordered_map<AddressKey, Place, AddressHash> places;
  // Fingerprints by the epoch of their event, until the region is resolved.
  std::multimap<std::uint32_t, aot_region_event> fingerprints;
  double cpu_at_start = 0;
  double cpu_seconds = 0;
  double earlier_cpu_s = 0;  // in earlier runs of the recording
  bool exited = false;
  bool counts = true;  // false: it was over before start_over()
  bool fresh = false;  // sampled, but not looked at yet
  bool said_mismatch = false;
  bool wants_scan = false;
  bool unsure = false;  // events do not tell all: the maps must
  std::chrono::steady_clock::time_point next_scan{};
  std::chrono::milliseconds scan_pause{50};
  std::set<std::uint32_t> named_threads;
};

// A sample that could not be attributed yet: its epoch or its mapping is not known so far.
struct DeferredSample {
  kernel::RawSample sample;  // first_frame is 0
  std::vector<std::uint64_t> frames;
  int rounds_left = 0;
};

struct Session::Impl {
  Options options;
  std::unique_ptr<kernel::Sampler> sampler;
  profile::Profile profile;
  std::vector<LiveImage> images;
  // Images that the user named, until the first target is sampled: reading them takes a while.
  std::vector<std::pair<std::string, image::Program>> given;
  std::map<std::string, std::vector<std::uint32_t>> programs;  // image numbers by file identity
  std::map<std::uint32_t, std::unique_ptr<Target>> targets;    // by tgid
  std::vector<DeferredSample> deferred;
  std::vector<profile::RegionEntry> past_regions;  // of earlier runs, and of what execed away
  std::vector<profile::TargetEntry> past_targets;  // of earlier runs
  std::vector<profile::LostCause> past_lost;       // likewise
  double earlier_s = 0;                            // where in the recording this session starts
  process::Symbols symbols;
  kernel::Batch batch;
  std::uint64_t started_ns = 0;  // CLOCK_MONOTONIC
  std::uint32_t last_epoch = 0;  // highest epoch of an event seen
  std::uint64_t regions_lost = 0;
  std::array<std::uint64_t, AOT_LOST_CAUSES> lost_before{};  // what start_over() found
  pid_t command = 0;
  std::optional<int> command_status;
  bool finished = false;

  // images.cpp
  void go_on_with(profile::Profile earlier);
  std::uint32_t add_image(LiveImage live, profile::ImageEntry entry);
  std::vector<std::uint32_t> add_program(image::Program program, const std::string& shown);
  void find_target_image(Target& target);
  // resolve.cpp
  void scan(Target& target, bool is_truth);
  void resolve(Target& target);
  void resolve_by_fingerprint(Target& target, const process::Region& region);
  void first_look(Target& target);
  void resolve_by_parts(Target& target, image::MemoryReader& memory);
  void force_bases(Target& target);
  void note_mismatch(Target& target);
  void put(Target& target, const process::Region& region, std::uint64_t base, std::uint32_t image);
  std::vector<std::shared_ptr<const image::Core>> cores_of(const Target& target) const;
  // attribute.cpp
  Place place_of(Target& target, std::uint32_t epoch, std::uint64_t address);
  bool attribute(const kernel::RawSample& sample, std::span<const std::uint64_t> frames, bool last);
  std::vector<profile::FrameKey> stack_of(Target& target, const kernel::RawSample& sample,
                                          std::span<const std::uint64_t> frames, const Place& leaf);
  isa::FrameState frame_state(const Place& place);
  profile::FrameKey host_frame(Target& target, const process::Region& region,
                               std::uint64_t address);
  // session.cpp
  Result<Target*> add_target(pid_t pid);
  double take_past(const Target& target);
  void apply_events();
  void apply(const aot_region_event& event);
  void end_target(Target& target, std::uint64_t cpu_ns = 0);
  bool runs_nothing(const Target& target) const;
  void collect(bool with_samples);
  void settle_targets();
  void look_at(Target& target);
  void reap_command();
  void refresh_info();
  double seconds(std::uint64_t time_ns) const;
  void notice(const std::string& line) const;
  void warn(const std::string& line);
};

std::uint64_t monotonic_ns();

}  // namespace aotscope::session
