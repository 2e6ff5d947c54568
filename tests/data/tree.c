// Call trees whose chains are known, for the tests of stacks. Frames are written
// innermost first; every chain goes on through `main` into the host.
//
//   recurse N  leaf < recurse × N < main             N frames of one function, the leaf
//                                                    called by the deepest only
//   mutual N   leaf < odd < even < odd … < even < main   N frames, even is outermost,
//                                                    so even is innermost for odd N
//   indirect   leaf < inner < middle < outer < main  three levels of call_indirect
//   fan        leaf < left < main  : leaf < right < main  as 1 : 3
//   tiny       tiny < loop < main                    tiny is a few instructions
//
// All calls go through volatile function pointers: neither compiler can then
// inline a callee or turn a call into a jump, and each call's result is used
// afterwards, so no frame is reused.
//
// A leaf call is about 1 ms, against which walking 400 frames down and up is
// nothing.
//
// usage: tree MODE ROUNDS [N]; a round is about 4 ms; 0 or less runs until killed.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline)) static

typedef uint32_t (*down)(uint32_t x, uint32_t depth);

// The seed of each keeps equal bodies distinct: the linker may not fold them.
KEEP uint32_t leaf(uint32_t x, uint32_t depth) {
  for (uint32_t i = 0; i < 500000; i++)
    x = (x ^ (x >> 5)) * 2654435761u + depth;
  return x;
}

KEEP uint32_t recurse(uint32_t x, uint32_t depth);
KEEP uint32_t even(uint32_t x, uint32_t depth);
KEEP uint32_t odd(uint32_t x, uint32_t depth);
static volatile down call_leaf = leaf, call_recurse = recurse, call_even = even, call_odd = odd;

KEEP uint32_t recurse(uint32_t x, uint32_t depth) {
  return (depth > 1 ? call_recurse(x, depth - 1) : call_leaf(x, 1)) + 1;
}

KEEP uint32_t even(uint32_t x, uint32_t depth) {
  return (depth > 1 ? call_odd(x, depth - 1) : call_leaf(x, 2)) + 2;
}

KEEP uint32_t odd(uint32_t x, uint32_t depth) {
  return (depth > 1 ? call_even(x, depth - 1) : call_leaf(x, 3)) + 3;
}

KEEP uint32_t inner(uint32_t x, uint32_t depth) { return call_leaf(x, depth) + 5; }
static volatile down call_inner = inner;
KEEP uint32_t middle(uint32_t x, uint32_t depth) { return call_inner(x, depth) + 6; }
static volatile down call_middle = middle;
KEEP uint32_t outer(uint32_t x, uint32_t depth) { return call_middle(x, depth) + 7; }
static volatile down call_outer = outer;

KEEP uint32_t left(uint32_t x, uint32_t depth) { return call_leaf(x, depth) + 8; }
KEEP uint32_t right(uint32_t x, uint32_t depth) { return call_leaf(x, depth) + 9; }
static volatile down call_left = left, call_right = right;

KEEP uint32_t tiny(uint32_t x, uint32_t depth) { return x + depth; }
static volatile down call_tiny = tiny;
KEEP uint32_t loop(uint32_t x, uint32_t depth) {
  for (uint32_t i = 0; i < 400000; i++)
    x = call_tiny(x, depth);
  return x;
}
static volatile down call_loop = loop;

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "recurse";
  long rounds = argc > 2 ? atol(argv[2]) : 100;
  uint32_t depth = argc > 3 ? (uint32_t)atol(argv[3]) : 100;
  uint32_t x = 1;
  char kind = mode[0];

  if (!strchr("rmift", kind) || kind == 0) {
    fprintf(stderr, "tree: no mode '%s'\n", mode);
    return 2;
  }
  for (long round = 0; rounds <= 0 || round < rounds; round++) {
    for (int i = 0; i < 4; i++) {
      switch (kind) {
      case 'r': x = call_recurse(x, depth); break;
      case 'm': x = call_even(x, depth); break;
      case 'i': x = call_outer(x, 4); break;
      case 'f': x = i == 0 ? call_left(x, 4) : call_right(x, 4); break;
      default: x = call_loop(x, 4); break;
      }
    }
  }
  printf("%u\n", x);
  return 0;
}
