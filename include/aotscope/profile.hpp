// The profile room, the heart: counters by function, class, offset, stack, thread and time.
// Pure: no I/O, no clock, no kernel. A live session fills one sample by sample; the store writes
// what changed and fills another from a recording; the views read either.
// Counts are samples. Times are seconds since the start of the recording.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
  std::string name;  // name section, else export, else "func[INDEX]"
  bool operator==(const FunctionEntry&) const = default;
};

struct ImageEntry {
  std::uint32_t id = 0;  // place in Profile::images()
  std::string path;
  std::uint32_t core = 0;  // number of the core in its component, 0 for a core module
  std::string format;      // "wamr-zig"
  std::uint32_t version = 0;
  std::string arch;  // "x86-64"
  std::uint64_t text_size = 0;
  std::string hash;                      // image::Core::hash()
  std::vector<FunctionEntry> functions;  // functions[N].local == N
  bool operator==(const ImageEntry&) const = default;
};

// An image's text somewhere in a target for some time.
struct RegionEntry {
  std::uint32_t pid = 0;
  std::uint32_t image = 0;
  std::uint64_t start = 0;
  std::uint64_t size = 0;
  double first_s = 0;
  double last_s = 0;  // end of the recording while it is still mapped
  bool operator==(const RegionEntry&) const = default;
};

enum class FrameKind : std::uint8_t {
  wasm,       // image, id = local function
  host,       // id = Profile::hosts() entry: module and symbol
  unknown,    // in no executable mapping, or in code that no image matches; id = unknowns() entry
  truncated,  // marker at the outer end: the stack was deeper than the depth limit
  cut,        // marker at the outer end: the chain turned to nonsense here
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
  bool operator==(const HostEntry&) const = default;
};

// Unknown code by the page-aligned start of its mapping, 0 for addresses in no mapping.
struct UnknownEntry {
  std::uint64_t region = 0;
  std::uint64_t self = 0;
  std::uint64_t kernel = 0;
  std::map<std::uint64_t, std::uint64_t> addresses;  // samples by ip; at most max_addresses
  static constexpr std::size_t max_addresses = 1024;
  bool operator==(const UnknownEntry&) const = default;
};

struct ThreadEntry {
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::string comm;
  std::uint64_t self = 0;  // all its samples, wasm or not
  std::uint64_t kernel = 0;
  bool operator==(const ThreadEntry&) const = default;
};

// ---- how much -------------------------------------------------------------------------------

struct OffsetCount {
  InstrClass cls = InstrClass::other;
  InstrClass waits = InstrClass::other;
  std::uint64_t count = 0;  // kernel part included
  std::uint64_t kernel = 0;
  std::uint32_t id = 0;  // place in Profile::offset_keys(): the order of first samples
  bool operator==(const OffsetCount& other) const {
    return cls == other.cls && waits == other.waits && count == other.count &&
           kernel == other.kernel;
  }
};

// Sums over its offsets; classes and waits each sum exactly to self.
struct FunctionCount {
  std::uint64_t self = 0;
  std::uint64_t total = 0;  // samples with it anywhere on the stack, once each; self in lean mode
  std::uint64_t kernel = 0;
  PerClass<std::uint64_t> classes{};
  PerClass<std::uint64_t> waits{};
  std::map<std::uint64_t, OffsetCount> offsets;  // by text offset of the sampled address
  bool operator==(const FunctionCount&) const = default;
};

struct Totals {
  std::uint64_t total = 0;  // wasm + host + unknown
  std::uint64_t wasm = 0;
  std::uint64_t host = 0;
  std::uint64_t unknown = 0;
  std::uint64_t kernel = 0;  // the part of total that landed in the kernel
  std::uint64_t lost = 0;    // apart
  bool operator==(const Totals&) const = default;
};

// A calling context tree: node 0 is the root; a node's path to the root is a stack, outermost
// frame first. self counts samples whose innermost frame it is: over all nodes they sum to
// Totals::total, because a sample without a stack counts as a stack of its leaf alone. A parent
// comes before its children.
struct StackNode {
  std::uint32_t parent = 0;
  FrameKey frame;
  std::uint64_t self = 0;
  std::uint64_t kernel = 0;
  bool operator==(const StackNode&) const = default;
};

