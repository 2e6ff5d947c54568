// A table-driven decoder: ten times faster than a general disassembler, which matters because
// `inspect` decodes whole components (58 MB, 12.8 million instructions). The tables cover what
// compilers emit; the rest goes to Capstone (x86_capstone.cpp), and the tests hold the two against
// each other instruction by instruction.
#include "isa/x86_decode.hpp"

#include <bit>
#include <cstring>

#include "isa/x86_tables.hpp"

namespace aotscope::isa::x86 {
namespace {

// System V: what a call does not preserve. rax rcx rdx rsi rdi r8-r11, flags, all vectors.
constexpr RegSet caller_saved = 0xffff'ffff'0000'0fc7 | bit(reg_flags);

struct Decoder {
  std::span<const std::uint8_t> code;
  std::size_t at;
  Op& op;

  std::uint8_t prefix = 0;  // 66, or F2/F3 which win over it as the mandatory prefix of SSE
  bool size16 = false, lock = false, segment = false;
  std::uint8_t rex = 0;
  std::uint8_t mod = 0, reg = 0, rm = 0;  // reg and rm with their REX bits
  bool has_memory = false;

  bool left(std::size_t n) const { return code.size() - at >= n; }

  template <typename T>
  bool take(std::int64_t& out) {
    if (!left(sizeof(T))) return false;
    T value;
    std::memcpy(&value, code.data() + at, sizeof value);
    out = value;
    at += sizeof value;
    return true;
  }

  // Legacy prefixes, then REX directly before the opcode.
  bool prefixes() {
    for (; left(1); ++at) {
      switch (const std::uint8_t byte = code[at]) {
        case 0x66:
          size16 = true;
          if (!prefix) prefix = byte;
          break;
        case 0xf2:
        case 0xf3:
          prefix = byte;
          break;
        case 0xf0:
          lock = true;
          break;
        case 0x64:
        case 0x65:
          segment = true;
          break;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
          break;  // no effect in 64-bit mode
        default:
          if ((byte & 0xf0) == 0x40) {
            rex = byte;
            ++at;
          }
          return left(1) && at - op.offset < 12;
      }
    }
    return false;
  }

  bool modrm() {
    if (!left(1)) return false;
    const std::uint8_t byte = code[at++];
    mod = byte >> 6;
    reg = static_cast<std::uint8_t>((byte >> 3 & 7) | (rex & 4) << 1);
    const std::uint8_t low = byte & 7;
    rm = static_cast<std::uint8_t>(low | (rex & 1) << 3);
    if (mod == 3) return true;
    has_memory = true;
    if (segment) op.bits |= Op::segment;
    op.base = rm;
    if (low == 4) {
      if (!left(1)) return false;
      const std::uint8_t sib = code[at++];
      const auto index = static_cast<std::uint8_t>((sib >> 3 & 7) | (rex & 2) << 2);
      op.base = static_cast<std::uint8_t>((sib & 7) | (rex & 1) << 3);
      if (index != 4) {
        op.index = index;
        op.scale = static_cast<std::uint8_t>(1 << (sib >> 6));
      }
      if ((sib & 7) == 5 && mod == 0) op.base = reg_none;
    } else if (low == 5 && mod == 0) {
      op.base = reg_pc;
    }
    std::int64_t disp = 0;
    if (mod == 1 && !take<std::int8_t>(disp)) return false;
    const bool wide = mod == 2 || op.base == reg_pc || (mod == 0 && op.base == reg_none);
    if (wide && !take<std::int32_t>(disp)) return false;
    op.disp = static_cast<std::int32_t>(disp);
    if (op.base != rsp) op.reads |= bit(op.base);
    op.reads |= bit(op.index);
    return true;
  }

  bool immediate(Imm imm) {
    if (imm == Imm::none) return true;
    op.bits |= Op::has_imm;
    switch (imm) {
      case Imm::b:
        return take<std::int8_t>(op.value);
      case Imm::w:
        return take<std::int16_t>(op.value);
      case Imm::full:
        if (rex & 8) return take<std::int64_t>(op.value);
        [[fallthrough]];
      default:
        return size16 ? take<std::int16_t>(op.value) : take<std::int32_t>(op.value);
    }
  }

  // Without REX, byte registers 4-7 are ah ch dh bh.
  std::uint8_t number(std::uint8_t r, bool vector, bool byte) const {
    if (vector) return static_cast<std::uint8_t>(r + reg_vector);
    return byte && !rex && r >= 4 && r < 8 ? static_cast<std::uint8_t>(r - 4) : r;
  }

