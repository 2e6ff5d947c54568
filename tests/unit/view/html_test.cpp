// The HTML pages: what they hold, and that names stay text. How they look and behave is for a
// browser, see tests/integration/export_html.py and export_diff_html.py.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <aotscope/exports.hpp>

#include "make_profile.hpp"

using namespace aotscope;
using aotscope::test::Profile;
using aotscope::test::run_of;
using nlohmann::json;

namespace {

void add_target(Profile& profile, std::uint32_t pid, const std::string& command) {
  profile::TargetEntry target;
  target.pid = pid;
  target.command = command;
  profile.info.targets.push_back(target);
}

struct Page {
  std::string text;
  json data;
  explicit Page(std::string page) : text(std::move(page)) {
    const std::string_view before = "id=\"data\">";
    const std::size_t start = text.find(before) + before.size();
    data = json::parse(text.substr(start, text.find("</script>", start) - start));
  }
  const json& function(const std::string& name) const {
    for (const json& row : data["functions"]) {
      if (row["name"] == name) return row;
    }
    FAIL("no function " << name);
    return data;
  }
};

Page diff_page(const Profile& before, const Profile& after, bool work = false,
               const std::string& old_file = "runs/old.db") {
  const profile::Diff diff = profile::diff({&before, {}}, {&after, {}}, {.work = work});
  return Page(view::diff_html(diff, {old_file, &before}, {"runs/new.db", &after}));
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t out = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) {
    ++out;
  }
  return out;
}

std::string side(const Page& page, const std::string& label, std::size_t which) {
  for (const json& row : page.data["sides"]) {
    if (row[0] == label) return row[which];
  }
  return "none";
}

}  // namespace

TEST_CASE("diff page: both sides, classes and functions with their intervals") {
  Profile before = run_of({"same", "slower", "gone"}, {5000, 3000, 2000});
  add_target(before, 7, "wamr run mix.cwasm");
  before.info.warnings.push_back("the image is stale");
  const Profile after = run_of({"same", "slower", "fresh"}, {5010, 4000, 1000});
  const Page page = diff_page(before, after);
  CHECK(page.text.find("<h1>old.db → new.db</h1>") != std::string::npos);
  CHECK(page.data["unit"] == "% of all samples");
  CHECK(side(page, "recording", 1) == "runs/old.db");
  CHECK(side(page, "command", 1) == "wamr run mix.cwasm (pid 7)");
  CHECK(side(page, "command", 2).empty());
  CHECK(side(page, "event", 2).starts_with("cpu-clock 999 Hz"));
  CHECK(side(page, "samples", 2) == "10,010");
  CHECK(page.data["warnings"] == json{"old: the image is stale"});

  const json& slower = page.function("slower");
  CHECK(slower["significant"] == true);
  CHECK(slower["self"][0] == Approx(30.0));
  CHECK(slower["self"][1] == Approx(39.96).margin(0.01));
  CHECK(slower["self"][2] > 5);
  CHECK(slower["self"][3] < 15);
  CHECK(page.function("same")["significant"] == false);
  CHECK(page.function("gone")["matched"] == "vanished");
  CHECK(page.function("fresh")["matched"] == "new");
  CHECK(page.data["functions"].back()["name"] == "same");
  CHECK_FALSE(slower.contains("total"));  // neither run has stacks

  const auto spill_load = static_cast<std::size_t>(isa::InstrClass::spill_load);
  REQUIRE(page.data["changes"].size() == 1);
  CHECK(page.data["changes"][0][0] == spill_load);
  CHECK(page.data["changes"][0][1][1] == Approx(100.0));
  CHECK(page.data["classes"][spill_load]["id"] == "spill-load");
  CHECK(page.data["places"].size() == 1);
  CHECK(page.data["places"][0][0] == "wasm");
}

TEST_CASE("diff page: seconds of the same work, totals where both runs have stacks") {
  Profile before = run_of({"f", "g"}, {5000, 5000}, 10);
  Profile after = run_of({"f", "g"}, {5000, 2500}, 7.5);
  before.info.stacks = after.info.stacks = true;
  const Page page = diff_page(before, after, true);
  CHECK(page.data["unit"] == "CPU seconds");
  CHECK(page.data["figures"][0][1] == "10.00 s → 7.50 s (-25.0 %)");
  CHECK(page.data["functions"][0]["name"] == "g");
  CHECK(page.function("g")["self"][0] == Approx(5.0));
  CHECK(page.function("g")["total"][1] == Approx(2.5));
  CHECK(page.function("f")["significant"] == false);
}

TEST_CASE("diff page: names stay text") {
  const std::string name = "</script><script>alert(1)</script>";
  Profile hostile = run_of({name, "{{script}}", "\x1b[31m\xff\n"}, {100, 50, 20});
  add_target(hostile, 1, "<img src=x onerror=y>");
  hostile.info.warnings.push_back("<b>");
  const Page page = diff_page(hostile, hostile, false, "a/<i>&{{data}}");
  CHECK(count(page.text, "<script") == 2);
  CHECK(count(page.text, "</script>") == 2);
  CHECK(page.text.find("<img") == std::string::npos);
  CHECK(page.text.find("<i>") == std::string::npos);
  CHECK(page.text.find("<h1>&lt;i>&amp;{{data}} → new.db</h1>") != std::string::npos);
  CHECK(page.text.find('\x1b') == std::string::npos);
  CHECK(page.function(name)["self"][0] == Approx(58.82).margin(0.01));
  CHECK(page.function("{{script}}")["self"][0] == Approx(29.41).margin(0.01));
  CHECK(side(page, "command", 1) == "<img src=x onerror=y> (pid 1)");
}

TEST_CASE("diff page: an empty side has nothing to compare") {
  const Profile some = run_of({"f"}, {100});
  const Profile none = run_of({"f"}, {0}, 0);
  for (const Page& page : {diff_page(none, some), diff_page(some, none), diff_page(none, none),
                           diff_page(Profile(), Profile())}) {
    CHECK(page.data["compared"] == false);
    CHECK(page.data["functions"].empty());
    CHECK(page.data["warnings"].back() ==
          "no samples in one of the two: there is nothing to compare");
    CHECK(side(page, "samples", 1) != "none");
  }
}

TEST_CASE("diff page: a page holds so many functions") {
  std::vector<std::string> names;
  std::vector<std::uint64_t> samples;
  for (std::size_t i = 0; i < 5003; ++i) {
    names.push_back("f" + std::to_string(i));
    samples.push_back(i + 1);
  }
  const Profile run = run_of(names, samples);
  const Page page = diff_page(run, run);
  CHECK(page.data["functions"].size() == 5000);
  CHECK(page.data["left_out"] == "3 with the smallest changes are left out");
}

TEST_CASE("report page: names stay text") {
  const std::string name = "</script><script>alert(1)</script>";
  const Profile hostile = run_of({name, "{{style}}"}, {100, 50});
  const Page page(view::html_page(hostile, {}));
  CHECK(count(page.text, "<script") == 2);
  CHECK(count(page.text, "</script>") == 2);
  CHECK(page.function(name)["self"] == 100);
  CHECK(page.function("{{style}}")["self"] == 50);
}
