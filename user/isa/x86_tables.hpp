// x86-64 opcode tables: for each opcode byte of the one-byte and the 0F maps, the shape of its
// operands and what it computes. They hold what compilers emit for user code; everything else is
// `ask`, and x86_capstone.cpp decides whether it is an instruction at all.
#pragma once

#include <array>
#include <cstdint>

#include "isa/op.hpp"

namespace aotscope::isa::x86 {

// Where an instruction's operands are.
enum class Form : std::uint8_t {
  ask,      // not in the tables
  none,     // no operands, or only implied ones
  opcode,   // register in the low three bits of the opcode
  rm_reg,   // ModRM, destination first: r/m, reg
  reg_rm,   // ModRM: reg, r/m
  rm,       // ModRM: r/m alone, the reg field picks the operation
  acc,      // rax and an immediate
  relative  // jump displacement
};

// How large the immediate is.
enum class Imm : std::uint8_t {
  none,
  b,     // one byte
  w,     // two bytes
  z,     // four bytes, two with a 66 prefix
  full,  // eight with REX.W, else as z (mov reg, imm64)
};

struct Entry {
  enum Flags : std::uint8_t {
    reads_dst = 1,  // the destination is also a source (add, xor)
    no_dst = 2,     // nothing is written but flags (cmp, test, ucomisd)
    sets_flags = 4,
    uses_flags = 8,
    byte_op = 16,  // 8-bit operands (or an 8-bit source of movzx)
    vec_reg = 32,  // the reg field names a vector register
    vec_rm = 64,   // the r/m field does, when it is no memory
  };
  Form form = Form::ask;
  Imm imm = Imm::none;
  Kind kind = Kind::unknown;
  std::uint8_t flags = 0;
};
using Map = std::array<Entry, 256>;

extern const Map one_byte;  // by opcode
extern const Map two_byte;  // by the opcode behind 0F; of SSE, the shape without the prefix's say

// The kind of an SSE instruction of the 0F map once its mandatory prefix is known: F2 and F3 make
// the arithmetic scalar. `prefix` is 0, 0x66, 0xf2 or 0xf3.
Kind sse_kind(std::uint8_t opcode, std::uint8_t prefix, Kind table_kind);

}  // namespace aotscope::isa::x86
