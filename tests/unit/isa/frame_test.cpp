// Frame slots: the gap rule; and where the frame pointer chain lacks a caller.
#include "listing.hpp"

using namespace aotscope;
using namespace aotscope::isa;
using namespace aotscope::isa::test;

TEST_CASE("slots more than 512 bytes below the others are spills") {
  // Two parameters: locals to -0x18, 64 operand slots to -0x218, spills from -0x220.
  const Code code = check({
      {"55", "push rbp", "frame"},
      {"48 89 e5", "mov rbp, rsp", "frame"},
      {"48 81 ec 38 02 00 00", "sub rsp, 0x238", "frame"},
      {"48 89 7d f8", "mov [rbp-8], rdi", "local-store"},
      {"48 89 b5 f0 ff ff ff", "mov [rbp-0x10], rsi", "local-store"},
      {"48 89 95 e8 ff ff ff", "mov [rbp-0x18], rdx", "local-store"},
      {"48 89 85 e0 fd ff ff", "mov [rbp-0x220], rax", "spill-store"},
      {"48 8b 85 d8 fd ff ff", "mov rax, [rbp-0x228]", "spill-load"},
      {"8b 85 e0 fd ff ff", "mov eax, [rbp-0x220]", "spill-load"},
      {"f2 0f 10 85 d0 fd ff ff", "movsd xmm0, [rbp-0x230]", "spill-load"},
      {"f2 0f 11 85 d0 fd ff ff", "movsd [rbp-0x230], xmm0", "spill-store"},
      {"4c 23 8d e0 fd ff ff", "and r9, [rbp-0x220]", "spill-load"},
      {"4c 3b 8d e0 fd ff ff", "cmp r9, [rbp-0x220]", "spill-load"},
      {"4c 01 8d d8 fd ff ff", "add [rbp-0x228], r9", "spill-store"},
      {"48 8b 75 f0", "mov rsi, [rbp-0x10]", "local-load"},
      {"48 8b 45 10", "mov rax, [rbp+0x10]", "local-load"},
      {"48 89 45 10", "mov [rbp+0x10], rax", "local-store"},
      {"c3", "ret", "call"},
  });
  CHECK(code.spill_loads == 6);  // the read-modify-write counts on both sides
  CHECK(code.spill_stores == 3);
  CHECK(code.frame_size == 0x238);
}

TEST_CASE("spills in a function without locals") {
  const Code code = check({
      {"55", "push rbp", "frame"},
      {"48 89 e5", "mov rbp, rsp", "frame"},
      {"48 81 ec 10 02 00 00", "sub rsp, 0x210", "frame"},
      {"48 89 85 f0 fd ff ff", "mov [rbp-0x210], rax", "spill-store"},
      {"48 8b 85 f0 fd ff ff", "mov rax, [rbp-0x210]", "spill-load"},
      {"c3", "ret", "call"},
  });
  CHECK(code.spill_loads == 1);
  CHECK(code.spill_stores == 1);
}

TEST_CASE("locals only") {
  // 130 locals of which only the first and the last are touched: a gap, but the frame says that
  // the operand stack lies below it.
  const Code code = check({
      {"55", "push rbp", "frame"},
      {"48 89 e5", "mov rbp, rsp", "frame"},
      {"48 81 ec 18 06 00 00", "sub rsp, 0x618", "frame"},
      {"48 89 75 f0", "mov [rbp-0x10], rsi", "local-store"},
      {"48 89 85 e8 fb ff ff", "mov [rbp-0x418], rax", "local-store"},
      {"48 8b 85 e8 fb ff ff", "mov rax, [rbp-0x418]", "local-load"},
      {"c3", "ret", "call"},
  });
  CHECK(code.spill_loads == 0);
  CHECK(code.spill_stores == 0);
}

