// A program with one hot function for each thing wasm code burns its time on.
//
//   dispatch  call_indirect to f_add, f_xor and f_mul
//   interp    a br_table in a loop
//   memsum    linear memory, a load and a store each step
//   fp        a chain of divisions, each waiting for the one before
//   many      more live values than there are registers: spills
//
// usage: mix ROUNDS; a round is about 0.1 s; 0 or less runs until killed.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP __attribute__((noinline))

typedef uint32_t (*op)(uint32_t, uint32_t);

KEEP static uint32_t f_add(uint32_t a, uint32_t b) { return a + b; }
KEEP static uint32_t f_xor(uint32_t a, uint32_t b) { return a ^ (b << 3); }
KEEP static uint32_t f_mul(uint32_t a, uint32_t b) { return a * 2654435761u + b; }

// volatile: otherwise the compiler sees what is called and inlines it.
static volatile op ops[3] = {f_add, f_xor, f_mul};

KEEP uint32_t dispatch(uint32_t n) {
  uint32_t x = 1;
  for (uint32_t i = 0; i < n; i++)
    x = ops[x % 3](x, i);
  return x;
}

KEEP uint32_t interp(const uint8_t *code, uint32_t length, uint32_t times) {
  uint32_t acc = 1, reg[8] = {3, 1, 4, 1, 5, 9, 2, 6};
  for (uint32_t t = 0; t < times; t++) {
    for (uint32_t pc = 0; pc < length; pc++) {
      switch (code[pc] & 7) {
      case 0: acc += reg[pc & 7]; break;
      case 1: reg[pc & 7] = acc; break;
      case 2: acc ^= reg[(pc + 1) & 7] << 1; break;
      case 3: acc = acc * 33 + 5; break;
      case 4: reg[(pc + 3) & 7] += acc; break;
      case 5: acc -= pc; break;
      case 6: acc = (acc >> 5) | (acc << 27); break;
      default: acc = ~acc; break;
      }
    }
  }
  return acc;
}

KEEP uint32_t memsum(uint32_t *cells, uint32_t length, uint32_t times) {
  uint32_t sum = 0;
  for (uint32_t t = 0; t < times; t++) {
    for (uint32_t i = 0; i < length; i++) {
      sum += cells[i];
      cells[i] = sum ^ t;
    }
  }
  return sum;
}

KEEP double fp(uint32_t n) {
  double x = 1.0;
  for (uint32_t i = 1; i <= n; i++)
    x = x * 1.0000001 + 1.0 / (x + i);
  return x;
}

KEEP uint64_t many(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint32_t n) {
  uint64_t e = a ^ b, f = b ^ c, g = c ^ d, h = d ^ a, i = a + c, j = b + d;
  uint64_t k = a * 3, l = b * 5, m = c * 7, o = d * 9, p = e + 11, q = f + 13;
  for (uint32_t step = 0; step < n; step++) {
    a += b; b ^= c; c += d; d ^= e;
    e += f; f ^= g; g += h; h ^= i;
    i += j; j ^= k; k += l; l ^= m;
    m += o; o ^= p; p += q; q ^= a;
  }
  return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l ^ m ^ o ^ p ^ q;
}

int main(int argc, char **argv) {
  enum { cells = 1 << 18 };
  long rounds = argc > 1 ? atol(argv[1]) : 10;
  uint8_t code[256];
  uint32_t *memory = malloc(cells * sizeof *memory);
  uint64_t sum = 0;

  for (unsigned i = 0; i < sizeof code; i++)
    code[i] = (uint8_t)(i * 37 + (i >> 3));
  memset(memory, 1, cells * sizeof *memory);
  for (long round = 0; rounds <= 0 || round < rounds; round++) {
    sum += dispatch(3000000);
    sum += interp(code, sizeof code, 20000);
    sum += memsum(memory, cells, 20);
    sum += (uint64_t)fp(2000000);
    sum += many(1, 2, 3, 4, 3000000);
    memcpy(memory, memory + cells / 2, cells / 2 * sizeof *memory);
  }
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
