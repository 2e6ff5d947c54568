// The first AArch64 version: assembled by llvm-mc.
#include "listing.hpp"

using namespace aotscope;
using namespace aotscope::isa;
using namespace aotscope::isa::test;

TEST_CASE("AArch64: kinds of instructions") {
  check(
      {
          {"e1 03 02 aa", "mov x1, x2", "move"},
          {"ef 03 01 2a", "mov w15, w1", "move"},
          {"e1 03 01 2a", "mov w1, w1", "zero-extend"},
          {"41 1c 00 53", "uxtb w1, w2", "zero-extend"},
          {"00 00 67 9e", "fmov d0, x0", "move"},
          {"00 00 66 9e", "fmov x0, d0", "move"},
          {"41 40 60 1e", "fmov d1, d2", "move"},
          {"61 55 95 d2", "mov x1, #43691", "const"},
          {"41 55 b5 f2", "movk x1, #43690, lsl #16", "const"},
          {"00 10 6e 1e", "fmov d0, #1.0", "const"},
          {"21 08 40 92", "and x1, x1, #7", "alu"},
          {"41 00 03 8b", "add x1, x2, x3", "alu"},
          {"41 40 00 91", "add x1, x2, #16", "alu"},
          {"41 00 03 4b", "sub w1, w2, w3", "alu"},
          {"41 04 00 f1", "subs x1, x2, #1", "alu"},
          {"3f 00 00 71", "cmp w1, #0", "alu"},
          {"e0 17 9f 1a", "cset w0, eq", "alu"},
          {"41 10 83 9a", "csel x1, x2, x3, ne", "alu"},
          {"02 20 d7 1a", "lsl w2, w0, w23", "alu"},
          {"20 fc 43 d3", "lsr x0, x1, #3", "alu"},
          {"20 7c 40 93", "sxtw x0, w1", "alu"},
          {"41 10 c0 da", "clz x1, x2", "alu"},
          {"e1 03 02 4b", "neg w1, w2", "alu"},
          {"41 00 03 ca", "eor x1, x2, x3", "alu"},
          {"81 00 00 10", "adr x1, #16", "alu"},
          {"c1 7e 1b 9b", "mul x1, x22, x27", "mul-div"},
          {"02 d8 1a 1b", "msub w2, w0, w26, w22", "mul-div"},
          {"41 08 c3 9a", "udiv x1, x2, x3", "mul-div"},
          {"41 0c c3 1a", "sdiv w1, w2, w3", "mul-div"},
          {"00 28 61 1e", "fadd d0, d0, d1", "float"},
          {"00 18 61 1e", "fdiv d0, d0, d1", "float"},
          {"00 c0 61 1e", "fsqrt d0, d0", "float"},
          {"00 20 61 1e", "fcmp d0, d1", "float"},
          {"20 00 62 9e", "scvtf d0, x1", "float"},
          {"00 00 78 9e", "fcvtzs x0, d0", "float"},
          {"20 cc 62 1e", "fcsel d0, d1, d2, gt", "float"},
          {"20 84 a2 4e", "add v0.4s, v1.4s, v2.4s", "simd"},
          {"80 6a 6f b8", "ldr w0, [x20, x15]", "mem-load"},
          {"80 6a af 38", "ldrsb x0, [x20, x15]", "mem-load"},
          {"80 6a 2f 38", "strb w0, [x20, x15]", "mem-store"},
          {"80 6a 6f fc", "ldr d0, [x20, x15]", "mem-load"},
          {"a1 0b 48 a9", "ldp x1, x2, [x29, #128]", "local-load"},
          {"a1 4b 00 f9", "str x1, [x29, #144]", "local-store"},
          {"a1 83 5f f8", "ldur x1, [x29, #-8]", "local-load"},
          {"e1 07 00 f9", "str x1, [sp, #8]", "call"},
          {"62 00 21 b8", "ldadd w1, w2, [x3]", "atomic"},
          {"61 fc 5f 88", "ldaxr w1, [x3]", "atomic"},
          {"61 fc 04 88", "stlxr w4, w1, [x3]", "atomic"},
          {"bf 3b 03 d5", "dmb ish", "atomic"},
          {"81 00 00 b4", "cbz x1, next", "branch"},
          {"61 00 18 37", "tbnz w1, #3, next", "branch"},
          {"41 00 00 54", "b.ne next", "branch"},
          {"01 00 00 14", "b next", "branch"},
          // next:
          {"00 00 00 94", "bl next", "call"},
          {"20 00 1f d6", "br x1", "dispatch"},
          {"00 00 20 d4", "brk #0", "trap"},
          {"1f 20 03 d5", "nop", "other"},
          {"c0 03 5f d6", "ret", "call"},
      },
      image::Arch::aarch64);
}