TEST_CASE("a gap among the locals and spills below them") {
  const Code code = check({
      {"55", "push rbp", "frame"},
      {"48 89 e5", "mov rbp, rsp", "frame"},
      {"48 81 ec 28 06 00 00", "sub rsp, 0x628", "frame"},
      {"48 89 75 f0", "mov [rbp-0x10], rsi", "local-store"},
      {"48 89 85 e8 fb ff ff", "mov [rbp-0x418], rax", "local-store"},
      {"48 89 85 e0 f9 ff ff", "mov [rbp-0x620], rax", "spill-store"},
      {"48 8b 85 d8 f9 ff ff", "mov rax, [rbp-0x628]", "spill-load"},
      {"c3", "ret", "call"},
  });
  CHECK(code.spill_loads == 1);
  CHECK(code.spill_stores == 1);
}

TEST_CASE("a frame too small to hold an operand stack has no spills") {
  // As another version or upstream might make it.
  const Code code = check({
      {"55", "push rbp", "frame"},
      {"48 89 e5", "mov rbp, rsp", "frame"},
      {"48 83 ec 20", "sub rsp, 0x20", "frame"},
      {"48 89 75 f0", "mov [rbp-0x10], rsi", "local-store"},
      {"48 8b 75 f0", "mov rsi, [rbp-0x10]", "local-load"},
      {"c3", "ret", "call"},
  });
  CHECK(code.spill_loads == 0);
}

TEST_CASE("exactly 512 bytes between two slots are no gap") {
  check({
      {"55", "push rbp", "frame"},
      {"48 89 e5", "mov rbp, rsp", "frame"},
      {"48 81 ec 40 02 00 00", "sub rsp, 0x240", "frame"},
      {"48 89 75 f0", "mov [rbp-0x10], rsi", "local-store"},
      {"48 89 b5 f0 fd ff ff", "mov [rbp-0x210], rsi", "local-store"},
      {"c3", "ret", "call"},
  });
  check({
      {"55", "push rbp", "frame"},
      {"48 89 e5", "mov rbp, rsp", "frame"},
      {"48 81 ec 40 02 00 00", "sub rsp, 0x240", "frame"},
      {"48 89 75 f0", "mov [rbp-0x10], rsi", "local-store"},
      {"48 89 b5 e8 fd ff ff", "mov [rbp-0x218], rsi", "spill-store"},
      {"c3", "ret", "call"},
  });
}

TEST_CASE("no slots, no prologue, absurd displacements") {
  CHECK(check({{"c3", "ret", "call"}}).spill_loads == 0);
  check({
      {"48 8b 85 01 00 00 80", "mov rax, [rbp-0x7fffffff]", "local-load"},
      {"48 8b 85 00 00 00 80", "mov rax, [rbp-0x80000000]", "local-load"},
      {"c3", "ret", "call"},
  });
}

TEST_CASE("the frame pointer chain misses a caller in the prologue and on ret") {
  const Code code = check({
      {"55", "push rbp", "frame"},
      {"48 89 e5", "mov rbp, rsp", "frame"},
      {"48 81 ec 10 02 00 00", "sub rsp, 0x210", "frame"},
      {"85 c0", "test eax, eax", "alu"},
      {"75 05", "jne other", "branch"},
      {"48 89 ec", "mov rsp, rbp", "frame"},
      {"5d", "pop rbp", "frame"},
      {"c3", "ret", "call"},
      // other:
      {"48 89 ec", "mov rsp, rbp", "frame"},
      {"5d", "pop rbp", "frame"},
      {"c3", "ret", "call"},
  });
  CHECK(code.frame_state(0) == FrameState::return_at_sp);    // before push rbp
  CHECK(code.frame_state(1) == FrameState::return_at_sp_8);  // before mov rbp, rsp
  CHECK(code.frame_state(4) == FrameState::complete);        // before sub rsp
  CHECK(code.frame_state(11) == FrameState::complete);
  CHECK(code.frame_state(18) == FrameState::complete);      // pop rbp
  CHECK(code.frame_state(19) == FrameState::return_at_sp);  // ret
  CHECK(code.frame_state(20) == FrameState::complete);
  CHECK(code.frame_state(24) == FrameState::return_at_sp);
  // Without the prologue there is nothing to repair, except on ret.
  const Code bare = check({{"90", "nop", "other"}, {"c3", "ret", "call"}});
  CHECK(bare.frame_state(0) == FrameState::complete);
  CHECK(bare.frame_state(1) == FrameState::return_at_sp);
}
