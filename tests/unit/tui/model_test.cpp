#include <catch2/catch.hpp>

#include "unit/tui/support.hpp"

using namespace aotscope;
using namespace aotscope::tui;
using test::InstrClass;
using test::Seen;

namespace {

const Row& row_at(const Snapshot& snapshot, std::size_t place) {
  return (*snapshot.rows)[snapshot.order[place]];
}

}  // namespace

TEST_CASE("rows add up and are sorted by now") {
  Seen seen(test::sample_profile());
  const Snapshot& s = seen.model.snapshot();
  REQUIRE(s.order.size() == 4);  // hot, cold, host, unknown; `idle` has no samples
  CHECK(row_at(s, 0).name == "hot");
  CHECK(row_at(s, 0).self == Approx(60));
  CHECK(row_at(s, 0).now == Approx(60));
  CHECK(row_at(s, 1).kernel == Approx(5));
  double self = 0, mix = 0;
  for (const Row& row : *s.rows) self += row.self;
  for (const double part : row_at(s, 0).landed) mix += part;
  CHECK(self == Approx(100));
  CHECK(mix == Approx(100));
  CHECK(row_at(s, 0).top_landed == InstrClass::move);
  CHECK(row_at(s, 0).top_waits == InstrClass::floating);
  CHECK(s.header.lost == 4);
  CHECK(s.header.lost_hint == "--map-size 65536");
}

TEST_CASE("now follows a change of phase, since the start does not") {
  Seen seen(test::sample_profile());
  for (int second = 11; second < 41; ++second) {
    test::add_wasm(seen.profile, 1, 0x120, InstrClass::alu, InstrClass::alu, 10);
    seen.tick(second);
  }
  const Snapshot& s = seen.model.snapshot();
  CHECK(row_at(s, 0).name == "cold");
  CHECK(row_at(s, 0).now > 95);
  CHECK(row_at(s, 0).self == Approx(100.0 * 330 / 400));
}

TEST_CASE("the selection stays on its function when the order changes") {
  Seen seen(test::sample_profile());
  seen.key(keys::down);  // on `cold`
  CHECK(seen.model.snapshot().cursor().item == 1);
  test::add_wasm(seen.profile, 1, 0x120, InstrClass::alu, InstrClass::alu, 1000);
  seen.tick(11);
  CHECK(row_at(seen.model.snapshot(), 0).name == "cold");
  CHECK(seen.model.snapshot().cursor().item == 0);
}

TEST_CASE("sort keys, reverse, heads") {
  Seen seen(test::sample_profile());
  seen.key(U's');
  CHECK(seen.model.snapshot().sort == Column::self);
  seen.key(keys::left);
  seen.key(keys::left);
  CHECK(seen.model.snapshot().sort == Column::top_class);
  seen.key(keys::sort_by + static_cast<Key>(Column::name));
  CHECK(seen.model.snapshot().sort == Column::name);
  CHECK(row_at(seen.model.snapshot(), 3).name == "main_loop [/usr/bin/wamr]");
  seen.key(U'r');
  CHECK(row_at(seen.model.snapshot(), 0).name == "main_loop [/usr/bin/wamr]");
}

TEST_CASE("a filter is typed, kept, dropped") {
  Seen seen(test::sample_profile());
  seen.type(U"/COl");
  CHECK(seen.model.snapshot().order.size() == 1);
  CHECK(seen.model.snapshot().typing);
  seen.type(U"q");  // a letter like any other while typing
  CHECK(seen.model.snapshot().order.empty());
  seen.key(keys::backspace);
  seen.key(keys::enter);
  CHECK(seen.model.snapshot().filter == "COl");
  CHECK_FALSE(seen.model.snapshot().typing);
  seen.type(U"/é");
  seen.key(keys::backspace);
  CHECK(seen.model.snapshot().filter == "COl");
  seen.key(keys::escape);
  CHECK(seen.model.snapshot().filter == "COl");
  seen.key(keys::escape);
  CHECK(seen.model.snapshot().order.size() == 4);
}

