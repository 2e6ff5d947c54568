// The compiler's spill log: read by key, held against the code.
#include <catch2/catch.hpp>

#include <aotscope/view.hpp>

#include "unit/view/make_profile.hpp"

using namespace aotscope;
using namespace aotscope::test;
using view::SpillMetric;

TEST_CASE("lines are read by key among other output") {
  const auto log = view::parse_spill_log(
      "Loaded x.wasm\n"
      "[aot-spill-metric] local_func=3 mod=0 name=<anon> insts=1984 spill_ld=511 spill_st=66 "
      "remat=0\r\n"
      "progress 12%[aot-spill-metric] spill_st=1 spill_ld=2 local_func=9\n"
      "[aot-spill-metric] local_func=0 mod=3 name=spill_ld=7 spill_ld=5 spill_st=6 new_field=x\n"
      "[aot-spill-metric] local_func=1 mod=3 spill_ld=4 spill_\n"
      "[aot-spill-metric]\n"
      "[aot-spill-metric] local_func=99999999999 spill_ld=1 spill_st=1\n"
      "[aot-spill-metric] local_func=4 mod=0 spill_ld=1 spill_st=2[aot-spill-metric] local_func=5 "
      "mod=0 spill_ld=3 spill_st=4");
  CHECK(log.broken_lines == 3);
  REQUIRE(log.functions.size() == 5);
  CHECK(log.functions.at({0, 3}) == SpillMetric{0, 3, 511, 66});
  CHECK(log.functions.at({0, 9}) == SpillMetric{0, 9, 2, 1});
  CHECK(log.functions.at({3, 0}) == SpillMetric{3, 0, 5, 6});
  CHECK(log.functions.at({0, 4}) == SpillMetric{0, 4, 1, 2});
  CHECK(log.functions.at({0, 5}) == SpillMetric{0, 5, 3, 4});
}

TEST_CASE("a function said twice counts once, and a conflict is noticed") {
  const auto log = view::parse_spill_log(
      "[aot-spill-metric] local_func=1 spill_ld=5 spill_st=6\n"
      "[aot-spill-metric] local_func=1 spill_ld=5 spill_st=6\n"
      "[aot-spill-metric] local_func=2 spill_ld=5 spill_st=6\n"
      "[aot-spill-metric] local_func=2 spill_ld=7 spill_st=6\n");
  CHECK(log.conflicts == 1);
  CHECK(log.functions.at({0, 2}).loads == 7);
}

TEST_CASE("the log is held against the code both ways") {
  view::SpillLog log;
  log.functions[{0, 0}] = {0, 0, 5, 6};
  log.functions[{0, 1}] = {0, 1, 7, 8};
  log.functions[{0, 9}] = {0, 9, 1, 1};
  const std::vector<view::StaticSpills> counted = {
      {0, 0, 5, 6, "same"}, {0, 1, 7, 9, "differs"}, {0, 2, 1, 0, "missing"}, {0, 3, 0, 0, "none"}};
  const auto join = view::join_spill_log(log, counted, true);
  CHECK(join.compared == 4);
  CHECK(join.agreed == 1);
  REQUIRE(join.disagreements.size() == 3);
  CHECK(join.disagreements[0].counted.name == "differs");
  CHECK_FALSE(join.disagreements[1].in_log);
  CHECK_FALSE(join.disagreements[2].in_code);
  CHECK(join.other_build);
  const std::string text = view::spill_join_text(log, join);
  CHECK(lines(text)[0] == "spill log: 1 of 4 functions agree with the code");
  CHECK(lines(text)[1].find("another build") != std::string::npos);
  CHECK(line_with(text, "differs") ==
        "    0       1         7        7         8        9  differs");
  CHECK(line_with(text, "missing") ==
        "    0       2         -        1         -        0  missing");
  // A recording has only the functions that were sampled: what else the log names is no news.
  CHECK(view::join_spill_log(log, counted, false).disagreements.size() == 2);
}

TEST_CASE("a single disagreement among many is no other build") {
  view::SpillLog log;
  std::vector<view::StaticSpills> counted;
  for (std::uint32_t i = 0; i < 100; ++i) {
    log.functions[{0, i}] = {0, i, i, 1};
    counted.push_back({0, i, i, i == 50 ? 2U : 1U, "f"});
  }
  const auto join = view::join_spill_log(log, counted, true);
  CHECK(join.agreed == 99);
  CHECK_FALSE(join.other_build);
}

TEST_CASE("static spills are weighed by samples") {
  Profile profile;
  profile.add_image(image_of({"big", "hot", "none"}));
  add_wasm(profile, 0, 1, InstrClass::spill_load, InstrClass::spill_load, 1);
  add_wasm(profile, 0, 2, InstrClass::alu, InstrClass::alu, 3);
  add_wasm(profile, 1, 0x101, InstrClass::spill_store, InstrClass::spill_store, 4);
  add_wasm(profile, 2, 0x201, InstrClass::alu, InstrClass::alu, 2);
  view::SpillLog log;
  log.functions[{0, 0}] = {0, 0, 900, 100};
  log.functions[{0, 1}] = {0, 1, 2, 3};
  const auto text = lines(view::spill_cost_table(profile, log, 10));
  REQUIRE(text.size() == 4);
  // 4 of 10 samples, all of its own; then 1 of 10, a quarter of its own.
  CHECK(text[1] == "  40.00         100.0         2        3       2     0       1  hot");
  CHECK(text[2] == "  10.00          25.0       900      100       1     0       0  big");
}
