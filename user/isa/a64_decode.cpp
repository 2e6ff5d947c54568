// A first AArch64 decoder, by the top-level groups of the Arm manual (C4.1, "A64 instruction set
// encoding"). It tells loads, stores, branches, calls, moves and arithmetic apart and names their
// registers; register 31 (sp or zr) has no number. Vector arithmetic is told as such, no finer.
#include "isa/a64_decode.hpp"

#include <cstring>

namespace aotscope::isa::a64 {
namespace {

struct Word {
  std::uint32_t bits;
  std::uint32_t field(unsigned high, unsigned low) const {
    return bits >> low & ((1u << (high - low + 1)) - 1);
  }
  bool bit(unsigned at) const { return bits >> at & 1; }
  std::int64_t sign(unsigned high, unsigned low) const {
    const unsigned width = high - low + 1;
    const std::int64_t value = field(high, low);
    return value >> (width - 1) & 1 ? value - (std::int64_t{1} << width) : value;
  }
  bool is(std::uint32_t mask, std::uint32_t value) const { return (bits & mask) == value; }
};

// AAPCS64: what a call does not preserve. x0-x18, x30, flags, v0-v7 and v16-v31.
constexpr RegSet caller_saved = 0xffff'00ff'0000'0000 | 0x4007'ffff | bit(reg_flags);

std::uint8_t gpr(std::uint32_t reg) {
  return reg == 31 ? reg_none : static_cast<std::uint8_t>(reg);
}
std::uint8_t vec(std::uint32_t reg) { return static_cast<std::uint8_t>(reg_vector + reg); }
std::uint8_t base(std::uint32_t reg) { return reg == 31 ? reg_sp : static_cast<std::uint8_t>(reg); }

struct Decoder {
  Word w;
  Op& op;

  void reads(std::uint8_t reg) { op.reads |= bit(reg); }
  void writes(std::uint8_t reg) { op.writes |= bit(reg); }
  void dst(std::uint8_t reg) {
    op.dst = reg;
    writes(reg);
  }
  void src(std::uint8_t reg) {
    op.src = reg;
    reads(reg);
  }
  bool as(Kind kind) {
    op.kind = kind;
    return true;
  }
  std::uint8_t rd() const { return gpr(w.field(4, 0)); }
  std::uint8_t rn() const { return gpr(w.field(9, 5)); }
  std::uint8_t rm() const { return gpr(w.field(20, 16)); }

  bool immediate_group() {
    if (!w.bit(31)) op.bits |= Op::narrow;
    switch (w.field(25, 23)) {
      case 0:
      case 1:  // adr, adrp
        op.base = reg_pc;
        dst(rd());
        return as(Kind::address);
      case 2: {  // add, sub; with immediate 0 and sp it is a move
        const bool sets_flags = w.bit(29);
        op.value = static_cast<std::int64_t>(w.field(21, 10)) << (w.bit(22) ? 12 : 0);
        op.bits |= Op::has_imm;
        src(rn());
        if (sets_flags) writes(reg_flags);
        if (!sets_flags || w.field(4, 0) != 31) dst(rd());
        const bool sp = w.field(4, 0) == 31 || w.field(9, 5) == 31;
        if (!sets_flags && op.value == 0 && sp) return as(Kind::move);
        return as(w.bit(30) || sets_flags ? Kind::alu : Kind::add);
      }
      case 4:  // and orr eor ands
        op.bits |= Op::has_imm;
        src(rn());
        if (w.field(30, 29) == 3) writes(reg_flags);
        dst(rd());
        return as(w.field(30, 29) == 1 && w.field(9, 5) == 31 ? Kind::immediate : Kind::alu);
      case 5:  // movn movz movk
        op.bits |= Op::has_imm;
        op.value = static_cast<std::int64_t>(w.field(20, 5)) << 16 * w.field(22, 21);
        dst(rd());
        if (w.field(30, 29) == 3) reads(rd());
        return w.field(30, 29) != 1 && as(Kind::immediate);
      case 6: {  // sbfm bfm ubfm; with immr 0 they extend bytes, half words and words
        src(rn());
        dst(rd());
        if (w.field(30, 29) == 1) reads(rd());
        const std::uint32_t last = w.field(15, 10);
        const bool extends = w.field(21, 16) == 0 && (last == 7 || last == 15 || last == 31);
        if (extends && w.field(30, 29) == 0) return as(Kind::sign_extend);
        if (extends && w.field(30, 29) == 2) return as(Kind::zero_extend);
        return as(Kind::alu);
      }
      case 7:  // extr
        src(rn());
        reads(rm());
        dst(rd());
        return as(Kind::alu);
      default:
        return false;
    }
  }

