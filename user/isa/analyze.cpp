// analyze(): the walk, the classes and the waits of one function put together.
#include <aotscope/isa.hpp>

#include "isa/work.hpp"

namespace aotscope::isa {

const Tables* tables_of(image::Arch arch) {
  switch (arch) {
    case image::Arch::x86_64:
      return &x86_tables;
    case image::Arch::aarch64:
      return &a64_tables;
    default:
      return nullptr;
  }
}

bool knows_spills(image::Arch arch) { return arch == image::Arch::x86_64; }

bool run(image::Arch arch, std::span<const std::uint8_t> code, Work& work, bool with_waits) {
  const Tables* tables = tables_of(arch);
  if (!tables) return false;
  work.code = code;
  sweep(*tables, work);
  tables->classify(work);
  if (with_waits) find_producers(work);
  return true;
}

namespace {

Instr instr_of(const Work& work, std::size_t i, std::uint64_t function, std::size_t text_size) {
  const Op& op = work.ops[i];
  Instr instr;
  instr.offset = op.offset;
  instr.length = op.length;
  instr.cls = work.classes[i];
  instr.producer = work.producers[i];
  instr.waits =
      instr.producer < 0 ? instr.cls : work.classes[static_cast<std::size_t>(instr.producer)];
  instr.block_start = op.offset == 0 || work.leaders.test(op.offset);
  instr.undecoded = op.kind == Kind::undecoded;
  if (op.jumps() || op.kind == Kind::call) {
    // Relative to the function so far; it may lead anywhere in the text.
    const std::int64_t target = op.value + static_cast<std::int64_t>(function);
    if (target >= 0 && static_cast<std::uint64_t>(target) < text_size) instr.target = target;
  }
  return instr;
}

}  // namespace

Code analyze(image::Arch arch, std::span<const std::uint8_t> text, std::uint64_t offset,
             std::uint64_t size) {
  Code code;
  if (offset > text.size()) return code;
  const auto bytes = text.subspan(offset, std::min<std::uint64_t>(size, text.size() - offset));
  thread_local Work work;
  code.classified = run(arch, bytes, work, true);
  if (!code.classified) return code;
  code.instrs.reserve(work.ops.size());
  for (std::size_t i = 0; i < work.ops.size(); ++i) {
    code.instrs.push_back(instr_of(work, i, offset, text.size()));
    ++code.counts[static_cast<std::size_t>(work.classes[i])];
    // Whatever follows a jump or a return is a block of its own; a trap block is none.
    if (i > 0 && work.classes[i - 1] != InstrClass::trap && work.classes[i] != InstrClass::trap &&
        (work.ops[i - 1].ends_flow() || work.ops[i - 1].kind == Kind::branch))
      code.instrs.back().block_start = true;
  }
  code.tables = work.tables;
  code.spill_loads = work.spill_loads;
  code.spill_stores = work.spill_stores;
  code.frame_size = work.frame_size;
  code.undecoded_bytes = work.undecoded_bytes;
  code.pushes_before_frame = work.pushes_before_frame;
  code.rets = work.rets;
  return code;
}

const Instr* Code::at(std::uint32_t offset) const {
  const auto after = std::upper_bound(
      instrs.begin(), instrs.end(), offset,
      [](std::uint32_t value, const Instr& instr) { return value < instr.offset; });
  if (after == instrs.begin()) return nullptr;
  const Instr& instr = *std::prev(after);
  return offset - instr.offset < instr.length ? &instr : nullptr;
}

FrameState Code::frame_state(std::uint32_t offset) const {
  if (std::binary_search(rets.begin(), rets.end(), offset)) return FrameState::return_at_sp;
  if (pushes_before_frame.size() != 2) return FrameState::complete;
  if (offset < pushes_before_frame[0]) return FrameState::return_at_sp;
  return offset < pushes_before_frame[1] ? FrameState::return_at_sp_8 : FrameState::complete;
}

std::shared_ptr<const Code> CodeCache::code(std::uint32_t local_func) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = codes_.find(local_func); known != codes_.end()) return known->second;
  }
  // Analysed without the lock: two threads may do the same work once, none waits for the other.
  auto code = std::make_shared<const Code>([&]() -> Code {
    const auto functions = core_->functions();
    if (local_func >= functions.size()) return {};
    const image::Function& function = functions[local_func];
    return analyze(core_->arch(), core_->text(), function.offset, function.size);
  }());
  const std::lock_guard lock(mutex_);
  return codes_.emplace(local_func, std::move(code)).first->second;
}

}  // namespace aotscope::isa
