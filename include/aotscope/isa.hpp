// The isa room: text of one function -> instruction boundaries, one class for each instruction,
// and the slow producer each one waits for. Pure: bytes in, tables out; safe on any bytes.
// The sequences it knows are those that wamrc's x86-64 back end emits; see user/isa/.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <aotscope/image.hpp>

namespace aotscope::isa {

// Stable ids in order of display. One instruction, one class. `unclassified` is not an
// instruction's class: it counts samples in code whose architecture is not classified yet.
enum class InstrClass : std::uint8_t {
  spill_load, spill_store, local_load, local_store, zero_extend, move, constant, alu, mul_div,
  floating, simd, bounds_check, mem_address, mem_load, mem_store, mem_bulk, atomic, context,
  branch, dispatch, call, frame, trap, other,
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
  std::uint32_t offset = 0;    // bytes from the start of the function
  std::uint8_t length = 0;     // bytes; for undecodable bytes the run that was skipped (<= 255)
  InstrClass cls = InstrClass::other;
  InstrClass waits = InstrClass::other;  // the producer's class, or `cls` where there is none
  bool block_start = false;    // first of a basic block
  bool undecoded = false;      // bytes that are no instruction
  std::int32_t producer = -1;  // index into Code::instrs of the slow producer, -1 for none
  std::int64_t target = -1;    // direct jump or call: target as a TEXT offset; -1 for none
};

// A jump table inside the function's bytes, stepped over by the sweep.
struct JumpTable {
  std::uint32_t offset = 0;            // bytes from the start of the function
  std::vector<std::uint32_t> targets;  // function-relative offset of each entry's target
};

// Where the frame pointer chain lacks one caller: [0, prologue_end) before `mov rbp, rsp` has
// run, and on each `ret`. Stack repair asks this.
enum class FrameState : std::uint8_t {
  complete,        // rbp is this function's frame: the chain is whole
  return_at_sp,    // nothing pushed yet, or on `ret`: the return address is at [rsp]
  return_at_sp_8,  // rbp pushed, not yet set: the return address is at [rsp + 8]
};

struct Code {
  std::vector<Instr> instrs;       // ascending offsets, jump tables and padding left out
  std::vector<JumpTable> tables;
  std::uint32_t spill_loads = 0;   // static, comparable with wamrc's spill_ld / spill_st
  std::uint32_t spill_stores = 0;
  std::uint32_t frame_size = 0;    // N of `sub rsp, N`, 0 when there is none
  std::uint32_t undecoded_bytes = 0;
  bool classified = true;          // false: architecture without class tables
  PerClass<std::uint32_t> counts{};  // instructions of each class

  // The instruction that covers a function-relative offset, or null (table, padding).
  const Instr* at(std::uint32_t offset) const;
  FrameState frame_state(std::uint32_t offset) const;
  std::vector<std::uint32_t> pushes_before_frame;  // see user/isa: offsets in FrameState order
  std::vector<std::uint32_t> rets;
};

// Decodes and classifies one function. Never fails: bytes that decode into nonsense are counted
// in undecoded_bytes and the decode goes on at the next byte that fits.
Code analyze(image::Arch arch, std::span<const std::uint8_t> text, std::uint64_t offset,
             std::uint64_t size);

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
