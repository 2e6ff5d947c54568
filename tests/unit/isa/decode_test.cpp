// The table-driven x86-64 decoder against Capstone's opinion of the same bytes.
#include "isa/x86_decode.hpp"

#include "listing.hpp"

using namespace aotscope;
using namespace aotscope::isa;
using namespace aotscope::isa::test;

namespace {

// Lengths and memory operands. (Capstone 4 is wrong about which way some operands go, so reads and
// writes are left to the tests of classes and waits.)
bool agree(const Op& ours, const Op& theirs) {
  // Capstone 4 takes four bytes for the operand of `66 48 c2 iw`, a ret; the manual says two.
  if (ours.kind == Kind::ret) return true;
  if (ours.length != theirs.length) return false;
  // The implied operands of movs and stos count as registers here.
  if (ours.kind == Kind::bulk || !(ours.bits & theirs.bits & Op::memory)) return true;
  return ours.base == theirs.base && ours.index == theirs.index && ours.disp == theirs.disp &&
         (ours.index == reg_none || ours.scale == theirs.scale);
}

Op decoded(const char* hex) {
  const auto code = bytes_of(hex);
  Op op;
  INFO(hex);
  REQUIRE(x86::decode(code, 0, op));
  CHECK(op.length == code.size());
  return op;
}

}  // namespace

TEST_CASE("tables and Capstone agree on whatever both decode") {
  std::uint64_t state = 42;
  const auto random = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint8_t>(state >> 56);
  };
  const std::vector<std::vector<std::uint8_t>> beginnings = {
      {}, {0x48}, {0x0f}, {0x66, 0x0f}, {0xf2, 0x0f}, {0xf3, 0x48, 0x0f}, {0x66, 0x48}, {0xf0}};
  unsigned both = 0;
  for (unsigned round = 0; round < 400'000; ++round) {
    std::vector<std::uint8_t> code = beginnings[round % beginnings.size()];
    while (code.size() < 16) code.push_back(random());
    Op ours, theirs;
    if (!x86::decode(code, 0, ours) || !x86::decode_by_capstone(code, 0, theirs)) continue;
    ++both;
    if (agree(ours, theirs)) continue;
    std::string hex;
    for (const std::uint8_t byte : code)
      hex += "0123456789abcdef"[byte >> 4], hex += "0123456789abcdef"[byte & 15], hex += ' ';
    FAIL(hex << ": " << int{ours.length} << " against " << int{theirs.length});
  }
  CHECK(both > 100'000);
}

TEST_CASE("registers, memory operands and immediates") {
  const Op add = decoded("48 81 c7 70 0d 00 00");  // add rdi, 0xd70
  CHECK(add.kind == Kind::add);
  CHECK(add.dst == x86::rdi);
  CHECK(add.value == 0xd70);
  CHECK(add.writes == (bit(x86::rdi) | bit(reg_flags)));

  const Op load = decoded("46 8b 94 8b 00 ff ff ff");  // mov r10d, [rbx+r9*4-0x100]
  CHECK(load.kind == Kind::move);
  CHECK(load.bits == (Op::reads_memory | Op::narrow));
  CHECK(load.base == x86::rbx);
  CHECK(load.index == 9);
  CHECK(load.scale == 4);
  CHECK(load.disp == -0x100);
  CHECK(load.writes == bit(x86::r10));
  CHECK(load.reads == (bit(x86::rbx) | bit(9)));

  const Op compare = decoded("4c 3b 5b 08");  // cmp r11, [rbx+8]
  CHECK(compare.bits == Op::reads_memory);
  CHECK(compare.writes == bit(reg_flags));
  CHECK(compare.src == x86::r11);

  const Op wide = decoded("49 bd ab aa aa aa 00 00 00 00");  // movabs r13, 0xaaaaaaab
  CHECK(wide.value == 0xaaaaaaab);
  CHECK(decoded("66 48 81 c0 01 00 00 00").value == 1);  // REX.W wins over 66
  CHECK(decoded("66 81 c0 01 00").value == 1);

  const Op divide = decoded("48 f7 f9");  // idiv rcx
  CHECK(divide.kind == Kind::divide);
  CHECK(divide.reads == (bit(x86::rax) | bit(x86::rdx) | bit(x86::rcx)));
  CHECK(divide.writes == (bit(x86::rax) | bit(x86::rdx) | bit(reg_flags)));

  CHECK(decoded("48 8d 05 10 00 00 00").base == reg_pc);    // lea rax, [rip+16]
  CHECK(decoded("8b 04 25 10 00 00 00").base == reg_none);  // mov eax, [16]
  CHECK(decoded("41 8b 45 00").base == 13);                 // mov eax, [r13+0]
  CHECK(decoded("41 8b 04 24").base == 12);                 // mov eax, [r12]
  CHECK(decoded("88 e0").src == 0);                         // mov al, ah
  CHECK(decoded("40 88 e0").src == x86::rsp);               // mov al, spl
}

TEST_CASE("VEX comes from Capstone, with its registers") {
  const Op add = decoded("c5 fb 58 c1");  // vaddsd xmm0, xmm0, xmm1
  CHECK(add.kind == Kind::vector);
  CHECK((add.writes & bit(reg_vector)) != 0);
  CHECK((add.reads & bit(reg_vector + 1)) != 0);
  const Op shift = decoded("c4 e2 f9 f7 c3");  // shlx rax, rbx, rax
  CHECK(shift.kind == Kind::alu);
  CHECK((shift.writes & bit(x86::rax)) != 0);
}

TEST_CASE("what no compiler of wasm emits is no instruction") {
  for (const char* hex : {"06", "f4", "ec", "cf", "d9 c0", "0f 6f c1", "66 e9 00 00 00 00 00 00",
                          "f0 89 c0", "8d c0", "ff ff", "48", "0f", "e8 00 00", "66 66 66"}) {
    const auto code = bytes_of(hex);
    Op op;
    INFO(hex);
    CHECK_FALSE(x86::decode(code, 0, op));
  }
}
