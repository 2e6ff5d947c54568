// Sleeps (WASI poll_oneoff) and uses no CPU meanwhile: an idle target.
//
// usage: sleep SECONDS
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  unsigned seconds = argc > 1 ? (unsigned)atoi(argv[1]) : 10;
  sleep(seconds);
  puts("slept");
  return 0;
}
