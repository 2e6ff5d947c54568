// The profile room, the heart: counters by function, class, offset, stack, thread and time.
// Pure: no I/O, no clock, no kernel. A live session fills one sample by sample; the store writes
// what changed and fills another from a recording; the views read either.
// Counts are samples. Times are seconds since the start of the recording.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <aotscope/isa.hpp>

namespace aotscope::profile {

using isa::InstrClass;
using isa::PerClass;

// ---- who: images, functions, host symbols, threads ------------------------------------------

// What a report needs to know of a function without its image file. `name` is the raw display
// name (hostile bytes; view/ makes it safe), cut at max_name_bytes.
inline constexpr std::size_t max_name_bytes = 4096;
struct FunctionEntry {
  std::uint32_t local = 0;
  std::uint32_t index = 0;
  std::uint64_t offset = 0;  // from the start of the text
  std::uint64_t size = 0;
  std::string name;          // name section, else export, else "func[INDEX]"
};

struct ImageEntry {
  std::uint32_t id = 0;      // place in Profile::images()
  std::string path;
  std::uint32_t core = 0;    // number of the core in its component, 0 for a core module
  std::string format;        // "wamr-zig"
  std::uint32_t version = 0;
  std::string arch;          // "x86-64"
  std::uint64_t text_size = 0;
  std::string hash;          // image::Core::hash()
  std::vector<FunctionEntry> functions;  // functions[N].local == N
};

// An image's text somewhere in a target for some time.
struct RegionEntry {
  std::uint32_t pid = 0;
  std::uint32_t image = 0;
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  double first_s = 0;
  double last_s = 0;   // end of the recording while it is still mapped
};

enum class FrameKind : std::uint8_t {
  wasm,        // image, id = local function
  host,        // id = Profile::hosts() entry: module and symbol
  unknown,     // in no executable mapping, or in code that no image matches; id = unknowns() entry
  truncated,   // marker at the outer end: the stack was deeper than the depth limit
  cut,         // marker at the outer end: the chain turned to nonsense here
};

struct FrameKey {
  FrameKind kind = FrameKind::unknown;
  std::uint32_t image = 0;
  std::uint32_t id = 0;
  auto operator<=>(const FrameKey&) const = default;
};

// Host code by module and symbol ("" when the module has no symbols). Special modules are
// "[vdso]", "[trampoline]" (anonymous executable memory that belongs to no core).
struct HostEntry {
  std::string module;
  std::string symbol;
  std::uint64_t self = 0;
  std::uint64_t total = 0;
  std::uint64_t kernel = 0;
};

// Unknown code by the page-aligned start of its mapping, 0 for addresses in no mapping.
struct UnknownEntry {
  std::uint64_t region = 0;
  std::uint64_t self = 0;
  std::uint64_t kernel = 0;
  std::map<std::uint64_t, std::uint64_t> addresses;  // samples by ip; at most max_addresses
  static constexpr std::size_t max_addresses = 1024;
};

struct ThreadEntry {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::string comm;
  std::uint64_t self = 0;  // all its samples, wasm or not
  std::uint64_t kernel = 0;
};

// ---- how much -------------------------------------------------------------------------------

struct OffsetCount {
  InstrClass cls = InstrClass::other;
  InstrClass waits = InstrClass::other;
  std::uint64_t count = 0;   // kernel part included
  std::uint64_t kernel = 0;
};

// Sums over its offsets; classes and waits each sum exactly to self.
struct FunctionCount {
  std::uint64_t self = 0;
  std::uint64_t total = 0;   // samples with it anywhere on the stack, once each; self in lean mode
  std::uint64_t kernel = 0;
  PerClass<std::uint64_t> classes{};
  PerClass<std::uint64_t> waits{};
  std::map<std::uint64_t, OffsetCount> offsets;  // by text offset of the sampled address
};

struct Totals {
  std::uint64_t total = 0;   // wasm + host + unknown
  std::uint64_t wasm = 0;
  std::uint64_t host = 0;
  std::uint64_t unknown = 0;
  std::uint64_t kernel = 0;  // the part of total that landed in the kernel
  std::uint64_t lost = 0;    // apart
};

// A calling context tree: node 0 is the root; a node's path to the root is a stack, outermost
// frame first. self counts samples whose innermost frame it is.
struct StackNode {
  std::uint32_t parent = 0;
  FrameKey frame;
  std::uint64_t self = 0;
  std::uint64_t kernel = 0;
};

// Samples in one time bucket: function x class for wasm, and the rest.
struct Bucket {
  std::map<FrameKey, PerClass<std::uint64_t>> wasm;  // kind wasm only
  std::uint64_t host = 0;
  std::uint64_t unknown = 0;
};

// One attributed sample, or several alike.
struct Sample {
  FrameKey leaf;
  std::uint64_t text_offset = 0;               // wasm
  std::uint64_t address = 0;                   // unknown
  InstrClass cls = InstrClass::other;          // wasm
  InstrClass waits = InstrClass::other;        // wasm
  bool kernel = false;
  std::uint64_t count = 1;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;                       // 0: not known (lean mode)
  double time_s = 0;
  std::span<const FrameKey> stack;             // innermost first, stack[0] == leaf; empty: lean
};

// Lost samples by cause; `cause` is a stable id ("map-full"), `hint` the flag that cures it.
struct LostCause {
  std::string cause;
  std::string hint;
  std::uint64_t count = 0;
};

struct TargetEntry {
  std::uint32_t pid = 0;
  std::string comm;
  std::string command;            // argv joined for people
  std::string runtime;            // "wamr 3.0.0-dev.14" where known, else the exe's name
  double cpu_s = 0;               // CPU time it used during the recording
  bool exited = false;
  std::optional<int> exit_status; // of a launched command
};

struct RunInfo {
  std::string tool_version;
  std::string host_name;
  std::string kernel_release;
  std::string command_line;       // aotscope's own
  std::string event;              // "cpu-clock"
  bool precise = false;           // hardware-precise event: waits are left out
  std::uint64_t frequency_asked = 0;
  std::uint64_t frequency_hz = 0; // granted
  double started_unix_s = 0;
  double duration_s = 0;
  bool stacks = false;
  double target_cpu_s = 0;
  std::vector<TargetEntry> targets;
  std::vector<LostCause> lost;
  std::vector<std::string> warnings;  // lines a report repeats: stale image, clamped rate, …
};

// ---- the profile ----------------------------------------------------------------------------

class Profile {
 public:
  Profile();

