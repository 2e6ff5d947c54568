// Disassembly for people: Capstone's Intel syntax, addresses as text offsets.
#include <capstone/capstone.h>
#include <fmt/format.h>

#include <algorithm>

#include <aotscope/isa.hpp>

namespace aotscope::isa {
namespace {

class Capstone {
 public:
  Capstone(cs_arch arch, cs_mode mode) {
    if (cs_open(arch, mode, &handle_) != CS_ERR_OK) handle_ = 0;
    if (handle_) insn_ = cs_malloc(handle_);
  }
  ~Capstone() {
    if (insn_) cs_free(insn_, 1);
    if (handle_) cs_close(&handle_);
  }
  Capstone(const Capstone&) = delete;
  Capstone& operator=(const Capstone&) = delete;

  const cs_insn* one(std::span<const std::uint8_t> bytes, std::uint64_t address) {
    if (!insn_) return nullptr;
    const std::uint8_t* code = bytes.data();
    std::size_t size = bytes.size();
    const bool ok = cs_disasm_iter(handle_, &code, &size, &address, insn_);
    return ok && size == 0 ? insn_ : nullptr;  // exactly the instruction that the sweep saw
  }

 private:
  csh handle_ = 0;
  cs_insn* insn_ = nullptr;
};

Capstone* capstone(image::Arch arch) {
  thread_local Capstone x86(CS_ARCH_X86, CS_MODE_64);
  thread_local Capstone a64(CS_ARCH_ARM64, CS_MODE_ARM);
  switch (arch) {
    case image::Arch::x86_64:
      return &x86;
    case image::Arch::aarch64:
      return &a64;
    default:
      return nullptr;
  }
}

}  // namespace

Disassembly disassemble(image::Arch arch, std::span<const std::uint8_t> text,
                        std::uint64_t text_offset, std::uint8_t length) {
  if (text_offset >= text.size()) return {".byte", ""};
  const auto bytes =
      text.subspan(text_offset, std::min<std::uint64_t>(length, text.size() - text_offset));
  Capstone* engine = capstone(arch);
  if (const cs_insn* insn = engine ? engine->one(bytes, text_offset) : nullptr)
    return {insn->mnemonic, insn->op_str};
  // Bytes that are no instruction, as the assembler would take them.
  std::string values;
  for (const std::uint8_t byte : bytes)
    values += fmt::format("{}0x{:02x}", values.empty() ? "" : ", ", byte);
  return {".byte", values};
}

}  // namespace aotscope::isa
