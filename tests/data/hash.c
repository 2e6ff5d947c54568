// SHA-256 rounds, all 64 unrolled: long straight code with heavy spilling, for
// the agreement of the spill classes with wamrc's own metric.
//
// usage: hash ROUNDS; a round is about 10 ms; 0 or less runs until killed.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline uint32_t rotate(uint32_t x, int n) { return (x >> n) | (x << (32 - n)); }

static uint32_t key[64];

__attribute__((noinline)) static void block(uint32_t state[8], const uint8_t *data) {
  uint32_t w[64];
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];

#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)data[4 * i] << 24 | (uint32_t)data[4 * i + 1] << 16 |
           (uint32_t)data[4 * i + 2] << 8 | data[4 * i + 3];
#pragma clang loop unroll(full)
  for (int i = 16; i < 64; i++) {
    uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >> 3);
    uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < 64; i++) {
    uint32_t s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + key[i] + w[i];
    uint32_t s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g; g = f; f = e; e = d + t1;
    d = c; c = b; b = a; a = t1 + t2;
  }
  state[0] += a; state[1] += b; state[2] += c; state[3] += d;
  state[4] += e; state[5] += f; state[6] += g; state[7] += h;
}

static void (*volatile call_block)(uint32_t[8], const uint8_t *) = block;

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 100;
  uint32_t state[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  uint8_t data[64];
  for (unsigned i = 0; i < 64; i++) {
    key[i] = i * 2654435761u;
    data[i] = (uint8_t)(i * 11);
  }
  for (long round = 0; rounds <= 0 || round < rounds; round++)
    for (int i = 0; i < 10000; i++)
      call_block(state, data);
  printf("%08x\n", state[0]);
  return 0;
}