  // The operations that a reg field picks. False for those that do not exist.
  bool group(std::uint8_t opcode, bool two, Entry& entry) {
    const std::uint8_t pick = reg & 7;
    const auto no_destination = [&] { entry.flags |= Entry::no_dst; };
    if (two) {
      switch (opcode) {
        case 0xae:
          return mod == 3 && pick >= 5;  // lfence mfence sfence; ldmxcsr asks Capstone
        case 0xba:
          if (pick == 4) no_destination();
          return pick >= 4;
        case 0x71:
        case 0x72:
        case 0x73:
          return mod == 3 && pick >= 2;
        default:
          return true;
      }
    }
    switch (opcode) {
      case 0x80:
      case 0x81:
      case 0x83:
        if (pick == 0) entry.kind = Kind::add;
        if (pick == 7) no_destination();
        if (pick == 2 || pick == 3) entry.flags |= Entry::uses_flags;
        return true;
      case 0xc0:
      case 0xc1:
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3:
        if (opcode >= 0xd2) op.reads |= bit(rcx);
        return pick != 6;
      case 0xf6:
      case 0xf7:
        if (pick == 2) return true;  // not
        entry.flags |= Entry::sets_flags;
        if (pick == 3) return true;  // neg
        no_destination();
        if (pick < 2) entry.imm = opcode == 0xf6 ? Imm::b : Imm::z;  // test
        if (pick < 4) return pick < 2;
        entry.kind = pick < 6 ? Kind::multiply : Kind::divide;
        op.reads |= bit(rax) | (pick < 6 ? 0 : bit(rdx));
        op.writes |= bit(rax) | bit(rdx);
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

  // Fills in registers and memory flags for the operands dst (r/m or reg) and src.
  void operands(const Entry& entry) {
    if (entry.kind == Kind::nop || entry.kind == Kind::fence) return;
    const bool byte = entry.flags & Entry::byte_op;
    const bool extends = entry.kind == Kind::zero_extend || entry.kind == Kind::sign_extend;
    const std::uint8_t in_rm = number(rm, entry.flags & Entry::vec_rm, byte);
    const std::uint8_t in_reg = number(reg, entry.flags & Entry::vec_reg, byte && !extends);
    const bool reads_dst = entry.flags & Entry::reads_dst;
    const bool writes = !(entry.flags & Entry::no_dst);
    std::uint8_t dst = reg_none, src = reg_none;
    switch (entry.form) {
      case Form::rm_reg:
        dst = in_rm;
        src = in_reg;
        break;
      case Form::reg_rm:
        dst = in_reg;
        src = in_rm;
        break;
      case Form::rm:
        dst = in_rm;
        break;
      default:
        return;
    }
    const bool memory_is_dst = has_memory && entry.form != Form::reg_rm;
    if (has_memory && entry.kind != Kind::address) {
      if (!memory_is_dst || reads_dst) op.bits |= Op::reads_memory;
      if (memory_is_dst && writes) op.bits |= Op::writes_memory;
    }
    if (has_memory) (memory_is_dst ? dst : src) = reg_none;
    if (reads_dst) op.reads |= bit(dst);
    op.reads |= bit(src);
    if (writes) {
      op.writes |= bit(dst);
      op.dst = dst;
    } else if (src == reg_none) {
      src = dst;  // the operand of div, call, push; cmp's left side when the right is memory
    } else {
      op.dst = dst;
    }
    op.src = src;
  }

  void implied(std::uint8_t opcode, bool two, const Entry& entry);
  bool run();
};

// What the operand form does not tell: implied registers, kinds that depend on the operands.
void Decoder::implied(std::uint8_t opcode, bool two, const Entry& entry) {
  switch (op.kind) {
    case Kind::call:
    case Kind::call_indirect:
      op.writes |= caller_saved;
      break;
    case Kind::push:
      op.writes = 0;
      break;
    case Kind::sign_extend:
      if (entry.form == Form::none) {  // cdqe
        op.reads |= bit(rax);
        op.writes |= bit(rax);
        op.dst = op.src = rax;
      }
      break;
    case Kind::sign_fill:
      op.reads |= bit(rax);
      op.writes |= bit(rdx);
      break;
    case Kind::bulk:
      op.reads |= bit(rdi) | bit(rcx);
      op.writes |= bit(rdi) | bit(rcx);
      op.bits |= Op::writes_memory;
      if (opcode < 0xa8) {
        op.reads |= bit(rsi);
        op.writes |= bit(rsi);
        op.bits |= Op::reads_memory;
      } else {
        op.reads |= bit(rax);
      }
      break;
    case Kind::exchange:
      if (two && (opcode == 0xb0 || opcode == 0xb1)) {  // cmpxchg
        op.reads |= bit(rax);
        op.writes |= bit(rax);
      } else {
        op.writes |= bit(op.src);
      }
      if (has_memory && !two) op.bits |= Op::locked;  // xchg with memory always is
      break;
    case Kind::alu:
      if (two && (opcode == 0xa5 || opcode == 0xad)) op.reads |= bit(rcx);
      break;
    default:
      break;
  }
  // A register minus or xor itself is zero and depends on nothing.
  const bool zeroes = two ? opcode == 0x57 || opcode == 0xef
                          : opcode == 0x29 || opcode == 0x2b || opcode == 0x31 || opcode == 0x33;
  if (zeroes && !has_memory && op.dst == op.src) {
    op.kind = Kind::immediate;
    op.reads = 0;
  }
}

bool Decoder::run() {
  if (!prefixes()) return false;
  std::uint8_t opcode = code[at++];
  bool two = false;
  Entry entry;
  if (opcode == 0x0f) {
    if (!left(1)) return false;
    two = true;
    opcode = code[at++];
    if (opcode == 0x38 || opcode == 0x3a) {
      if (!left(1)) return false;
      const std::uint8_t third = code[at++];
      if (opcode == 0x38 && third >= 0xf0) return decode_by_capstone(code, op.offset, op);
      const bool round = opcode == 0x3a && (third == 0x0a || third == 0x0b);  // roundss, roundsd
      const bool general = opcode == 0x3a && ((third >= 0x14 && third <= 0x17) || third == 0x20 ||
                                              third == 0x22);  // pextr, pinsr
      const bool extract = general && third < 0x20;
      entry = {extract ? Form::rm_reg : Form::reg_rm, opcode == 0x3a ? Imm::b : Imm::none,
               round ? Kind::floating : Kind::vector,
               static_cast<std::uint8_t>(Entry::vec_reg | (general ? 0 : +Entry::vec_rm) |
                                         (extract || round ? 0 : +Entry::reads_dst))};
      opcode = 0;  // no entry of the 0F map
      if (prefix != 0x66) return decode_by_capstone(code, op.offset, op);
    } else {
      entry = two_byte[opcode];
      entry.kind = sse_kind(opcode, prefix, entry.kind);
      // Scalar moves and conversions keep their upper half; waiting does not care.
      if (opcode == 0x7e && prefix == 0xf3)  // movq xmm, xmm/m64
        entry = {Form::reg_rm, Imm::none, Kind::move, Entry::vec_reg | Entry::vec_rm};
      if (opcode == 0xb8 && prefix != 0xf3) return false;
    }
  } else {
    entry = one_byte[opcode];
    if (opcode == 0x90 && rex & 1) entry = {Form::opcode, Imm::none, Kind::exchange, 1};
  }
  if (entry.form == Form::ask) return decode_by_capstone(code, op.offset, op);
  if (entry.form >= Form::rm_reg && entry.form <= Form::rm) {
    if (!modrm()) return false;
    if (entry.form == Form::rm && entry.kind != Kind::nop && !group(opcode, two, entry))
      return decode_by_capstone(code, op.offset, op);
    if (entry.kind == Kind::address && !has_memory) return false;
  }
  op.kind = entry.kind;
  if (entry.form == Form::relative) {
    std::int64_t displacement = 0;
    if (entry.imm == Imm::b ? !take<std::int8_t>(displacement) : !take<std::int32_t>(displacement))
      return false;
    op.value = static_cast<std::int64_t>(at) + displacement;
    if (op.kind == Kind::branch) op.disp = opcode & 0xf;
  } else if (!immediate(entry.imm)) {
    return false;
  }
  if (!(rex & 8)) op.bits |= Op::narrow;
  if (entry.flags & Entry::byte_op) op.bits |= Op::byte;
  if (lock) op.bits |= Op::locked;
  operands(entry);
  if (entry.form == Form::opcode) {
    op.dst = static_cast<std::uint8_t>((opcode & 7) | (rex & 1) << 3);
    if (entry.kind == Kind::push || entry.flags & Entry::reads_dst) {
      op.src = op.dst;
      op.reads |= bit(op.dst);
    }
    if (entry.kind == Kind::exchange) {  // with rax
      op.src = rax;
      op.reads |= bit(rax);
    }
    op.writes |= bit(op.dst);
  } else if (entry.form == Form::acc) {
    const bool writes = !(entry.flags & Entry::no_dst);
    (writes ? op.dst : op.src) = rax;
    op.reads |= bit(rax);
    if (writes) op.writes |= bit(rax);
  }
  if (entry.flags & Entry::sets_flags) op.writes |= bit(reg_flags);
  if (entry.flags & Entry::uses_flags) op.reads |= bit(reg_flags);
  implied(opcode, two, entry);
  op.length = static_cast<std::uint8_t>(at - op.offset);
  return op.length <= 15;
}

}  // namespace

bool decode(std::span<const std::uint8_t> code, std::uint32_t offset, Op& op) {
  op = Op{};
  op.offset = offset;
  Decoder decoder{.code = code, .at = offset, .op = op};
  return decoder.run();
}

}  // namespace aotscope::isa::x86
