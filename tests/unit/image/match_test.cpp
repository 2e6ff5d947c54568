// Finding texts in memory: whole, by fingerprint, and in parts.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>

#include <aotscope/image.hpp>

#include "support/cwasm_writer.hpp"

using namespace aotscope::image;
using aotscope::test::Bytes;
using aotscope::test::CwasmWriter;

namespace {

constexpr std::uint64_t kBase = 0x7f0000000000;
constexpr std::uint64_t kPage = 4096;

// A target's memory made of pages; what was never written is not mapped.
class FakeMemory final : public MemoryReader {
 public:
  void write(std::uint64_t address, const Bytes& bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      Bytes& page = pages_[(address + i) / kPage];
      page.resize(kPage, 0);
      page[(address + i) % kPage] = bytes[i];
    }
  }
  void unmap(std::uint64_t address) { pages_.erase(address / kPage); }
  bool read(std::uint64_t address, std::span<std::uint8_t> out) override {
    ++reads;
    bytes_read += out.size();
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto page = pages_.find((address + i) / kPage);
      if (page == pages_.end()) return false;
      out[i] = page->second[(address + i) % kPage];
    }
    return true;
  }

  std::size_t reads = 0;
  std::size_t bytes_read = 0;

 private:
  std::map<std::uint64_t, Bytes> pages_;
};

Bytes random_text(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Bytes text(size);
  for (std::uint8_t& byte : text) byte = static_cast<std::uint8_t>(random());
  return text;
}

// Cores and the bytes that they point into.
struct Cores {
  std::vector<std::unique_ptr<Bytes>> files;
  std::vector<std::shared_ptr<const Core>> list;

  explicit Cores(const std::vector<Bytes>& texts) {
    for (const Bytes& text : texts) {
      CwasmWriter w;
      w.text = text;
      files.push_back(std::make_unique<Bytes>(w.bytes()));
      list.push_back(Core::from_bytes(*files.back(), "app.cwasm").value());
    }
  }
};

using Found = std::tuple<std::uint64_t, std::uint64_t, std::vector<std::size_t>>;
std::vector<Found> found(const std::vector<Placement>& placements) {
  std::vector<Found> out;
  for (const Placement& one : placements) out.emplace_back(one.base, one.size, one.cores);
  return out;
}

}  // namespace

TEST_CASE("a text is found on any page of a merged range") {
  const Bytes a = random_text(3 * kPage + 100, 1);
  const Bytes b = random_text(kPage, 2);
  const Cores cores({a, b});
  FakeMemory memory;
  memory.write(kBase, Bytes(2 * kPage, 0xcc));  // a stranger
  memory.write(kBase + 2 * kPage, b);           // next to each other, merged by the kernel
  memory.write(kBase + 3 * kPage, a);
  const Range ranges[] = {{kBase, kBase + 7 * kPage}};
  CHECK(found(match_texts(cores.list, ranges, memory)) ==
        std::vector<Found>{{kBase + 2 * kPage, b.size(), {1}}, {kBase + 3 * kPage, a.size(), {0}}});
}

TEST_CASE("two instances of one core are two placements") {
  const Bytes a = random_text(2 * kPage - 1, 3);
  const Cores cores({a});
  FakeMemory memory;
  memory.write(kBase, a);
  memory.write(kBase + 2 * kPage, a);
  memory.write(kBase + 64 * kPage, a);
  const Range ranges[] = {{kBase + 64 * kPage, kBase + 66 * kPage}, {kBase, kBase + 4 * kPage}};
  CHECK(found(match_texts(cores.list, ranges, memory)) ==
        std::vector<Found>{{kBase, a.size(), {0}},
                           {kBase + 2 * kPage, a.size(), {0}},
                           {kBase + 64 * kPage, a.size(), {0}}});
}

TEST_CASE("equal sizes are told apart by bytes, equal bytes are ambiguous") {
  const Bytes a = random_text(2 * kPage, 4);
  Bytes b = a;
  b.back() ^= 1;  // the very last byte
  const Cores cores({a, b, a});
  FakeMemory memory;
  memory.write(kBase, b);
  memory.write(kBase + 2 * kPage, a);
  const Range ranges[] = {{kBase, kBase + 4 * kPage}};
  CHECK(found(match_texts(cores.list, ranges, memory)) ==
        std::vector<Found>{{kBase, b.size(), {1}}, {kBase + 2 * kPage, a.size(), {0, 2}}});
}

TEST_CASE("one core listed twice is ambiguous") {
  const Bytes a = random_text(kPage, 5);
  Cores cores({a});
  cores.list.push_back(cores.list.front());
  FakeMemory memory;
  memory.write(kBase, a);
  const Range ranges[] = {{kBase, kBase + kPage}};
  CHECK(found(match_texts(cores.list, ranges, memory)) ==
        std::vector<Found>{{kBase, a.size(), {0, 1}}});
}

