#include <algorithm>
#include <array>

#include <aotscope/image.hpp>

namespace aotscope::image {
namespace {

constexpr std::uint64_t kPage = 4096;

// The text's bytes at `offset`, zeros behind its end.
std::array<std::uint8_t, Fingerprint::kWindowSize> window_of(std::span<const std::uint8_t> text,
                                                             std::uint64_t offset) {
  std::array<std::uint8_t, Fingerprint::kWindowSize> window{};
  if (offset < text.size()) {
    const auto part =
        text.subspan(offset, std::min<std::uint64_t>(window.size(), text.size() - offset));
    std::copy(part.begin(), part.end(), window.begin());
  }
  return window;
}

}  // namespace

std::vector<std::size_t> match_fingerprint(std::span<const std::shared_ptr<const Core>> cores,
                                           const Fingerprint& fingerprint) {
  std::vector<std::size_t> matches;
  if (fingerprint.length < kPage || fingerprint.length % kPage != 0) return matches;
  for (std::size_t c = 0; c < cores.size(); ++c) {
    const auto text = cores[c]->text();
    if ((text.size() + kPage - 1) / kPage * kPage != fingerprint.length) continue;
    bool same = true;
    for (std::size_t i = 0; same && i < Fingerprint::kWindows; ++i) {
      same = fingerprint.windows[i] ==
             window_of(text, Fingerprint::window_offset(fingerprint.length, i));
    }
    if (same) matches.push_back(c);
  }
  return matches;
}

}  // namespace aotscope::image
