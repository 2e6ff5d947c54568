// Vectors of 128 bits, more live at once than there are vector registers, so that
// whole vectors spill. wamrc 3.0.0.dev5 compiles them for Arm only ("UnsupportedV128"
// for x86-64), so this program is looked at, not run.
//
// usage: simd ROUNDS; 0 or less runs until killed.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <wasm_simd128.h>

// Only this function has vectors, or clang would use them in other loops too.
// All loads come before all stores: the two tables may be the same one.
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) \
  X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)
#define LOAD(i) v128_t v##i = wasm_v128_load(from + 4 * (i));
#define STORE(i) wasm_v128_store(to + 4 * (23 - (i)), v##i);

__attribute__((noinline, target("simd128"))) static void turn(uint32_t *to, const uint32_t *from) {
  EACH(LOAD)
  EACH(STORE)
}

static void (*volatile call_turn)(uint32_t *, const uint32_t *) = turn;

int main(int argc, char **argv) {
  static uint32_t cells[96 * 64];
  long rounds = argc > 1 ? atol(argv[1]) : 100;
  for (unsigned i = 0; i < 96 * 64; i++)
    cells[i] = i * 2654435761u;
  for (long round = 0; rounds <= 0 || round < rounds; round++)
    for (unsigned i = 0; i < 300000; i++)
      call_turn(cells + 96 * (i % 64), cells + 96 * ((i * 7 + 1) % 64));
  printf("%u\n", cells[33]);
  return 0;
}
