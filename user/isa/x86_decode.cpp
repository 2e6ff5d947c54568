// A table-driven decoder: ten times faster than a general disassembler, which matters because
// `inspect` decodes whole components (58 MB, 12.8 million instructions). The tables cover what
// compilers emit; the rest goes to Capstone (x86_capstone.cpp), and the tests hold the two against
// each other instruction by instruction.
#include "isa/x86_decode.hpp"

#include <cstring>

#include "isa/x86_encoding.hpp"

namespace aotscope::isa::x86 {
namespace {

// Takes the bytes of one instruction apart. Whatever returns false ran out of bytes.
struct Reader {
  std::span<const std::uint8_t> code;
  std::size_t at;
  Op& op;
  Encoding in;

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
          in.size16 = true;
          if (!in.prefix) in.prefix = byte;
          break;
        case 0xf2:
        case 0xf3:
          in.prefix = byte;
          break;
        case 0xf0:
          in.lock = true;
          break;
        case 0x64:
        case 0x65:
          in.segment = true;
          break;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
          break;  // no effect in 64-bit mode
        default:
          if ((byte & 0xf0) == 0x40) {
            in.rex = byte;
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
    const std::uint8_t low = byte & 7;
    in.mod = byte >> 6;
    in.reg = static_cast<std::uint8_t>((byte >> 3 & 7) | (in.rex & 4) << 1);
    in.rm = static_cast<std::uint8_t>(low | (in.rex & 1) << 3);
    if (in.mod == 3) return true;
    in.has_memory = true;
    if (in.segment) op.bits |= Op::segment;
    op.base = in.rm;
    if (low == 4) {
      if (!left(1)) return false;
      const std::uint8_t sib = code[at++];
      const auto index = static_cast<std::uint8_t>((sib >> 3 & 7) | (in.rex & 2) << 2);
      op.base = static_cast<std::uint8_t>((sib & 7) | (in.rex & 1) << 3);
      if (index != 4) {
        op.index = index;
        op.scale = static_cast<std::uint8_t>(1 << (sib >> 6));
      }
      if ((sib & 7) == 5 && in.mod == 0) op.base = reg_none;
    } else if (low == 5 && in.mod == 0) {
      op.base = reg_pc;
    }
    std::int64_t disp = 0;
    if (in.mod == 1 && !take<std::int8_t>(disp)) return false;
    const bool disp32 = in.mod == 2 || op.base == reg_pc || (in.mod == 0 && op.base == reg_none);
    if (disp32 && !take<std::int32_t>(disp)) return false;
    op.disp = static_cast<std::int32_t>(disp);
    if (op.base != rsp) op.reads |= bit(op.base);
    op.reads |= bit(op.index);
    return true;
  }

  bool immediate() {
    if (in.entry.imm == Imm::none) return true;
    op.bits |= Op::has_imm;
    switch (in.entry.imm) {
      case Imm::b:
        return take<std::int8_t>(op.value);
      case Imm::w:
        return take<std::int16_t>(op.value);
      case Imm::full:
        if (in.wide()) return take<std::int64_t>(op.value);
        [[fallthrough]];
      default:
        return in.size16 && !in.wide() ? take<std::int16_t>(op.value)
                                       : take<std::int32_t>(op.value);
    }
  }

  bool relative() {
    std::int64_t displacement = 0;
    const bool near = in.entry.imm == Imm::b;
    if (near ? !take<std::int8_t>(displacement) : !take<std::int32_t>(displacement)) return false;
    op.value = static_cast<std::int64_t>(at) + displacement;
    if (in.entry.kind == Kind::branch) op.disp = in.opcode & 0xf;
    return true;
  }

