// The class of each kind of instruction, and of the sequences where context decides.
#include "listing.hpp"

using namespace aotscope;
using namespace aotscope::isa;
using namespace aotscope::isa::test;

TEST_CASE("class ids are the ones that scripts and recordings know, and lead back") {
  const char* ids[] = {"spill-load", "spill-store",  "local-load",  "local-store", "zero-extend",
                       "move",       "const",        "alu",         "mul-div",     "float",
                       "simd",       "bounds-check", "mem-address", "mem-load",    "mem-store",
                       "mem-bulk",   "atomic",       "context",     "branch",      "dispatch",
                       "call",       "frame",        "trap",        "other"};
  REQUIRE(std::size(ids) == class_count);
  for (std::size_t i = 0; i < class_count; ++i) {
    CHECK(class_id(static_cast<InstrClass>(i)) == ids[i]);
    CHECK(class_from_id(ids[i]) == static_cast<InstrClass>(i));
  }
  CHECK_FALSE(class_from_id("spill"));
  CHECK_FALSE(class_from_id(""));
}

TEST_CASE("roll-ups group what the summary line shows") {
  std::string all;
  for (const RollUp& group : roll_ups()) {
    all += std::string(group.id) + ":";
    for (const InstrClass cls : group.classes) all += " " + id(cls);
    all += "\n";
  }
  CHECK(all ==
        "spill: spill-load spill-store\nframe stores: spill-store local-store\n"
        "moves: zero-extend move\nbounds: bounds-check\n"
        "memory: mem-address mem-load mem-store mem-bulk\ndispatch: dispatch\ncall: call\n"
        "frame: frame\n");
}

TEST_CASE("instructions whose class does not depend on context") {
  check({
      {"89 f6", "mov esi, esi", "zero-extend"},
      {"45 89 e4", "mov r12d, r12d", "zero-extend"},
      {"48 0f b6 ff", "movzx rdi, dil", "zero-extend"},
      {"0f b7 c1", "movzx eax, cx", "zero-extend"},
      {"48 89 f8", "mov rax, rdi", "move"},
      {"89 f7", "mov edi, esi", "move"},
      {"48 89 f6", "mov rsi, rsi", "move"},
      {"66 48 0f 6e c0", "movq xmm0, rax", "move"},
      {"66 0f 7e d8", "movd eax, xmm3", "move"},
      {"0f 28 ca", "movaps xmm1, xmm2", "move"},
      {"f3 0f 7e ca", "movq xmm1, xmm2", "move"},
      {"48 87 d1", "xchg rcx, rdx", "move"},
      {"48 c7 c7 01 00 00 00", "mov rdi, 1", "const"},
      {"b8 07 00 00 00", "mov eax, 7", "const"},
      {"49 bd ab aa aa aa 00 00 00 00", "movabs r13, 0xaaaaaaab", "const"},
      {"31 d2", "xor edx, edx", "const"},
      {"0f 57 c0", "xorps xmm0, xmm0", "const"},
      {"66 0f ef ed", "pxor xmm5, xmm5", "const"},
      {"48 81 c7 70 0d 00 00", "add rdi, 0xd70", "alu"},
      {"45 8d 0c 3c", "lea r9d, [r12+rdi]", "alu"},
      {"41 31 f9", "xor r9d, edi", "alu"},
      {"c1 e0 02", "shl eax, 2", "alu"},
      {"48 d3 e0", "shl rax, cl", "alu"},
      {"c1 c0 1b", "rol eax, 27", "alu"},
      {"49 ff c1", "inc r9", "alu"},
      {"48 f7 d8", "neg rax", "alu"},
      {"f7 d1", "not ecx", "alu"},
      {"39 c2", "cmp edx, eax", "alu"},
      {"85 f6", "test esi, esi", "alu"},
      {"48 83 e8 20", "sub rax, 0x20", "alu"},
      {"40 0f 95 c7", "setne dil", "alu"},
      {"4d 0f 45 da", "cmovne r11, r10", "alu"},
      {"f3 49 0f b8 f8", "popcnt rdi, r8", "alu"},
      {"f3 4c 0f bd c7", "lzcnt r8, rdi", "alu"},
      {"f3 0f bc c1", "tzcnt eax, ecx", "alu"},
      {"48 0f c8", "bswap rax", "alu"},
      {"48 0f be f6", "movsx rsi, sil", "alu"},
      {"4d 63 c0", "movsxd r8, r8d", "alu"},
      {"48 98", "cdqe", "alu"},
      {"49 0f af fd", "imul rdi, r13", "mul-div"},
      {"6b c1 64", "imul eax, ecx, 100", "mul-div"},
      {"48 f7 e1", "mul rcx", "mul-div"},
      {"99", "cdq", "mul-div"},
      {"48 99", "cqo", "mul-div"},
      {"48 f7 f9", "idiv rcx", "mul-div"},
      {"f7 f1", "div ecx", "mul-div"},
      {"f2 0f 58 c1", "addsd xmm0, xmm1", "float"},
      {"f3 0f 5e c1", "divss xmm0, xmm1", "float"},
      {"f2 0f 51 c0", "sqrtsd xmm0, xmm0", "float"},
      {"66 0f 2e c1", "ucomisd xmm0, xmm1", "float"},
      {"f2 48 0f 2a c0", "cvtsi2sd xmm0, rax", "float"},
      {"f2 48 0f 2c c0", "cvttsd2si rax, xmm0", "float"},
      {"f3 0f 5a c0", "cvtss2sd xmm0, xmm0", "float"},
      {"66 0f 3a 0b c0 09", "roundsd xmm0, xmm0, 9", "float"},
      {"66 0f fe c1", "paddd xmm0, xmm1", "simd"},
      {"0f 59 c1", "mulps xmm0, xmm1", "simd"},
      {"66 0f 38 00 c1", "pshufb xmm0, xmm1", "simd"},
      {"66 0f 70 c1 00", "pshufd xmm0, xmm1, 0", "simd"},
      {"66 0f 3a 16 c8 02", "pextrd eax, xmm1, 2", "simd"},
      {"66 0f 3a 22 c8 02", "pinsrd xmm1, eax, 2", "simd"},
      {"0f ae f0", "mfence", "atomic"},
      {"f3 a4", "rep movsb", "mem-bulk"},
      {"f3 aa", "rep stosb", "mem-bulk"},
      {"0f 0b", "ud2", "trap"},
      {"90", "nop", "other"},
      {"c3", "ret", "call"},
  });
}

