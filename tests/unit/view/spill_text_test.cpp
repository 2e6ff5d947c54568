// The compiler's spill log beside the code and the samples.
#include <catch2/catch.hpp>

#include <aotscope/view.hpp>

#include "unit/view/make_profile.hpp"

using namespace aotscope;
using namespace aotscope::test;

namespace {

isa::FunctionCounts counted(std::uint32_t local, std::uint32_t loads, std::uint32_t stores) {
  isa::FunctionCounts out;
  out.local_func = local;
  out.counts.spill_loads = loads;
  out.counts.spill_stores = stores;
  return out;
}

}  // namespace

TEST_CASE("every function that disagrees with the log is listed") {
  isa::SpillLog log;
  log.entries = {{0, 0, 5, 6}, {0, 1, 7, 8}, {0, 9, 1, 1}, {3, 0, 1, 1}};
  const auto image = image_of({"same", "differs", "missing", "none"});
  const std::vector<isa::FunctionCounts> code = {counted(0, 5, 6), counted(1, 7, 9),
                                                 counted(2, 1, 0), counted(3, 0, 0)};
  const std::vector<view::SpillCheck> checks = {{&image, isa::compare(log, 0, code)}};
  const std::string text = view::spill_check_text(log, checks);
  CHECK(lines(text)[0] ==
        "spill log: 1 of 4 functions agree with the code in spill_ld and spill_st");
  CHECK(line_with(text, "another build").find("mix.cwasm (core 0)") != std::string::npos);
  CHECK(line_with(text, "not looked at") ==
        "the log has modules that were not looked at here: 3 (1 functions)");
  CHECK(line_with(text, "differs") ==
        "    0       1         7        7         8        9  differs");
  CHECK(line_with(text, "missing") ==
        "    0       2         -        1         -        0  missing");
  CHECK(line_with(text, "no such function").starts_with("    0       9         1        -"));
}

TEST_CASE("agreement is one line") {
  isa::SpillLog log;
  log.entries = {{0, 0, 5, 6}};
  const auto image = image_of({"same"});
  const std::vector<isa::FunctionCounts> code = {counted(0, 5, 6)};
  const std::vector<view::SpillCheck> checks = {{&image, isa::compare(log, 0, code)}};
  CHECK(view::spill_check_text(log, checks) ==
        "spill log: 1 of 1 functions agree with the code in spill_ld and spill_st\n");
}

TEST_CASE("static spills are weighed by samples") {
  Profile profile;
  profile.add_image(image_of({"big", "hot", "none"}));
  add_wasm(profile, 0, 1, InstrClass::spill_load, InstrClass::spill_load, 1);
  add_wasm(profile, 0, 2, InstrClass::alu, InstrClass::alu, 3);
  add_wasm(profile, 1, 0x101, InstrClass::spill_store, InstrClass::spill_store, 4);
  add_wasm(profile, 2, 0x201, InstrClass::alu, InstrClass::alu, 2);
  isa::SpillLog log;
  log.entries = {{0, 0, 900, 100}, {0, 1, 2, 3}};
  const auto text = lines(view::spill_cost_table(profile, log, 10));
  REQUIRE(text.size() == 4);
  // 4 of 10 samples, all of its own; then 1 of 10, a quarter of its own.
  CHECK(text[1] == "  40.00         100.0         2        3       2     0       1  hot");
  CHECK(text[2] == "  10.00          25.0       900      100       1     0       0  big");
}