TEST_CASE("a beginning alone is no match") {
  const Bytes a = random_text(4 * kPage, 6);
  const Cores cores({a});
  FakeMemory memory;
  SECTION("other bytes behind it") {
    Bytes other = a;
    other[3 * kPage] ^= 0x80;
    memory.write(kBase, other);
  }
  SECTION("the last byte differs") { memory.write(kBase, Bytes(a.begin(), a.end() - 1)); }
  SECTION("a page of it is not mapped") {
    memory.write(kBase, a);
    memory.unmap(kBase + 2 * kPage);
  }
  SECTION("it does not begin on a page") { memory.write(kBase + 16, a); }
  const Range whole[] = {{kBase, kBase + 4 * kPage}};
  CHECK(match_texts(cores.list, whole, memory).empty());
}

TEST_CASE("a text does not reach out of its range") {
  const Bytes a = random_text(4 * kPage, 6);
  const Cores cores({a});
  FakeMemory memory;
  memory.write(kBase, a);
  const Range part[] = {{kBase, kBase + 3 * kPage}};
  CHECK(match_texts(cores.list, part, memory).empty());
  const Range whole[] = {{kBase, kBase + 4 * kPage}};
  CHECK(match_texts(cores.list, whole, memory).size() == 1);
}

TEST_CASE("short texts and texts of size 0") {
  const Bytes ret = {0xc3};
  const Bytes longer = {0xc3, 0x90, 0x90};
  const Cores cores({{}, ret, longer});
  FakeMemory memory;
  memory.write(kBase, longer);
  memory.write(kBase + kPage, ret);
  memory.write(kBase + 2 * kPage, Bytes{0x90});
  const Range ranges[] = {{kBase, kBase + 3 * kPage}};
  CHECK(found(match_texts(cores.list, ranges, memory)) ==
        std::vector<Found>{{kBase, 3, {2}}, {kBase + kPage, 1, {1}}});
}

TEST_CASE("of overlapping matches the longest stays") {
  // The small text is also inside the large one, on a page boundary, and its beginning too.
  const Bytes large = random_text(6 * kPage, 7);
  const Bytes head(large.begin(), large.begin() + 2 * kPage);
  const Bytes inside(large.begin() + 3 * kPage, large.begin() + 5 * kPage);
  const Cores cores({head, inside, large});
  FakeMemory memory;
  memory.write(kBase, large);
  memory.write(kBase + 6 * kPage, inside);
  const Range ranges[] = {{kBase, kBase + 8 * kPage}};
  CHECK(found(match_texts(cores.list, ranges, memory)) ==
        std::vector<Found>{{kBase, large.size(), {2}}, {kBase + 6 * kPage, inside.size(), {1}}});
}

TEST_CASE("pages that cannot be read match nothing, not even zeros") {
  const Cores cores({Bytes(2 * kPage, 0)});
  FakeMemory memory;
  const Range ranges[] = {{kBase, kBase + 8 * kPage}};
  CHECK(match_texts(cores.list, ranges, memory).empty());
}

TEST_CASE("ranges of no use") {
  const Cores cores({random_text(kPage, 8)});
  FakeMemory memory;
  memory.write(kBase, Bytes(kPage, 0));
  const Range ranges[] = {
      {kBase, kBase}, {kBase + 5, kBase + 6}, {kBase + kPage, kBase}, {kBase, kBase + kPage}};
  CHECK(match_texts(cores.list, ranges, memory).empty());
  CHECK(match_texts({}, ranges, memory).empty());
  CHECK(match_texts(cores.list, {}, memory).empty());
}

TEST_CASE("a text is read whole only where its beginning was found") {
  const Bytes a = random_text(16 * kPage, 9);
  const Cores cores({a});
  FakeMemory memory;
  memory.write(kBase, random_text(256 * kPage, 10));
  memory.write(kBase + 100 * kPage, a);
  const Range ranges[] = {{kBase, kBase + 256 * kPage}};
  REQUIRE(match_texts(cores.list, ranges, memory).size() == 1);
  CHECK(memory.bytes_read == 256 * 64 + a.size());
}

