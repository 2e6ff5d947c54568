#include <catch2/catch.hpp>

#include <aotscope/tui.hpp>

using namespace aotscope::tui;

TEST_CASE("text is cut at the edge, wide characters never in half") {
  Canvas canvas({5, 2});
  CHECK(canvas.put(0, 0, "abcdefgh") == 5);
  CHECK(canvas.row_text(0) == "abcde");
  CHECK(canvas.put(0, 1, "ab漢字") == 4);  // the second one would need columns 4 and 5
  CHECK(canvas.row_text(1) == "ab漢");
  CHECK(canvas.at(2, 1).glyph == "漢");
  CHECK(canvas.at(3, 1).glyph.empty());
}

TEST_CASE("what overwrites half of a wide character leaves no half") {
  Canvas canvas({6, 1});
  canvas.put(0, 0, "漢字漢");
  canvas.put(1, 0, "x");
  CHECK(canvas.row_text(0) == " x字漢");
  canvas.put(2, 0, "y");
  CHECK(canvas.row_text(0) == " xy 漢");
}

TEST_CASE("combining characters stay with their base, and not too many of them") {
  Canvas canvas({4, 1});
  std::string tower = "e";
  for (int i = 0; i < 1000; ++i) tower += "\u0301";
  CHECK(canvas.put(0, 0, tower + "x") == 2);
  CHECK(canvas.at(0, 0).glyph.size() < 40);
  CHECK(canvas.at(1, 0).glyph == "x");
  canvas.put(0, 0, "\u0301");  // nothing before it: dropped
}

TEST_CASE("no control character gets through, whoever put it") {
  Canvas canvas({20, 1});
  canvas.put(0, 0, "a\x1b[31mb\x07\u009b\u202e\xff");
  for (int column = 0; column < 20; ++column) {
    for (const char c : canvas.at(column, 0).glyph) CHECK(static_cast<unsigned char>(c) >= 0x20);
  }
  CHECK(canvas.row_text(0) == "a?[31mb????");
}

TEST_CASE("outside of the canvas nothing happens") {
  Canvas canvas({3, 1});
  canvas.put(0, 5, "x");
  canvas.put(-2, 0, "x");
  canvas.put(7, 0, "x");
  canvas.fill(2, 0, 9, "y");
  canvas.mark_selected(9, 0, 9);
  CHECK(canvas.text() == "  y\n");
  CHECK(Canvas({0, 0}).text().empty());
  CHECK(Canvas({-3, -1}).size() == Size{0, 0});
}

TEST_CASE("ASCII has the same columns") {
  Canvas canvas({8, 1});
  canvas.put(0, 0, "█▂→漢é");
  canvas.to_ascii();
  CHECK(canvas.row_text(0) == "#.>???");
  for (int column = 0; column < 8; ++column) CHECK(canvas.at(column, 0).glyph.size() == 1);
}

TEST_CASE("clicks find what was drawn there") {
  Canvas canvas({10, 2});
  canvas.add_hit({1, 2, 5, U'q', -1});
  CHECK(canvas.hit_at(1, 1) == nullptr);
  CHECK(canvas.hit_at(2, 0) == nullptr);
  REQUIRE(canvas.hit_at(4, 1) != nullptr);
  CHECK(canvas.hit_at(4, 1)->key == U'q');
}
