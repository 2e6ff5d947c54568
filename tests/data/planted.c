// Twelve functions of about the same time and `planted`, of a fifth of the whole. Built with
// -DSLOWER `planted` does a tenth more work and nothing else differs, not even the code's length:
// what `diff` should find.
//
// Prints for each function the least time that a call took, in ns.
//
// usage: planted ROUNDS; a round is about 10 ms; 0 or less runs until killed.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef SLOWER
#define STEPS 825000
#else
#define STEPS 750000
#endif

// A macro and not a shared function: each must have its own copy of the loop, and its own seed,
// else the linker could fold them.
#define WORK(name, seed, steps)                                       \
  __attribute__((noinline)) static uint32_t name(uint32_t x) {        \
    for (uint32_t i = 0; i < (steps); i++)                            \
      x = (x ^ (x >> 7)) * 2654435761u + (seed);                      \
    return x;                                                         \
  }
WORK(planted, 0x51ed270bu, STEPS)
WORK(part_a, 0x2545f491u, 250000)
WORK(part_b, 0x9e3779b9u, 250000)
WORK(part_c, 0x7f4a7c15u, 250000)
WORK(part_d, 0xbf58476du, 250000)
WORK(part_e, 0x1ce4e5b9u, 250000)
WORK(part_f, 0x94d049bbu, 250000)
WORK(part_g, 0x133111ebu, 250000)
WORK(part_h, 0xff51afd7u, 250000)
WORK(part_i, 0xed558ccdu, 250000)
WORK(part_j, 0xc4ceb9feu, 250000)
WORK(part_k, 0x1a85ec53u, 250000)
WORK(part_l, 0x85ebca6bu, 250000)

typedef uint32_t (*work)(uint32_t);
// volatile: otherwise the compiler sees what is called and inlines it.
static volatile work parts[] = {part_a, part_b, part_c,  part_d, part_e, part_f, planted,
                                part_g, part_h, part_i, part_j, part_k, part_l};
static const char *const names[] = {"part_a", "part_b", "part_c", "part_d", "part_e",
                                    "part_f", "planted", "part_g", "part_h", "part_i",
                                    "part_j", "part_k", "part_l"};
enum { count = sizeof names / sizeof *names };

static uint64_t now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 100;
  uint64_t least[count];
  uint32_t x = 1;

  for (int i = 0; i < count; i++)
    least[i] = UINT64_MAX;
  for (long round = 0; rounds <= 0 || round < rounds; round++) {
    for (int i = 0; i < count; i++) {
      uint64_t start = now();
      x = parts[i](x);
      uint64_t took = now() - start;
      if (took < least[i])
        least[i] = took;
    }
  }
  for (int i = 0; i < count; i++)
    printf("%s %llu\n", names[i], (unsigned long long)least[i]);
  return x == 0;
}
