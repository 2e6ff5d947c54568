// Capstone's view of one instruction, for what the tables leave out. Detail is on: operands and
// registers come from it, so that VEX-encoded code is followed too.
#include <capstone/capstone.h>

#include <algorithm>

#include "isa/x86_decode.hpp"

namespace aotscope::isa::x86 {
namespace {

// One handle and one instruction for each thread: a Capstone handle is not shared safely.
struct Handle {
  csh handle = 0;
  cs_insn* insn = nullptr;
  Handle() {
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK) return;
    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    insn = cs_malloc(handle);
  }
  ~Handle() {
    if (insn) cs_free(insn, 1);
    if (handle) cs_close(&handle);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
};

std::uint8_t number(unsigned reg) {
  // In the order of their encoding; 64, 32, 16 and 8 bits.
  static constexpr unsigned low[][4] = {
      {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL},
      {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL},
      {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL},
      {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL},
      {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
      {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
      {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
      {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
  };
  for (std::uint8_t i = 0; i < 8; ++i)
    for (const unsigned name : low[i])
      if (reg == name) return i;
  // r8 to r15 and the vectors have consecutive names for each width.
  static constexpr struct {
    unsigned first, count;
    std::uint8_t number;
  } rows[] = {
      {X86_REG_R8, 8, 8},
      {X86_REG_R8D, 8, 8},
      {X86_REG_R8W, 8, 8},
      {X86_REG_R8B, 8, 8},
      {X86_REG_XMM0, 32, reg_vector},
      {X86_REG_YMM0, 32, reg_vector},
      {X86_REG_ZMM0, 32, reg_vector},
      {X86_REG_EFLAGS, 1, reg_flags},
      {X86_REG_RIP, 1, reg_pc},
  };
  for (const auto& row : rows)
    if (reg - row.first < row.count) return static_cast<std::uint8_t>(row.number + reg - row.first);
  return reg_none;
}

bool in_group(const cs_detail& detail, std::uint8_t group) {
  return std::find(detail.groups, detail.groups + detail.groups_count, group) !=
         detail.groups + detail.groups_count;
}

// Instructions that are valid but that no compiler puts into user code; they appear only when
// data is decoded. X87 is among them: wasm's arithmetic is SSE.
bool is_nonsense(const cs_insn& insn) {
  const cs_detail& detail = *insn.detail;
  if (in_group(detail, X86_GRP_PRIVILEGE) || in_group(detail, X86_GRP_INT) ||
      in_group(detail, X86_GRP_IRET) || in_group(detail, X86_GRP_FPU))
    return true;
  const std::uint8_t first = detail.x86.opcode[0];
  if (first >= 0xd8 && first <= 0xdf) return true;  // x87
  switch (insn.id) {
    case X86_INS_IN:
    case X86_INS_OUT:
    case X86_INS_INSB:
    case X86_INS_INSD:
    case X86_INS_INSW:
    case X86_INS_OUTSB:
    case X86_INS_OUTSD:
    case X86_INS_OUTSW:
    case X86_INS_HLT:
    case X86_INS_CLI:
    case X86_INS_STI:
    case X86_INS_LCALL:
    case X86_INS_LJMP:
    case X86_INS_RETF:
    case X86_INS_RETFQ:
    case X86_INS_ENTER:
    case X86_INS_XLATB:
    case X86_INS_LOOP:
    case X86_INS_LOOPE:
    case X86_INS_LOOPNE:
    case X86_INS_JECXZ:
    case X86_INS_JRCXZ:
    case X86_INS_CMC:
    case X86_INS_CLC:
    case X86_INS_STC:
    case X86_INS_CLD:
    case X86_INS_STD:
    case X86_INS_LAHF:
    case X86_INS_SAHF:
    case X86_INS_WAIT:
    case X86_INS_PUSHF:
    case X86_INS_PUSHFQ:
    case X86_INS_POPF:
    case X86_INS_POPFQ:
    case X86_INS_SLDT:
    case X86_INS_STR:
    case X86_INS_SGDT:
    case X86_INS_SIDT:
    case X86_INS_SMSW:
    case X86_INS_LAR:
    case X86_INS_LSL:
    case X86_INS_VERR:
    case X86_INS_VERW:
    case X86_INS_LSS:
    case X86_INS_LFS:
    case X86_INS_LGS:
    case X86_INS_SCASB:
    case X86_INS_SCASD:
    case X86_INS_SCASQ:
    case X86_INS_SCASW:
    case X86_INS_LODSB:
    case X86_INS_LODSD:
    case X86_INS_LODSQ:
    case X86_INS_LODSW:
    case X86_INS_CMPSB:
    case X86_INS_CMPSQ:
    case X86_INS_CMPSW:
    case X86_INS_RCL:
    case X86_INS_RCR:
    case X86_INS_INT1:
    case X86_INS_EMMS:
    case X86_INS_FEMMS:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool decode_by_capstone(std::span<const std::uint8_t> code, std::uint32_t offset, Op& op) {
  thread_local Handle capstone;
  op = Op{};
  op.offset = offset;
  if (!capstone.insn) return false;
  const std::uint8_t* bytes = code.data() + offset;
  std::size_t size = code.size() - offset;
  std::uint64_t address = offset;
  cs_insn& insn = *capstone.insn;
  if (!cs_disasm_iter(capstone.handle, &bytes, &size, &address, &insn) || is_nonsense(insn))
    return false;
  const cs_detail& detail = *insn.detail;
  op.length = static_cast<std::uint8_t>(insn.size);
  op.kind = Kind::unknown;
  for (std::uint8_t i = 0; i < detail.regs_read_count; ++i)
    op.reads |= bit(number(detail.regs_read[i]));
  for (std::uint8_t i = 0; i < detail.regs_write_count; ++i)
    op.writes |= bit(number(detail.regs_write[i]));
  bool vector = false;
  for (std::uint8_t i = 0; i < detail.x86.op_count; ++i) {
    const cs_x86_op& operand = detail.x86.operands[i];
    if (operand.type == X86_OP_REG) {
      const std::uint8_t reg = number(operand.reg);
      vector = vector || (reg >= reg_vector && reg < 64);
      // Capstone 4 leaves `access` empty for some VEX forms: the first operand is the result.
      const bool writes = operand.access & CS_AC_WRITE || (!operand.access && i == 0);
      if (writes && op.dst == reg_none) op.dst = reg;
      if (!writes && op.src == reg_none) op.src = reg;
      if (writes) op.writes |= bit(reg);
      if (!writes || operand.access & CS_AC_READ) op.reads |= bit(reg);
    } else if (operand.type == X86_OP_MEM) {
      op.base = number(operand.mem.base);
      op.index = number(operand.mem.index);
      op.scale = static_cast<std::uint8_t>(operand.mem.scale);
      op.disp = static_cast<std::int32_t>(operand.mem.disp);
      op.reads |= bit(op.index);
      if (op.base != rsp) op.reads |= bit(op.base);
      const bool writes = operand.access & CS_AC_WRITE || (!operand.access && i == 0);
      op.bits |= writes ? Op::writes_memory : Op::reads_memory;
      if (operand.access & CS_AC_READ) op.bits |= Op::reads_memory;
      if (operand.mem.segment == X86_REG_FS || operand.mem.segment == X86_REG_GS)
        op.bits |= Op::segment;
    }
  }
  // VEX arithmetic without a table of its own: packed or general, by the registers it names.
  const std::uint8_t first = detail.x86.opcode[0];
  const bool vex = code[offset] == 0xc4 || code[offset] == 0xc5 || code[offset] == 0x62;
  if (vector)
    op.kind = Kind::vector;
  else if (vex || first == 0x0f)
    op.kind = Kind::alu;
  return true;
}

}  // namespace aotscope::isa::x86
