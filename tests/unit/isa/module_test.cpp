// Whole modules as wamrc made them: nothing is lost, nothing unknown, every jump lands on an
// instruction, and the spills are those that the compiler counted.
#include <catch2/catch.hpp>

#include <atomic>
#include <cstdlib>
#include <filesystem>

#include <aotscope/isa.hpp>

using namespace aotscope;
using namespace aotscope::isa;
namespace fs = std::filesystem;

namespace {

std::shared_ptr<const image::Core> open(const fs::path& path) {
  auto core = image::Core::open(path);
  if (!core) FAIL(core.error().message);
  return *core;
}

// Holds for any module of a compiler that we know.
void check_module(const fs::path& path) {
  INFO(path);
  const auto core = open(path);
  const auto counts = inspect_core(*core);
  REQUIRE(counts.size() == core->functions().size());
  std::uint64_t instructions = 0, others = 0;
  for (const FunctionCounts& function : counts) {
    INFO("local_func " << function.local_func);
    CHECK(function.counts.undecoded_bytes == 0);
    std::uint64_t sum = 0;
    for (const std::uint32_t count : function.counts.classes) sum += count;
    CHECK(sum == function.counts.instructions);
    instructions += sum;
    others += function.counts.classes[static_cast<std::size_t>(InstrClass::other)];
  }
  // AArch64 code is full of nops where something else could have been.
  if (core->arch() == image::Arch::x86_64) CHECK(others * 200 <= instructions);
  CHECK(check_targets(*core).empty());
  // Where a counted spill is in the log, and where not.
  const fs::path log_path = fs::path(path).replace_extension(".spill.log");
  if (!knows_spills(core->arch()) || !fs::exists(log_path) ||
      fs::last_write_time(log_path) > fs::last_write_time(path))
    return;
  const auto log = read_spill_log(log_path);
  REQUIRE(log);
  const SpillComparison result = compare(*log, 0, counts);
  CHECK(result.agree == result.in_log);
  CHECK(result.not_in_log.empty());
  CHECK_FALSE(result.other_build);
}

std::uint32_t of(const FunctionCounts& function, InstrClass cls) {
  return function.counts.classes[static_cast<std::size_t>(cls)];
}

}  // namespace

TEST_CASE("sequences.wat: what each function was written for is found in it") {
  const fs::path path = fs::path(AOTSCOPE_ISA_DATA) / "sequences.cwasm";
  check_module(path);
  const auto core = open(path);
  const auto counts = inspect_core(*core, 1);
  const auto log = read_spill_log(fs::path(AOTSCOPE_ISA_DATA) / "sequences.spill.log");
  REQUIRE(log);
  const SpillComparison spills = compare(*log, 0, counts);
  CHECK(spills.in_log == 3);
  CHECK(spills.agree == 3);
  CHECK(spills.not_in_log.empty());

  REQUIRE(counts.size() == 10);
  const FunctionCounts &add = counts[0], &choose = counts[2], &indirect = counts[3],
                       &memory = counts[4], &globals = counts[5], &numbers = counts[6],
                       &pressure = counts[8];
  CHECK(of(add, InstrClass::dispatch) == 0);
  CHECK(of(add, InstrClass::bounds_check) == 0);
  CHECK(of(choose, InstrClass::dispatch) == 12);    // two br_tables of six instructions
  CHECK(of(indirect, InstrClass::dispatch) == 13);  // one call_indirect
  CHECK(of(memory, InstrClass::mem_bulk) == 1);     // memory.fill; memory.copy calls a helper
  CHECK(of(memory, InstrClass::mem_load) == 3);
  CHECK(of(memory, InstrClass::mem_store) == 3);
  CHECK(of(globals, InstrClass::context) > 0);
  CHECK(of(globals, InstrClass::floating) == 2);  // div, sqrt
  CHECK(of(numbers, InstrClass::mul_div) == 3);   // cqo, idiv; div
  CHECK(of(pressure, InstrClass::spill_load) > 0);

  const Code code =
      analyze(core->arch(), core->text(), core->functions()[2].offset, core->functions()[2].size);
  REQUIRE(code.tables.size() == 2);
  CHECK(code.tables[0].targets.size() == 3);  // the last label of a br_table is the default
  CHECK(code.tables[1].targets.size() == 2);
}

