// One decoded instruction in terms that do not depend on the architecture: what the walk over a
// function (sweep.cpp), the data flow (waits.cpp) and the class tables (x86_*.cpp, a64_*.cpp)
// share.
#pragma once

#include <cstdint>

namespace aotscope::isa {

// What an instruction computes. Whether it touches memory is said apart (Op::bits): a load is a
// `move` that reads memory, `add eax, [rbp - 8]` is an `alu` that reads memory.
enum class Kind : std::uint8_t {
  undecoded,  // bytes that are no instruction, or none that a compiler emits
  unknown,    // an instruction that the tables do not know
  nop,
  move,
  zero_extend,
  sign_extend,
  immediate,
  add,  // apart from `alu`: addresses are formed by it
  alu,
  address,
  multiply,
  divide,
  sign_fill,
  floating,
  float_divide,
  vector,
  vector_float,
  exchange,
  bulk,
  fence,
  push,
  pop,
  leave,
  jump,
  branch,
  jump_indirect,
  call,
  call_indirect,
  ret,
  stop,
};
inline constexpr unsigned kind_count = static_cast<unsigned>(Kind::stop) + 1;

// Registers are numbers below 64, so a set of them is one word: 0-30 general purpose, 31 the
// flags, 32-63 vector. AArch64's sp and zr have no number: nothing waits for them.
using RegSet = std::uint64_t;
inline constexpr std::uint8_t reg_flags = 31;
inline constexpr std::uint8_t reg_vector = 32;
inline constexpr std::uint8_t reg_pc = 0xfe;  // only as a base
inline constexpr std::uint8_t reg_sp = 0xfd;  // only as a base, AArch64
inline constexpr std::uint8_t reg_none = 0xff;
constexpr RegSet bit(std::uint8_t reg) { return reg < 64 ? RegSet{1} << reg : 0; }

struct Op {
  enum Bits : std::uint8_t {
    reads_memory = 1,
    writes_memory = 2,
    segment = 4,   // an fs: or gs: operand
    locked = 8,    // lock prefix, exclusive access, implicit lock
    narrow = 16,   // operates on 32 bits or fewer
    byte = 32,     // the source register is a byte (movzx of a flag)
    has_imm = 64,  // `value` is an immediate
  };
  static constexpr std::uint8_t memory = reads_memory | writes_memory;

  std::uint32_t offset = 0;  // from the start of the function
  std::uint8_t length = 0;
  Kind kind = Kind::undecoded;
  std::uint8_t bits = 0;
  std::uint8_t base = reg_none, index = reg_none, scale = 1;  // memory operand, or of an address
  std::uint8_t dst = reg_none, src = reg_none;                // first register of each, if any
  std::int32_t disp = 0;   // of a memory operand; of a conditional jump: the condition's encoding
  std::int64_t value = 0;  // direct jump or call: target from the start of the function
  RegSet reads = 0, writes = 0;

  bool has(std::uint8_t flags) const { return (bits & flags) != 0; }
  // A direct jump, conditional or not; `value` is its target.
  bool jumps() const { return kind == Kind::jump || kind == Kind::branch; }
  // Never goes on with the next instruction.
  bool ends_flow() const {
    return kind == Kind::jump || kind == Kind::jump_indirect || kind == Kind::ret ||
           kind == Kind::stop;
  }
};

}  // namespace aotscope::isa
