// UTF-8 one character at a time, for bytes that may be anything.
#pragma once

#include <cstddef>
#include <string_view>

namespace aotscope::view {

struct Character {
  char32_t code = 0;
  std::size_t length = 1;  // bytes it takes
  bool valid = false;      // false: one byte that belongs to no character
};

// The character at the beginning of `text`, which is not empty. Refuses overlong forms,
// surrogates and anything above U+10FFFF.
Character next_character(std::string_view text);

// Columns on a terminal: 0, 1 or 2. The C library's wcwidth depends on the locale, this does not.
std::size_t character_width(char32_t code);

// True for what must not reach a terminal as it is: controls, line separators, bidi overrides.
bool is_unsafe(char32_t code);

}  // namespace aotscope::view
