// A function with more than 100 wasm locals, all live around its loop: the
// frame's part for locals is long, and its displacements need 32 bits.
//
// usage: locals ROUNDS; a round is about 10 ms; 0 or less runs until killed.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// 12 groups of 10 variables; each step passes every value on to its neighbour
// group, so none can be folded away or recomputed.
#define GROUPS(X) X(a) X(b) X(c) X(d) X(e) X(f) X(g) X(h) X(i) X(j) X(k) X(l)
#define DECLARE(v)                                                              \
  uint32_t v##0 = seed + __COUNTER__, v##1 = v##0 * 3, v##2 = v##1 ^ 5,         \
           v##3 = v##2 * 7, v##4 = v##3 + 9, v##5 = v##4 * 11, v##6 = v##5 ^ 13, \
           v##7 = v##6 * 17, v##8 = v##7 + 19, v##9 = v##8 * 23;
#define STEP(v)                                                                 \
  v##0 += carry; v##1 ^= v##0; v##2 += v##1 >> 3; v##3 ^= v##2 << 1;            \
  v##4 += v##3; v##5 ^= v##4 >> 5; v##6 += v##5; v##7 ^= v##6 << 2;             \
  v##8 += v##7; v##9 ^= v##8; carry = v##9;
#define SUM(v)                                                                  \
  carry ^= v##0 + v##1 + v##2 + v##3 + v##4 + v##5 + v##6 + v##7 + v##8 + v##9;

__attribute__((noinline)) static uint32_t locals(uint32_t seed, uint32_t n) {
  uint32_t carry = seed;
  GROUPS(DECLARE)
  for (uint32_t step = 0; step < n; step++) {
    GROUPS(STEP)
  }
  GROUPS(SUM)
  return carry;
}

static uint32_t (*volatile call_locals)(uint32_t, uint32_t) = locals;

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 100;
  uint32_t x = 1;
  for (long round = 0; rounds <= 0 || round < rounds; round++)
    x = call_locals(x, 50000);
  printf("%u\n", x);
  return 0;
}
