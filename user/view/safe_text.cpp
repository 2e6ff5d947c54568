#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "view/utf8.hpp"

namespace aotscope::view {
namespace {

constexpr std::string_view ellipsis = "…";  // three bytes, one column

}  // namespace

std::string safe_text(std::string_view raw, std::size_t max_bytes) {
  std::string out;
  // Where to cut back to when the text turns out to be too long: the last length that leaves
  // room for the ellipsis.
  std::size_t cut = 0;
  while (!raw.empty()) {
    const Character character = next_character(raw);
    const std::string_view bytes = raw.substr(0, character.length);
    if (character.valid && !is_unsafe(character.code)) {
      out += bytes;
    } else {
      for (const char c : bytes) {
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
      }
    }
    if (out.size() > max_bytes) {
      out.resize(cut);
      if (out.size() + ellipsis.size() <= max_bytes) out += ellipsis;
      return out;
    }
    if (out.size() + ellipsis.size() <= max_bytes) cut = out.size();
    raw.remove_prefix(character.length);
  }
  return out;
}

std::string ascii_text(std::string_view text) {
  // What the views draw with; as many columns as the original where that is possible.
  constexpr std::pair<std::string_view, std::string_view> drawn[] = {
      {"…", "~"}, {"←", "<"}, {"→", ">"}, {"×", "x"}, {"─", "-"},
      {"│", "|"}, {"├", "|"}, {"└", "`"}, {"╭", "."}, {"╰", "`"},
  };
  std::string out;
  while (!text.empty()) {
    const Character character = next_character(text);
    const std::string_view bytes = text.substr(0, character.length);
    const auto* const found = std::find_if(std::begin(drawn), std::end(drawn),
                                           [&](const auto& pair) { return pair.first == bytes; });
    if (found != std::end(drawn)) {
      out += found->second;
    } else if (character.valid && character.code < 0x80) {
      out += bytes;
    } else {
      for (const char c : bytes) {
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
      }
    }
    text.remove_prefix(character.length);
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character character = next_character(text);
    width += character.valid ? character_width(character.code) : 1;
    text.remove_prefix(character.length);
  }
  return width;
}

std::string fit(std::string_view text, std::size_t width) {
  std::size_t used = 0;
  std::size_t cut = 0;  // bytes that leave one column for the ellipsis
  std::size_t at = 0;
  while (at < text.size()) {
    const Character character = next_character(text.substr(at));
    used += character.valid ? character_width(character.code) : 1;
    if (used > width) {
      return width == 0 ? std::string() : std::string(text.substr(0, cut)) + std::string(ellipsis);
    }
    at += character.length;
    if (used + 1 <= width) cut = at;
  }
  return std::string(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  std::string out = fit(text, width);
  out.append(width - display_width(out), ' ');
  return out;
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::string fitted = fit(text, width);
  return std::string(width - display_width(fitted), ' ') + fitted;
}

}  // namespace aotscope::view
