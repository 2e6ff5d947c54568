// The gap rule: which frame slots are spills. wamrc lays a frame out, downwards from rbp, as
//   [rbp-8] reserved | parameters and locals | 64 operand-stack slots | spill slots
// and never uses the operand-stack slots. So the slots that a function touches fall into two groups
// with more than 512 bytes between them, and the deeper group is the spills.
#include "isa/work.hpp"

namespace aotscope::isa {
namespace {
constexpr std::uint32_t operand_stack = 64 * 8;
constexpr std::uint32_t reserved = 8;
}  // namespace

std::uint32_t first_spill_slot(std::span<const std::uint32_t> slots, std::uint32_t frame_size) {
  std::uint32_t previous = reserved, first = 0, deepest = 0;
  for (const std::uint32_t slot : slots) {
    if (slot <= reserved) continue;
    // The last gap counts: locals that are never touched leave gaps of their own, spills do not.
    if (slot - previous > operand_stack) first = slot;
    previous = deepest = slot;
  }
  // With no spills the frame ends in the unused operand stack: a slot closer than that to the end
  // of the frame is a spill, and without one the gap was among the locals.
  if (frame_size != 0 && (frame_size <= operand_stack || deepest <= frame_size - operand_stack))
    return 0;
  return first;
}

}  // namespace aotscope::isa