TEST_CASE("AArch64: prologue, bounds check, linear memory, call_indirect, epilogue") {
  const Code code = check(
      {
          {"fd 7b b0 a9", "stp x29, x30, [sp, #-256]!", "frame"},
          {"fd 03 00 91", "mov x29, sp", "frame"},
          {"b3 5b 00 f9", "str x19, [x29, #176]", "frame"},
          {"b4 5f 00 f9", "str x20, [x29, #184]", "frame"},
          {"1f 20 03 d5", "nop", "frame"},
          {"f3 03 00 aa", "mov x19, x0", "frame"},
          {"74 02 40 f9", "ldr x20, [x19]", "context"},
          {"a1 0f 00 f9", "str x1, [x29, #24]", "local-store"},
          {"f1 11 00 91", "add x17, x15, #4", "bounds-check"},
          {"70 06 40 f9", "ldr x16, [x19, #8]", "bounds-check"},
          {"3f 02 10 eb", "cmp x17, x16", "bounds-check"},
          {"a9 00 00 54", "b.ls inside", "bounds-check"},
          {"e0 03 13 aa", "mov x0, x19", "trap"},
          {"10 28 40 f9", "ldr x16, [x0, #80]", "trap"},
          {"00 02 3f d6", "blr x16", "trap"},
          {"00 00 20 d4", "brk #0", "trap"},
          // inside:
          {"90 02 0f 8b", "add x16, x20, x15", "mem-address"},
          {"00 06 00 f9", "str x0, [x16, #8]", "mem-store"},
          {"f0 03 13 aa", "mov x16, x19", "move"},
          {"10 0a 40 f9", "ldr x16, [x16, #16]", "context"},
          {"00 06 00 f9", "str x0, [x16, #8]", "context"},
          {"f0 03 13 aa", "mov x16, x19", "move"},
          {"10 46 40 f9", "ldr x16, [x16, #136]", "context"},
          {"10 02 40 f9", "ldr x16, [x16]", "context"},
          {"10 4e 2f 8b", "add x16, x16, w15, uxtw #3", "context"},
          {"10 02 40 f9", "ldr x16, [x16]", "context"},
          {"00 02 3f d6", "blr x16", "dispatch"},
          {"e0 03 13 aa", "mov x0, x19", "move"},
          {"10 0c 40 f9", "ldr x16, [x0, #24]", "context"},
          {"10 02 40 f9", "ldr x16, [x16]", "context"},
          {"00 02 3f d6", "blr x16", "call"},
          {"b3 5b 40 f9", "ldr x19, [x29, #176]", "frame"},
          {"b4 5f 40 f9", "ldr x20, [x29, #184]", "frame"},
          {"1f 20 03 d5", "nop", "frame"},
          {"fd 7b d0 a8", "ldp x29, x30, [sp], #256", "frame"},
          {"c0 03 5f d6", "ret", "call"},
      },
      image::Arch::aarch64);
  CHECK(code.instrs[11].target == code.instrs[16].offset);
  CHECK_FALSE(code.instrs[16].block_start);
  CHECK(code.frame_state(0) == FrameState::complete);
  CHECK_FALSE(knows_spills(image::Arch::aarch64));
  CHECK(knows_spills(image::Arch::x86_64));
}

TEST_CASE("AArch64: waits follow moves") {
  check(
      {
          {"00 18 61 1e", "fdiv d0, d0, d1", "float", "float"},
          {"02 00 66 9e", "fmov x2, d0", "move", "float"},
          {"e3 03 02 aa", "mov x3, x2", "move", "float"},
          {"64 7c 03 9b", "mul x4, x3, x3", "mul-div", "float"},
          {"85 00 04 8b", "add x5, x4, x4", "alu", "mul-div"},
          {"e6 03 05 aa", "mov x6, x5", "move", "move"},
          {"80 6a 6f b8", "ldr w0, [x20, x15]", "mem-load", "mem-load"},
          {"1f 04 00 71", "cmp w0, #1", "alu", "mem-load"},
          {"c0 03 5f d6", "ret", "call"},
      },
      image::Arch::aarch64);
}

TEST_CASE("AArch64: unknown words, cut off and unaligned text") {
  const auto text = bytes_of("00 00 00 00 1f 20 03 d5 ff ff ff ff c0 03 5f d6 01 02");
  const Code code = analyze(image::Arch::aarch64, text, 0, text.size());
  CHECK(code.undecoded_bytes == 10);
  CHECK(code.counts[static_cast<std::size_t>(InstrClass::call)] == 1);
  CHECK(code.at(12)->length == 4);
}
