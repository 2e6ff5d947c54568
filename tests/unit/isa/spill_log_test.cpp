// wamrc's spill metric: tolerant reading, and the comparison with our own counts.
#include <catch2/catch.hpp>

#include <aotscope/isa.hpp>

using namespace aotscope;
using namespace aotscope::isa;

namespace {

constexpr const char* line =
    "[aot-spill-metric] local_func=3 mod=0 name=<anon> insts=1984 clobbers=8 slots=94 "
    "spilled_vregs=94 scalar=94 v128=0 slots_scalar=94 slots_v128=0 spill_ld=511 spill_st=66 "
    "remat=0 callee_saved=3\n";

FunctionCounts counts_of(std::uint32_t local, std::uint32_t loads, std::uint32_t stores) {
  FunctionCounts function;
  function.local_func = local;
  function.counts.spill_loads = loads;
  function.counts.spill_stores = stores;
  return function;
}

}  // namespace

TEST_CASE("a line of the spill metric is read by key") {
  const SpillLog log = parse_spill_log(line);
  REQUIRE(log.entries.size() == 1);
  const SpillEntry* entry = log.find(0, 3);
  REQUIRE(entry);
  CHECK(entry->loads == 511);
  CHECK(entry->stores == 66);
  CHECK(log.broken_lines == 0);
  CHECK_FALSE(log.find(0, 4));
  CHECK_FALSE(log.find(1, 3));
}

TEST_CASE("fields in another order, fewer and unknown ones, carriage returns") {
  const SpillLog log = parse_spill_log(
      "[aot-spill-metric] spill_st=1 new_spill_ld=9 spill_ld=2 local_func=7\r\n"
      "[aot-spill-metric]\tlocal_func=8\tspill_ld=3\tspill_st=4\n");
  REQUIRE(log.entries.size() == 2);
  CHECK(log.find(0, 7)->loads == 2);
  CHECK(log.find(0, 7)->stores == 1);
  CHECK(log.find(0, 8)->stores == 4);
}

TEST_CASE("a name may hold anything") {
  const SpillLog log = parse_spill_log(
      "[aot-spill-metric] local_func=1 mod=2 name=a spill_ld=99 b=c spill_ld=5 spill_st=6 x=1\n");
  REQUIRE(log.find(2, 1));
  CHECK(log.find(2, 1)->loads == 5);
}

TEST_CASE("several modules, any order, other output between") {
  const SpillLog log = parse_spill_log(
      "Loaded app.wasm (1 bytes)\n"
      "[aot-spill-metric] local_func=9 mod=1 spill_ld=1 spill_st=2 end=0\n"
      "warning: progress 50%[aot-spill-metric] local_func=2 mod=1 spill_ld=3 spill_st=4 end=0\n"
      "[aot-spill-metric] local_func=2 mod=0 spill_ld=5 spill_st=6 end=0\nGenerated 9 bytes\n");
  REQUIRE(log.entries.size() == 3);
  CHECK(log.entries[0].module == 0);
  CHECK(log.entries[1].local_func == 2);
  CHECK(log.find(1, 9)->stores == 2);
  CHECK(log.find(1, 2)->loads == 3);
  CHECK(log.broken_lines == 0);
}

TEST_CASE("broken lines are counted, not believed") {
  // Cut by another line, without a number, with a number that is too large, cut by the end.
  const SpillLog log = parse_spill_log(
      "[aot-spill-metric] local_func=1 spill_ld=10 spill_st=1[aot-spill-metric] local_func=2 "
      "spill_ld=3 spill_st=4 x=0\n"
      "[aot-spill-metric] local_func=3 spill_ld= spill_st=4\n"
      "[aot-spill-metric] local_func=4 spill_ld=99999999999 spill_st=4\n"
      "[aot-spill-metric] local_func=5 spill_ld=-1 spill_st=4\n"
      "[aot-spill-metric] local_func=6 mod=x spill_ld=1 spill_st=4\n"
      "[aot-spill-metric] spill_ld=1 spill_st=4\n"
      "[aot-spill-metric]\n"
      "[aot-spill-metric] local_func=7 spill_ld=1 spill_st=4");
  REQUIRE(log.entries.size() == 1);
  CHECK(log.find(0, 2)->loads == 3);
  CHECK(log.broken_lines == 8);
}

TEST_CASE("of two builds in one log the later counts") {
  const SpillLog log = parse_spill_log(
      "[aot-spill-metric] local_func=1 spill_ld=1 spill_st=1 x=0\n"
      "[aot-spill-metric] local_func=2 spill_ld=2 spill_st=2 x=0\n"
      "[aot-spill-metric] local_func=1 spill_ld=7 spill_st=8 x=0\n");
  REQUIRE(log.entries.size() == 2);
  CHECK(log.find(0, 1)->loads == 7);
}

TEST_CASE("no log, and a log of a program that spills nothing") {
  CHECK(parse_spill_log("").entries.empty());
  CHECK(parse_spill_log("Loaded x.wasm\n").entries.empty());
  const auto missing = read_spill_log("/nonexistent/spill.log");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message.find("/nonexistent/spill.log") != std::string::npos);
  CHECK_FALSE(read_spill_log("/"));
}

TEST_CASE("the log against our counts: every difference is listed") {
  const SpillLog log = parse_spill_log(
      "[aot-spill-metric] local_func=0 spill_ld=1 spill_st=1 x=0\n"
      "[aot-spill-metric] local_func=1 spill_ld=2 spill_st=2 x=0\n"
      "[aot-spill-metric] local_func=2 spill_ld=3 spill_st=3 x=0\n"
      "[aot-spill-metric] local_func=0 mod=1 spill_ld=9 spill_st=9 x=0\n");
  const std::vector<FunctionCounts> ours = {counts_of(0, 1, 1), counts_of(1, 2, 2),
                                            counts_of(2, 3, 4), counts_of(3, 0, 0),
                                            counts_of(4, 0, 1)};
  const SpillComparison result = compare(log, 0, ours);
  CHECK(result.in_log == 3);
  CHECK(result.agree == 2);
  REQUIRE(result.differ.size() == 1);
  CHECK(result.differ[0].log.local_func == 2);
  CHECK(result.differ[0].log.stores == 3);
  CHECK(result.differ[0].stores == 4);
  REQUIRE(result.not_in_log.size() == 1);
  CHECK(result.not_in_log[0].local_func == 4);
  CHECK(result.beyond.empty());
  CHECK_FALSE(result.other_build);
}

TEST_CASE("a log from another build is noticed") {
  const SpillLog log = parse_spill_log(
      "[aot-spill-metric] local_func=0 spill_ld=1 spill_st=1 x=0\n"
      "[aot-spill-metric] local_func=9 spill_ld=2 spill_st=2 x=0\n");
  SECTION("by a function that the image lacks") {
    const SpillComparison result =
        compare(log, 0, std::vector{counts_of(0, 1, 1), counts_of(1, 0, 0)});
    REQUIRE(result.beyond.size() == 1);
    CHECK(result.beyond[0].local_func == 9);
    CHECK(result.other_build);
  }
  SECTION("by most functions disagreeing") {
    std::vector<FunctionCounts> ours;
    for (std::uint32_t i = 0; i < 10; ++i) ours.push_back(counts_of(i, 1, i == 0 ? 1 : 5));
    CHECK(compare(log, 0, ours).other_build);
  }
  SECTION("not by a module that neither spills in the log nor in the image") {
    CHECK_FALSE(compare(log, 5, std::vector{counts_of(0, 0, 0)}).other_build);
    CHECK_FALSE(compare(log, 5, {}).other_build);
  }
}
