#include "view/utf8.hpp"

#include <algorithm>
#include <array>

namespace aotscope::view {
namespace {

struct Span {
  char32_t first;
  char32_t last;
};

// Unicode 15: the blocks that occur in names. Marks that join the character before them.
constexpr std::array zero_width = {
    Span{0x0300, 0x036F}, Span{0x0483, 0x0489}, Span{0x0591, 0x05BD}, Span{0x0610, 0x061A},
    Span{0x064B, 0x065F}, Span{0x0900, 0x0902}, Span{0x093C, 0x093C}, Span{0x0941, 0x0948},
    Span{0x0E31, 0x0E31}, Span{0x0E34, 0x0E3A}, Span{0x0E47, 0x0E4E}, Span{0x1AB0, 0x1AFF},
    Span{0x1DC0, 0x1DFF}, Span{0x200B, 0x200D}, Span{0x20D0, 0x20FF}, Span{0x2060, 0x2064},
    Span{0xFE00, 0xFE0F}, Span{0xFE20, 0xFE2F}, Span{0xFEFF, 0xFEFF}, Span{0xE0100, 0xE01EF},
};
// East Asian wide and full-width characters, and the emoji that terminals draw two columns wide.
constexpr std::array double_width = {
    Span{0x1100, 0x115F},   Span{0x231A, 0x231B},   Span{0x23E9, 0x23EC},   Span{0x2614, 0x2615},
    Span{0x26AA, 0x26AB},   Span{0x2705, 0x2705},   Span{0x2728, 0x2728},   Span{0x274C, 0x274C},
    Span{0x2E80, 0x303E},   Span{0x3041, 0x33FF},   Span{0x3400, 0x4DBF},   Span{0x4E00, 0x9FFF},
    Span{0xA000, 0xA4CF},   Span{0xA960, 0xA97F},   Span{0xAC00, 0xD7A3},   Span{0xF900, 0xFAFF},
    Span{0xFE30, 0xFE6F},   Span{0xFF00, 0xFF60},   Span{0xFFE0, 0xFFE6},   Span{0x16FE0, 0x18DFF},
    Span{0x1B000, 0x1B2FF}, Span{0x1F300, 0x1F64F}, Span{0x1F680, 0x1F6FF}, Span{0x1F900, 0x1F9FF},
    Span{0x1FA70, 0x1FAFF}, Span{0x20000, 0x3FFFD},
};

template <std::size_t N>
bool contains(const std::array<Span, N>& spans, char32_t code) {
  const auto after = std::upper_bound(spans.begin(), spans.end(), code,
                                      [](char32_t c, const Span& span) { return c < span.first; });
  return after != spans.begin() && code <= std::prev(after)->last;
}

}  // namespace

Character next_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};

  std::size_t length = 0;
  char32_t code = 0;
  char32_t lowest = 0;  // below it the form is overlong
  if ((lead & 0xE0U) == 0xC0) {
    length = 2, code = lead & 0x1FU, lowest = 0x80;
  } else if ((lead & 0xF0U) == 0xE0) {
    length = 3, code = lead & 0x0FU, lowest = 0x800;
  } else if ((lead & 0xF8U) == 0xF0) {
    length = 4, code = lead & 0x07U, lowest = 0x10000;
  } else {
    return {lead, 1, false};
  }
  if (text.size() < length) return {lead, 1, false};
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {lead, 1, false};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < lowest || surrogate || code > 0x10FFFF) return {lead, 1, false};
  return {code, length, true};
}

std::size_t character_width(char32_t code) {
  if (code < 0x300) return 1;
  if (contains(zero_width, code)) return 0;
  return contains(double_width, code) ? 2 : 1;
}

bool is_unsafe(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x2028 || code == 0x2029 ||
         (code >= 0x200E && code <= 0x200F) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

}  // namespace aotscope::view
