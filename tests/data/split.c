// Two functions doing the same work, one twice as often as the other: of the
// samples of `one` and `two` together, `one` must get a third.
//
// They are called through volatile function pointers, so that neither compiler
// can inline them, and a call is long enough (about 2 ms) that main costs nothing.
//
// usage: split ROUNDS; a round is about 10 ms; 0 or less runs until killed.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// A macro and not a shared function: both must have their own copy of the loop.
// `seed` keeps the two bodies distinct, else the linker could fold them.
#define WORK(name, seed)                                              \
  __attribute__((noinline)) static uint32_t name(uint32_t x) {        \
    for (uint32_t i = 0; i < 1000000; i++)                            \
      x = (x ^ (x >> 7)) * 2654435761u + seed;                        \
    return x;                                                         \
  }
WORK(one, 0x51ed270bu)
WORK(two, 0x2545f491u)

typedef uint32_t (*work)(uint32_t);
static volatile work call_one = one, call_two = two;

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 100;
  uint32_t x = 1;
  for (long round = 0; rounds <= 0 || round < rounds; round++) {
    x = call_one(x);
    x = call_two(x);
    x = call_two(x);
  }
  printf("%u\n", x);
  return 0;
}
