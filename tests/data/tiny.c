// A hot function of a few instructions, called indirectly in a loop: many of its
// samples land in its prologue, before the frame pointer is set, or on its ret.
// Whatever the instruction, its only caller is `loop`, and that one's is main.
//
// usage: tiny ROUNDS; a round is about 20 ms; 0 or less runs until killed.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static uint32_t tiny(uint32_t x) { return x + 1; }

typedef uint32_t (*step)(uint32_t);
static volatile step call_tiny = tiny;

__attribute__((noinline)) static uint32_t loop(uint32_t x) {
  for (uint32_t i = 0; i < 4000000; i++)
    x = call_tiny(x);
  return x;
}
static volatile step call_loop = loop;

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 100;
  uint32_t x = 0;
  for (long round = 0; rounds <= 0 || round < rounds; round++)
    x = call_loop(x);
  printf("%u\n", x);
  return 0;
}