  bool branch_group() {
    const auto go = [&](Kind kind, unsigned high, unsigned low) {
      op.value = std::int64_t{op.offset} + 4 * w.sign(high, low);
      return as(kind);
    };
    if (w.is(0xfc000000, 0x14000000)) return go(Kind::jump, 25, 0);
    if (w.is(0xfc000000, 0x94000000)) {
      op.writes = caller_saved;
      return go(Kind::call, 25, 0);
    }
    if (w.is(0xff000010, 0x54000000)) {  // b.cond
      reads(reg_flags);
      op.disp = static_cast<std::int32_t>(w.field(3, 0));
      return go(Kind::branch, 23, 5);
    }
    if (w.is(0x7e000000, 0x34000000)) {  // cbz, cbnz
      src(rd());
      return go(Kind::branch, 23, 5);
    }
    if (w.is(0x7e000000, 0x36000000)) {  // tbz, tbnz
      src(rd());
      return go(Kind::branch, 18, 5);
    }
    if (w.is(0xffe0001f, 0xd4200000)) return as(Kind::stop);  // brk
    if (w.is(0xfffff01f, 0xd503201f)) return as(Kind::nop);   // hints
    if (w.is(0xfffff01f, 0xd503301f)) return as(Kind::fence);
    if (w.is(0xff9ffc1f, 0xd61f0000)) {
      src(rn());
      switch (w.field(22, 21)) {
        case 0:
          return as(Kind::jump_indirect);
        case 1:
          op.writes = caller_saved;
          return as(Kind::call_indirect);
        case 2:
          return as(Kind::ret);
        default:
          return false;
      }
    }
    if (w.is(0xffd00000, 0xd5100000)) return as(Kind::unknown);  // mrs, msr
    return false;
  }

  // Loads and stores. `[x, #imm]` has a displacement; with write-back the base is written too.
  bool memory_group() {
    const bool vector = w.bit(26);
    const auto data = [&](std::uint32_t reg) { return vector ? vec(reg) : gpr(reg); };
    const std::uint32_t size = w.field(31, 30);
    const auto access = [&](bool load, std::uint8_t reg) {
      op.bits |= load ? Op::reads_memory : Op::writes_memory;
      load ? dst(reg) : src(reg);
      op.base = base(w.field(9, 5));
      reads(op.base);
      return as(Kind::move);
    };
    if (w.field(29, 27) == 5) {  // pairs
      const unsigned shift = vector ? 2 + size : size & 2 ? 3 : 2;
      op.disp = static_cast<std::int32_t>(w.sign(21, 15) * (1 << shift));
      const bool load = w.bit(22);
      access(load, data(w.field(4, 0)));
      const std::uint8_t second = data(w.field(14, 10));
      load ? writes(second) : reads(second);
      if (w.bit(23)) writes(op.base);
      if (w.field(24, 23) == 1) op.disp = 0;  // post-indexed
      return true;
    }
    if (w.field(29, 27) == 7) {
      const std::uint32_t opc = w.field(23, 22);
      const bool load = vector ? w.bit(22) : opc != 0;
      if (!vector && size < 3 && !(size == 2 && opc == 0)) op.bits |= Op::narrow;
      if (w.bit(24)) {
        const unsigned scale = vector && opc >= 2 ? 4 : size;
        op.disp = static_cast<std::int32_t>(w.field(21, 10) << scale);
        if (size == 3 && opc == 2 && !vector) return as(Kind::nop);  // prfm
        return access(load, data(w.field(4, 0)));
      }
      if (w.bit(21)) {
        if (w.field(11, 10) == 2) {  // register offset
          op.index = rm();
          reads(op.index);
          return access(load, data(w.field(4, 0)));
        }
        if (w.field(11, 10) != 0 || vector) return false;
        op.bits |= Op::memory | Op::locked;  // ldadd, swp, …
        src(rm());
        dst(rd());
        op.base = base(w.field(9, 5));
        reads(op.base);
        return as(Kind::exchange);
      }
      op.disp = static_cast<std::int32_t>(w.sign(20, 12));
      access(load, data(w.field(4, 0)));
      if (w.bit(10)) writes(op.base);  // pre- and post-indexed
      if (w.field(11, 10) == 1) op.disp = 0;
      return true;
    }
    if (w.field(29, 27) == 3 && !w.bit(24)) {  // literal
      op.bits |= Op::reads_memory;
      op.base = reg_pc;
      dst(data(w.field(4, 0)));
      return as(Kind::move);
    }
    if (w.field(29, 24) == 8) {  // exclusive, ordered, compare and swap
      const bool load = w.bit(22);
      access(load, gpr(w.field(4, 0)));
      op.bits |= Op::locked;
      if (!load) writes(rm());
      return true;
    }
    if (vector && !w.bit(31) && (w.field(29, 24) == 12 || w.field(29, 24) == 13))
      return access(w.bit(22), vec(w.field(4, 0)));  // ld1, st1, …
    return false;
  }

