// An 8-point complex FFT kernel and an 8x8 matrix product: more live doubles
// than vector registers, so floating point values spill too.
//
// usage: fft ROUNDS; a round is about 10 ms; 0 or less runs until killed.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static double re[512], im[512], left[64], right[64], product[64];

#define BUTTERFLY(a, b)                                    \
  do {                                                     \
    double r = x##a + x##b, i = y##a + y##b;               \
    x##b = x##a - x##b; y##b = y##a - y##b;                \
    x##a = r; y##a = i;                                    \
  } while (0)
#define TURN(a, c, s)                                      \
  do {                                                     \
    double r = x##a * (c) - y##a * (s);                    \
    y##a = x##a * (s) + y##a * (c); x##a = r;              \
  } while (0)

__attribute__((noinline)) static void fft8(double *x, double *y) {
  const double h = 0.70710678118654752440;
  double x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], x4 = x[4], x5 = x[5], x6 = x[6], x7 = x[7];
  double y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3], y4 = y[4], y5 = y[5], y6 = y[6], y7 = y[7];

  BUTTERFLY(0, 4); BUTTERFLY(1, 5); BUTTERFLY(2, 6); BUTTERFLY(3, 7);
  TURN(5, h, -h); TURN(6, 0.0, -1.0); TURN(7, -h, -h);
  BUTTERFLY(0, 2); BUTTERFLY(1, 3); BUTTERFLY(4, 6); BUTTERFLY(5, 7);
  TURN(3, 0.0, -1.0); TURN(7, 0.0, -1.0);
  BUTTERFLY(0, 1); BUTTERFLY(2, 3); BUTTERFLY(4, 5); BUTTERFLY(6, 7);

  x[0] = x0 * 0.125; x[1] = x4 * 0.125; x[2] = x2 * 0.125; x[3] = x6 * 0.125;
  x[4] = x1 * 0.125; x[5] = x5 * 0.125; x[6] = x3 * 0.125; x[7] = x7 * 0.125;
  y[0] = y0 * 0.125; y[1] = y4 * 0.125; y[2] = y2 * 0.125; y[3] = y6 * 0.125;
  y[4] = y1 * 0.125; y[5] = y5 * 0.125; y[6] = y3 * 0.125; y[7] = y7 * 0.125;
}

__attribute__((noinline)) static void multiply(double *out, const double *a, const double *b) {
  for (int i = 0; i < 8; i++) {
#pragma clang loop unroll(full)
    for (int j = 0; j < 8; j++) {
      double sum = 0.0;
#pragma clang loop unroll(full)
      for (int k = 0; k < 8; k++)
        sum += a[8 * i + k] * b[8 * k + j];
      out[8 * i + j] = sum;
    }
  }
}

static void (*volatile call_fft8)(double *, double *) = fft8;
static void (*volatile call_multiply)(double *, const double *, const double *) = multiply;

int main(int argc, char **argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 100;
  for (int i = 0; i < 512; i++) {
    re[i] = (double)(i % 17);
    im[i] = (double)(i % 5);
    left[i % 64] = right[i % 64] = (double)(i % 7) / 32.0;
  }
  for (long round = 0; rounds <= 0 || round < rounds; round++) {
    for (int i = 0; i < 200; i++) {
      for (int j = 0; j < 512; j += 8)
        call_fft8(re + j, im + j);
      for (int j = 0; j < 32; j++)
        call_multiply(product, left, right);
    }
  }
  printf("%g %g\n", re[9], product[5]);
  return 0;
}
