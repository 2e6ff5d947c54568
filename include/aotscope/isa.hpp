// The isa room: text of one function -> instruction boundaries, one class for each instruction,
// and the slow producer each one waits for. Pure: bytes in, tables out; safe on any bytes.
// The sequences it knows are those that wamrc's x86-64 back end emits; see user/isa/.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <aotscope/image.hpp>
#include <aotscope/result.hpp>

namespace aotscope::isa {

// Stable ids in order of display. One instruction, one class. `unclassified` is not an
// instruction's class: it counts samples in code whose architecture is not classified yet.
enum class InstrClass : std::uint8_t {
  spill_load,
  spill_store,
  local_load,
  local_store,
  zero_extend,
  move,
  constant,
  alu,
  mul_div,
  floating,
  simd,
  bounds_check,
  mem_address,
  mem_load,
  mem_store,
  mem_bulk,
  atomic,
  context,
  branch,
  dispatch,
  call,
  frame,
  trap,
  other,
};
inline constexpr std::size_t class_count = 24;
// "spill-load", …, "const", "float": the ids of scripts, JSON and recordings.
std::string_view class_id(InstrClass cls);
std::optional<InstrClass> class_from_id(std::string_view id);

template <typename T>
using PerClass = std::array<T, class_count>;

// The summary line's groups, in order: spill, frame stores, moves, bounds, memory, dispatch,
// call, frame.
struct RollUp {
  std::string_view id;
  std::span<const InstrClass> classes;
};
std::span<const RollUp> roll_ups();

struct Instr {
  std::uint32_t offset = 0;  // bytes from the start of the function
  std::uint8_t length = 0;   // bytes; for undecodable bytes the run that was skipped (<= 255)
  InstrClass cls = InstrClass::other;
  InstrClass waits = InstrClass::other;  // the producer's class, or `cls` where there is none
  // First of a block. A jump over a trap block (bounds check, division by zero) starts none: the
  // trap never returns, and the code goes straight on behind it.
  bool block_start = false;
  bool undecoded = false;      // bytes that are no instruction
  std::int32_t producer = -1;  // index into Code::instrs of the slow producer, -1 for none
  std::int64_t target = -1;    // direct jump or call: target as a TEXT offset; -1 for none
};

// A jump table inside the function's bytes, stepped over by the sweep.
struct JumpTable {
  static constexpr std::uint32_t nowhere = 0xffff'ffff;  // an entry that leaves the function
  std::uint32_t offset = 0;                              // bytes from the start of the function
  std::vector<std::uint32_t> targets;  // function-relative offset of each entry's target
};

// x86-64 only (on AArch64 the return address is in a register; every state is `complete`).
// Where the frame pointer chain lacks one caller: [0, prologue_end) before `mov rbp, rsp` has
// run, and on each `ret`. Stack repair asks this.
enum class FrameState : std::uint8_t {
  complete,        // rbp is this function's frame: the chain is whole
  return_at_sp,    // nothing pushed yet, or on `ret`: the return address is at [rsp]
  return_at_sp_8,  // rbp pushed, not yet set: the return address is at [rsp + 8]
};

struct Code {
  std::vector<Instr> instrs;  // ascending offsets, jump tables and padding left out
  std::vector<JumpTable> tables;
  std::uint32_t spill_loads = 0;  // static, comparable with wamrc's spill_ld / spill_st
  std::uint32_t spill_stores = 0;
  std::uint32_t frame_size = 0;  // N of `sub rsp, N`, 0 when there is none
  std::uint32_t undecoded_bytes = 0;
  bool classified = true;            // false: architecture without class tables
  PerClass<std::uint32_t> counts{};  // instructions of each class

