// The fixed instruction sequences of wamrc's x86-64 back end.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "isa/work.hpp"

namespace aotscope::isa::x86 {

//   cmp r11, N; jae default; lea r10, [rip+10]; movsxd r11, [r10+r11*4]; add r10, r11; jmp r10
// `ops` ends in the jump. Null when there is no `lea` to say where the table is.
std::optional<TableJump> table_jump(std::span<const Op> ops);

//   mov rdi, VMCTX; mov rax, [rdi+TRAP]; call rax
// The number of instructions when a trap block starts at ops[at], else 0. Helpers such as
// memory.grow are called in the same way; a trap is told by the field it calls, or, should the
// fields move in another version, by the conditional jump that skips exactly these instructions.
std::uint32_t trap_block(std::span<const Op> ops, std::size_t at);

// Zeros, int3 and nops.
bool padding(std::uint8_t byte);

}  // namespace aotscope::isa::x86
