// The walk over a function's bytes. A linear sweep is right for AOT text but for two things: jump
// tables lie between the instructions, and a file may hold anything. Tables are stepped over; bytes
// that are no instruction are counted and the decode goes on at the next byte that fits, without
// ever running across the target of a jump seen in code that was decoded with certainty.
#include <cstring>

#include "isa/work.hpp"

namespace aotscope::isa {
namespace {

class Sweep {
 public:
  Sweep(const Tables& tables, Work& work) : tables_(tables), work_(work), size_(work.code.size()) {}

  // False when a backward jump led into the middle of something: the caller goes over the function
  // again with that target known from the start.
  bool pass() {
    work_.ops.clear();
    work_.tables.clear();
    work_.table_jumps.clear();
    work_.undecoded_bytes = 0;
    work_.starts.reset(size_);
    trusted_ = true;
    missed_ = false;
    std::size_t at = 0;
    while (at < size_) {
      if (step_over_table(at)) continue;
      const std::size_t limit = next_table(at);
      if (work_.known.test(at)) trusted_ = true;
      Op op;
      const bool ok = tables_.decode(work_.code.first(limit), static_cast<std::uint32_t>(at), op) &&
                      !work_.known.any(at + 1, at + op.length);
      if (!ok) {
        undecoded(at++);
        trusted_ = false;
        continue;
      }
      work_.ops.push_back(op);
      work_.starts.set(at);
      at += op.length;
      if (op.jumps()) target(op.value, at);
      if (op.kind == Kind::jump_indirect) table();
      if (op.ends_flow() && only_padding(at)) break;
    }
    return !missed_;
  }

 private:
  // Jumps in bytes that were decoded behind nonsense may be nonsense: they prove nothing until a
  // known target has brought the decode back in step.
  void target(std::int64_t to, std::size_t at) {
    if (!trusted_ || to < 0 || static_cast<std::uint64_t>(to) >= size_) return;
    const auto offset = static_cast<std::size_t>(to);
    work_.known.set(offset);
    if (offset < at && !work_.starts.test(offset)) missed_ = true;
  }

  bool only_padding(std::size_t at) const {
    return at < size_ && work_.known.next(at) == size_ && next_table(at) == size_ &&
           tables_.padding(work_.code.subspan(at));
  }

  void undecoded(std::size_t at) {
    ++work_.undecoded_bytes;
    if (!work_.ops.empty()) {
      Op& last = work_.ops.back();
      if (last.kind == Kind::undecoded && last.offset + last.length == at && last.length < 255 &&
          !work_.known.test(at)) {
        ++last.length;
        return;
      }
    }
    Op op;
    op.offset = static_cast<std::uint32_t>(at);
    op.length = 1;
    work_.ops.push_back(op);
    work_.starts.set(at);
  }

  // The table's jump is at hand; its bytes usually follow, but they may lie anywhere ahead.
  void table() {
    std::optional<TableJump> jump = tables_.table_jump(work_.ops);
    if (!jump || jump->base >= size_) return;
    const JumpTable table = read_table(*jump);
    if (table.targets.empty()) return;
    const std::size_t at = work_.ops.back().offset + work_.ops.back().length;
    for (const std::uint32_t to : table.targets) target(to, at);
    const auto after = [](const JumpTable& a, std::uint32_t base) { return a.offset < base; };
    const auto place =
        std::lower_bound(work_.tables.begin(), work_.tables.end(), table.offset, after);
    if (place == work_.tables.end() || place->offset != table.offset)
      work_.tables.insert(place, table);
    work_.table_jumps.push_back(std::move(*jump));
  }

  // Entries are i32, relative to the table. Without a count the table ends where code must begin:
  // at the nearest known target, at the nearest target of its own entries, at the next table, or
  // where an entry leads outside the function or into the table.
  JumpTable read_table(const TableJump& jump) const {
    JumpTable table{.offset = jump.base, .targets = {}};
    const std::size_t room = (size_ - jump.base) / 4;
    const bool counted = jump.count && *jump.count <= room;
    const std::size_t most = counted ? *jump.count : room;
    std::size_t limit =
        counted ? size_ : std::min(work_.known.next(jump.base), next_table(jump.base + 1));
    for (std::size_t i = 0; i < most; ++i) {
      const std::size_t at = jump.base + 4 * i;
      if (at + 4 > limit) break;
      std::int32_t relative = 0;
      std::memcpy(&relative, work_.code.data() + at, sizeof relative);
      const std::int64_t to = std::int64_t{jump.base} + relative;
      const bool outside = to < 0 || static_cast<std::uint64_t>(to) >= size_;
      const bool inside_table = to >= jump.base && to < static_cast<std::int64_t>(at + 4);
      if (!counted && (outside || inside_table)) break;
      if (!counted && to >= jump.base) limit = std::min(limit, static_cast<std::size_t>(to));
      table.targets.push_back(outside ? JumpTable::nowhere : static_cast<std::uint32_t>(to));
    }
    return table;
  }

  const JumpTable* table_from(std::size_t at) const {
    for (const JumpTable& table : work_.tables)
      if (table.offset >= at) return &table;
    return nullptr;
  }
  std::size_t next_table(std::size_t at) const {
    const JumpTable* table =
        work_.tables.empty() || work_.tables.back().offset < at ? nullptr : table_from(at);
    return table ? table->offset : size_;
  }
  bool step_over_table(std::size_t& at) const {
    if (work_.tables.empty() || work_.tables.back().offset < at) return false;
    const JumpTable* table = table_from(at);
    if (!table || table->offset != at) return false;
    at += 4 * table->targets.size();
    return true;
  }

  const Tables& tables_;
  Work& work_;
  std::size_t size_;
  bool trusted_ = true;
  bool missed_ = false;
};

}  // namespace

void sweep(const Tables& tables, Work& work) {
  work.known.reset(work.code.size());
  Sweep walk(tables, work);
  if (!walk.pass()) walk.pass();
}

}  // namespace aotscope::isa
