// Packed vectors (v128), integer and floating point. Built with -msimd128.
//
// usage: vec ROUNDS; a round is about 10 ms; 0 or less runs until killed.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <wasm_simd128.h>

enum { length = 4096 };
static float a[length], b[length];
static uint8_t bytes[length];

__attribute__((noinline)) static void scale(float by) {
  v128_t factor = wasm_f32x4_splat(by);
  for (int i = 0; i < length; i += 4) {
    v128_t x = wasm_v128_load(a + i), y = wasm_v128_load(b + i);
    x = wasm_f32x4_add(wasm_f32x4_mul(x, factor), y);
    wasm_v128_store(a + i, wasm_f32x4_min(x, wasm_f32x4_splat(1e6f)));
  }
}

__attribute__((noinline)) static uint32_t mixbytes(void) {
  v128_t sum = wasm_i32x4_splat(0);
  for (int i = 0; i < length; i += 16) {
    v128_t x = wasm_v128_load(bytes + i);
    x = wasm_i8x16_shuffle(x, x, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    x = wasm_v128_xor(x, wasm_i8x16_splat(0x5a));
    wasm_v128_store(bytes + i, x);
    sum = wasm_i32x4_add(sum, wasm_i32x4_mul(x, wasm_i32x4_splat(31)));
  }
  return (uint32_t)wasm_i32x4_extract_lane(sum, 0) + (uint32_t)wasm_i32x4_extract_lane(sum, 3);
}

static void (*volatile call_scale)(float) = scale;
static uint32_t (*volatile call_mixbytes)(void) = mixbytes;

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 100;
  uint32_t sum = 0;
  for (int i = 0; i < length; i++) {
    a[i] = (float)i;
    b[i] = 1.0f / (float)(i + 1);
    bytes[i] = (uint8_t)(i * 7);
  }
  for (long round = 0; rounds <= 0 || round < rounds; round++) {
    for (int i = 0; i < 4000; i++) {
      call_scale(0.99f);
      sum += call_mixbytes();
    }
  }
  printf("%u %f\n", sum, (double)a[length / 2]);
  return 0;
}