  bool register_group() {
    if (!w.bit(31)) op.bits |= Op::narrow;
    const bool sets_flags = w.bit(29);
    if (w.field(28, 24) == 0x0a) {  // and orr eor ands; orr with zr is a move
      src(rm());
      dst(rd());
      const bool move =
          w.field(30, 29) == 1 && !w.bit(21) && w.field(9, 5) == 31 && w.field(15, 10) == 0;
      if (move) return as(rm() == reg_none ? Kind::immediate : Kind::move);
      reads(rn());
      if (w.field(30, 29) == 3) writes(reg_flags);
      return as(Kind::alu);
    }
    if (w.field(28, 24) == 0x0b) {  // add, sub: shifted or extended register
      src(rm());
      reads(rn());
      if (rn() != reg_none) op.base = rn();  // the other operand
      dst(rd());
      if (sets_flags) writes(reg_flags);
      return as(w.bit(30) || sets_flags ? Kind::alu : Kind::add);
    }
    if (w.field(28, 24) == 0x1b) {  // madd msub smulh …
      src(rn());
      reads(rm());
      reads(gpr(w.field(14, 10)));
      dst(rd());
      return as(Kind::multiply);
    }
    if (w.field(28, 24) != 0x1a) return false;
    src(rn());
    reads(rm());
    switch (w.field(23, 21)) {
      case 0:  // adc, sbc
        reads(reg_flags);
        dst(rd());
        if (sets_flags) writes(reg_flags);
        return as(Kind::alu);
      case 2:  // ccmp
        reads(reg_flags);
        writes(reg_flags);
        return as(Kind::alu);
      case 4:  // csel, cset
        reads(reg_flags);
        dst(rd());
        return as(Kind::alu);
      case 6:  // udiv sdiv; shifts by a register, crc; with bit 30 one source: rbit clz rev
        dst(rd());
        return as(!w.bit(30) && (w.field(15, 10) == 2 || w.field(15, 10) == 3) ? Kind::divide
                                                                               : Kind::alu);
      default:
        return false;
    }
  }

  bool vector_group() {
    const bool scalar = w.field(28, 24) == 0x1e && !w.bit(30) && !w.bit(29);
    const bool with_general = scalar && (!w.bit(21) || w.field(15, 10) == 0);
    if (w.bit(31) && !with_general) return false;
    if (!scalar || !w.bit(21)) {  // packed; or conversions with fixed point
      dst(vec(w.field(4, 0)));
      src(vec(w.field(9, 5)));
      reads(vec(w.field(20, 16)));
      reads(vec(w.field(4, 0)));
      if (w.field(28, 24) == 0x1f) return as(Kind::floating);  // fmadd
      return as(scalar ? Kind::floating : Kind::vector);
    }
    const std::uint32_t n = w.field(9, 5), d = w.field(4, 0);
    if (w.field(15, 10) == 0) {  // between register files: fmov, fcvtzs, scvtf
      const std::uint32_t opcode = w.field(18, 16);
      const bool to_vector = opcode == 7 || opcode == 2 || opcode == 3;
      dst(to_vector ? vec(d) : gpr(d));
      src(to_vector ? gpr(n) : vec(n));
      return as(opcode >= 6 ? Kind::move : Kind::floating);
    }
    src(vec(n));
    if (w.field(13, 10) == 8 || w.field(11, 10) == 1) {  // fcmp, fccmp
      reads(vec(w.field(20, 16)));
      writes(reg_flags);
      return as(Kind::floating);
    }
    dst(vec(d));
    if (w.field(12, 10) == 4) {  // fmov d, #imm
      op.reads = 0;
      return as(Kind::immediate);
    }
    if (w.field(14, 10) == 0x10) {  // one source
      if (w.field(20, 15) == 0) return as(Kind::move);
      return as(w.field(20, 15) == 3 ? Kind::float_divide : Kind::floating);  // fsqrt
    }
    reads(vec(w.field(20, 16)));
    if (w.field(11, 10) == 3) {  // fcsel
      reads(reg_flags);
      return as(Kind::floating);
    }
    return as(w.field(15, 12) == 1 ? Kind::float_divide : Kind::floating);
  }
};

}  // namespace

bool decode(std::span<const std::uint8_t> code, std::uint32_t offset, Op& op) {
  op = Op{};
  op.offset = offset;
  if (offset % 4 != 0 || code.size() - offset < 4) return false;
  Word word{};
  std::memcpy(&word.bits, code.data() + offset, sizeof word.bits);
  op.length = 4;
  Decoder decoder{word, op};
  switch (word.field(28, 25)) {
    case 8:
    case 9:
      return decoder.immediate_group();
    case 10:
    case 11:
      return decoder.branch_group();
    case 4:
    case 6:
    case 12:
    case 14:
      return decoder.memory_group();
    case 5:
    case 13:
      return decoder.register_group();
    case 7:
    case 15:
      return decoder.vector_group();
    default:
      return false;
  }
}

}  // namespace aotscope::isa::a64
