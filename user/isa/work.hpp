// What the analysis of one function works on. One Work serves many functions, so that a sweep over
// a whole component allocates only for the largest of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <aotscope/isa.hpp>

#include "isa/op.hpp"

namespace aotscope::isa {

// A set of offsets.
class Bits {
 public:
  void reset(std::size_t size) {
    size_ = size;
    words_.assign(size / 64 + 1, 0);
  }
  // Offsets outside the set are ignored: targets and slots come from bytes that may be nonsense.
  void set(std::uint64_t i) {
    if (i < size_) words_[i / 64] |= std::uint64_t{1} << i % 64;
  }
  bool test(std::uint64_t i) const { return i < size_ && words_[i / 64] >> i % 64 & 1; }
  // The first member that is >= i, or size().
  std::size_t next(std::size_t i) const {
    if (i >= size_) return size_;
    std::uint64_t word = words_[i / 64] >> i % 64;
    if (word) return i + static_cast<std::size_t>(std::countr_zero(word));
    for (std::size_t w = i / 64 + 1; w < words_.size(); ++w)
      if (words_[w]) return w * 64 + static_cast<std::size_t>(std::countr_zero(words_[w]));
    return size_;
  }
  // Whether there is a member in [from, to); to - from is small.
  bool any(std::size_t from, std::size_t to) const { return from < to && next(from) < to; }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
  std::vector<std::uint64_t> words_;
};

// A jump through a table, as the architecture's tables recognise it.
struct TableJump {
  std::uint32_t base = 0;              // where the table is, and what its entries are relative to
  std::optional<std::uint32_t> count;  // entries, when the index is checked beforehand
  std::vector<std::uint32_t> ops;      // indices of the sequence's instructions
};

struct Work {
  std::span<const std::uint8_t> code;  // the function's bytes
  std::vector<Op> ops;
  std::vector<JumpTable> tables;  // ascending offsets
  std::vector<TableJump> table_jumps;
  std::uint32_t undecoded_bytes = 0;

  Bits known;   // targets of direct jumps and of tables
  Bits starts;  // where ops start

  Bits leaders;                      // starts of blocks: targets other than over a trap block
  std::vector<InstrClass> classes;   // one for each op
  std::vector<std::uint32_t> slots;  // frame slots, as distances below the frame pointer
  std::uint32_t frame_size = 0;
  std::uint32_t first_spill = 0;  // slots this far below the frame pointer are spills; 0: none
  std::uint32_t spill_loads = 0, spill_stores = 0;
  std::vector<std::int32_t> producers;  // one for each op, -1 for none
  std::vector<std::uint32_t> pushes_before_frame, rets;
};

// What one architecture contributes.
struct Tables {
  bool (*decode)(std::span<const std::uint8_t> code, std::uint32_t offset, Op& op);
  // Recognises the sequence that ends in the indirect jump ops.back().
  std::optional<TableJump> (*table_jump)(std::span<const Op> ops);
  // A byte that may fill up the end of a function.
  bool (*padding)(std::uint8_t byte);
  // Fills in classes, leaders, frame_size, spill counts and the frame's states.
  void (*classify)(Work& work);
};
extern const Tables x86_tables;
extern const Tables a64_tables;
// Null for an architecture without tables.
const Tables* tables_of(image::Arch arch);

// Decodes the whole function into work.ops and work.tables.
void sweep(const Tables& tables, Work& work);

// Whether the slots fall into locals and spills, and where the spills begin: see slots.cpp.
// `slots` ascend.
std::uint32_t first_spill_slot(std::span<const std::uint32_t> slots, std::uint32_t frame_size);

// Fills in work.producers: see waits.cpp.
void find_producers(Work& work);

// All of the above for one function. False when the architecture has no tables.
bool run(image::Arch arch, std::span<const std::uint8_t> code, Work& work, bool with_waits);

}  // namespace aotscope::isa
