// The walk: jump tables stepped over, nonsense counted, boundaries kept.
#include "listing.hpp"

using namespace aotscope;
using namespace aotscope::isa;
using namespace aotscope::isa::test;

namespace {

using Offsets = std::vector<std::uint32_t>;

Offsets starts(const Code& code) {
  Offsets out;
  for (const Instr& instr : code.instrs)
    if (!instr.undecoded) out.push_back(instr.offset);
  return out;
}

}  // namespace

TEST_CASE("a br_table's table is stepped over") {
  const Code code = check({
      {"45 89 db", "mov r11d, r11d", "zero-extend"},
      {"49 83 fb 02", "cmp r11, 2", "dispatch"},
      {"73 19", "jae default", "dispatch"},
      {"4c 8d 15 0a 00 00 00", "lea r10, [rip+10]", "dispatch"},
      {"4f 63 1c 9a", "movsxd r11, dword ptr [r10+r11*4]", "dispatch"},
      {"4d 01 da", "add r10, r11", "dispatch"},
      {"41 ff e2", "jmp r10", "dispatch"},
      // table:
      {"0d 00 00 00", ".long one - table", ""},
      {"12 00 00 00", ".long two - table", ""},
      // default:
      {"b8 07 00 00 00", "mov eax, 7", "const"},
      // one:
      {"b8 01 00 00 00", "mov eax, 1", "const"},
      // two:
      {"c3", "ret", "call"},
  });
  REQUIRE(code.tables.size() == 1);
  CHECK(code.tables[0].offset == 26);
  CHECK(code.tables[0].targets == Offsets{39, 44});
  CHECK(code.undecoded_bytes == 0);
  CHECK(code.instrs[7].block_start);
  CHECK(code.instrs[8].block_start);
  CHECK(code.at(26) == nullptr);  // inside the table
  CHECK(code.at(33) == nullptr);
  REQUIRE(code.at(25));
  CHECK(code.at(25)->offset == 23);
  CHECK(code.at(45) == nullptr);  // behind the end
}

TEST_CASE("an index checked with ja has one entry more") {
  const Code code = check({
      // one:
      {"49 83 fb 01", "cmp r11, 1", "dispatch"},
      {"77 fa", "ja one", "dispatch"},
      {"4c 8d 15 0a 00 00 00", "lea r10, [rip+table]", "dispatch"},
      {"4f 63 1c 9a", "movsxd r11, dword ptr [r10+r11*4]", "dispatch"},
      {"4d 01 da", "add r10, r11", "dispatch"},
      {"41 ff e2", "jmp r10", "dispatch"},
      // table:
      {"e9 ff ff ff", ".long one - table", ""},
      {"e9 ff ff ff", ".long one - table", ""},
      {"87 c0", "xchg eax, eax", "move"},
      {"c3", "ret", "call"},
  });
  REQUIRE(code.tables.size() == 1);
  CHECK(code.tables[0].targets.size() == 2);
}

TEST_CASE("a table at the end of a function, and one that the end cuts off") {
  const Rows rows = {
      // one:
      {"90", "nop", "other"},
      {"49 83 fb 02", "cmp r11, 2", "dispatch"},
      {"73 f9", "jae one", "dispatch"},
      {"4c 8d 15 0a 00 00 00", "lea r10, [rip+table]", "dispatch"},
      {"4f 63 1c 9a", "movsxd r11, dword ptr [r10+r11*4]", "dispatch"},
      {"4d 01 da", "add r10, r11", "dispatch"},
      {"41 ff e2", "jmp r10", "dispatch"},
      // table:
      {"e8 ff ff ff", ".long one - table", ""},
      {"e8 ff ff ff", ".long one - table", ""},
  };
  const Code whole = check(rows);
  REQUIRE(whole.tables.size() == 1);
  CHECK(whole.tables[0].targets == Offsets{0, 0});
  CHECK(whole.undecoded_bytes == 0);

  auto text = assemble(rows);
  text.resize(text.size() - 2);
  const Code cut = analyze(image::Arch::x86_64, text, 0, text.size());
  CHECK(starts(cut) == starts(whole));
  REQUIRE(cut.tables.size() == 1);
  CHECK(cut.tables[0].targets.size() == 1);
  CHECK(cut.undecoded_bytes == 2);
}

