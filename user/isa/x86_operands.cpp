#include "isa/x86_decode.hpp"
#include "isa/x86_encoding.hpp"

namespace aotscope::isa::x86 {
namespace {

// System V: what a call does not preserve. rax rcx rdx rsi rdi r8-r11, flags, all vectors.
constexpr RegSet caller_saved = 0xffff'ffff'0000'0fc7 | bit(reg_flags);

// Without REX, byte registers 4-7 are ah ch dh bh.
std::uint8_t number(const Encoding& in, std::uint8_t reg, bool vector, bool byte) {
  if (vector) return static_cast<std::uint8_t>(reg + reg_vector);
  const bool high = byte && !in.rex && reg >= 4 && reg < 8;
  return high ? static_cast<std::uint8_t>(reg - 4) : reg;
}

// Operands in ModRM.
void modrm_operands(const Encoding& in, Op& op) {
  const Entry& entry = in.entry;
  const bool byte = entry.flags & Entry::byte_op;
  const bool extends = entry.kind == Kind::zero_extend || entry.kind == Kind::sign_extend;
  const std::uint8_t in_rm = number(in, in.rm, entry.flags & Entry::vec_rm, byte);
  const std::uint8_t in_reg = number(in, in.reg, entry.flags & Entry::vec_reg, byte && !extends);
  const bool reads_dst = entry.flags & Entry::reads_dst;
  const bool writes = !(entry.flags & Entry::no_dst);
  std::uint8_t dst = entry.form == Form::reg_rm ? in_reg : in_rm;
  std::uint8_t src = entry.form == Form::rm_reg   ? in_reg
                     : entry.form == Form::reg_rm ? in_rm
                                                  : reg_none;
  if (in.has_memory) {
    const bool memory_is_dst = entry.form != Form::reg_rm;
    (memory_is_dst ? dst : src) = reg_none;
    if (entry.kind != Kind::address) {
      if (!memory_is_dst || reads_dst) op.bits |= Op::reads_memory;
      if (memory_is_dst && writes) op.bits |= Op::writes_memory;
    }
  }
  if (reads_dst) op.reads |= bit(dst);
  op.reads |= bit(src);
  if (writes) op.writes |= bit(dst);
  if (writes || src != reg_none)
    op.dst = dst;
  else
    src = dst;  // the operand of div, call, push; cmp's register when the other side is memory
  op.src = src;
}

// The operand in the opcode's low bits, or rax.
void opcode_operand(const Encoding& in, Op& op) {
  const Entry& entry = in.entry;
  const bool acc = entry.form == Form::acc;
  const auto reg = acc ? rax : static_cast<std::uint8_t>((in.opcode & 7) | (in.rex & 1) << 3);
  const bool writes = entry.kind != Kind::push && !(entry.flags & Entry::no_dst);
  const bool reads = entry.kind == Kind::push || entry.flags & Entry::reads_dst;
  if (writes) {
    op.dst = reg;
    op.writes |= bit(reg);
  }
  if (reads) {
    op.reads |= bit(reg);
    if (!writes || !acc) op.src = reg;
  }
  if (entry.kind == Kind::exchange) {  // with rax
    op.src = rax;
    op.reads |= bit(rax);
    op.writes |= bit(rax);
  }
}

void implied_registers(const Encoding& in, Op& op) {
  switch (op.kind) {
    case Kind::call:
    case Kind::call_indirect:
      op.writes |= caller_saved;
      break;
    case Kind::sign_extend:
      if (in.entry.form == Form::none) {  // cdqe
        op.reads |= bit(rax);
        op.writes |= bit(rax);
        op.dst = op.src = rax;
      }
      break;
    case Kind::sign_fill:
      op.reads |= bit(rax);
      op.writes |= bit(rdx);
      break;
    case Kind::multiply:
    case Kind::divide:
      if (in.two || in.entry.form != Form::rm) break;  // the forms of imul that name a destination
      op.reads |= bit(rax) | (op.kind == Kind::divide ? bit(rdx) : 0);
      op.writes |= bit(rax) | bit(rdx);
      break;
    case Kind::bulk: {
      const bool copies = in.opcode < 0xa8;  // movs; else stos
      const RegSet moved = bit(rdi) | bit(rcx) | (copies ? bit(rsi) : 0);
      op.reads |= moved | (copies ? 0 : bit(rax));
      op.writes |= moved;
      op.bits |= Op::writes_memory;
      if (copies) op.bits |= Op::reads_memory;
      break;
    }
    case Kind::exchange:
      if (in.two && (in.opcode == 0xb0 || in.opcode == 0xb1)) {  // cmpxchg
        op.reads |= bit(rax);
        op.writes |= bit(rax);
      } else {
        op.writes |= bit(op.src);
      }
      if (in.has_memory && !in.two) op.bits |= Op::locked;  // xchg with memory always is
      break;
    case Kind::alu: {
      const bool by_cl =
          in.two ? in.opcode == 0xa5 || in.opcode == 0xad : in.opcode == 0xd2 || in.opcode == 0xd3;
      if (by_cl) op.reads |= bit(rcx);
      break;
    }
    default:
      break;
  }
}

// A register minus or xor itself is zero and depends on nothing.
bool zeroes(const Encoding& in, const Op& op) {
  const bool opcode =
      in.two ? in.opcode == 0x57 || in.opcode == 0xef
             : in.opcode == 0x29 || in.opcode == 0x2b || in.opcode == 0x31 || in.opcode == 0x33;
  return opcode && !in.has_memory && op.dst == op.src;
}

}  // namespace

bool pick_from_group(Encoding& in) {
  const std::uint8_t pick = in.reg & 7;
  Entry& entry = in.entry;
  if (in.two) {
    switch (in.opcode) {
      case 0xae:
        return in.mod == 3 && pick >= 5;  // lfence mfence sfence; ldmxcsr asks Capstone
      case 0xba:
        if (pick == 4) entry.flags |= Entry::no_dst;
        return pick >= 4;
      case 0x71:
      case 0x72:
      case 0x73:
        return in.mod == 3 && pick >= 2;
      default:
        return true;
    }
  }
  switch (in.opcode) {
    case 0x80:
    case 0x81:
    case 0x83:
      if (pick == 0) entry.kind = Kind::add;
      if (pick == 7) entry.flags |= Entry::no_dst;  // cmp
      if (pick == 2 || pick == 3) entry.flags |= Entry::uses_flags;
      return true;
    case 0xc0:
    case 0xc1:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
      return pick != 6;
    case 0xf6:
    case 0xf7:
      if (pick == 2) return true;  // not
      entry.flags |= Entry::sets_flags;
      if (pick == 3) return true;  // neg
      entry.flags |= Entry::no_dst;
      if (pick < 2) {  // test
        entry.imm = in.opcode == 0xf6 ? Imm::b : Imm::z;
        return true;
      }
      entry.kind = pick < 6 ? Kind::multiply : Kind::divide;
      return true;
    case 0xfe:
      return pick < 2;
    case 0xff:
      if (pick < 2) return true;
      entry.flags = Entry::no_dst | Entry::reads_dst;
      entry.kind = pick == 2 ? Kind::call_indirect : pick == 4 ? Kind::jump_indirect : Kind::push;
      return pick == 2 || pick == 4 || pick == 6;
    case 0x8f:
    case 0xc6:
    case 0xc7:
      return pick == 0;
    default:
      return true;
  }
}

void fill_operands(const Encoding& in, Op& op) {
  const Entry& entry = in.entry;
  op.kind = entry.kind;
  if (!in.wide()) op.bits |= Op::narrow;
  if (entry.flags & Entry::byte_op) op.bits |= Op::byte;
  if (in.lock) op.bits |= Op::locked;
  if (entry.kind == Kind::nop || entry.kind == Kind::fence) return;
  switch (entry.form) {
    case Form::rm_reg:
    case Form::reg_rm:
    case Form::rm:
      modrm_operands(in, op);
      break;
    case Form::opcode:
    case Form::acc:
      opcode_operand(in, op);
      break;
    default:
      break;
  }
  if (entry.flags & Entry::sets_flags) op.writes |= bit(reg_flags);
  if (entry.flags & Entry::uses_flags) op.reads |= bit(reg_flags);
  implied_registers(in, op);
  if (zeroes(in, op)) {
    op.kind = Kind::immediate;
    op.reads = 0;
  }
}

}  // namespace aotscope::isa::x86
