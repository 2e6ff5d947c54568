// One class for each instruction of a function that wamrc's x86-64 back end made. Most classes
// follow from the instruction; the rest from what its registers point to, which is followed
// through each block: rbx is always vmctx and r15 the base of linear memory.
#include <array>

#include "isa/work.hpp"
#include "isa/x86_decode.hpp"
#include "isa/x86_sequences.hpp"

namespace aotscope::isa::x86 {
namespace {

using enum InstrClass;

// What a register points to.
enum class Tag : std::uint8_t {
  none,
  vmctx,
  memory_base,  // of linear memory
  linear,       // into linear memory
  runtime,      // a structure or function that vmctx leads to: globals, imports, tables
  slot,         // an element of a table, by an index known only at run time
  target,       // what such an element holds
};

constexpr std::int32_t memory_size_field = 8;  // vmctx: what a bounds check compares with

InstrClass class_of_kind(const Op& op) {
  switch (op.kind) {
    case Kind::move:
      return op.has(Op::narrow) && !op.has(Op::byte) && op.dst == op.src && op.dst < 16
                 ? zero_extend
                 : move;
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
    case Kind::sign_fill:
      return mul_div;
    case Kind::floating:
    case Kind::float_divide:
      return floating;
    case Kind::vector:
    case Kind::vector_float:
      return simd;
    case Kind::exchange:
      return op.has(Op::memory) ? atomic : move;
    case Kind::bulk:
      return mem_bulk;
    case Kind::fence:
      return atomic;
    case Kind::push:
    case Kind::pop:
    case Kind::leave:
      return frame;
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
    case Kind::undecoded:
    case Kind::unknown:
    case Kind::nop:
      break;
  }
  return other;
}

class Classifier {
 public:
  explicit Classifier(Work& work) : work_(work), ops_(work.ops), classes_(work.classes) {}

  void run() {
    mark_traps_and_leaders();
    prologue();
    collect_slots();
    work_.first_spill = first_spill_slot(work_.slots, work_.frame_size);
    forget();
    tag(rdi) = Tag::vmctx;
    for (index_ = 0; index_ < ops_.size(); ++index_) {
      const Op& op = ops_[index_];
      if (op.offset != 0 && work_.leaders.test(op.offset)) forget();
      if (classes_[index_] == trap) continue;  // a trap block changes nothing for who skips it
      classes_[index_] = classify(op);
      follow(op);
    }
    for (const TableJump& jump : work_.table_jumps)
      for (const std::uint32_t i : jump.ops) classes_[i] = dispatch;
  }

 private:
  Tag& tag(std::uint8_t reg) { return tags_[reg < 16 ? reg : 16]; }

  void forget() {
    tags_.fill(Tag::none);
    tag(rbx) = Tag::vmctx;
    tag(r15) = Tag::memory_base;
    pending_.clear();
  }

  // Trap blocks first: a jump over one starts no block, the code goes straight on there.
  void mark_traps_and_leaders() {
    classes_.assign(ops_.size(), other);
    work_.leaders.reset(work_.code.size());
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const Op& op = ops_[i];
      if (op.kind == Kind::move) {
        const std::uint32_t length = trap_block(ops_, i);
        for (std::uint32_t k = 0; k < length; ++k) classes_[i + k] = trap;
        if (length) {
          i += length - 1;
          continue;
        }
      }
      if (op.kind == Kind::stop) classes_[i] = trap;
      if (!op.jumps() || op.value < 0) continue;
      const std::uint32_t over = op.kind == Kind::branch ? trap_block(ops_, i + 1) : 0;
      const bool skips =
          over != 0 && i + 1 + over < ops_.size() && ops_[i + 1 + over].offset == op.value;
      if (!skips) work_.leaders.set(static_cast<std::uint64_t>(op.value));
    }
    for (const JumpTable& table : work_.tables)
      for (const std::uint32_t target : table.targets) work_.leaders.set(target);
  }

  //   push rbp; mov rbp, rsp; sub rsp, N
  void prologue() {
    work_.frame_size = 0;
    work_.pushes_before_frame.clear();
    work_.rets.clear();
    prologue_ = 0;
    if (ops_.size() > 1 && ops_[0].kind == Kind::push && ops_[0].src == rbp &&
        ops_[1].kind == Kind::move && ops_[1].dst == rbp && ops_[1].src == rsp) {
      prologue_ = 2;
      work_.pushes_before_frame = {ops_[1].offset, ops_[1].offset + ops_[1].length};
      if (ops_.size() > 2 && ops_[2].kind == Kind::alu && ops_[2].dst == rsp &&
          ops_[2].has(Op::has_imm) && ops_[2].value > 0 && ops_[2].value < (1 << 28)) {
        work_.frame_size = static_cast<std::uint32_t>(ops_[2].value);
        prologue_ = 3;
      }
    }
  }

