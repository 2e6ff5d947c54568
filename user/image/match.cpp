// Finds cores in a process's memory by their bytes.
//
// The runtime copies a text into fresh pages and never changes it, so a text begins on a page
// boundary and is equal to the file byte for byte. But neighbouring regions of /proc/PID/maps are
// merged, so it may begin on any page of a range, and a range's size says nothing. Three steps,
// each on far fewer bytes than the next: the first bytes of every page, looked up among the
// beginnings of all texts; the whole text, where its beginning was found; overlaps.
#include <algorithm>
#include <cstring>
#include <unordered_map>

#include <aotscope/image.hpp>

namespace aotscope::image {
namespace {

constexpr std::uint64_t kPage = 4096;
// Texts begin alike: the prologue of a function, and often of the same one from a library. 64
// bytes tell most of them apart at no higher cost than 8.
constexpr std::size_t kPrefix = 64;
constexpr std::size_t kBatch = 4096;       // pages asked for at one time: 256 KB of prefixes
constexpr std::size_t kChunk = 256 << 10;  // compared at one time

constexpr std::uint64_t round_up(std::uint64_t size) { return (size + kPage - 1) & ~(kPage - 1); }

// Cores whose texts are the same bytes.
struct Text {
  std::span<const std::uint8_t> bytes;
  std::vector<std::size_t> cores;
};

std::vector<Text> distinct_texts(std::span<const std::shared_ptr<const Core>> cores) {
  std::vector<Text> texts;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const auto bytes = cores[i]->text();
    if (bytes.empty()) continue;
    const auto same = std::find_if(texts.begin(), texts.end(), [&](const Text& text) {
      if (text.bytes.size() != bytes.size()) return false;
      if (text.bytes.data() == bytes.data()) return true;
      const Core& other = *cores[text.cores.front()];
      for (std::size_t at = 0; at < bytes.size(); at += kChunk) {
        const std::size_t size = std::min(kChunk, bytes.size() - at);
        const bool equal = std::memcmp(&text.bytes[at], &bytes[at], size) == 0;
        cores[i]->release(bytes.subspan(at, size));
        other.release(text.bytes.subspan(at, size));
        if (!equal) return false;
      }
      return true;
    });
    if (same != texts.end()) {
      same->cores.push_back(i);
    } else {
      texts.push_back({bytes, {i}});
    }
  }
  return texts;
}

class Matcher {
 public:
  Matcher(std::span<const std::shared_ptr<const Core>> cores, MemoryReader& memory)
      : cores_(cores), memory_(memory), texts_(distinct_texts(cores)) {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const auto bytes = texts_[i].bytes;
      if (bytes.size() < kPrefix) {
        short_.push_back(i);
      } else {
        by_prefix_[key(bytes.data())].push_back(i);
      }
    }
  }

  void search(const Range& range) {
    // Pages that lie wholly inside, whatever the caller passed.
    const std::uint64_t first = round_up(range.start);
    const std::uint64_t end = range.end & ~(kPage - 1);
    std::vector<std::uint64_t> pages;
    std::vector<std::uint8_t> prefixes;
    for (std::uint64_t at = first; at < end;) {
      pages.clear();
      for (; at < end && pages.size() < kBatch; at += kPage) pages.push_back(at);
      prefixes.assign(pages.size() * kPrefix, 0);
      memory_.read_many(pages, kPrefix, prefixes);
      for (std::size_t i = 0; i < pages.size(); ++i) {
        try_page(pages[i], end, &prefixes[i * kPrefix]);
      }
    }
  }

  std::vector<Placement> result() {
    // Two texts cannot both be in the same pages; the longer one says more.
    std::sort(found_.begin(), found_.end(), [](const Placement& a, const Placement& b) {
      return a.size != b.size ? a.size > b.size : a.base < b.base;
    });
    std::vector<Placement> kept;
    for (Placement& one : found_) {
      const bool clash = std::any_of(kept.begin(), kept.end(), [&](const Placement& other) {
        return one.base < other.base + round_up(other.size) &&
               other.base < one.base + round_up(one.size);
      });
      if (!clash) kept.push_back(std::move(one));
    }
    std::sort(kept.begin(), kept.end(),
              [](const Placement& a, const Placement& b) { return a.base < b.base; });
    return kept;
  }

 private:
  static std::string_view key(const std::uint8_t* prefix) {
    return {reinterpret_cast<const char*>(prefix), kPrefix};
  }

  void try_page(std::uint64_t base, std::uint64_t end, const std::uint8_t* prefix) {
    if (const auto hit = by_prefix_.find(key(prefix)); hit != by_prefix_.end()) {
      for (const std::size_t text : hit->second) try_text(texts_[text], base, end);
    }
    for (const std::size_t text : short_) {
      const auto bytes = texts_[text].bytes;
      if (std::memcmp(bytes.data(), prefix, bytes.size()) == 0) try_text(texts_[text], base, end);
    }
  }

  void try_text(const Text& text, std::uint64_t base, std::uint64_t end) {
    if (text.bytes.size() > end - base) return;
    // Inside something longer that was found already, it would be dropped at the end.
    if (!found_.empty() && text.bytes.size() <= found_.back().size &&
        base - found_.back().base < found_.back().size) {
      return;
    }
    buffer_.resize(std::min(kChunk, text.bytes.size()));
    const Core& core = *cores_[text.cores.front()];
    for (std::size_t at = 0; at < text.bytes.size(); at += kChunk) {
      const std::size_t size = std::min(kChunk, text.bytes.size() - at);
      if (!memory_.read(base + at, {buffer_.data(), size})) return;
      const bool equal = std::memcmp(buffer_.data(), &text.bytes[at], size) == 0;
      core.release(text.bytes.subspan(at, size));
      if (!equal) return;
    }
    found_.push_back({base, text.bytes.size(), text.cores});
  }

  std::span<const std::shared_ptr<const Core>> cores_;
  MemoryReader& memory_;
  std::vector<Text> texts_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_prefix_;
  std::vector<std::size_t> short_;  // texts shorter than a prefix
  std::vector<std::uint8_t> buffer_;
  std::vector<Placement> found_;
};

}  // namespace

void MemoryReader::read_many(std::span<const std::uint64_t> addresses, std::size_t each,
                             std::span<std::uint8_t> out) {
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto part = out.subspan(i * each, each);
    if (!read(addresses[i], part)) std::fill(part.begin(), part.end(), std::uint8_t{0});
  }
}

std::vector<Placement> match_texts(std::span<const std::shared_ptr<const Core>> cores,
                                   std::span<const Range> ranges, MemoryReader& memory) {
  Matcher matcher(cores, memory);
  for (const Range& range : ranges) matcher.search(range);
  return matcher.result();
}

}  // namespace aotscope::image
