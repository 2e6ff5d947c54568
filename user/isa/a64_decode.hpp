// AArch64 machine code -> Op.
#pragma once

#include <cstdint>
#include <span>

#include "isa/op.hpp"

namespace aotscope::isa::a64 {

inline constexpr std::uint8_t x0 = 0, vmctx = 19, memory_base = 20, fp = 29, lr = 30;

// Decodes the instruction at `code[offset]`; false for what is none, or none of user code.
bool decode(std::span<const std::uint8_t> code, std::uint32_t offset, Op& op);

}  // namespace aotscope::isa::a64
