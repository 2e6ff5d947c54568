#include "isa/x86_sequences.hpp"

#include "isa/x86_decode.hpp"

namespace aotscope::isa::x86 {
namespace {

// Trap entries of vmctx: 0x50 out of bounds, 0x58 unreachable, 0x60 division by zero, 0x68 integer
// overflow, 0x70 invalid conversion. 0x40 (memory.grow), 0x80 (table.grow) are helpers.
constexpr std::int32_t first_trap = 0x50, last_trap = 0x78;

constexpr std::int32_t above = 7;  // condition of `ja`; the usual one is `jae`

// A comparison of registers or of a register with an immediate.
bool compares(const Op& op) { return op.kind == Kind::alu && op.writes == bit(reg_flags); }

}  // namespace

std::optional<TableJump> table_jump(std::span<const Op> ops) {
  if (ops.empty()) return std::nullopt;
  TableJump jump;
  const auto here = static_cast<std::uint32_t>(ops.size() - 1);
  jump.ops.push_back(here);
  std::uint8_t pointer = ops[here].src, index = reg_none;
  bool have_base = false, have_jump = false, checked = false, add_one = false;
  // The sequence is contiguous; a few more instructions are looked at for compilers that schedule.
  constexpr std::uint32_t reach = 12;
  for (std::uint32_t i = here; i-- > 0 && here - i <= reach;) {
    const Op& op = ops[i];
    if (op.kind == Kind::add && op.dst == pointer && op.src < 16 && index == reg_none) {
      index = op.src;
    } else if (op.has(Op::reads_memory) && op.dst == index && op.scale == 4 && !have_base) {
      // movsxd: from here on the table's base is wanted, and the register that indexes it.
      pointer = op.base;
      index = op.index;
    } else if (op.kind == Kind::address && op.base == reg_pc && op.dst == pointer && !have_base) {
      have_base = true;
      jump.base = op.offset + op.length + static_cast<std::uint32_t>(op.disp);
    } else if (have_base && !have_jump && op.kind == Kind::branch) {
      have_jump = true;
      add_one = op.disp == above;
    } else if (have_base && have_jump && compares(op) && op.has(Op::has_imm) && op.src == index) {
      if (op.value >= 0 && op.value < (1 << 28))
        jump.count = static_cast<std::uint32_t>(op.value) + (add_one ? 1u : 0u);
      jump.ops.push_back(i);
      checked = true;
      break;
    } else if (have_base) {
      break;  // no check: the count cannot be known
    } else {
      continue;
    }
    jump.ops.push_back(i);
  }
  if (!have_base) return std::nullopt;
  if (have_jump && !checked) jump.ops.pop_back();  // a jump that has nothing to do with it
  return jump;
}

std::uint32_t trap_block(std::span<const Op> ops, std::size_t at) {
  if (at + 3 > ops.size()) return 0;
  const Op &vmctx = ops[at], &load = ops[at + 1], &call = ops[at + 2];
  if (vmctx.kind != Kind::move || vmctx.dst != rdi || vmctx.has(Op::memory)) return 0;
  if (load.kind != Kind::move || !load.has(Op::reads_memory) || load.base != rdi ||
      load.index != reg_none || load.dst >= 16)
    return 0;
  if (call.kind != Kind::call_indirect || call.has(Op::memory) || call.src != load.dst) return 0;
  const bool named = load.disp >= first_trap && load.disp <= last_trap;
  const bool skipped = at > 0 && ops[at - 1].kind == Kind::branch &&
                       ops[at - 1].value == std::int64_t{call.offset} + call.length;
  return named || skipped ? 3 : 0;
}

bool padding(std::uint8_t byte) { return byte == 0x00 || byte == 0x90 || byte == 0xcc; }

}  // namespace aotscope::isa::x86