  RunInfo info;
  std::vector<RegionEntry> regions;

  std::uint32_t add_image(ImageEntry image);                       // returns its id
  std::uint32_t host_id(std::string_view module, std::string_view symbol);
  std::uint32_t unknown_id(std::uint64_t region);
  void name_thread(std::uint32_t pid, std::uint32_t tid, std::string_view comm);

  void add(const Sample& sample);

  const std::vector<ImageEntry>& images() const { return images_; }
  const std::vector<HostEntry>& hosts() const { return hosts_; }
  const std::vector<UnknownEntry>& unknowns() const { return unknowns_; }
  const std::map<std::pair<std::uint32_t, std::uint32_t>, ThreadEntry>& threads() const {
    return threads_;                                               // by {pid, tid}
  }
  // Functions that have samples, self or total.
  const std::map<FrameKey, FunctionCount>& functions() const { return functions_; }
  const std::vector<StackNode>& stacks() const { return nodes_; }
  // Buckets by start, a multiple of bucket_seconds(); widened by merging neighbours in pairs when
  // there are more than max_buckets, so memory stays flat.
  const std::map<std::uint64_t, Bucket>& buckets() const { return buckets_; }
  std::uint64_t bucket_seconds() const { return bucket_seconds_; }
  static constexpr std::size_t max_buckets = 1024;

  Totals totals() const;          // lost: the sum of info.lost
  PerClass<std::uint64_t> classes() const;  // wasm samples of the whole run
  PerClass<std::uint64_t> waits() const;
  const FunctionEntry* function(FrameKey wasm) const;  // null for other kinds
  std::string frame_name(FrameKey frame) const;        // raw: function name, module, "[unknown]"

  // Drops all counters, keeps images, hosts and names (top's `z`).
  void zero();

 private:
  friend class Loader;  // store/: fills a profile from a recording
  std::uint32_t child(std::uint32_t parent, FrameKey frame);

  std::vector<ImageEntry> images_;
  std::vector<HostEntry> hosts_;
  std::map<std::pair<std::string, std::string>, std::uint32_t, std::less<>> host_ids_;
  std::vector<UnknownEntry> unknowns_;
  std::map<std::uint64_t, std::uint32_t> unknown_ids_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, ThreadEntry> threads_;
  std::map<FrameKey, FunctionCount> functions_;
  std::vector<StackNode> nodes_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> children_;  // hash -> nodes
  std::map<std::uint64_t, Bucket> buckets_;
  std::uint64_t bucket_seconds_ = 10;
  Totals totals_;
};

}  // namespace aotscope::profile
