// inspect: static counts as a table and as JSON.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <aotscope/view.hpp>

#include "unit/view/make_profile.hpp"

using namespace aotscope;
using namespace aotscope::test;
using nlohmann::json;

namespace {

isa::FunctionCounts counted(std::uint32_t local, std::uint64_t size, std::uint32_t moves,
                            std::uint32_t loads, std::uint32_t stores) {
  isa::FunctionCounts out;
  out.local_func = local;
  out.counts.size = size;
  out.counts.spill_loads = loads;
  out.counts.spill_stores = stores;
  out.counts.instructions = moves + loads + stores;
  out.counts.classes[static_cast<std::size_t>(InstrClass::move)] = moves;
  out.counts.classes[static_cast<std::size_t>(InstrClass::spill_load)] = loads;
  out.counts.classes[static_cast<std::size_t>(InstrClass::spill_store)] = stores;
  return out;
}

std::vector<std::string> order(const std::string& text) {
  std::vector<std::string> out;
  for (const char* name : {"alpha", "beta", "gamma"}) {
    if (line_with(text, name) != "") out.emplace_back(name);
  }
  std::sort(out.begin(), out.end(),
            [&](const auto& a, const auto& b) { return text.find(a) < text.find(b); });
  return out;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("inspect: sorted by any column, with the sums") {
  const auto image = image_of({"gamma", "alpha", "beta"});
  const std::vector<view::InspectedCore> cores = {
      {&image, {counted(0, 50, 10, 4, 1), counted(1, 70, 30, 0, 0), counted(2, 60, 20, 1, 9)}}};
  view::InspectOptions options;
  std::string text = view::inspect_text(cores, options);
  CHECK(order(text) == Names{"alpha", "beta", "gamma"});
  CHECK(lines(text)[0] ==
        "mix.cwasm  core 0  x86-64 wamr-zig version 11  768 bytes of text  3 functions  75 "
        "instructions  5 spill loads  10 spill stores  0 bytes undecoded");
  CHECK(lines(text)[1] ==
        "by class, % of the instructions:  move 80.0  spill-store 13.3  spill-load 6.7");
  CHECK(line_with(text, "beta") ==
        "       60       30        1        9       0  beta               0       2       4  "
        "move 67  spill-store 30  spill-load 3");
  options.sort = "spills";
  CHECK(order(view::inspect_text(cores, options)) == Names{"beta", "gamma", "alpha"});
  options.sort = "spill-ld";
  CHECK(order(view::inspect_text(cores, options)) == Names{"gamma", "beta", "alpha"});
  options.sort = "local";
  CHECK(order(view::inspect_text(cores, options)) == Names{"gamma", "alpha", "beta"});
  options.sort = "name";
  CHECK(order(view::inspect_text(cores, options)) == Names{"alpha", "beta", "gamma"});
  options.sort = "spill-store";
  text = view::inspect_text(cores, options);
  CHECK(order(text) == Names{"beta", "gamma", "alpha"});
  CHECK(line_with(text, "instrs").find("spill-store") != std::string::npos);
  options.limit = 1;
  CHECK(lines(view::inspect_text(cores, options)).back() == "  … 2 more functions");
  for (const std::string& column : view::inspect_columns()) {
    options.sort = column;
    CHECK(!view::inspect_text(cores, options).empty());
  }
}

TEST_CASE("inspect: JSON has the contract's keys and the whole image") {
  auto image = image_of({"gamma", "a\xff"});
  image.id = 2;
  const std::vector<view::InspectedCore> cores = {
      {&image, {counted(0, 50, 10, 4, 1), counted(1, 70, 30, 0, 0)}}};
  const json out = json::parse(view::inspect_json(cores, nullptr, {}));
  CHECK(out["schema"] == 1);
  CHECK(out["images"][0]["functions"] == 2);
  REQUIRE(out["functions"].size() == 2);
  json first = out["functions"][0];
  first.erase("frame_size");
  first.erase("undecoded_bytes");
  CHECK(first == json({{"image", 2},
                       {"local_func", 0},
                       {"func_index", 2},
                       {"name", "gamma"},
                       {"offset", 0},
                       {"size", 50},
                       {"instructions", 15},
                       {"classes", {{"move", 10}, {"spill-load", 4}, {"spill-store", 1}}},
                       {"spill_loads", 4},
                       {"spill_stores", 1}}));
  CHECK(out["functions"][1]["offset"] == 0x100);
  CHECK(!out.contains("spill_log"));
}

TEST_CASE("inspect: JSON holds the comparison with the spill log") {
  const auto image = image_of({"same", "differs"});
  const std::vector<view::InspectedCore> cores = {
      {&image, {counted(0, 50, 10, 4, 1), counted(1, 70, 30, 2, 2)}}};
  isa::SpillLog log;
  log.entries = {{0, 0, 4, 1}, {0, 1, 2, 3}};
  const std::vector<view::SpillCheck> checks = {{&image, isa::compare(log, 0, cores[0].functions)}};
  const json out = json::parse(view::inspect_json(cores, &log, checks));
  CHECK(out["spill_log"]["compared"] == 2);
  CHECK(out["spill_log"]["agree"] == 1);
  CHECK(out["spill_log"]["disagreements"] ==
        json::array({{{"image", 0},
                      {"local_func", 1},
                      {"log", {{"spill_loads", 2}, {"spill_stores", 3}}},
                      {"code", {{"spill_loads", 2}, {"spill_stores", 2}}}}}));
}