TEST_CASE("two tables in a row") {
  // The first sequence's table lies behind the second's jump, in front of the second's table.
  const Code code = check({
      // start:
      {"49 83 fb 01", "cmp r11, 1", "dispatch"},
      {"73 fa", "jae start", "dispatch"},
      {"4c 8d 15 21 00 00 00", "lea r10, [rip+first]", "dispatch"},
      {"4f 63 1c 9a", "movsxd r11, dword ptr [r10+r11*4]", "dispatch"},
      {"4d 01 da", "add r10, r11", "dispatch"},
      {"41 ff e2", "jmp r10", "dispatch"},
      // one:
      {"49 83 fb 02", "cmp r11, 2", "dispatch"},
      {"73 e3", "jae start", "dispatch"},
      {"4c 8d 15 0e 00 00 00", "lea r10, [rip+second]", "dispatch"},
      {"4f 63 1c 9a", "movsxd r11, dword ptr [r10+r11*4]", "dispatch"},
      {"4d 01 da", "add r10, r11", "dispatch"},
      {"41 ff e2", "jmp r10", "dispatch"},
      // first:
      {"e9 ff ff ff", ".long one - first", ""},
      // second:
      {"08 00 00 00", ".long two - second", ""},
      {"e5 ff ff ff", ".long one - second", ""},
      // two:
      {"c3", "ret", "call"},
  });
  REQUIRE(code.tables.size() == 2);
  CHECK(code.tables[0].targets.size() == 1);
  CHECK(code.tables[1].targets.size() == 2);
  CHECK(code.undecoded_bytes == 0);
}

TEST_CASE("a table whose count cannot be known ends where code must begin") {
  SECTION("at the nearest target of its own entries") {
    const Code code = check({
        {"4c 8d 15 0a 00 00 00", "lea r10, [rip+table]", "dispatch"},
        {"4f 63 1c 9a", "movsxd r11, dword ptr [r10+r11*4]", "dispatch"},
        {"4d 01 da", "add r10, r11", "dispatch"},
        {"41 ff e2", "jmp r10", "dispatch"},
        // table:
        {"11 00 00 00", ".long two - table", ""},
        {"0c 00 00 00", ".long one - table", ""},
        {"11 00 00 00", ".long two - table", ""},
        // one:
        {"b8 01 00 00 00", "mov eax, 1", "const"},
        // two:
        {"c3", "ret", "call"},
    });
    REQUIRE(code.tables.size() == 1);
    CHECK(code.tables[0].targets.size() == 3);
    CHECK(code.undecoded_bytes == 0);
  }
  SECTION("at a known target") {
    const Code code = check({
        {"85 c0", "test eax, eax", "alu"},
        {"75 15", "jne behind", "branch"},
        // start:
        {"4c 8d 15 0a 00 00 00", "lea r10, [rip+table]", "dispatch"},
        {"4f 63 1c 9a", "movsxd r11, dword ptr [r10+r11*4]", "dispatch"},
        {"4d 01 da", "add r10, r11", "dispatch"},
        {"41 ff e2", "jmp r10", "dispatch"},
        // table:
        {"ef ff ff ff", ".long start - table", ""},
        // behind:
        {"c3", "ret", "call"},
    });
    REQUIRE(code.tables.size() == 1);
    CHECK(code.tables[0].targets.size() == 1);
  }
  SECTION("where an entry leads outside the function") {
    const Code code = check({
        // start:
        {"4c 8d 15 0a 00 00 00", "lea r10, [rip+table]", "dispatch"},
        {"4f 63 1c 9a", "movsxd r11, dword ptr [r10+r11*4]", "dispatch"},
        {"4d 01 da", "add r10, r11", "dispatch"},
        {"41 ff e2", "jmp r10", "dispatch"},
        // table:
        {"ef ff ff ff", ".long start - table", ""},
        {"ef ff ff ff", ".long start - table", ""},
        {"48 89 f8", "mov rax, rdi", "move"},
        {"48 c1 e0 03", "shl rax, 3", "alu"},
        {"c3", "ret", "call"},
    });
    REQUIRE(code.tables.size() == 1);
    CHECK(code.tables[0].targets.size() == 2);
  }
}