TEST_CASE("linear memory through any addressing form") {
  check({
      {"4c 01 f8", "add rax, r15", "mem-address"},
      {"8b 90 00 00 00 00", "mov edx, [rax+0]", "mem-load"},
      {"48 c7 c6 05 00 00 00", "mov rsi, 5", "const"},
      {"0f b6 70 03", "movzx esi, byte ptr [rax+3]", "mem-load"},
      {"89 48 08", "mov [rax+8], ecx", "mem-store"},
      {"f3 0f 10 40 04", "movss xmm0, [rax+4]", "mem-load"},
      {"0f 11 40 10", "movups [rax+16], xmm0", "mem-store"},
      {"f2 0f 59 40 08", "mulsd xmm0, [rax+8]", "mem-load"},
      {"01 08", "add [rax], ecx", "mem-store"},
      {"48 89 c1", "mov rcx, rax", "move"},
      {"48 8b 11", "mov rdx, [rcx]", "mem-load"},
      {"41 8b 14 3f", "mov edx, [r15+rdi]", "mem-load"},
      {"49 8d 34 3f", "lea rsi, [r15+rdi]", "mem-address"},
      {"88 06", "mov [rsi], al", "mem-store"},
      {"65 8b 47 08", "mov eax, gs:[rdi+8]", "mem-load"},
      {"64 48 89 07", "mov fs:[rdi], rax", "mem-store"},
      {"f0 0f c1 06", "lock xadd [rsi], eax", "atomic"},
      {"87 06", "xchg [rsi], eax", "atomic"},
      {"f0 0f b1 4e 04", "lock cmpxchg [rsi+4], ecx", "atomic"},
      {"c3", "ret", "call"},
  });
}