TEST_CASE("paused, the figures stay; sampling goes on behind them") {
  Seen seen(test::sample_profile());
  seen.key(U' ');
  test::add_wasm(seen.profile, 1, 0x120, InstrClass::alu, InstrClass::alu, 1000);
  seen.tick(11);
  CHECK(row_at(seen.model.snapshot(), 0).name == "hot");
  CHECK(seen.model.snapshot().header.samples == 100);
  seen.key(U' ');
  seen.tick(12);
  CHECK(row_at(seen.model.snapshot(), 0).name == "cold");
  CHECK(seen.model.snapshot().header.samples == 1100);
}

TEST_CASE("zero begins anew, lost samples too") {
  Seen seen(test::sample_profile());
  CHECK(seen.key(U'z') == Request::zero);
  seen.profile.zero();
  seen.model.zeroed();
  seen.tick(11);
  CHECK(seen.model.snapshot().order.empty());
  CHECK(seen.model.snapshot().header.lost == 0);
  test::add_wasm(seen.profile, 1, 0x120, InstrClass::alu, InstrClass::alu, 10);
  seen.tick(12);
  REQUIRE(seen.model.snapshot().order.size() == 1);
  CHECK(row_at(seen.model.snapshot(), 0).self == Approx(100));
}

TEST_CASE("drill down to the listing and back") {
  Seen seen(test::sample_profile());
  seen.key(keys::enter);
  const Snapshot& s = seen.model.snapshot();
  CHECK(s.screen == Screen::function);
  CHECK(s.function.row.name == "hot");
  REQUIRE(s.function.hottest.size() == 3);
  CHECK(s.function.lines[s.function.hottest[0]].offset == 0x10);
  CHECK(s.function.lines[s.function.hottest[0]].self == Approx(50));
  CHECK(s.function.lines[s.function.hottest[0]].text == "nop");
  seen.key(keys::down);
  seen.key(keys::enter);
  CHECK(s.screen == Screen::annotate);
  CHECK(s.function.lines[static_cast<std::size_t>(s.cursor().item)].offset == 0x17);
  // The hot spots in order of address, and around.
  seen.key(U'n');
  CHECK(s.function.lines[static_cast<std::size_t>(s.cursor().item)].offset == 0x10);
  seen.key(U'p');
  CHECK(s.function.lines[static_cast<std::size_t>(s.cursor().item)].offset == 0x17);
  seen.key(U'p');
  CHECK(s.function.lines[static_cast<std::size_t>(s.cursor().item)].offset == 0x13);
  seen.key(U'G');
  CHECK(s.cursor().item == 0xff);
  seen.key(keys::escape);
  CHECK(s.screen == Screen::function);
  seen.key(keys::escape);
  CHECK(s.screen == Screen::main);
  seen.key(keys::escape);
  CHECK(s.screen == Screen::main);
}

TEST_CASE("the shares of a listing change in place") {
  Seen seen(test::sample_profile());
  seen.key(U'a');
  const Snapshot& s = seen.model.snapshot();
  CHECK(s.screen == Screen::annotate);
  CHECK(s.function.lines[0x13].self == Approx(100.0 / 6));
  CHECK(s.function.lines[0x13].now == 0);  // nothing came since it was opened
  test::add_wasm(seen.profile, 0, 0x13, InstrClass::move, InstrClass::move, 40);
  seen.tick(11);
  seen.draw();
  CHECK(s.function.lines[0x13].self == Approx(50));
  CHECK(s.function.lines[0x13].now == Approx(100));
}

TEST_CASE("host code has no listing, and says so") {
  Seen seen(test::sample_profile());
  seen.key(keys::down);
  seen.key(keys::down);
  seen.key(keys::enter);
  const Snapshot& s = seen.model.snapshot();
  CHECK(s.function.row.name == "main_loop [/usr/bin/wamr]");
  CHECK(s.function.lines.empty());
  CHECK_FALSE(s.function.no_code.empty());
  seen.key(keys::enter);  // the listing of nothing
  seen.draw();
  seen.key(U'n');
  seen.key(keys::page_down);
  seen.draw();
}

