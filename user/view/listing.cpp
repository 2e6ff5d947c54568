#include "view/listing.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "view/format.hpp"

namespace aotscope::view {
namespace {

// Direct calls of both architectures; everything else with a target is a jump.
bool is_call(std::string_view mnemonic) { return mnemonic == "call" || mnemonic == "bl"; }

// x86's jumps all start with j; AArch64's unconditional one is b.
bool is_jump(std::string_view mnemonic) { return mnemonic.starts_with('j') || mnemonic == "b"; }

// The function that starts at a text offset; of several the first with a name of its own.
std::string callee_name(const profile::ImageEntry& image, std::uint64_t text_offset) {
  const profile::FunctionEntry* found = nullptr;
  for (const profile::FunctionEntry& function : image.functions) {
    if (function.offset != text_offset) continue;
    if (found == nullptr || found->name.starts_with("func[")) found = &function;
  }
  return found == nullptr ? std::string() : safe_text(found->name, 120);
}

}  // namespace

FunctionListing::FunctionListing(const Listing& listing)
    : listing_(listing),
      function_(listing.image->functions[listing.local]),
      arch_(arch_of(*listing.image)),
      // The bytes are the function's alone, so offsets and targets count from its start.
      code_(isa::analyze(arch_, listing.code, 0, listing.code.size())) {
  if (listing.profile != nullptr) {
    const auto& functions = listing.profile->functions();
    const auto found = functions.find({profile::FrameKind::wasm, listing.image->id, listing.local});
    if (found != functions.end()) count_ = &found->second;
  }
  for (const isa::Instr& instr : code_.instrs) instrs_.push_back({&instr, 0, 0});
  count_samples();
  find_blocks();
  find_labels();
}

void FunctionListing::count_samples() {
  if (count_ == nullptr) return;
  for (const auto& [text_offset, at] : count_->offsets) {
    const std::uint64_t offset = text_offset - function_.offset;
    const isa::Instr* instr = text_offset >= function_.offset && offset < listing_.code.size()
                                  ? code_.at(static_cast<std::uint32_t>(offset))
                                  : nullptr;
    if (instr == nullptr) {
      astray_ += at.count;
    } else {
      instrs_[static_cast<std::size_t>(instr - code_.instrs.data())].samples += at.count;
    }
  }
}

void FunctionListing::find_blocks() {
  for (std::size_t i = 0; i < instrs_.size(); ++i) {
    if (i == 0 || instrs_[i].instr->block_start) {
      if (!blocks_.empty()) blocks_.back().end = i;
      blocks_.push_back({i, i, 0, 0});
    }
    instrs_[i].block = blocks_.size() - 1;
    blocks_.back().samples += instrs_[i].samples;
  }
  if (!blocks_.empty()) blocks_.back().end = instrs_.size();

  // The hottest, and up to four more that hold a tenth of the function each.
  constexpr std::size_t most = 5;
  constexpr double notable = 10;
  std::vector<std::size_t> order(blocks_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return blocks_[a].samples > blocks_[b].samples;
  });
  for (std::size_t i = 0; i < std::min(order.size(), most); ++i) {
    ListedBlock& block = blocks_[order[i]];
    if (block.samples == 0) break;
    if (i != 0 && percent(block.samples, count_->self) < notable) break;
    block.rank = i + 1;
  }
}

void FunctionListing::find_labels() {
  const auto add = [&](std::int64_t target) {
    if (target < 0 || static_cast<std::uint64_t>(target) >= listing_.code.size()) return;
    labels_.try_emplace(static_cast<std::uint32_t>(target), 0);
  };
  for (const isa::Instr& instr : code_.instrs) {
    if (instr.cls != isa::InstrClass::call) add(instr.target);
  }
  for (const isa::JumpTable& table : code_.tables) {
    for (const std::uint32_t target : table.targets) {
      if (target != isa::JumpTable::nowhere) add(target);
    }
  }
  // Only what a line of the listing starts with can carry a label.
  std::erase_if(labels_, [&](const auto& entry) {
    const isa::Instr* instr = code_.at(entry.first);
    return instr == nullptr || instr->offset != entry.first;
  });
  std::size_t number = 0;
  for (auto& [offset, label] : labels_) label = ++number;
}

std::string FunctionListing::label(std::uint32_t offset) const {
  const auto found = labels_.find(offset);
  return found == labels_.end() ? std::string() : fmt::format("L{}", found->second);
}

// Where a direct jump or call leads, from the start of the function. The analysis sees the
// function's bytes as the whole text and leaves targets outside of it out; there the operand
// tells, an address that wraps around below 0.
std::optional<std::int64_t> FunctionListing::target_of(const isa::Instr& instr,
                                                       const isa::Disassembly& text) const {
  if (instr.target != -1) return instr.target;
  if (!is_call(text.mnemonic) && !is_jump(text.mnemonic)) return {};
  std::string_view operand = text.operands;
  if (operand.starts_with('#')) operand.remove_prefix(1);
  if (!operand.starts_with("0x")) return {};
  operand.remove_prefix(2);
  std::uint64_t value = 0;
  const char* const end = operand.data() + operand.size();
  const auto [stop, error] = std::from_chars(operand.data(), end, value, 16);
  if (error != std::errc() || stop != end) return {};
  return static_cast<std::int64_t>(value);
}

std::string FunctionListing::instruction_text(const isa::Instr& instr) const {
  isa::Disassembly text = isa::disassemble(arch_, listing_.code, instr.offset, instr.length);
  if (const auto target = target_of(instr, text)) {
    const bool inside = *target >= 0 && static_cast<std::uint64_t>(*target) < listing_.code.size();
    const std::uint64_t text_offset = function_.offset + static_cast<std::uint64_t>(*target);
    std::string to;
    if (is_call(text.mnemonic)) {
      to = callee_name(*listing_.image, text_offset);
    } else if (inside) {
      to = label(static_cast<std::uint32_t>(*target));
    }
    // As a text offset, like every other offset here.
    if (to.empty()) to = fmt::format("{:#x}", text_offset);
    // The target is the last operand: the only one but for `tbz w0, #3, …` and its like.
    const std::size_t comma = text.operands.rfind(", ");
    text.operands.resize(comma == std::string::npos ? 0 : comma + 2);
    text.operands += to;
  }
  if (text.operands.empty()) return text.mnemonic;
  return fmt::format("{:<7} {}", text.mnemonic, text.operands);
}

std::vector<std::size_t> FunctionListing::hottest(std::size_t most) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < instrs_.size(); ++i) {
    if (instrs_[i].samples != 0) out.push_back(i);
  }
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
    return instrs_[a].samples > instrs_[b].samples;
  });
  if (out.size() > most) out.resize(most);
  return out;
}

}  // namespace aotscope::view