  enum class Found { yes, ask, no };
  Found opcode();
  Found sse_map(std::uint8_t map);
  Found whole();
};

// MMX, and encodings that do not exist. Compilers of wasm use neither.
bool is_sse(std::uint8_t opcode, std::uint8_t prefix) {
  const bool scalar = prefix == 0xf2 || prefix == 0xf3;
  if (opcode == 0x2a || opcode == 0x2c || opcode == 0x2d) return scalar;
  const bool packed_only =
      (opcode >= 0x60 && opcode <= 0x76) || opcode == 0xc4 || opcode == 0xc5 || opcode >= 0xd1;
  if (opcode == 0x6f || opcode == 0x7e || opcode == 0x7f) return prefix == 0x66 || prefix == 0xf3;
  if (opcode == 0x7c || opcode == 0x7d || opcode == 0xd0) return prefix == 0x66 || prefix == 0xf2;
  if (opcode == 0x70 || opcode == 0xe6) return prefix != 0;
  return !packed_only || prefix == 0x66;
}

// The 0F38 and 0F3A maps.
Reader::Found Reader::sse_map(std::uint8_t map) {
  if (!left(1)) return Found::no;
  const std::uint8_t opcode = code[at++];
  const bool with_imm = map == 0x3a;
  // movbe, crc32, ptest, pcmpestri and their kin
  if (in.prefix != 0x66 || (!with_imm && (opcode >= 0xf0 || opcode == 0x17)) ||
      (with_imm && opcode >= 0x60))
    return Found::ask;
  const bool round = with_imm && (opcode == 0x0a || opcode == 0x0b);  // roundss, roundsd
  const bool extract = with_imm && opcode >= 0x14 && opcode <= 0x17;  // pextrb …
  const bool insert = with_imm && (opcode == 0x20 || opcode == 0x22);
  unsigned flags = Entry::vec_reg;
  if (!extract && !insert) flags |= Entry::vec_rm;
  if (!extract && !round) flags |= Entry::reads_dst;
  in.entry = {extract ? Form::rm_reg : Form::reg_rm, with_imm ? Imm::b : Imm::none,
              round ? Kind::floating : Kind::vector, static_cast<std::uint8_t>(flags)};
  in.opcode = 0;  // it is no opcode of the 0F map
  return Found::yes;
}

Reader::Found Reader::opcode() {
  in.opcode = code[at++];
  if (in.opcode != 0x0f) {
    in.entry = one_byte[in.opcode];
    if (in.opcode == 0x90 && in.rex & 1)  // with REX.B it is xchg r8, rax
      in.entry = {Form::opcode, Imm::none, Kind::exchange, Entry::reads_dst};
    return in.entry.form == Form::ask ? Found::ask : Found::yes;
  }
  if (!left(1)) return Found::no;
  in.two = true;
  in.opcode = code[at++];
  if (in.opcode == 0x38 || in.opcode == 0x3a) return sse_map(in.opcode);
  in.entry = two_byte[in.opcode];
  if (in.entry.form == Form::ask) return Found::ask;
  if (in.entry.flags & (Entry::vec_reg | Entry::vec_rm) && !is_sse(in.opcode, in.prefix))
    return Found::no;
  in.entry.kind = sse_kind(in.opcode, in.prefix, in.entry.kind);
  if (in.opcode == 0x7e && in.prefix == 0xf3)  // movq xmm, xmm/m64
    in.entry = {Form::reg_rm, Imm::none, Kind::move, Entry::vec_reg | Entry::vec_rm};
  if (in.opcode == 0xb8 && in.prefix != 0xf3) return Found::no;  // only popcnt
  return Found::yes;
}

Reader::Found Reader::whole() {
  if (!prefixes()) return Found::no;
  if (const Found found = opcode(); found != Found::yes) return found;
  const Form form = in.entry.form;
  if (form == Form::rm_reg || form == Form::reg_rm || form == Form::rm) {
    if (!modrm()) return Found::no;
    if (form == Form::rm && in.entry.kind != Kind::nop && !pick_from_group(in)) return Found::ask;
    if (in.entry.kind == Kind::address && !in.has_memory) return Found::no;
  }
  // With a 66 prefix processors disagree about the size of a displacement: nobody emits that.
  if (form == Form::relative ? in.size16 || !relative() : !immediate()) return Found::no;
  fill_operands(in, op);
  // A lock prefix is only allowed where memory is read and written.
  if (in.lock && (op.bits & Op::memory) != Op::memory) return Found::no;
  op.length = static_cast<std::uint8_t>(at - op.offset);
  return op.length <= 15 ? Found::yes : Found::no;
}

}  // namespace

bool decode(std::span<const std::uint8_t> code, std::uint32_t offset, Op& op) {
  op = Op{};
  op.offset = offset;
  switch (Reader{.code = code, .at = offset, .op = op, .in = {}}.whole()) {
    case Reader::Found::yes:
      return true;
    case Reader::Found::ask:
      return decode_by_capstone(code, offset, op);
    case Reader::Found::no:
      break;
  }
  return false;
}

}  // namespace aotscope::isa::x86
