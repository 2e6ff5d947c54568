#include <catch2/catch.hpp>

#include <chrono>

#include <aotscope/view.hpp>

#include "unit/tui/support.hpp"

using namespace aotscope;
using namespace aotscope::tui;
using test::InstrClass;
using test::Seen;

namespace {

std::vector<Screen> screens() {
  return {Screen::main,    Screen::function, Screen::annotate, Screen::classes,
          Screen::threads, Screen::help,     Screen::chooser};
}

void go(Seen& seen, Screen screen) {
  if (seen.model.snapshot().screen == Screen::chooser) seen.model.open(Screen::main);
  for (int i = 0; i < 5; ++i) seen.key(keys::escape);
  switch (screen) {
    case Screen::main:
      break;
    case Screen::function:
      seen.key(keys::enter);
      break;
    case Screen::annotate:
      seen.key(U'a');
      break;
    case Screen::classes:
      seen.key(U'c');
      break;
    case Screen::threads:
      seen.key(U't');
      break;
    case Screen::help:
      seen.key(U'?');
      break;
    case Screen::chooser:
      seen.model.open(Screen::chooser);
      seen.model.set_candidates({{4121, 99.5, "wamr run mix.cwasm"}, {4122, -1, "wamr run b"}});
      break;
  }
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the main screen says what it should") {
  Seen seen(test::sample_profile());
  const std::string text = seen.text({120, 30});
  CHECK(holds(text, "pid 4121 wamr run mix.cwasm"));
  CHECK(holds(text, "wamr 3.0.0"));
  CHECK(holds(text, "cpu-clock 999 Hz"));
  CHECK(holds(text, "lost 4"));
  CHECK(holds(text, "wasm 90.0"));
  CHECK(holds(text, "unknown 2.0"));
  CHECK(holds(text, "kernel 5.0"));
  const std::string hot = test::line_with(text, " hot ");
  CHECK(holds(hot, "60.0"));
  CHECK(holds(hot, "move"));
  CHECK(holds(text, "q quit"));
}

TEST_CASE("every screen at every size: a footer, or a word that it is too small") {
  Seen seen(test::sample_profile());
  for (const Screen screen : screens()) {
    go(seen, screen);
    REQUIRE(seen.model.snapshot().screen == screen);
    for (int columns = 0; columns <= 300; columns += columns < 100 ? 3 : 29) {
      for (const int rows : {0, 1, 2, 5, 9, 10, 11, 13, 16, 19, 24, 40, 100}) {
        const Canvas canvas = seen.draw({columns, rows});
        REQUIRE(canvas.size() == Size{columns, rows});
        const std::string text = canvas.text();
        if (columns >= smallest.columns && rows >= smallest.rows) {
          REQUIRE(holds(canvas.row_text(rows - 1), "q quit"));
        } else if (columns >= 9 && rows >= 1) {
          REQUIRE(holds(text, "too small"));
        }
      }
    }
  }
}

TEST_CASE("no samples: the screens say so") {
  profile::Profile empty;
  Seen seen(std::move(empty));
  for (const Screen screen : screens()) {
    go(seen, screen);
    for (const Size size : {Size{60, 10}, Size{80, 24}, Size{300, 100}}) {
      CHECK_FALSE(seen.text(size).empty());
    }
  }
  go(seen, Screen::main);
  seen.model.open(Screen::main);
  CHECK(holds(seen.text(), "no samples yet"));
}

TEST_CASE("ten thousand rows are drawn and scrolled at once") {
  Seen seen(test::many_functions(10'000));
  CHECK(holds(seen.text({120, 40}), "1-31 of 10000 functions"));
  CHECK(holds(seen.text({120, 40}), "function_9999"));
  seen.key(keys::end);
  CHECK(holds(seen.text({120, 40}), "9970-10000 of 10000"));
  CHECK(holds(seen.text({120, 40}), "function_0 "));
  seen.key(keys::page_up);
  CHECK(holds(seen.text({120, 40}), "10000 functions"));
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    seen.key(keys::down);
    seen.draw({300, 100});
  }
  const std::chrono::duration<double> each = (std::chrono::steady_clock::now() - begin) / 20;
  CHECK(each.count() < 0.2);  // far less, but test machines are busy
}

TEST_CASE("a cursor never leaves the screen") {
  Seen seen(test::many_functions(200));
  std::uint32_t random = 7;
  for (int i = 0; i < 500; ++i) {
    random = random * 1664525 + 1013904223;
    static constexpr Key moves[] = {keys::up,   keys::down, keys::page_up,   keys::page_down,
                                    keys::home, keys::end,  keys::wheel_down};
    seen.key(moves[(random >> 16) % std::size(moves)]);
    const Canvas canvas = seen.draw({100, 12 + static_cast<int>(random >> 28)});
    const int item = seen.model.snapshot().cursor().item;
    REQUIRE(item >= canvas.first_item);
    REQUIRE(item < canvas.first_item + canvas.page_items);
    REQUIRE(holds(canvas.text(), "▸"));
  }
}

TEST_CASE("hostile and wide names stay in their columns") {
  profile::Profile profile;
  profile.info.frequency_hz = 999;
  profile.add_image(test::image_of(
      {"\x1b[2J\x1b]0;owned\x07", "漢字かな交じり文の長い関数名です漢字", "\xff\xfe", "a\nb\rc",
       "\u202eevil", std::string(100'000, 'x'), "e\u0301\u0301\u0301", ""}));
  for (std::uint32_t i = 0; i < 8; ++i) {
    test::add_wasm(profile, i, i * 0x100, InstrClass::alu, InstrClass::alu, 10);
  }
  profile::TargetEntry target;
  target.pid = 1;
  target.command = "\x1b[2Jwamr \x9b run";
  target.runtime = "\x1b]52;c;x\x07";
  profile.info.targets.push_back(target);
  profile.name_thread(1, 1, "\x1b[31m\n");
  profile::Sample sample;
  sample.leaf = test::wasm(0);
  sample.pid = sample.tid = 1;
  profile.add(sample);
  Seen seen(std::move(profile));
  for (const Screen screen : screens()) {
    go(seen, screen);
    for (const Size size : {Size{60, 10}, Size{81, 24}, Size{140, 40}, Size{300, 100}}) {
      const Canvas canvas = seen.draw(size);
      for (int row = 0; row < size.rows; ++row) {
        const std::string text = canvas.row_text(row);
        REQUIRE(view::display_width(text) <= static_cast<std::size_t>(size.columns));
        for (const char c : text) {
          REQUIRE(static_cast<unsigned char>(c) >= 0x20);
          REQUIRE(c != 0x7f);
        }
        REQUIRE_FALSE(holds(text, "\u202e"));
        REQUIRE_FALSE(holds(text, "\u009b"));
      }
    }
  }
}

TEST_CASE("without UTF-8 everything is ASCII") {
  Caps caps;
  caps.utf8 = false;
  caps.colors = 0;
  Seen seen(test::sample_profile());
  for (const Screen screen : screens()) {
    go(seen, screen);
    const Canvas canvas = seen.draw({120, 40}, caps);
    for (const char c : canvas.text()) REQUIRE(static_cast<unsigned char>(c) < 0x80);
  }
  go(seen, Screen::chooser);
  seen.model.open(Screen::main);
  CHECK(holds(seen.draw({120, 40}, caps).text(), "VVVVVVVV"));  // a bar of moves
}

TEST_CASE("without colours letters tell the classes apart") {
  Caps caps;
  caps.colors = 0;
  Seen seen(test::sample_profile());
  const std::string text = seen.draw({120, 40}, caps).text();
  CHECK(holds(text, "V moves 44"));
  CHECK(holds(test::line_with(text, " hot "), "VVVVVV"));
  CHECK(holds(test::line_with(text, " hot "), "VAAA"));
}

TEST_CASE("a bar is as full as its shares") {
  Seen seen(test::sample_profile());
  Caps caps;
  caps.colors = 0;
  for (int columns = 60; columns < 300; ++columns) {
    const Canvas canvas = seen.draw({columns, 30}, caps);
    std::string bar = canvas.row_text(3);
    REQUIRE(holds(bar, "classes"));
    bar.erase(0, 10);
    CHECK(bar.size() == static_cast<std::size_t>(columns - 11));
    CHECK(bar.find(' ') == std::string::npos);
  }
}

TEST_CASE("every footer's keys and every row can be clicked") {
  Seen seen(test::sample_profile());
  const Canvas canvas = seen.draw({120, 30});
  const std::string footer = canvas.row_text(29);
  const Hit* hit = canvas.hit_at(static_cast<int>(footer.find("Enter")), 29);
  REQUIRE(hit != nullptr);
  CHECK(hit->key == keys::enter);
  bool found = false;
  for (int row = 0; row < 30; ++row) {
    const Hit* item = canvas.hit_at(20, row);
    if (item && item->key == 0 && item->item == 2) found = true;
  }
  CHECK(found);
}

TEST_CASE("an ended target is marked on every screen") {
  auto profile = test::sample_profile();
  profile.info.targets[0].exited = true;
  Seen seen(std::move(profile));
  for (const Screen screen :
       {Screen::main, Screen::function, Screen::annotate, Screen::classes, Screen::threads}) {
    go(seen, screen);
    CHECK(holds(seen.text({80, 24}), "EXITED"));
  }
}
