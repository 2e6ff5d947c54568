// Classes of AArch64 code from wamrc --target=aarch64: a first version. x19 is vmctx, x20 the base
// of linear memory, x29 the frame. Spills are not told from locals: this back end leaves no gap
// between them. The return address is in x30, so the frame states of x86-64 say nothing here.
// Checks of call_indirect are `context` until its call.
#include <array>

#include "isa/a64_decode.hpp"
#include "isa/work.hpp"

namespace aotscope::isa::a64 {
namespace {

using enum InstrClass;

constexpr std::int32_t memory_size_field = 8;
constexpr std::int32_t first_trap = 0x50, last_trap = 0x78;  // as on x86-64

InstrClass class_of_kind(const Op& op) {
  switch (op.kind) {
    case Kind::move:
      return op.has(Op::narrow) && op.dst == op.src ? zero_extend : move;
    case Kind::zero_extend:
      return zero_extend;
    case Kind::immediate:
      return constant;
    case Kind::sign_extend:
    case Kind::add:
    case Kind::alu:
    case Kind::address:
      return alu;
    case Kind::multiply:
    case Kind::divide:
      return mul_div;
    case Kind::floating:
    case Kind::float_divide:
      return floating;
    case Kind::vector:
      return simd;
    case Kind::fence:
      return atomic;
    case Kind::jump:
    case Kind::branch:
      return branch;
    case Kind::jump_indirect:
      return dispatch;
    case Kind::call:
    case Kind::call_indirect:
    case Kind::ret:
      return call;
    case Kind::stop:
      return trap;
    default:
      return other;
  }
}

//   mov x0, VMCTX; ldr x16, [x0, #TRAP]; blr x16; brk #0
std::uint32_t trap_block(const std::vector<Op>& ops, std::size_t at) {
  if (at + 3 > ops.size()) return 0;
  const Op &argument = ops[at], &load = ops[at + 1], &call = ops[at + 2];
  const bool matches = argument.kind == Kind::move && argument.dst == x0 &&
                       !argument.has(Op::memory) && load.has(Op::reads_memory) && load.base == x0 &&
                       load.disp >= first_trap && load.disp <= last_trap &&
                       call.kind == Kind::call_indirect && call.src == load.dst;
  if (!matches) return 0;
  return at + 3 < ops.size() && ops[at + 3].kind == Kind::stop ? 4 : 3;
}

enum class Tag : std::uint8_t { none, vmctx, memory_base, linear, runtime, target };

class Classifier {
 public:
  explicit Classifier(Work& work) : work_(work), ops_(work.ops), classes_(work.classes) {}

  void run() {
    mark_traps_and_leaders();
    forget();
    bool saving = true;  // in the prologue, or between the epilogue's first reload and its ret
    for (index_ = 0; index_ < ops_.size(); ++index_) {
      const Op& op = ops_[index_];
      if (op.offset != 0 && work_.leaders.test(op.offset)) forget();
      if (classes_[index_] == trap) continue;
      const bool saved = is_saved_register(op);
      if (saved) saving = true;
      // Registers that need no saving leave a nop in their place.
      if (saving && (saved || op.kind == Kind::nop || is_frame_setup(op)))
        classes_[index_] = frame;
      else {
        saving = false;
        classes_[index_] = classify(op);
      }
      follow(op);
    }
  }

 private:
  Tag& tag(std::uint8_t reg) { return tags_[reg < 31 ? reg : 31]; }

  void forget() {
    tags_.fill(Tag::none);
    tag(vmctx) = Tag::vmctx;
    tag(memory_base) = Tag::memory_base;
  }

  void mark_traps_and_leaders() {
    classes_.assign(ops_.size(), other);
    work_.leaders.reset(work_.code.size());
    work_.pushes_before_frame.clear();
    work_.rets.clear();
    work_.spill_loads = work_.spill_stores = work_.first_spill = work_.frame_size = 0;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const Op& op = ops_[i];
      if (const std::uint32_t length = trap_block(ops_, i)) {
        for (std::uint32_t k = 0; k < length; ++k) classes_[i + k] = trap;
        i += length - 1;
        continue;
      }
      if (!op.jumps() || op.value < 0) continue;
      const std::uint32_t over = op.kind == Kind::branch ? trap_block(ops_, i + 1) : 0;
      const bool skips = over != 0 && op.value == std::int64_t{op.offset} + 4 + 4 * over;
      if (!skips) work_.leaders.set(static_cast<std::uint64_t>(op.value));
    }
  }

