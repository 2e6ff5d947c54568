// Waits: a timer sample lands on the instruction that could not retire yet, which is often a plain
// move behind the instruction that is really slow. For each instruction this finds the slow
// producer among what its operands depend on: the one whose result comes last by a rough latency
// model. Followed within a block, through plain moves and extensions; an operand that was computed
// by fast arithmetic counts as there. A block goes on behind a trap block that is jumped over.
#include <array>

#include "isa/work.hpp"

namespace aotscope::isa {
namespace {

// Cycles until the result is there, 0 for what is not slow. Only their order matters; they are
// those of a recent x86 core with its data in the first-level cache.
std::uint32_t latency(const Op& op) {
  switch (op.kind) {
    case Kind::divide:
      return 20;
    case Kind::float_divide:
      return 15;
    case Kind::exchange:
      return op.has(Op::memory) ? 20 : 0;
    case Kind::bulk:
      return 30;
    case Kind::push:
    case Kind::pop:
    case Kind::leave:
    case Kind::ret:
    case Kind::call:
    case Kind::call_indirect:
    case Kind::jump_indirect:
      return 0;
    default:
      break;
  }
  std::uint32_t cycles = 0;
  if (op.has(Op::reads_memory)) cycles += 5;
  if (op.has(Op::locked)) cycles += 15;
  if (op.kind == Kind::floating || op.kind == Kind::vector_float) cycles += 4;
  if (op.kind == Kind::multiply) cycles += 3;
  return cycles;
}

bool passes_on(const Op& op) {
  return !op.has(Op::memory) &&
         (op.kind == Kind::move || op.kind == Kind::zero_extend || op.kind == Kind::sign_extend);
}

}  // namespace

void find_producers(Work& work) {
  struct Value {
    std::int32_t producer;
    std::uint32_t ready;
  };
  std::array<Value, 64> values;
  RegSet slow = 0;  // registers whose entry in `values` counts
  work.producers.assign(work.ops.size(), -1);
  for (std::size_t i = 0; i < work.ops.size(); ++i) {
    const Op& op = work.ops[i];
    if (work.classes[i] == InstrClass::trap) continue;  // never returns
    if (op.kind == Kind::undecoded || work.leaders.test(op.offset)) slow = 0;
    Value latest{-1, 0};
    for (RegSet from = op.reads & slow; from != 0; from &= from - 1) {
      const Value& value = values[static_cast<std::size_t>(std::countr_zero(from))];
      if (value.ready > latest.ready) latest = value;
    }
    work.producers[i] = latest.producer;
    slow &= ~op.writes;
    if (const std::uint32_t cycles = latency(op); cycles != 0)
      latest = {static_cast<std::int32_t>(i), latest.ready + cycles};
    else if (!passes_on(op))
      latest.producer = -1;
    if (latest.producer >= 0) {
      for (RegSet to = op.writes; to != 0; to &= to - 1)
        values[static_cast<std::size_t>(std::countr_zero(to))] = latest;
      slow |= op.writes;
    }
    if (op.ends_flow()) slow = 0;
  }
}

}  // namespace aotscope::isa