  // The instruction that covers a function-relative offset, or null (table, padding).
  const Instr* at(std::uint32_t offset) const;
  FrameState frame_state(std::uint32_t offset) const;
  // Offsets behind `push rbp` and behind `mov rbp, rsp`; empty without that prologue.
  std::vector<std::uint32_t> pushes_before_frame;
  std::vector<std::uint32_t> rets;  // offset of each return, x86-64 only
};

// Decodes and classifies one function. Never fails: bytes that decode into nonsense are counted
// in undecoded_bytes and the decode goes on at the next byte that fits.
Code analyze(image::Arch arch, std::span<const std::uint8_t> text, std::uint64_t offset,
             std::uint64_t size);

// What inspect shows of one function.
struct StaticCounts {
  std::uint64_t size = 0;          // bytes, tables and padding included
  std::uint32_t instructions = 0;  // sum of `classes`; runs of undecoded bytes count as `other`
  std::uint32_t spill_loads = 0;
  std::uint32_t spill_stores = 0;
  std::uint32_t frame_size = 0;
  std::uint32_t undecoded_bytes = 0;
  bool classified = true;
  PerClass<std::uint32_t> classes{};
};
StaticCounts count(image::Arch arch, std::span<const std::uint8_t> text, std::uint64_t offset,
                   std::uint64_t size);

// Whether spills can be told from other frame slots, so that counts and wamrc's log compare.
bool knows_spills(image::Arch arch);

struct FunctionCounts {
  std::uint32_t local_func = 0;
  StaticCounts counts;
};

// Counts every function of a core, in the order of its functions, on `threads` threads (0: one for
// each CPU). `progress`, if any, is called from the calling thread only, a few times a second, with
// the number of functions that are done.
std::vector<FunctionCounts> inspect_core(
    const image::Core& core, unsigned threads = 0,
    const std::function<void(std::size_t done)>& progress = {});

// Direct jumps and calls whose target is not the start of an instruction that the sweep found, in
// text offsets. None in AOT text unless the sweep lost its way: a check of the sweep.
struct BadTarget {
  std::uint32_t local_func = 0;
  std::uint64_t from = 0;
  std::int64_t target = 0;
};
std::vector<BadTarget> check_targets(const image::Core& core);

// The lines `[aot-spill-metric] local_func=3 mod=0 … spill_ld=511 spill_st=66 …` that wamrc writes
// to stderr under WAMR_AOT_SPILL_METRIC=1, one for each function that spills. Read by key: older
// compilers print fewer fields, and `mod` (the core's number) is 0 where it is missing.
struct SpillEntry {
  std::uint32_t module = 0;
  std::uint32_t local_func = 0;
  std::uint32_t loads = 0;   // spill_ld
  std::uint32_t stores = 0;  // spill_st
};
struct SpillLog {
  std::vector<SpillEntry> entries;  // by module, then local_func; of several the last line counts
  std::size_t broken_lines = 0;     // marked as metric, but cut off or without the numbers
  const SpillEntry* find(std::uint32_t module, std::uint32_t local_func) const;
};
SpillLog parse_spill_log(std::string_view text);
Result<SpillLog> read_spill_log(const std::filesystem::path& path);

// The log held against our own counts of a whole core.
struct SpillComparison {
  struct Difference {
    SpillEntry log;
    std::uint32_t loads = 0;  // ours
    std::uint32_t stores = 0;
  };
  std::size_t in_log = 0;  // functions that the log names for this module
  std::size_t agree = 0;   // of these, with the same loads and stores
  std::vector<Difference> differ;
  std::vector<FunctionCounts> not_in_log;  // we count spills, the log has no line
  std::vector<SpillEntry> beyond;          // the image has no such function
  // The log was written by another build than the image: it names functions that the image does
  // not have, or most functions disagree.
  bool other_build = false;
};
SpillComparison compare(const SpillLog& log, std::uint32_t module,
                        std::span<const FunctionCounts> counts);

// "mov", "rax, qword ptr [rbp - 0x10]". Decoded on demand, for listings only.
struct Disassembly {
  std::string mnemonic;
  std::string operands;
};
Disassembly disassemble(image::Arch arch, std::span<const std::uint8_t> text,
                        std::uint64_t text_offset, std::uint8_t length);

// Lazily analysed functions of one core; safe to ask from several threads.
class CodeCache {
 public:
  explicit CodeCache(std::shared_ptr<const image::Core> core) : core_(std::move(core)) {}
  std::shared_ptr<const Code> code(std::uint32_t local_func);
  const image::Core& core() const { return *core_; }

 private:
  std::shared_ptr<const image::Core> core_;
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, std::shared_ptr<const Code>> codes_;
};

}  // namespace aotscope::isa
