// The JSON contract, schema 1.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <aotscope/view.hpp>

#include "unit/view/make_profile.hpp"

using namespace aotscope;
using namespace aotscope::test;
using nlohmann::json;

namespace {

std::uint64_t sum(const json& counts) {
  std::uint64_t out = 0;
  for (const auto& [key, value] : counts.items()) out += value.get<std::uint64_t>();
  return out;
}

}  // namespace

TEST_CASE("every key of the contract is there with its meaning") {
  const json out = json::parse(view::json_report(sample_profile(), {}));
  CHECK(out["schema"] == 1);
  CHECK(out["event"] == "cpu-clock");
  CHECK(out["frequency_hz"] == 999);
  CHECK(out["duration_s"] == 6.2);
  CHECK(
      out["samples"] ==
      json(
          {{"total", 100}, {"wasm", 90}, {"host", 8}, {"kernel", 5}, {"unknown", 2}, {"lost", 4}}));
  json image = out["images"][0];
  image.erase("hash");
  CHECK(image == json({{"image", 0},
                       {"path", "/srv/mix.cwasm"},
                       {"core", 0},
                       {"format", "wamr-zig"},
                       {"version", 11},
                       {"arch", "x86-64"},
                       {"text_size", 0x300},
                       {"functions", 3}}));
  CHECK(out["regions"] == json::array({{{"pid", 4121},
                                        {"image", 0},
                                        {"start", "0x7f0000001000"},
                                        {"size", 0x300},
                                        {"first_s", 0.0},
                                        {"last_s", 6.2}}}));
  REQUIRE(out["functions"].size() == 2);
  CHECK(out["functions"][0] == json({{"image", 0},
                                     {"local_func", 0},
                                     {"func_index", 2},
                                     {"name", "hot"},
                                     {"self", 60},
                                     {"total", 60},
                                     {"kernel", 0},
                                     {"classes", {{"move", 40}, {"float", 20}}},
                                     {"waits", {{"move", 10}, {"float", 50}}}}));
  CHECK(out["functions"][1]["kernel"] == 5);
  CHECK(out["host"][0]["module"] == "/usr/bin/wamr");
  CHECK(out["host"][0]["symbol"] == "main_loop");
  CHECK(out["host"][0]["self"] == 8);
  CHECK(!out.contains("offsets"));
  // Beyond the contract.
  CHECK(out["classes"] == json({{"move", 40}, {"float", 20}, {"alu", 30}}));
  CHECK(out["unknown"][0]["addresses"] ==
        json::array({{{"address", "0x7f1000000123"}, {"count", 2}}}));
  CHECK(out["lost_by_cause"][0]["cause"] == "map-full");
  CHECK(out["targets"][0]["pid"] == 4121);
}

TEST_CASE("offsets sum to self, classes and waits too") {
  view::JsonOptions options;
  options.offsets = true;
  const json out = json::parse(view::json_report(sample_profile(), options));
  for (const json& function : out["functions"]) {
    std::uint64_t from_offsets = 0;
    for (const json& offset : out["offsets"]) {
      if (offset["local_func"] == function["local_func"]) {
        from_offsets += offset["count"].get<std::uint64_t>();
      }
    }
    CHECK(from_offsets == function["self"]);
    CHECK(sum(function["classes"]) == function["self"]);
    CHECK(sum(function["waits"]) == function["self"]);
  }
  CHECK(out["offsets"][0] == json({{"image", 0},
                                   {"local_func", 0},
                                   {"offset", 0x10},
                                   {"class", "move"},
                                   {"waits", "float"},
                                   {"count", 30},
                                   {"kernel", 0}}));
}

TEST_CASE("hostile names give valid JSON") {
  Profile profile;
  const std::vector<std::string> names = {"a;b 7",    "</text>&\"\\", "\x1b[2J",
                                          "\xff\xfe", "世界",         std::string(1 << 20, 'x')};
  profile.add_image(image_of(names, "/tmp/\xff.cwasm"));
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    add_wasm(profile, i, std::uint64_t{i} * 0x100, InstrClass::alu, InstrClass::alu, 10 - i);
  }
  const json out = json::parse(view::json_report(profile, {}));
  CHECK(out["functions"][0]["name"] == "a;b 7");
  CHECK(out["functions"][1]["name"] == "</text>&\"\\");
  CHECK(out["functions"][2]["name"] == "\x1b[2J");
  CHECK(out["functions"][3]["name"] == "\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(out["functions"][4]["name"] == "世界");
  CHECK(out["images"][0]["path"] == "/tmp/\xef\xbf\xbd.cwasm");
}

TEST_CASE("one line for each interval") {
  view::JsonOptions options;
  options.one_line = true;
  const std::string text = view::json_report(sample_profile(), options);
  CHECK(text.find('\n') == text.size() - 1);
  CHECK(json::parse(text) == json::parse(view::json_report(sample_profile(), {})));
}

TEST_CASE("an empty profile is valid and complete") {
  const json out = json::parse(view::json_report(Profile(), {}));
  CHECK(out["samples"]["total"] == 0);
  CHECK(out["functions"].empty());
  CHECK(out["functions"].is_array());
  CHECK(out["host"].is_array());
}

TEST_CASE("a precise event has no waits") {
  Profile profile = sample_profile();
  profile.info.precise = true;
  const json out = json::parse(view::json_report(profile, {}));
  CHECK(!out.contains("waits"));
  CHECK(!out["functions"][0].contains("waits"));
}