TEST_CASE("classes, and the functions of one") {
  Seen seen(test::sample_profile());
  seen.key(U'c');
  const Snapshot& s = seen.model.snapshot();
  REQUIRE(s.classes.size() == 3);
  CHECK(s.classes[0].cls == InstrClass::move);
  CHECK(s.classes[0].self == Approx(100.0 * 40 / 90));
  REQUIRE(s.class_functions.size() == 1);
  CHECK(s.class_functions[0].name == "hot");
  CHECK(s.class_functions[0].share == Approx(100));
  seen.key(keys::down);
  CHECK(s.classes[1].cls == InstrClass::alu);
  CHECK(s.class_functions[0].name == "cold");
  seen.key(keys::enter);
  seen.key(keys::enter);
  CHECK(s.screen == Screen::function);
  CHECK(s.function.row.name == "cold");
  seen.key(keys::escape);
  CHECK(s.screen == Screen::classes);
}

TEST_CASE("when the target has ended, a key without a meaning ends the view") {
  auto profile = test::sample_profile();
  profile.info.targets[0].exited = true;
  Seen seen(std::move(profile));
  CHECK(seen.model.snapshot().header.exited);
  CHECK(seen.key(keys::down) == Request::none);
  CHECK(seen.key(U'x') == Request::quit);
  CHECK(seen.key(U' ') == Request::quit);
}

TEST_CASE("clicks select, a second one opens") {
  Seen seen(test::sample_profile());
  CHECK(seen.model.click(1) == Request::none);
  CHECK(seen.model.snapshot().cursor().item == 1);
  seen.model.click(1);
  CHECK(seen.model.snapshot().screen == Screen::function);
}

TEST_CASE("the interval goes in steps within its bounds") {
  Seen seen(test::sample_profile());
  for (int i = 0; i < 20; ++i) CHECK(seen.key(U'+') == Request::interval);
  CHECK(seen.model.snapshot().interval_s == Approx(10));
  for (int i = 0; i < 20; ++i) seen.key(U'-');
  CHECK(seen.model.snapshot().interval_s == Approx(0.1));
}

TEST_CASE("any keys in any order on any screen") {
  Seen seen(test::sample_profile());
  static constexpr Key all[] = {keys::enter,
                                keys::escape,
                                keys::tab,
                                keys::up,
                                keys::down,
                                keys::left,
                                keys::right,
                                keys::page_up,
                                keys::page_down,
                                keys::home,
                                keys::end,
                                keys::wheel_up,
                                keys::wheel_down,
                                keys::backspace,
                                U'a',
                                U'n',
                                U'p',
                                U'c',
                                U'b',
                                U't',
                                U's',
                                U'r',
                                U'/',
                                U' ',
                                U'z',
                                U'+',
                                U'-',
                                U'w',
                                U'e',
                                U'm',
                                U'?',
                                U'q',
                                U'x',
                                U'漢',
                                0,
                                0x1FFFFF,
                                keys::sort_by,
                                0x300000};
  std::uint32_t random = 1;
  for (int i = 0; i < 4000; ++i) {
    random = random * 1664525 + 1013904223;
    const Key key = all[(random >> 16) % std::size(all)];
    if (seen.key(key) == Request::zero && i % 3 == 0) {
      seen.profile.zero();
      seen.model.zeroed();
    }
    if (i % 7 == 0) seen.model.click(static_cast<int>(random >> 20) - 100);
    if (i % 5 == 0) {
      test::add_wasm(seen.profile, i % 2 == 0 ? 0 : 1, i % 2 == 0 ? 0x10 : 0x120, InstrClass::alu,
                     InstrClass::alu, 3);
      seen.tick(11 + i * 0.1);
    }
    const Size size{static_cast<int>(random >> 24), static_cast<int>(random >> 18 & 63)};
    seen.draw(size);
  }
}
