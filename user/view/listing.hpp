// One function worked out for annotate: instructions with their samples, blocks, labels.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <aotscope/view.hpp>

namespace aotscope::view {

struct ListedInstr {
  const isa::Instr* instr = nullptr;
  std::uint64_t samples = 0;
  std::size_t block = 0;  // place in FunctionListing::blocks()
};

struct ListedBlock {
  std::size_t first = 0;  // instructions [first, end)
  std::size_t end = 0;
  std::uint64_t samples = 0;
  std::size_t rank = 0;  // 1 for the hottest; 0 for blocks that are not worth a mark
};

class FunctionListing {
 public:
  explicit FunctionListing(const Listing& listing);

  const profile::FunctionEntry& function() const { return function_; }
  const isa::Code& code() const { return code_; }
  const std::vector<ListedInstr>& instrs() const { return instrs_; }
  const std::vector<ListedBlock>& blocks() const { return blocks_; }
  // Null without a recording, or without samples in it.
  const profile::FunctionCount* count() const { return count_; }
  // Samples on no instruction: in a table or in bytes behind the code.
  std::uint64_t astray() const { return astray_; }

  // "L3" for an offset from the start of the function that something jumps to, else empty.
  std::string label(std::uint32_t offset) const;
  // "jne     L7", "call    dispatch", "mov     rax, qword ptr [rbp - 0x10]".
  std::string instruction_text(const isa::Instr& instr) const;
  // The indices of the `most` hottest instructions that have samples, hottest first.
  std::vector<std::size_t> hottest(std::size_t most) const;

 private:
  void count_samples();
  void find_blocks();
  void find_labels();
  std::optional<std::int64_t> target_of(const isa::Instr& instr,
                                        const isa::Disassembly& text) const;

  const Listing& listing_;
  const profile::FunctionEntry& function_;
  image::Arch arch_;
  isa::Code code_;
  const profile::FunctionCount* count_ = nullptr;
  std::vector<ListedInstr> instrs_;
  std::vector<ListedBlock> blocks_;
  std::map<std::uint32_t, std::size_t> labels_;  // offset -> number
  std::uint64_t astray_ = 0;
};

}  // namespace aotscope::view