// Samples in one time bucket: function x class for wasm, and the rest.
struct Bucket {
  std::map<FrameKey, PerClass<std::uint64_t>> wasm;  // kind wasm only
  std::uint64_t host = 0;
  std::uint64_t unknown = 0;
  std::uint64_t samples = 0;  // all of it; grows with every sample, so a change shows
  bool operator==(const Bucket&) const = default;
};

// Samples by id, as small as can be: there is one of these for every ten seconds of hours.
class Counts {
 public:
  using Row = std::pair<std::uint32_t, std::uint64_t>;  // id, samples
  bool add(std::uint32_t id, std::uint64_t count);      // true: an id not seen before
  void add(const Counts& other);
  // Keeps the hottest `most` ids; returns the others.
  std::vector<Row> trim(std::size_t most);
  // For one that hardly grows any more: some three bytes for each row from here on. The next
  // add() or trim() undoes it.
  void pack();
  std::vector<Row> rows() const;  // ids ascend
  std::size_t size() const { return packed_rows_ + ids_.size(); }
  bool operator==(const Counts& other) const { return rows() == other.rows(); }

 private:
  void unpack();

  std::vector<std::uint32_t> ids_;
  std::vector<std::uint64_t> counts_;
  std::vector<std::uint8_t> packed_;  // step to the next id and count, each as LEB128
  std::size_t packed_rows_ = 0;
};

// What a part of a run needs for its stacks and instructions: the hottest ones. A cold stack
// counts as [truncated] > leaf (of unknown code: region 0), a cold instruction is left out. The
// kernel's part is not kept.
struct Detail {
  Counts stacks;              // by node of Profile::stacks(); all samples
  Counts offsets;             // by place in Profile::offset_keys()
  std::uint64_t samples = 0;  // all of stacks; grows with every sample, so a change shows
  std::uint32_t trims = 0;    // how often cold ones were taken out
  // Grown to so many of a kind, it is trimmed: twice what the last time left, so that is rare.
  std::size_t trim_at = std::size_t{1} << 13;
};

// One attributed sample, or several alike. A frame that names no known image, function, host or
// region counts as unknown at region 0, so that sums hold whatever the caller does.
struct Sample {
  FrameKey leaf;
  std::uint64_t text_offset = 0;         // wasm
  std::uint64_t address = 0;             // unknown
  InstrClass cls = InstrClass::other;    // wasm
  InstrClass waits = InstrClass::other;  // wasm
  bool kernel = false;
  std::uint64_t count = 1;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;  // 0: not known (lean mode without per_thread)
  double time_s = 0;
  std::span<const FrameKey> stack;  // innermost first, stack[0] == leaf; empty: lean
};

// Lost samples by cause; `cause` is a stable id ("map-full"), `hint` the flag that cures it.
struct LostCause {
  std::string cause;
  std::string hint;
  std::uint64_t count = 0;
  bool operator==(const LostCause&) const = default;
};

struct TargetEntry {
  std::uint32_t pid = 0;
  std::string comm;
  std::string command;  // argv joined for people
  std::string runtime;  // "wamr 3.0.0-dev.14" where known, else the exe's name
  double cpu_s = 0;     // CPU time it used during the recording
  bool exited = false;
  std::optional<int> exit_status;  // of a launched command
  bool operator==(const TargetEntry&) const = default;
};

// One `aotscope record`: a recording that was appended to has several.
struct RunPart {
  double start_s = 0;  // from the start of the recording
  double duration_s = 0;
  std::string command_line;
  bool operator==(const RunPart&) const = default;
};