TEST_CASE("every function of wamrc starts with its frame and returns") {
  const auto core = open(fs::path(AOTSCOPE_ISA_DATA) / "sequences.cwasm");
  CodeCache cache(core);
  for (const image::Function& function : core->functions()) {
    const auto code = cache.code(function.local);
    CHECK(code->frame_size > 512);
    CHECK(code->pushes_before_frame == std::vector<std::uint32_t>{1, 4});
    CHECK_FALSE(code->rets.empty());
    CHECK(cache.code(function.local) == code);  // analysed once
  }
  CHECK(cache.code(1000)->instrs.empty());
}

TEST_CASE("progress is told to the calling thread and ends with all functions") {
  const auto core = open(fs::path(AOTSCOPE_ISA_DATA) / "sequences.cwasm");
  std::size_t last = 0;
  const auto counts = inspect_core(*core, 2, [&](std::size_t done) { last = done; });
  CHECK(last == core->functions().size());
  const auto alone = inspect_core(*core, 1);
  for (std::size_t i = 0; i < counts.size(); ++i)
    CHECK(counts[i].counts.classes == alone[i].counts.classes);
}

TEST_CASE("a jump into the middle of an instruction is reported") {
  // A minimal file: sections 0 (target), 2 (text) and 3 (functions).
  std::vector<std::uint8_t> file = {0, 'a', 'o', 't', 11, 0, 0, 0};
  const auto word = [&](std::uint32_t value) {
    for (int i = 0; i < 4; ++i) file.push_back(static_cast<std::uint8_t>(value >> 8 * i));
  };
  word(0);
  word(40);
  for (int i = 0; i < 40; ++i) file.push_back(i == 6 ? 62 : 0);
  const std::vector<std::uint8_t> text = {
      0xe8, 0x02, 0x00, 0x00, 0x00,  // call into the second function's mov
      0xc3,                          // ret
      0xb8, 0x01, 0x00, 0x00, 0x00,  // mov eax, 1
      0xc3,                          // ret
  };
  word(2);
  word(static_cast<std::uint32_t>(text.size()));
  file.insert(file.end(), text.begin(), text.end());
  word(3);
  word(4 + 2 * 8);
  for (const std::uint32_t value : {2u, 0u, 0u, 6u, 0u}) word(value);
  const auto core = image::Core::from_bytes(file, "test");
  REQUIRE(core);
  const auto bad = check_targets(**core);
  REQUIRE(bad.size() == 1);
  CHECK(bad[0].local_func == 0);
  CHECK(bad[0].from == 0);
  CHECK(bad[0].target == 7);
}

TEST_CASE("listings show text offsets, and bytes that are no instruction as bytes") {
  const std::vector<std::uint8_t> text = {0x90, 0x48, 0x8b, 0x45, 0xf0, 0xeb, 0xf9, 0x06};
  const Disassembly load = disassemble(image::Arch::x86_64, text, 1, 4);
  CHECK(load.mnemonic == "mov");
  CHECK(load.operands == "rax, qword ptr [rbp - 0x10]");
  CHECK(disassemble(image::Arch::x86_64, text, 5, 2).operands == "0");
  CHECK(disassemble(image::Arch::x86_64, text, 7, 1).mnemonic == ".byte");
  CHECK(disassemble(image::Arch::x86_64, text, 7, 1).operands == "0x06");
  CHECK(disassemble(image::Arch::x86_64, text, 99, 1).mnemonic == ".byte");
  CHECK(disassemble(image::Arch::unknown, text, 0, 1).operands == "0x90");
}

// The programs that tools/inputs has made so far; AOTSCOPE_INPUTS names another folder.
TEST_CASE("the modules made by tools/inputs") {
  const char* given = std::getenv("AOTSCOPE_INPUTS");
  const fs::path folder = given ? given : AOTSCOPE_INPUTS;
  std::error_code error;
  std::size_t seen = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".cwasm" || entry.file_size(error) > 8 << 20) continue;
    check_module(entry.path());
    ++seen;
  }
  if (seen == 0) WARN("no modules in " << folder << ": run tools/inputs all");
}
