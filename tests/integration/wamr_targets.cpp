// usage: wamr_targets IMAGE: holds the sweep's instruction boundaries against Capstone, for a whole
// image. Capstone decodes what the sweep found, one instruction at each boundary: it must have the
// same length there, and every direct jump and call that Capstone reads must lead to a boundary.
// Prints the counts; exit 1 where one does not hold.
#include <capstone/capstone.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <aotscope/image.hpp>
#include <aotscope/isa.hpp>

namespace {

using aotscope::image::Core;
namespace isa = aotscope::isa;

struct Counts {
  std::uint64_t functions = 0;
  std::uint64_t instructions = 0;
  std::uint64_t targets = 0;
  std::uint64_t bad_targets = 0;
  std::uint64_t other_lengths = 0;
  std::uint64_t undecoded_bytes = 0;
};

void complain(const char* what, std::uint32_t local, std::uint64_t offset) {
  static int shown = 0;
  if (++shown <= 20) {
    std::fprintf(stderr, "local %u at %#llx: %s\n", local, static_cast<unsigned long long>(offset),
                 what);
  }
}

class Checker {
 public:
  Checker(const Core& core, Counts& counts)
      : core_(core), counts_(counts), starts_(core.text().size()) {
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle_) != CS_ERR_OK) std::abort();
    instruction_ = cs_malloc(handle_);
  }
  ~Checker() {
    cs_free(instruction_, 1);
    cs_close(&handle_);
  }
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  void run() {
    // A call leads to another function: all boundaries first.
    for (const auto& function : core_.functions()) {
      for (const isa::Instr& instr : analyze(function).instrs) {
        if (!instr.undecoded) starts_[function.offset + instr.offset] = true;
      }
    }
    for (const auto& function : core_.functions()) check(function);
  }

 private:
  isa::Code analyze(const aotscope::image::Function& function) const {
    return isa::analyze(core_.arch(), core_.text(), function.offset, function.size);
  }

  void check(const aotscope::image::Function& function) {
    const isa::Code code = analyze(function);
    ++counts_.functions;
    counts_.undecoded_bytes += code.undecoded_bytes;
    for (const isa::Instr& instr : code.instrs) {
      if (instr.undecoded) continue;
      ++counts_.instructions;
      const std::uint64_t offset = function.offset + instr.offset;
      const std::uint8_t* bytes = core_.text().data() + offset;
      std::size_t left = core_.text().size() - offset;
      std::uint64_t address = offset;
      if (!cs_disasm_iter(handle_, &bytes, &left, &address, instruction_) ||
          instruction_->size != instr.length) {
        ++counts_.other_lengths;
        complain("Capstone sees another length", function.local, offset);
        continue;
      }
      const std::string_view mnemonic = instruction_->mnemonic;
      const std::string_view operand = instruction_->op_str;
      if (!mnemonic.starts_with('j') && mnemonic != "call") continue;
      if (operand.empty() || operand[0] < '0' || operand[0] > '9') continue;  // indirect
      ++counts_.targets;
      const std::uint64_t target = std::strtoull(instruction_->op_str, nullptr, 0);
      if (target >= starts_.size() || !starts_[target]) {
        ++counts_.bad_targets;
        complain("its target is inside an instruction, or outside of the text", function.local,
                 offset);
      }
    }
  }

  const Core& core_;
  Counts& counts_;
  std::vector<bool> starts_;
  csh handle_ = 0;
  cs_insn* instruction_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto program = aotscope::image::open_program(argv[1]);
  if (!program) {
    std::fprintf(stderr, "%s\n", program.error().message.c_str());
    return 2;
  }
  Counts counts;
  for (const auto& core : program->cores) Checker(*core, counts).run();
  const auto show = [](const char* what, std::uint64_t value) {
    std::printf("%s %llu\n", what, static_cast<unsigned long long>(value));
  };
  show("functions", counts.functions);
  show("instructions", counts.instructions);
  show("targets", counts.targets);
  show("bad_targets", counts.bad_targets);
  show("other_lengths", counts.other_lengths);
  show("undecoded_bytes", counts.undecoded_bytes);
  return counts.bad_targets == 0 && counts.other_lengths == 0 ? 0 : 1;
}