TEST_CASE("a lea, cmp and jbe are a bounds check only in that sequence") {
  check({
      {"4c 8d 58 04", "lea r11, [rax+4]", "bounds-check"},
      {"4c 3b 5b 08", "cmp r11, [rbx+8]", "bounds-check"},
      {"76 0c", "jbe after", "bounds-check"},
      {"48 89 df", "mov rdi, rbx", "trap"},
      {"48 8b 87 50 00 00 00", "mov rax, [rdi+0x50]", "trap"},
      {"ff d0", "call rax", "trap"},
      // after:
      {"4c 01 f8", "add rax, r15", "mem-address"},
      {"8b 10", "mov edx, [rax]", "mem-load"},
      {"49 c7 c3 ff ff ff 7f", "mov r11, 0x7fffffff", "bounds-check"},
      {"49 01 c3", "add r11, rax", "bounds-check"},
      {"4c 3b 5b 08", "cmp r11, [rbx+8]", "bounds-check"},
      {"76 09", "jbe big", "bounds-check"},
      {"48 89 df", "mov rdi, rbx", "trap"},
      {"48 8b 47 50", "mov rax, [rdi+0x50]", "trap"},
      {"ff d0", "call rax", "trap"},
      // big:
      {"4c 8d 59 04", "lea r11, [rcx+4]", "alu"},
      {"49 39 d3", "cmp r11, rdx", "alu"},
      {"76 0a", "jbe end", "branch"},
      {"4c 8d 59 04", "lea r11, [rcx+4]", "alu"},
      {"4c 3b 5d f0", "cmp r11, [rbp-0x10]", "local-load"},
      {"76 00", "jbe end", "branch"},
      // end:
      {"c3", "ret", "call"},
  });
}

TEST_CASE("vmctx, globals, tables and the memory base are context") {
  check({
      {"48 89 fb", "mov rbx, rdi", "frame"},
      {"4c 8b bb 00 00 00 00", "mov r15, [rbx+0]", "context"},
      {"49 89 da", "mov r10, rbx", "move"},
      {"4d 8b 52 10", "mov r10, [r10+0x10]", "context"},
      {"49 8b 92 00 00 00 00", "mov rdx, [r10+0]", "context"},
      {"49 89 52 08", "mov [r10+8], rdx", "context"},
      {"49 89 da", "mov r10, rbx", "move"},
      {"41 8b 72 38", "mov esi, [r10+0x38]", "context"},
      {"49 89 da", "mov r10, rbx", "move"},
      {"4d 8b 92 88 00 00 00", "mov r10, [r10+0x88]", "context"},
      {"41 3b 42 08", "cmp eax, [r10+8]", "context"},
      {"72 09", "jb element", "branch"},
      {"4c 89 d7", "mov rdi, r10", "trap"},
      {"48 8b 47 58", "mov rax, [rdi+0x58]", "trap"},
      {"ff d0", "call rax", "trap"},
      // element:
      {"4d 8b 12", "mov r10, [r10]", "context"},
      {"48 c1 e0 03", "shl rax, 3", "alu"},
      {"49 01 c2", "add r10, rax", "context"},
      {"49 8b 32", "mov rsi, [r10]", "context"},
      {"49 89 da", "mov r10, rbx", "move"},
      {"4d 8b 12", "mov r10, [r10+0]", "context"},
      {"4c 01 d7", "add rdi, r10", "mem-address"},
      {"f3 aa", "rep stosb", "mem-bulk"},
      {"c3", "ret", "call"},
  });
}

TEST_CASE("an indirect call is trap, dispatch or call by what leads to it") {
  check({
      {"49 89 da", "mov r10, rbx", "move"},
      {"41 3b 42 3c", "cmp eax, [r10+0x3c]", "dispatch"},
      {"72 0c", "jb in_range", "dispatch"},
      {"4c 89 d7", "mov rdi, r10", "trap"},
      {"48 8b 87 58 00 00 00", "mov rax, [rdi+0x58]", "trap"},
      {"ff d0", "call rax", "trap"},
      // in_range:
      {"4d 8b 9a 88 00 00 00", "mov r11, [r10+0x88]", "dispatch"},
      {"49 8b 8b 10 00 00 00", "mov rcx, [r11+0x10]", "dispatch"},
      {"4d 8b 9a a0 00 00 00", "mov r11, [r10+0xa0]", "dispatch"},
      {"45 8b 9b 00 00 00 00", "mov r11d, [r11+0x0]", "dispatch"},
      {"44 3b 1c 81", "cmp r11d, [rcx+rax*4]", "dispatch"},
      {"74 09", "je same_type", "dispatch"},
      {"4c 89 d7", "mov rdi, r10", "trap"},
      {"48 8b 47 58", "mov rax, [rdi+0x58]", "trap"},
      {"ff d0", "call rax", "trap"},
      // same_type:
      {"4d 8b 92 28 00 00 00", "mov r10, [r10+0x28]", "dispatch"},
      {"48 c1 e0 03", "shl rax, 3", "dispatch"},
      {"4c 01 d0", "add rax, r10", "dispatch"},
      {"4c 8b 98 00 00 00 00", "mov r11, [rax+0x0]", "dispatch"},
      {"4c 89 f2", "mov rdx, r14", "move"},
      {"48 89 df", "mov rdi, rbx", "move"},
      {"41 ff d3", "call r11", "dispatch"},
      {"4c 8b bb 00 00 00 00", "mov r15, [rbx+0]", "context"},
      {"49 89 da", "mov r10, rbx", "move"},
      {"4d 8b 52 18", "mov r10, [r10+0x18]", "context"},
      {"49 83 c2 08", "add r10, 8", "context"},
      {"49 8b 02", "mov rax, [r10]", "context"},
      {"48 89 df", "mov rdi, rbx", "move"},
      {"ff d0", "call rax", "call"},
      {"48 89 df", "mov rdi, rbx", "move"},
      {"48 8b 47 40", "mov rax, [rdi+0x40]", "context"},
      {"ff d0", "call rax", "call"},
      {"48 89 df", "mov rdi, rbx", "trap"},
      {"48 8b 47 58", "mov rax, [rdi+0x58]", "trap"},
      {"ff d0", "call rax", "trap"},
      {"c3", "ret", "call"},
  });
}

