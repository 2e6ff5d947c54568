// Names from outside, and columns that stay aligned whatever is in them.
#include <catch2/catch.hpp>

#include <aotscope/view.hpp>

using namespace aotscope::view;

TEST_CASE("safe_text leaves plain and foreign names alone") {
  CHECK(safe_text("") == "");
  CHECK(safe_text("a;b 7") == "a;b 7");
  CHECK(safe_text("</text>&") == "</text>&");
  CHECK(safe_text("größe_世界") == "größe_世界");
}

TEST_CASE("safe_text escapes what a terminal would act on") {
  CHECK(safe_text("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(safe_text("a\nb\tc\r") == "a\\x0ab\\x09c\\x0d");
  CHECK(safe_text(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(safe_text("\x7f") == "\\x7f");
  CHECK(safe_text("\xc2\x9b"
                  "31m") == "\\xc2\\x9b31m");                 // C1: CSI in one character
  CHECK(safe_text("x\xe2\x80\xaey") == "x\\xe2\\x80\\xaey");  // right-to-left override
  CHECK(safe_text("x\xe2\x80\xa8y") == "x\\xe2\\x80\\xa8y");  // line separator
}

TEST_CASE("safe_text escapes invalid UTF-8 byte by byte") {
  CHECK(safe_text("\xff\xfe") == "\\xff\\xfe");
  CHECK(safe_text("\xc3") == "\\xc3");  // cut short
  CHECK(safe_text("\xc3(") == "\\xc3(");
  CHECK(safe_text("\xc0\xaf") == "\\xc0\\xaf");                    // overlong
  CHECK(safe_text("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // surrogate
  CHECK(safe_text("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
}

TEST_CASE("safe_text cuts at whole characters and says so") {
  CHECK(safe_text("abcdefgh", 8) == "abcdefgh");
  CHECK(safe_text("abcdefghi", 8) == "abcde…");
  CHECK(safe_text("äöüäöü", 8) == "äö…");  // 4 + 3 bytes; a third letter would be 9
  CHECK(safe_text("\x1b\x1b\x1b", 8) == "\\x1b…");
  const std::string large(1 << 20, 'x');
  CHECK(safe_text(large).size() == 512);
  const std::string bad(1 << 20, '\xff');
  CHECK(safe_text(bad).size() <= 512);
}

TEST_CASE("display_width counts columns") {
  CHECK(display_width("") == 0);
  CHECK(display_width("abc") == 3);
  CHECK(display_width("größe") == 5);
  CHECK(display_width("世界") == 4);
  CHECK(display_width("e\xcc\x81") == 1);  // e and a combining acute accent
  CHECK(display_width("🔥") == 2);
  CHECK(display_width("…") == 1);
}

TEST_CASE("fit and pad give the width that was asked for") {
  CHECK(fit("abc", 3) == "abc");
  CHECK(fit("abcd", 3) == "ab…");
  CHECK(fit("abcd", 1) == "…");
  CHECK(fit("abcd", 0) == "");
  CHECK(fit("世界", 3) == "世…");
  CHECK(fit("世界", 2) == "…");
  CHECK(pad_right("ab", 4) == "ab  ");
  CHECK(pad_right("世界", 2) == "… ");
  CHECK(pad_left("ab", 4) == "  ab");
  for (std::size_t width = 0; width < 12; ++width) {
    for (const char* text : {"", "a", "größe", "世界世界", "e\xcc\x81llo world", "\xff\xff\xff"}) {
      CHECK(display_width(pad_right(text, width)) == width);
      CHECK(display_width(pad_left(text, width)) == width);
    }
  }
}

TEST_CASE("ascii_text has no byte above 0x7f") {
  CHECK(ascii_text("plain\n") == "plain\n");
  CHECK(ascii_text("a … b ← +0x4 ├─ └─ │ ×3") == "a ~ b < +0x4 |- `- | x3");
  CHECK(ascii_text("ö") == "\\xc3\\xb6");
  CHECK(ascii_text("\x1b[31mred") == "\x1b[31mred");  // our own colours
}