  static bool is_slot(const Op& op) {
    return op.base == rbp && op.has(Op::memory) && op.disp < 0 && op.disp > -(1 << 28);
  }

  void collect_slots() {
    work_.slots.clear();
    for (const Op& op : ops_) {
      if (is_slot(op)) work_.slots.push_back(static_cast<std::uint32_t>(-op.disp));
      if (op.kind == Kind::ret) work_.rets.push_back(op.offset);
    }
    std::sort(work_.slots.begin(), work_.slots.end());
    work_.spill_loads = work_.spill_stores = 0;
  }

  InstrClass classify(const Op& op) {
    if (index_ < prologue_) return frame;
    if (op.has(Op::memory)) {
      if (op.kind == Kind::bulk) return mem_bulk;
      return memory_operand(op);
    }
    switch (op.kind) {
      case Kind::move:
        if (op.src == rsp || op.dst == rsp) return frame;              // mov rsp, rbp
        if (op.dst == rbx && tag(op.src) == Tag::vmctx) return frame;  // mov rbx, rdi
        break;
      case Kind::alu:
        if (op.dst == rsp) return call;  // room for arguments
        break;
      case Kind::add:
        return add(op);
      case Kind::address:
        if (tag(op.base) == Tag::memory_base || tag(op.index) == Tag::memory_base ||
            tag(op.base) == Tag::linear)
          return mem_address;
        break;
      case Kind::branch:
        return conditional(op);
      case Kind::call_indirect:
        if (tag(op.src) == Tag::target) return dispatched_call();
        break;
      default:
        break;
    }
    return class_of_kind(op);
  }

  InstrClass memory_operand(const Op& op) {
    if (op.has(Op::locked) || (op.kind == Kind::exchange)) return atomic;
    const bool store = op.has(Op::writes_memory);
    if (op.has(Op::segment)) return store ? mem_store : mem_load;
    if (op.base == rbp) return frame_slot(op, store);
    if (op.base == rsp) return op.kind == Kind::pop || op.kind == Kind::push ? frame : call;
    if (op.base == reg_pc) return constant;
    if (op.kind == Kind::call_indirect) return tag(op.base) == Tag::slot ? dispatched_call() : call;
    if (op.kind == Kind::jump_indirect) return dispatch;
    switch (tag(op.base)) {
      case Tag::vmctx:
        if (compares(op) && op.disp == memory_size_field && !op.has(Op::narrow))
          return bounds_check_compare(op);
        [[fallthrough]];
      case Tag::runtime:
      case Tag::slot:
      case Tag::target:
        pending_.push_back(index_);
        return context;
      case Tag::none:
      case Tag::memory_base:
      case Tag::linear:
        break;
    }
    return store ? mem_store : mem_load;
  }

  static bool compares(const Op& op) {
    return op.kind == Kind::alu && op.writes == bit(reg_flags) && op.has(Op::reads_memory);
  }

  InstrClass frame_slot(const Op& op, bool store) {
    const bool spill = is_slot(op) && work_.first_spill != 0 &&
                       static_cast<std::uint32_t>(-op.disp) >= work_.first_spill;
    if (!spill) return store ? local_store : local_load;
    if (op.has(Op::reads_memory)) ++work_.spill_loads;
    if (store) ++work_.spill_stores;
    return store ? spill_store : spill_load;
  }

  //   lea r11, [rax+END]; cmp r11, [rbx+8]; jbe over the trap block
  // A large END is an immediate and an add. What only made the compared value belongs to it.
  InstrClass bounds_check_compare(const Op& op) {
    for (std::size_t i = index_; i-- > 0 && index_ - i <= 3;) {
      const Op& before = ops_[i];
      if (before.dst != op.src || before.has(Op::memory) || work_.leaders.test(before.offset))
        break;
      const bool adds = before.kind == Kind::add || before.kind == Kind::address;
      if (!adds && before.kind != Kind::immediate) break;
      classes_[i] = bounds_check;
      if (before.kind != Kind::add) break;
    }
    return bounds_check;
  }

