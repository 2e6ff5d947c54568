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
  Sweep(const Tables& tables, Work& work)
      : tables_(tables), work_(work), size_(work.code.size()), padding_(size_) {
    while (padding_ > 0 && tables.padding(work.code[padding_ - 1])) --padding_;
  }

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
    return at >= padding_ && work_.known.next(at) == size_ && next_table(at) == size_;
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
    const auto place = first_table(jump->base);
    const bool known = place != work_.tables.end() && place->offset == jump->base;
    if (!known) {
      // Tables do not overlap. (This also bounds what hostile bytes can make us read.)
      if (place != work_.tables.begin() && end_of(*std::prev(place)) > jump->base) return;
      JumpTable table = read_table(*jump);
      if (table.targets.empty()) return;
      const std::size_t at = work_.ops.back().offset + work_.ops.back().length;
      for (const std::uint32_t to : table.targets) target(to, at);
      work_.tables.insert(place, std::move(table));
    }
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

  static std::size_t end_of(const JumpTable& table) {
    return table.offset + 4 * table.targets.size();
  }
  // The first table at or behind `at`.
  std::vector<JumpTable>::iterator first_table(std::size_t at) const {
    if (work_.tables.empty() || work_.tables.back().offset < at) return work_.tables.end();
    return std::lower_bound(
        work_.tables.begin(), work_.tables.end(), at,
        [](const JumpTable& table, std::size_t offset) { return table.offset < offset; });
  }
  std::size_t next_table(std::size_t at) const {
    const auto table = first_table(at);
    return table == work_.tables.end() ? size_ : table->offset;
  }
  bool step_over_table(std::size_t& at) const {
    const auto table = first_table(at);
    if (table == work_.tables.end() || table->offset != at) return false;
    at = end_of(*table);
    return true;
  }

  const Tables& tables_;
  Work& work_;
  std::size_t size_;
  std::size_t padding_;  // from here to the end every byte may be padding
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