TEST_CASE("bytes that are no instruction are counted and the decode finds back into step") {
  const Rows rows = {
      {"85 c0", "test eax, eax", "alu"},
      {"75 09", "jne behind", "branch"},
      {"b8 01 00 00 00", "mov eax, 1", "const"},
      {"06 d9 48 b8", ".byte 0x06, 0xd9, 0x48, 0xb8", ""},
      // behind:
      {"b9 02 00 00 00", "mov ecx, 2", "const"},
      {"c3", "ret", "call"},
  };
  const auto text = assemble(rows);
  const Code code = analyze(image::Arch::x86_64, text, 0, text.size());
  CHECK(starts(code) == Offsets{0, 2, 4, 13, 18});
  CHECK(code.undecoded_bytes == 4);
  REQUIRE(code.instrs.size() == 6);
  CHECK(code.instrs[3].undecoded);
  CHECK(code.instrs[3].length == 4);
  CHECK(id(code.instrs[3].cls) == "other");
  CHECK(code.instrs[4].block_start);
  CHECK(code.at(10) == &code.instrs[3]);
}

TEST_CASE("a jump back into what looked like one instruction shows that it was none") {
  // Read from the start, b8 takes the four bytes of `mov ecx, 2` with it.
  const Rows rows = {
      {"90", "nop", "other"},
      {"b8", ".byte 0xb8", ""},
      // back:
      {"b9 02 00 00 00", "mov ecx, 2", "const"},
      {"ff c9", "dec ecx", "alu"},
      {"75 f7", "jne back", "branch"},
      {"c3", "ret", "call"},
  };
  const auto text = assemble(rows);
  const Code code = analyze(image::Arch::x86_64, text, 0, text.size());
  CHECK(starts(code) == Offsets{0, 2, 7, 9, 11});
  CHECK(code.undecoded_bytes == 1);
}

TEST_CASE("a jump among nonsense proves nothing") {
  // Behind the bad byte, `jmp +1` would make the middle of the next instruction a target.
  const Rows rows = {
      {"06", ".byte 0x06", ""},
      {"eb 01", ".byte 0xeb, 0x01", ""},
      {"b9 02 00 00 00", "mov ecx, 2", "const"},
      {"c3", "ret", "call"},
  };
  const auto text = assemble(rows);
  const Code code = analyze(image::Arch::x86_64, text, 0, text.size());
  CHECK(starts(code) == Offsets{1, 3, 8});
  CHECK(code.undecoded_bytes == 1);
}

TEST_CASE("a long run of nonsense, and an instruction that the end cuts off") {
  const std::vector<std::uint8_t> text(700, 0x06);
  Code code = analyze(image::Arch::x86_64, text, 0, text.size());
  CHECK(code.undecoded_bytes == 700);
  REQUIRE(code.instrs.size() == 3);
  CHECK(code.instrs[0].length == 255);
  CHECK(code.instrs[2].offset == 510);
  CHECK(code.counts[static_cast<std::size_t>(InstrClass::other)] == 3);

  const std::vector<std::uint8_t> cut = {0x90, 0x48, 0xb8, 0x01};
  code = analyze(image::Arch::x86_64, cut, 0, cut.size());
  CHECK(starts(code).front() == 0);
  CHECK(code.instrs.back().offset + code.instrs.back().length == 4);
  CHECK(code.undecoded_bytes > 0);
}

TEST_CASE("padding behind the last instruction is no code") {
  std::vector<std::uint8_t> text = {0xc3, 0x00, 0x00, 0x00};
  Code code = analyze(image::Arch::x86_64, text, 0, text.size());
  CHECK(code.instrs.size() == 1);
  CHECK(code.undecoded_bytes == 0);
  CHECK(code.at(2) == nullptr);
}