TEST_CASE("a fingerprint names the cores that have its bytes") {
  const Bytes a = random_text(5 * kPage + 10, 11);
  Bytes between = a;  // 5 * 4096 + 10 rounds up to 6 pages: a window every 1536 bytes
  between[64] ^= 1;
  Bytes within = a;
  within[1536] ^= 1;
  const Cores cores(
      {random_text(6 * kPage, 12), a, between, within, random_text(7 * kPage, 13), {}});
  Bytes region = a;
  region.resize(6 * kPage, 0);
  const auto fingerprint_of = [](const Bytes& bytes) {
    Fingerprint f;
    f.length = bytes.size();
    for (std::size_t i = 0; i < 16; ++i) {
      std::memcpy(f.windows[i].data(), &bytes[i * (bytes.size() / 16) / 8 * 8], 64);
    }
    return f;
  };
  CHECK(match_fingerprint(cores.list, fingerprint_of(region)) == std::vector<std::size_t>{1, 2});
  Bytes longer = region;
  longer.resize(7 * kPage, 0);
  CHECK(match_fingerprint(cores.list, fingerprint_of(longer)).empty());
  region[6 * kPage - 1536] ^= 1;  // the last window, behind the text's end: not zero
  CHECK(match_fingerprint(cores.list, fingerprint_of(region)).empty());
  CHECK(match_fingerprint(cores.list, Fingerprint{}).empty());
}

TEST_CASE("a text may end inside a window of its fingerprint") {
  // 6 pages: window 14 is at 14 * 1536 = 21504.
  const Bytes text = random_text(21504 + 20, 19);
  const Cores cores({text});
  Fingerprint f;
  f.length = 6 * kPage;
  for (std::size_t i = 0; i < 14; ++i) std::memcpy(f.windows[i].data(), &text[i * 1536], 64);
  std::memcpy(f.windows[14].data(), &text[21504], 20);
  CHECK(match_fingerprint(cores.list, f) == std::vector<std::size_t>{0});
  f.windows[14][20] = 1;
  CHECK(match_fingerprint(cores.list, f).empty());
}

TEST_CASE("parts: what is executable of a text piece by piece") {
  // CASES S2: four pages, another module over the second.
  const Bytes p = random_text(4 * kPage - 7, 14);
  const Bytes q = random_text(kPage, 15);
  const Cores cores({p, q});
  FakeMemory memory;
  memory.write(kBase, p);
  PartMatcher matcher(cores.list);
  SECTION("the first two pages") {
    const Range ranges[] = {{kBase, kBase + 2 * kPage}};
    const auto parts = matcher.match(ranges, memory);
    REQUIRE(parts.size() == 1);
    CHECK(parts[0].start == kBase);
    CHECK(parts[0].end == kBase + 2 * kPage);
    REQUIRE(parts[0].origins.size() == 1);
    CHECK(parts[0].origins[0].core == 0);
    CHECK(parts[0].origins[0].text_offset == 0);
  }
  SECTION("an overlay in the middle") {
    memory.write(kBase + kPage, q);
    const Range ranges[] = {{kBase, kBase + 4 * kPage}};
    const auto parts = matcher.match(ranges, memory);
    REQUIRE(parts.size() == 3);
    CHECK(parts[0].origins[0].core == 0);
    CHECK(parts[0].end == kBase + kPage);
    CHECK(parts[1].origins[0].core == 1);
    CHECK(parts[1].origins[0].text_offset == 0);
    CHECK(parts[2].start == kBase + 2 * kPage);
    CHECK(parts[2].end == kBase + 4 * kPage);
    CHECK(parts[2].origins[0].core == 0);
    CHECK(parts[2].origins[0].text_offset == 2 * kPage);
  }
  SECTION("holes and strangers are no part") {
    memory.unmap(kBase + 2 * kPage);
    memory.write(kBase + kPage, Bytes{0xff, 0xff, 0xff});
    const Range ranges[] = {{kBase, kBase + 4 * kPage}};
    const auto parts = matcher.match(ranges, memory);
    REQUIRE(parts.size() == 2);
    CHECK(parts[0].end == kBase + kPage);
    CHECK(parts[1].start == kBase + 3 * kPage);
    CHECK(parts[1].origins[0].text_offset == 3 * kPage);
  }
}

TEST_CASE("parts: what the bytes do not tell is reported as such") {
  const Bytes common = random_text(kPage, 16);
  Bytes a = common;
  Bytes b = common;
  const Bytes tail_a = random_text(kPage, 17);
  const Bytes tail_b = random_text(kPage, 18);
  a.insert(a.end(), tail_a.begin(), tail_a.end());
  b.insert(b.end(), tail_b.begin(), tail_b.end());
  const Cores cores({a, b});
  FakeMemory memory;
  memory.write(kBase, b);
  PartMatcher matcher(cores.list);
  const Range one[] = {{kBase, kBase + kPage}};
  const auto unclear = matcher.match(one, memory);
  REQUIRE(unclear.size() == 1);
  CHECK(unclear[0].origins.size() == 2);
  const Range two[] = {{kBase, kBase + 2 * kPage}};  // the second page settles it
  const auto clear = matcher.match(two, memory);
  REQUIRE(clear.size() == 1);
  REQUIRE(clear[0].origins.size() == 1);
  CHECK(clear[0].origins[0].core == 1);
}
