// x86-64 machine code -> Op.
#pragma once

#include <cstdint>
#include <span>

#include "isa/op.hpp"

namespace aotscope::isa::x86 {

inline constexpr std::uint8_t rax = 0, rcx = 1, rdx = 2, rbx = 3, rsp = 4, rbp = 5, rsi = 6,
                              rdi = 7, r8 = 8, r10 = 10, r11 = 11, r15 = 15;

// Decodes the instruction at `code[offset]`. False when the bytes are no instruction, run over
// the end of `code`, or are one that no compiler emits for user code (in, hlt, iret, x87, …): in
// AOT text those only come from data that was taken for code.
bool decode(std::span<const std::uint8_t> code, std::uint32_t offset, Op& op);

// The same by Capstone, for what the tables leave out (VEX, legacy oddities): slow.
bool decode_by_capstone(std::span<const std::uint8_t> code, std::uint32_t offset, Op& op);

}  // namespace aotscope::isa::x86