  // The jump behind a check belongs to it.
  InstrClass conditional(const Op&) {
    if (index_ == 0) return branch;
    if (classes_[index_ - 1] == bounds_check && compares(ops_[index_ - 1])) return bounds_check;
    if (classes_[index_ - 1] == context && compares(ops_[index_ - 1])) pending_.push_back(index_);
    return branch;
  }

  InstrClass add(const Op& op) {
    const Tag to = tag(op.dst), from = tag(op.src);
    if (op.dst == rsp) return call;
    if (to == Tag::memory_base || from == Tag::memory_base || to == Tag::linear) return mem_address;
    if (to == Tag::runtime || from == Tag::runtime) {
      // Scaling the index belongs to the table access.
      if (index_ > 0 && op.src < 16 && ops_[index_ - 1].kind == Kind::alu) {
        const std::uint8_t scaled = ops_[index_ - 1].dst;
        if (scaled == op.dst || scaled == op.src) pending_.push_back(index_ - 1);
      }
      pending_.push_back(index_);
      return context;
    }
    return alu;
  }

  // call_indirect, wherever its table accesses are: everything since the check of its index.
  //   cmp eax, [r10+0x3c]; jb; trap; mov r11, [r10+0x88]; mov rcx, [r11+0x10];
  //   mov r11, [r10+0xa0]; mov r11d, [r11+SIG]; cmp r11d, [rcx+rax*4]; je; trap;
  //   mov r10, [r10+0x28]; shl rax, 3; add rax, r10; mov r11, [rax]; arguments; call r11
  InstrClass dispatched_call() {
    std::size_t from = pending_.size();
    unsigned checks = 0;
    while (from > 0 && checks < 2)
      if (compares(ops_[pending_[--from]])) ++checks;
    for (std::size_t i = from; i < pending_.size(); ++i) classes_[pending_[i]] = dispatch;
    return dispatch;
  }

  // What the registers that `op` writes point to from here on.
  void follow(const Op& op) {
    if (op.writes == 0) return;
    Tag made = Tag::none;
    switch (op.kind) {
      case Kind::move:
        if (!op.has(Op::memory)) {
          if (!op.has(Op::narrow)) made = tag(op.src);
        } else if (!op.has(Op::narrow) && op.dst < 16) {
          const Tag base = tag(op.base);
          if (op.base == rbp || op.base == rsp) break;
          if (base == Tag::vmctx) made = op.disp == 0 ? Tag::memory_base : Tag::runtime;
          if (base == Tag::runtime) made = op.index == reg_none ? Tag::runtime : Tag::target;
          if (base == Tag::slot) made = Tag::target;
        }
        break;
      case Kind::address:
        if (tag(op.base) == Tag::memory_base || tag(op.index) == Tag::memory_base ||
            tag(op.base) == Tag::linear)
          made = Tag::linear;
        break;
      case Kind::add: {
        const Tag to = tag(op.dst), from = tag(op.src);
        if (to == Tag::memory_base || from == Tag::memory_base || to == Tag::linear)
          made = Tag::linear;
        else if (to == Tag::runtime || from == Tag::runtime)
          made = op.src < 16 ? Tag::slot : Tag::runtime;
        break;
      }
      default:
        break;
    }
    for (RegSet left = op.writes & 0xffff; left != 0; left &= left - 1)
      tags_[static_cast<std::size_t>(std::countr_zero(left))] = Tag::none;
    if (made != Tag::none) tag(op.dst) = made;
    tag(rbx) = Tag::vmctx;
    tag(r15) = Tag::memory_base;
    tags_[16] = Tag::none;
    if (op.kind == Kind::call || op.kind == Kind::call_indirect) pending_.clear();
  }

  Work& work_;
  const std::vector<Op>& ops_;
  std::vector<InstrClass>& classes_;
  std::array<Tag, 17> tags_{};        // the last one stands for every other register: never set
  std::vector<std::size_t> pending_;  // accesses of runtime structures that a call may claim
  std::size_t index_ = 0;
  std::size_t prologue_ = 0;
};

void classify(Work& work) { Classifier(work).run(); }

}  // namespace
}  // namespace aotscope::isa::x86

namespace aotscope::isa {
const Tables x86_tables = {x86::decode, x86::table_jump, x86::padding, x86::classify};
}
