// One x86-64 instruction taken apart: what x86_decode.cpp reads from the bytes and
// x86_operands.cpp turns into registers and flags.
#pragma once

#include <cstdint>

#include "isa/op.hpp"
#include "isa/x86_tables.hpp"

namespace aotscope::isa::x86 {

struct Encoding {
  std::uint8_t prefix = 0;  // 66, or F2/F3, which win over it as the mandatory prefix of SSE
  bool size16 = false, lock = false, segment = false;
  std::uint8_t rex = 0;
  bool two = false;  // opcode is of the 0F map
  std::uint8_t opcode = 0;
  std::uint8_t mod = 0, reg = 0, rm = 0;  // reg and rm with their REX bits
  bool has_memory = false;
  Entry entry;

  bool wide() const { return rex & 8; }
};

// The operation that the ModRM reg field of a group picks, into `encoding.entry`. False for those
// that do not exist or that the tables leave to Capstone.
bool pick_from_group(Encoding& encoding);

// Registers, memory flags and whatever else the entry implies.
void fill_operands(const Encoding& encoding, Op& op);

}  // namespace aotscope::isa::x86
