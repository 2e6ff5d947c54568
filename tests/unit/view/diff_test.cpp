// `diff` as text and JSON.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <aotscope/exports.hpp>

#include "make_profile.hpp"

using namespace aotscope;
using aotscope::test::Profile;
using aotscope::test::run_of;
using nlohmann::json;

namespace {

struct Shown {
  std::string text;
  json data;
};
Shown show(const Profile& before, const Profile& after, bool color = false) {
  const profile::Diff diff = profile::diff({&before, {}}, {&after, {}}, {});
  const view::DiffSource old_source{"old.db", &before};
  const view::DiffSource new_source{"new.db", &after};
  return {view::diff_text(diff, old_source, new_source, {.limit = 30, .color = color}),
          json::parse(view::diff_json(diff, old_source, new_source))};
}

}  // namespace

TEST_CASE("diff: what changed for certain first, noise marked and last") {
  const Profile before = run_of({"same", "slower", "gone"}, {5000, 3000, 2000});
  const Profile after = run_of({"same", "slower", "fresh"}, {5010, 4000, 1000});
  const Shown shown = show(before, after);
  const std::string slower = test::line_with(shown.text, "slower");
  CHECK(slower.starts_with("  "));
  CHECK(slower.find("30.00") != std::string::npos);
  CHECK(slower.find("39.96") != std::string::npos);
  CHECK(slower.find("spill-load +10.0") != std::string::npos);
  CHECK(test::line_with(shown.text, " same").starts_with("~ "));
  CHECK(test::line_with(shown.text, "fresh").find("new") != std::string::npos);
  CHECK(test::line_with(shown.text, "gone").find("vanished") != std::string::npos);
  CHECK(shown.text.find("slower") < shown.text.find(" same"));

  CHECK(shown.data["unit"] == "percent");
  CHECK(shown.data["functions"].size() == 4);
  for (const json& row : shown.data["functions"]) {
    CHECK(row["significant"] == (row["name"] != "same"));
    if (row["name"] == "gone") {
      CHECK(row["status"] == "vanished");
      CHECK(row["new"].is_null());
    }
  }
}

TEST_CASE("diff: noise is dim on a terminal") {
  const Profile run = run_of({"same"}, {5000});
  const std::string text = show(run, run, true).text;
  CHECK(test::line_with(text, " same").starts_with("\x1b[2m~ "));
  CHECK(text.find("no function changed by more than sampling noise") != std::string::npos);
}

TEST_CASE("diff: hostile names and empty runs") {
  const Profile hostile = run_of({"\x1b[31m\xff\n"}, {100});
  const Shown shown = show(hostile, hostile);
  CHECK(shown.text.find('\x1b') == std::string::npos);
  const Profile empty = run_of({"f"}, {0});
  CHECK(show(empty, hostile).text.find("nothing to compare") != std::string::npos);
}
