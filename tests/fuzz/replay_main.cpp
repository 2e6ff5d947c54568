// Runs a fuzz target without libFuzzer: every file of a corpus folder as it is, then N changed
// copies, the same ones on every run. With clang, -fsanitize=fuzzer brings its own main instead.
//
//   fuzz_core CORPUS N
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

// A copy of exactly its size on the heap, so that a sanitizer sees a read past the end.
void run(const Bytes& bytes) {
  const Bytes copy(bytes);
  LLVMFuzzerTestOneInput(copy.data(), copy.size());
}

Bytes mutate(Bytes bytes, const std::vector<Bytes>& corpus, std::mt19937& random) {
  // Values that break length checks, as 32-bit words.
  constexpr std::uint32_t kWords[] = {0,          1,          0x7f,       0xff,      0x7fffffff,
                                      0x80000000, 0xffffffff, 0xfffffff8, 0x20000000};
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t at = below(bytes.size());
    const auto here = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(6)) {
      case 0:
        if (!bytes.empty()) bytes[at] ^= static_cast<std::uint8_t>(1U << below(8));
        break;
      case 1:
        for (std::size_t i = 0, word = kWords[below(std::size(kWords))]; i < 4; ++i, word >>= 8) {
          if (at + i < bytes.size()) bytes[at + i] = static_cast<std::uint8_t>(word);
        }
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.erase(here, here + static_cast<std::ptrdiff_t>(below(bytes.size() - at)));
        break;
      case 4:
        bytes.insert(here, below(16), static_cast<std::uint8_t>(random()));
        break;
      default: {  // a piece of another input
        const Bytes& other = corpus[below(corpus.size())];
        const std::size_t from = below(other.size());
        const std::size_t size = below(other.size() - from);
        const auto begin = other.begin() + static_cast<std::ptrdiff_t>(from);
        bytes.insert(here, begin, begin + static_cast<std::ptrdiff_t>(size));
        break;
      }
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s CORPUS MUTATIONS\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());  // a folder's order differs between machines
  std::vector<Bytes> corpus;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    run(corpus.back());
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "%s: no inputs\n", argv[1]);
    return 1;
  }
  const unsigned long mutations = std::strtoul(argv[2], nullptr, 10);
  for (unsigned long i = 0; i < mutations; ++i) {
    std::mt19937 random(static_cast<std::mt19937::result_type>(i));
    run(mutate(corpus[i % corpus.size()], corpus, random));
  }
  std::printf("%zu inputs, %lu mutations\n", corpus.size(), mutations);
  return 0;
}