struct RunInfo {
  std::string tool_version;
  std::string host_name;
  std::string kernel_release;
  std::string command_line;  // aotscope's own
  std::string event;         // "cpu-clock"
  bool precise = false;      // hardware-precise event: waits are left out
  std::uint64_t frequency_asked = 0;
  std::uint64_t frequency_hz = 0;  // granted
  double started_unix_s = 0;
  double duration_s = 0;       // from its start to its end, pauses between its parts included
  std::vector<RunPart> parts;  // in their order; the last one ends the recording
  // Sampled time: without the pauses.
  double sampled_s() const;
  bool stacks = false;
  double target_cpu_s = 0;
  std::vector<TargetEntry> targets;
  std::vector<LostCause> lost;
  std::vector<std::string> warnings;  // lines a report repeats: stale image, clamped rate, …
  bool operator==(const RunInfo&) const = default;
};

// ---- the profile ----------------------------------------------------------------------------

class Profile {
 public:
  Profile();

  RunInfo info;
  std::vector<RegionEntry> regions;

  std::uint32_t add_image(ImageEntry image);  // returns its id
  std::uint32_t host_id(std::string_view module, std::string_view symbol);
  std::uint32_t unknown_id(std::uint64_t region);
  void name_thread(std::uint32_t pid, std::uint32_t tid, std::string_view comm);

  // An offset keeps the class of its first sample: one instruction, one class.
  void add(const Sample& sample);

  const std::vector<ImageEntry>& images() const { return images_; }
  const std::vector<HostEntry>& hosts() const { return hosts_; }
  const std::vector<UnknownEntry>& unknowns() const { return unknowns_; }
  const std::map<std::pair<std::uint32_t, std::uint32_t>, ThreadEntry>& threads() const {
    return threads_;  // by {pid, tid}
  }
  // Functions that have samples, self or total.
  const std::map<FrameKey, FunctionCount>& functions() const { return functions_; }
  const std::vector<StackNode>& stacks() const { return nodes_; }
  // Buckets by start, a multiple of bucket_seconds(); widened by merging neighbours in pairs when
  // there are more than max_buckets, so memory stays flat.
  const std::map<std::uint64_t, Bucket>& buckets() const { return buckets_; }
  std::uint64_t bucket_seconds() const { return bucket_seconds_; }
  static constexpr std::size_t max_buckets = 1024;
  // Also widened when the buckets hold more functions than this in all, down to min_buckets.
  static constexpr std::size_t max_bucket_rows = 65536;
  static constexpr std::size_t min_buckets = 16;

  // Stacks and instructions in time, by start: rolled up like the buckets, on their own account,
  // so many different stacks do not cost the timeline its resolution.
  const std::map<std::uint64_t, Detail>& details() const { return details_; }
  std::uint64_t detail_seconds() const { return detail_seconds_; }
  static constexpr std::size_t max_detail_rows = 1U << 18;
  static constexpr std::size_t max_detail_ids = 1U << 12;  // of each kind, kept when one is trimmed
  // Sampled instructions, in the order of their first samples: function and text offset.
  const std::vector<std::pair<FrameKey, std::uint64_t>>& offset_keys() const {
    return offset_keys_;
  }
  // The profile of a part of the run, in whole details: those that [from_s, to_s) touches. Without
  // kernel parts, threads and unknown addresses; instructions that a detail left out count as
  // `other` at their function's start. from_s and to_s become those of the details.
  Profile slice(double& from_s, double& to_s) const;

  // What keeps memory flat in a run of days. Beyond max_nodes a stack not seen before counts as
  // [truncated] > leaf; deeper than max_depth it loses its outer frames to the same marker;
  // further regions count as region 0; further threads count as {pid, 0}.
  static constexpr std::size_t max_nodes = 1U << 18;
  static constexpr std::size_t max_depth = 4096;
  static constexpr std::size_t max_unknowns = 1U << 16;
  static constexpr std::size_t max_threads = 1U << 16;

  Totals totals() const;                    // lost: the sum of info.lost
  PerClass<std::uint64_t> classes() const;  // wasm samples of the whole run
  PerClass<std::uint64_t> waits() const;
  const FunctionEntry* function(FrameKey wasm) const;  // null for other kinds
  std::string frame_name(FrameKey frame) const;        // raw: function name, module, "[unknown]"

