// Finds single pages and runs of pages of the cores' texts in memory.
//
// Every page of every text is known by its hash, and every page of the ranges is hashed; from a
// page whose hash is known, a run is followed while text and memory go on alike. The longest run
// wins, and all equally long ones are reported.
#include <xxhash.h>

#include <algorithm>
#include <unordered_map>

#include <aotscope/image.hpp>

namespace aotscope::image {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kChunk = 1 << 20;  // read at one time
// A page that a text holds more often than this (padding) starts no run; it can be inside one.
// Keeps the work linear in the pages searched.
constexpr std::size_t kMostPlaces = 16;
// No text page has this hash: what stands for memory that cannot be read.
constexpr std::uint64_t kUnreadable = 0;

std::uint64_t page_hash(const std::uint8_t* page) {
  const std::uint64_t hash = XXH3_64bits(page, kPage);
  return hash == kUnreadable ? 1 : hash;
}

struct Place {
  std::size_t core = 0;
  std::size_t page = 0;
};

}  // namespace

struct PartMatcher::Index {
  std::vector<std::vector<std::uint64_t>> pages;  // the hashes of each core's pages, in order
  std::unordered_map<std::uint64_t, std::vector<Place>> places;

  explicit Index(std::span<const std::shared_ptr<const Core>> cores) {
    for (std::size_t c = 0; c < cores.size(); ++c) {
      const auto text = cores[c]->text();
      std::vector<std::uint64_t>& hashes = pages.emplace_back();
      hashes.reserve(text.size() / kPage + 1);
      for (std::size_t at = 0; at < text.size(); at += kPage) {
        if (text.size() - at >= kPage) {
          hashes.push_back(page_hash(&text[at]));
        } else {
          // The runtime copies the text into fresh pages: zeros behind it.
          std::array<std::uint8_t, kPage> last{};
          std::copy(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), last.begin());
          hashes.push_back(page_hash(last.data()));
        }
        places[hashes.back()].push_back({c, hashes.size() - 1});
        if (at % kChunk == kChunk - kPage) {
          cores[c]->release(text.subspan(at + kPage - kChunk, kChunk));
        }
      }
      cores[c]->release(text);
    }
  }

  // How many pages from `place` on are those of memory from `at` on.
  std::size_t run(const Place& place, std::span<const std::uint64_t> memory) const {
    const std::vector<std::uint64_t>& text = pages[place.core];
    const std::size_t most = std::min(text.size() - place.page, memory.size());
    std::size_t length = 0;
    while (length < most && text[place.page + length] == memory[length]) ++length;
    return length;
  }
};

PartMatcher::PartMatcher(std::span<const std::shared_ptr<const Core>> cores)
    : cores_(cores.begin(), cores.end()) {}
PartMatcher::~PartMatcher() = default;

namespace {

std::vector<std::uint64_t> hash_memory(std::uint64_t start, std::uint64_t end,
                                       MemoryReader& memory) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve((end - start) / kPage);
  std::vector<std::uint8_t> buffer(
      static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, end - start)));
  for (std::uint64_t at = start; at < end;) {
    const std::uint64_t size = std::min<std::uint64_t>(buffer.size(), end - at);
    const bool whole = memory.read(at, std::span(buffer).first(size));
    for (std::uint64_t offset = 0; offset < size; offset += kPage) {
      // After a hole in the chunk, page by page.
      const bool readable =
          whole || memory.read(at + offset, std::span(buffer).subspan(offset, kPage));
      hashes.push_back(readable ? page_hash(&buffer[offset]) : kUnreadable);
    }
    at += size;
  }
  return hashes;
}

}  // namespace

std::vector<Part> PartMatcher::match(std::span<const Range> ranges, MemoryReader& memory) {
  if (index_ == nullptr) index_ = std::make_unique<Index>(cores_);
  std::vector<Part> parts;
  for (const Range& range : ranges) {
    const std::uint64_t start = (range.start + kPage - 1) & ~(kPage - 1);
    const std::uint64_t end = range.end & ~(kPage - 1);
    if (start >= end) continue;
    const std::vector<std::uint64_t> hashes = hash_memory(start, end, memory);
    for (std::size_t at = 0; at < hashes.size();) {
      const auto known = index_->places.find(hashes[at]);
      if (known == index_->places.end() || known->second.size() > kMostPlaces) {
        ++at;
        continue;
      }
      std::size_t longest = 0;
      Part part;
      for (const Place& place : known->second) {
        const std::size_t length = index_->run(place, std::span(hashes).subspan(at));
        if (length > longest) part.origins.clear();
        if (length >= longest) part.origins.push_back({place.core, place.page * kPage});
        longest = std::max(longest, length);
      }
      part.start = start + at * kPage;
      part.end = part.start + longest * kPage;
      parts.push_back(std::move(part));
      at += longest;
    }
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.start < b.start; });
  return parts;
}

}  // namespace aotscope::image