  // str x19, [x29, #176] and its reload, for the registers that a callee must preserve.
  static bool is_saved_register(const Op& op) {
    const std::uint8_t reg = op.has(Op::reads_memory) ? op.dst : op.src;
    return op.kind == Kind::move && op.has(Op::memory) && op.base == fp && reg >= 19 && reg <= 28 &&
           op.disp >= 160;
  }
  // stp x29, x30, [sp, #-N]!; mov x29, sp; mov x19, x0; sub sp, sp, #N; ldp x29, x30, [sp], #N
  bool is_frame_setup(const Op& op) {
    return op.base == reg_sp || (op.kind == Kind::move && op.dst == fp) ||
           (op.dst == vmctx && op.src == x0 && !op.has(Op::memory));
  }

  InstrClass classify(const Op& op) {
    if (op.has(Op::memory)) return memory_operand(op);
    switch (op.kind) {
      case Kind::add:
        if (forms_address(op)) return mem_address;
        if (tag(op.base) == Tag::runtime || tag(op.src) == Tag::runtime) return context;
        break;
      case Kind::alu:
        // add x17, x15, #4; ldr x16, [x19, #8]; cmp x17, x16; b.ls
        if (op.writes == bit(reg_flags) && index_ > 0 && is_size_load(ops_[index_ - 1]))
          return bounds_check;
        break;
      case Kind::branch:
        if (index_ > 0 && classes_[index_ - 1] == bounds_check) return bounds_check;
        break;
      case Kind::call_indirect:
        return tag(op.src) == Tag::target ? dispatch : call;
      default:
        break;
    }
    return class_of_kind(op);
  }

  bool forms_address(const Op& op) {
    for (const Tag side : {tag(op.base), tag(op.src)})
      if (side == Tag::memory_base || side == Tag::linear) return true;
    return false;
  }

  static bool is_size_load(const Op& op) {
    return op.has(Op::reads_memory) && op.base == vmctx && op.disp == memory_size_field;
  }

  InstrClass memory_operand(const Op& op) {
    if (op.has(Op::locked)) return atomic;
    const bool store = op.has(Op::writes_memory);
    if (op.base == fp) return store ? local_store : local_load;
    // The frame itself goes up and down by stp and ldp of x29 and x30; the rest are arguments.
    if (op.base == reg_sp) return op.dst == fp || op.src == fp ? frame : call;
    if (op.base == reg_pc) return constant;
    if (is_size_load(op)) {
      if (index_ > 0 && (ops_[index_ - 1].kind == Kind::add)) classes_[index_ - 1] = bounds_check;
      return bounds_check;
    }
    const Tag base = tag(op.base);
    if (base == Tag::vmctx || base == Tag::runtime || base == Tag::target) return context;
    return store ? mem_store : mem_load;
  }

  void follow(const Op& op) {
    Tag made = Tag::none;
    if (op.kind == Kind::move && !op.has(Op::memory) && !op.has(Op::narrow)) {
      made = tag(op.src);
    } else if (op.kind == Kind::move && op.has(Op::reads_memory) && !op.has(Op::narrow)) {
      const Tag base = tag(op.base);
      if (base == Tag::vmctx) made = op.disp == 0 ? Tag::memory_base : Tag::runtime;
      if (base == Tag::runtime) made = Tag::runtime;
      if (base == Tag::target) made = Tag::target;
    } else if (op.kind == Kind::add) {
      const Tag left = tag(op.base), right = tag(op.src);
      if (forms_address(op)) made = Tag::linear;
      // An element picked by an index known only at run time.
      else if (left == Tag::runtime || right == Tag::runtime)
        made = op.has(Op::has_imm) ? Tag::runtime : Tag::target;
    }
    for (RegSet left = op.writes & 0x7fff'ffff; left != 0; left &= left - 1)
      tags_[static_cast<std::size_t>(std::countr_zero(left))] = Tag::none;
    if (made != Tag::none) tag(op.dst) = made;
    tag(vmctx) = Tag::vmctx;
    tag(memory_base) = Tag::memory_base;
    tags_[31] = Tag::none;
  }

  Work& work_;
  const std::vector<Op>& ops_;
  std::vector<InstrClass>& classes_;
  std::array<Tag, 32> tags_{};
  std::size_t index_ = 0;
};

void classify(Work& work) { Classifier(work).run(); }

// br_table is a row of comparisons: there are no jump tables.
std::optional<TableJump> table_jump(std::span<const Op>) { return std::nullopt; }

bool padding(std::uint8_t byte) { return byte == 0; }

}  // namespace
}  // namespace aotscope::isa::a64

namespace aotscope::isa {
const Tables a64_tables = {a64::decode, a64::table_jump, a64::padding, a64::classify};
}