TEST_CASE("a trap entry that has moved is told by the jump over it") {
  check({
      {"48 85 c9", "test rcx, rcx", "alu"},
      {"75 0c", "jne go_on", "branch"},
      {"48 89 df", "mov rdi, rbx", "trap"},
      {"48 8b 87 60 01 00 00", "mov rax, [rdi+0x160]", "trap"},
      {"ff d0", "call rax", "trap"},
      // go_on:
      {"48 f7 f1", "div rcx", "mul-div"},
      {"c3", "ret", "call"},
  });
}

TEST_CASE("tags end with their block: what another block left in a register is not known") {
  const Code code = check({
      {"49 89 da", "mov r10, rbx", "move"},
      {"4d 8b 52 10", "mov r10, [r10+0x10]", "context"},
      {"85 c0", "test eax, eax", "alu"},
      {"75 03", "jne there", "branch"},
      {"49 8b 0a", "mov rcx, [r10]", "context"},
      // there:
      {"49 8b 0a", "mov rcx, [r10]", "mem-load"},
      {"c3", "ret", "call"},
  });
  CHECK(code.instrs[5].block_start);
}

TEST_CASE("prologue, epilogue, saved registers and arguments on the stack") {
  const Code code = check({
      {"55", "push rbp", "frame"},
      {"48 89 e5", "mov rbp, rsp", "frame"},
      {"48 81 ec 50 02 00 00", "sub rsp, 0x250", "frame"},
      {"48 89 b5 f0 ff ff ff", "mov [rbp-0x10], rsi", "local-store"},
      {"48 8b 85 10 00 00 00", "mov rax, [rbp+0x10]", "local-load"},
      {"48 89 85 e8 ff ff ff", "mov [rbp-0x18], rax", "local-store"},
      {"53", "push rbx", "frame"},
      {"41 54", "push r12", "frame"},
      {"48 89 fb", "mov rbx, rdi", "frame"},
      {"4c 8b bb 00 00 00 00", "mov r15, [rbx+0]", "context"},
      {"48 83 ec 20", "sub rsp, 0x20", "call"},
      {"48 89 3c 24", "mov [rsp], rdi", "call"},
      {"4c 89 4c 24 08", "mov [rsp+8], r9", "call"},
      {"e8 00 00 00 00", "call next", "call"},
      // next:
      {"48 83 c4 20", "add rsp, 0x20", "call"},
      {"52", "push rdx", "frame"},
      {"5a", "pop rdx", "frame"},
      {"41 5c", "pop r12", "frame"},
      {"5b", "pop rbx", "frame"},
      {"48 89 ec", "mov rsp, rbp", "frame"},
      {"5d", "pop rbp", "frame"},
      {"c3", "ret", "call"},
  });
  CHECK(code.frame_size == 0x250);
}

TEST_CASE("counts are the classes of the instructions") {
  const Rows rows = {
      {"89 c0", "mov eax, eax", "zero-extend"},
      {"89 c0", "mov eax, eax", "zero-extend"},
      {"c3", "ret", "call"},
  };
  const Code code = check(rows);
  CHECK(code.counts[static_cast<std::size_t>(InstrClass::zero_extend)] == 2);
  CHECK(code.counts[static_cast<std::size_t>(InstrClass::call)] == 1);
  const auto text = assemble(rows);
  const StaticCounts counts = count(image::Arch::x86_64, text, 0, text.size());
  CHECK(counts.classes == code.counts);
  CHECK(counts.instructions == 3);
  CHECK(counts.size == 5);
}