TEST_CASE("any bytes at all: boundaries ascend, nothing overlaps, the classes sum") {
  // A fixed generator, so that a failure comes back.
  std::uint64_t state = 1;
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::uint8_t> text(1 + round % 97);
    for (std::uint8_t& byte : text) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      byte = static_cast<std::uint8_t>(state >> 56);
    }
    const Code code = analyze(image::Arch::x86_64, text, 0, text.size());
    std::uint32_t end = 0, undecoded = 0, sum = 0;
    for (const Instr& instr : code.instrs) {
      REQUIRE(instr.offset >= end);
      REQUIRE(instr.length > 0);
      end = instr.offset + instr.length;
      if (instr.undecoded) undecoded += instr.length;
      REQUIRE(instr.producer < static_cast<std::int32_t>(code.instrs.size()));
    }
    for (const std::uint32_t count : code.counts) sum += count;
    REQUIRE(end <= text.size());
    REQUIRE(undecoded == code.undecoded_bytes);
    REQUIRE(sum == code.instrs.size());
  }
}

TEST_CASE("functions outside the text, empty ones, and foreign architectures") {
  const std::vector<std::uint8_t> text = {0x90, 0xc3};
  CHECK(analyze(image::Arch::x86_64, text, 3, 5).instrs.empty());
  CHECK(analyze(image::Arch::x86_64, text, 2, 0).instrs.empty());
  CHECK(analyze(image::Arch::x86_64, text, 1, ~std::uint64_t{0}).instrs.size() == 1);
  const Code code = analyze(image::Arch::unknown, text, 0, 2);
  CHECK_FALSE(code.classified);
  CHECK(code.instrs.empty());
}

TEST_CASE("targets of jumps and calls are text offsets") {
  const std::vector<std::uint8_t> text = {0xc3, 0xe8, 0xfa, 0xff, 0xff, 0xff, 0xeb,
                                          0xfe, 0xe8, 0x00, 0x01, 0x00, 0x00};
  const Code code = analyze(image::Arch::x86_64, text, 1, 12);
  REQUIRE(code.instrs.size() == 3);
  CHECK(code.instrs[0].target == 0);   // the function before
  CHECK(code.instrs[1].target == 6);   // itself
  CHECK(code.instrs[2].target == -1);  // outside the text
}

TEST_CASE("jumps through one table share it, and tables never overlap") {
  const Code code = check({
      // start:
      {"49 83 fb 03", "cmp r11, 3", "dispatch"},
      {"73 fa", "jae start", "dispatch"},
      {"4c 8d 15 32 00 00 00", "lea r10, [rip+table]", "dispatch"},
      {"4f 63 1c 9a", "movsxd r11, dword ptr [r10+r11*4]", "dispatch"},
      {"4d 01 da", "add r10, r11", "dispatch"},
      {"41 ff e2", "jmp r10", "dispatch"},
      // again:
      {"49 83 fb 03", "cmp r11, 3", "dispatch"},
      {"73 e3", "jae start", "dispatch"},
      {"4c 8d 15 1b 00 00 00", "lea r10, [rip+table]", "dispatch"},
      {"4f 63 1c 9a", "movsxd r11, dword ptr [r10+r11*4]", "dispatch"},
      {"4d 01 da", "add r10, r11", "dispatch"},
      {"41 ff e2", "jmp r10", "dispatch"},
      // inside:
      {"4c 8d 15 0e 00 00 00", "lea r10, [rip+table+4]", "alu"},
      {"4f 63 1c 9a", "movsxd r11, dword ptr [r10+r11*4]", "mem-load"},
      {"4d 01 da", "add r10, r11", "alu"},
      {"41 ff e2", "jmp r10", "dispatch"},
      // table:
      {"d8 ff ff ff", ".long again - table", ""},
      {"ef ff ff ff", ".long inside - table", ""},
      {"c1 ff ff ff", ".long start - table", ""},
  });
  CHECK(code.tables.size() == 1);
  CHECK(code.undecoded_bytes == 0);
}
