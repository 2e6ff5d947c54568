// Waits: the slow producer that an instruction depends on within its block.
#include "listing.hpp"

using namespace aotscope;
using namespace aotscope::isa;
using namespace aotscope::isa::test;

TEST_CASE("a value is followed through moves and extensions, as in mix.c's fp") {
  const Code code = check({
      {"66 48 0f 6e c0", "movq xmm0, rax", "move", "move"},
      {"66 48 0f 6e c9", "movq xmm1, rcx", "move", "move"},
      {"f2 0f 5e c1", "divsd xmm0, xmm1", "float", "float"},
      {"66 48 0f 7e c0", "movq rax, xmm0", "move", "float"},
      {"49 89 c6", "mov r14, rax", "move", "float"},
      {"4c 89 e0", "mov rax, r12", "move", "move"},
      {"4c 89 f1", "mov rcx, r14", "move", "float"},
      {"66 48 0f 6e c0", "movq xmm0, rax", "move", "move"},
      {"66 48 0f 6e c9", "movq xmm1, rcx", "move", "float"},
      {"f2 0f 58 c1", "addsd xmm0, xmm1", "float", "float"},
      {"66 48 0f 7e c0", "movq rax, xmm0", "move", "float"},
      {"89 c0", "mov eax, eax", "zero-extend", "float"},
      {"48 63 d0", "movsxd rdx, eax", "alu", "float"},
      {"48 01 d2", "add rdx, rdx", "alu", "float"},
      {"48 89 d1", "mov rcx, rdx", "move", "move"},
      {"c3", "ret", "call", "call"},
  });
  CHECK(code.instrs[2].producer == -1);  // it does not wait for itself
  CHECK(code.instrs[3].producer == 2);
  CHECK(code.instrs[8].producer == 2);
  CHECK(code.instrs[9].producer == 2);  // slow itself, and waiting
  CHECK(code.instrs[11].producer == 9);
  CHECK(code.instrs[13].producer == 9);
  CHECK(code.instrs[14].producer == -1);  // the sum is fast
}

TEST_CASE("loads, multiplications, divisions and atomics are producers") {
  check({
      {"4c 01 f8", "add rax, r15", "mem-address", "mem-address"},
      {"8b 08", "mov ecx, [rax]", "mem-load", "mem-load"},
      {"01 ca", "add edx, ecx", "alu", "mem-load"},
      {"48 8d 71 08", "lea rsi, [rcx+8]", "alu", "mem-load"},
      {"48 0f af f2", "imul rsi, rdx", "mul-div", "mul-div"},
      {"48 89 f7", "mov rdi, rsi", "move", "mul-div"},
      {"89 78 04", "mov [rax+4], edi", "mem-store", "mul-div"},
      {"44 8b 04 08", "mov r8d, [rax+rcx]", "mem-load", "mem-load"},
      {"f0 44 0f c1 08", "lock xadd [rax], r9d", "atomic", "atomic"},
      {"45 89 ca", "mov r10d, r9d", "move", "atomic"},
      {"48 99", "cqo", "mul-div", "mul-div"},
      {"49 f7 fb", "idiv r11", "mul-div", "mul-div"},
      {"49 89 d4", "mov r12, rdx", "move", "mul-div"},
      {"c3", "ret", "call", "call"},
  });
}

TEST_CASE("of several producers the one that is ready last") {
  const Code code = check({
      {"f2 0f 5e c1", "divsd xmm0, xmm1", "float"},
      {"48 0f af ca", "imul rcx, rdx", "mul-div"},
      {"66 48 0f 7e c0", "movq rax, xmm0", "move", "float"},
      {"48 01 c8", "add rax, rcx", "alu", "float"},
      {"66 48 0f 7e c6", "movq rsi, xmm0", "move", "float"},
      {"49 8b 3c 37", "mov rdi, [r15+rsi]", "mem-load", "float"},
      {"4d 0f af c1", "imul r8, r9", "mul-div"},
      {"4a 8d 14 07", "lea rdx, [rdi+r8]", "alu", "mem-load"},
      {"c3", "ret", "call"},
  });
  CHECK(code.instrs[3].producer == 0);
  CHECK(code.instrs[5].producer == 0);
  CHECK(code.instrs[7].producer == 5);
}

TEST_CASE("flags carry a wait too") {
  check({
      {"66 0f 2e c1", "ucomisd xmm0, xmm1", "float", "float"},
      {"0f 97 c0", "seta al", "alu", "float"},
      {"48 0f b6 c0", "movzx rax, al", "zero-extend", "zero-extend"},
      {"48 3b 45 f0", "cmp rax, [rbp-0x10]", "local-load", "local-load"},
      {"75 00", "jne end", "branch", "local-load"},
      // end:
      {"c3", "ret", "call", "call"},
  });
}

TEST_CASE("a block goes on behind a trap that is jumped over, and ends at other targets") {
  check({
      {"48 8b 45 f0", "mov rax, [rbp-0x10]", "local-load"},
      {"4c 8d 58 04", "lea r11, [rax+4]", "bounds-check", "local-load"},
      {"4c 3b 5b 08", "cmp r11, [rbx+8]", "bounds-check", "bounds-check"},
      {"76 09", "jbe fine", "bounds-check", "bounds-check"},
      {"48 89 df", "mov rdi, rbx", "trap"},
      {"48 8b 47 50", "mov rax, [rdi+0x50]", "trap"},
      {"ff d0", "call rax", "trap"},
      // fine:
      {"4c 01 f8", "add rax, r15", "mem-address", "local-load"},
      {"48 8b 45 f0", "mov rax, [rbp-0x10]", "local-load"},
      {"85 d2", "test edx, edx", "alu", "alu"},
      {"75 03", "jne other", "branch", "branch"},
      {"48 89 c1", "mov rcx, rax", "move", "local-load"},
      // other:
      {"48 89 c1", "mov rcx, rax", "move", "move"},
      {"c3", "ret", "call"},
  });
}

TEST_CASE("a call ends what is known of the registers it may change, and no others") {
  check({
      {"48 8b 45 f0", "mov rax, [rbp-0x10]", "local-load"},
      {"4c 8b 65 f0", "mov r12, [rbp-0x10]", "local-load"},
      {"e8 00 00 00 00", "call next", "call", "call"},
      // next:
      {"48 89 c1", "mov rcx, rax", "move", "move"},
      {"4c 89 e2", "mov rdx, r12", "move", "local-load"},
      {"c3", "ret", "call"},
  });
}