  // Drops all counters, keeps images, hosts and names (top's `z`).
  void zero();

 private:
  friend class Loader;  // user/profile/loader.hpp: fills a profile from a recording

  // What add() needs of a node in one step: where its frame's total is raised. Null for all but
  // the outermost of a frame's occurrences on one path: recursion counts once.
  struct NodeLink {
    FunctionCount* function = nullptr;  // wasm
    bool host = false;
  };
  // Points into functions_, so it moves along with a profile and is forgotten by a copy.
  struct NodeLinks {
    std::vector<NodeLink> of;
    NodeLinks() = default;
    NodeLinks(const NodeLinks&) {}
    NodeLinks(NodeLinks&&) = default;
    NodeLinks& operator=(const NodeLinks& other) {
      if (this != &other) of.clear();
      return *this;
    }
    NodeLinks& operator=(NodeLinks&&) = default;
    ~NodeLinks() = default;
  };

  bool names_something(FrameKey frame) const;
  FrameKey known(FrameKey frame);
  std::uint32_t find_child(std::uint32_t parent, FrameKey frame) const;
  std::uint32_t child(std::uint32_t parent, FrameKey frame);
  void grow_slots();
  void link(std::uint32_t node);
  void relink();
  std::uint32_t charge_stack(FrameKey leaf, std::span<const FrameKey> stack, std::uint64_t count);
  std::uint32_t charge_truncated(FrameKey leaf, std::span<const FrameKey> stack,
                                 std::uint64_t count);
  void add_thread(const Sample& sample);
  void add_bucket(const Sample& sample, FrameKey leaf, InstrClass cls);
  void limit_buckets();
  void add_detail(double time_s, std::uint32_t node, const OffsetCount* offset,
                  std::uint64_t count);
  void limit_details();
  void pack_details();
  void trim(Detail& detail);
  void charge_totals(std::uint32_t node, std::uint64_t count);
  ThreadEntry& thread(std::uint32_t pid, std::uint32_t tid);

  std::vector<ImageEntry> images_;
  std::vector<HostEntry> hosts_;
  std::map<std::pair<std::string, std::string>, std::uint32_t, std::less<>> host_ids_;
  std::vector<UnknownEntry> unknowns_;
  std::map<std::uint64_t, std::uint32_t> unknown_ids_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, ThreadEntry> threads_;
  std::map<FrameKey, FunctionCount> functions_;
  std::vector<StackNode> nodes_;
  std::vector<std::uint32_t> slots_;  // open addressing by {parent, frame}; 0: free
  NodeLinks links_;
  std::map<std::uint64_t, Bucket> buckets_;
  std::uint64_t bucket_seconds_ = 10;
  std::size_t bucket_rows_ = 0;  // sum of Bucket::wasm sizes
  std::map<std::uint64_t, Detail> details_;
  std::uint64_t detail_seconds_ = 10;
  std::size_t detail_rows_ = 0;  // sum of both Counts' sizes
  std::vector<std::pair<FrameKey, std::uint64_t>> offset_keys_;
  Totals totals_;
};

// ---- who calls it, whom it calls ------------------------------------------------------------

// A tree in flat form: nodes[0] is the frame asked about. count = ends + the children's counts.
struct CallNode {
  FrameKey frame;
  std::uint64_t count = 0;
  std::uint64_t ends = 0;               // samples whose stack goes no further here
  std::vector<std::uint32_t> children;  // by count, the largest first
};
struct CallTree {
  std::vector<CallNode> nodes;  // just the root, with count 0, for what has no sample
};

// Children are the callers, outwards from the innermost occurrence on each stack; `ends` counts
// stacks whose outermost frame this is. The root's count is the frame's total.
CallTree callers_of(const Profile& profile, FrameKey frame);
// Children are the callees, inwards from the outermost occurrence on each stack, so recursion
// shows as a child; `ends` is the node's own self. The root's count is the frame's total.
CallTree callees_of(const Profile& profile, FrameKey frame);

}  // namespace aotscope::profile
