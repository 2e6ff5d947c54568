// The text report: figures worked out by hand from the profiles in make_profile.hpp.
#include <catch2/catch.hpp>

#include <aotscope/view.hpp>

#include "unit/view/make_profile.hpp"

using namespace aotscope;
using namespace aotscope::test;

TEST_CASE("the header says what, how, how long and how much") {
  const std::string text = view::text_report(sample_profile(), {});
  CHECK(lines(text)[0] ==
        "mix.cwasm  wamr 3.0.0  pid 4121  cpu-clock 999 Hz  6.2 s  100 samples  lost 4");
  CHECK(lines(text)[1] == "wasm 90.0%  host 8.0%  kernel 5.0%  unknown 2.0%");
}

TEST_CASE("rates that differ are all given") {
  Profile profile = sample_profile();
  profile.info.frequency_asked = 200000;
  profile.info.frequency_hz = 100000;
  profile.info.target_cpu_s = 2.0;  // 104 samples in it: 52 a second
  CHECK(line_with(view::text_report(profile, {}), "Hz")
            .find("cpu-clock 100000 Hz (200000 asked) (52 achieved)") != std::string::npos);
}

TEST_CASE("functions are listed with exact shares") {
  const std::string text = view::text_report(sample_profile(), {});
  // 60 of 100; 40 of 60 moves, 20 of 60 float; 50 of 60 wait for float.
  CHECK(line_with(text, " hot ") ==
        " 60.00     0.00  hot                0       0  move 67  float 33     waits: float 83");
  CHECK(line_with(text, " cold ") == " 30.00     5.00  cold               0       1  alu 100");
  CHECK(line_with(text, "idle").empty());
}

TEST_CASE("total has a column only with stacks, kernel only with kernel samples") {
  Profile profile;
  profile.add_image(image_of({"f"}));
  add_wasm(profile, 0, 1, InstrClass::alu, InstrClass::alu, 4);
  CHECK(line_with(view::text_report(profile, {}), "self%") ==
        " self%  function        core   local  top classes (share of the function)");
  profile.info.stacks = true;
  CHECK(line_with(view::text_report(profile, {}), "self%") ==
        " self%  total%  function        core   local  top classes (share of the function)");
}

TEST_CASE("a precise event leaves waits out") {
  Profile profile = sample_profile();
  profile.info.precise = true;
  CHECK(view::text_report(profile, {}).find("waits") == std::string::npos);
}

TEST_CASE("what hot code waits for is told where the mix does not") {
  Profile profile;
  profile.add_image(image_of({"same", "more", "other"}));
  // The largest wait is the largest class, and no class gains: nothing to add.
  add_wasm(profile, 0, 1, InstrClass::alu, InstrClass::alu, 60);
  add_wasm(profile, 0, 2, InstrClass::move, InstrClass::move, 40);
  // spill-load is the largest class, but waits hold 44 % more of it.
  add_wasm(profile, 1, 0x101, InstrClass::spill_load, InstrClass::spill_load, 34);
  add_wasm(profile, 1, 0x102, InstrClass::move, InstrClass::spill_load, 33);
  add_wasm(profile, 1, 0x103, InstrClass::alu, InstrClass::alu, 33);
  const std::string text = view::text_report(profile, {});
  CHECK(line_with(text, " same ").find("waits") == std::string::npos);
  CHECK(line_with(text, " more ").find("waits: spill-load 67") != std::string::npos);
}

TEST_CASE("host code and unknown code are told apart, by symbol and address") {
  const std::string text = view::text_report(sample_profile(), {});
  CHECK(line_with(text, "main_loop") == "  8.00  wamr            main_loop");
  CHECK(line_with(text, "0x7f1000000000") == "  2.00  0x7f1000000000      0x7f1000000123 (2)");
}

TEST_CASE("classes of the whole process, rolled up") {
  const std::string line = line_with(view::text_report(sample_profile(), {}), "by class");
  CHECK(line == "by class, % of all samples:  moves 40.0  alu 30.0  float 20.0");

  Profile profile;
  profile.add_image(image_of({"f"}));
  add_wasm(profile, 0, 1, InstrClass::spill_load, InstrClass::spill_load, 1);
  add_wasm(profile, 0, 2, InstrClass::spill_store, InstrClass::spill_store, 2);
  add_wasm(profile, 0, 3, InstrClass::local_store, InstrClass::local_store, 3);
  add_wasm(profile, 0, 4, InstrClass::mem_load, InstrClass::mem_load, 4);
  // spill 3 of 10, local-store 3, memory 4; frame stores are 2 + 3.
  CHECK(line_with(view::text_report(profile, {}), "by class") ==
        "by class, % of all samples:  memory 40.0  spill 30.0  local-store 30.0");
  CHECK(line_with(view::text_report(profile, {}), "frame stores") ==
        "     (spill-store and local-store together: frame stores 50.0)");
}

TEST_CASE("what was lost, warned of and ended is said") {
  Profile profile = sample_profile();
  profile.info.warnings.push_back("mix.cwasm on disk is not\nwhat runs");
  profile.info.targets[0].exited = true;
  profile.info.targets[0].exit_status = 3;
  view::TextOptions options;
  options.recording = "aotscope-4121.db";
  const std::string text = view::text_report(profile, options);
  CHECK(line_with(text, "lost 4:") == "lost 4: map-full, cured by --map-size 65536");
  CHECK(line_with(text, "warning") == "warning: mix.cwasm on disk is not\\x0awhat runs");
  CHECK(line_with(text, "exited") == "pid 4121 exited during the recording with status 3");
  CHECK(lines(text).back() ==
        "hint: `aotscope annotate aotscope-4121.db --func hot` shows the hottest instructions");
}

TEST_CASE("the hint names a function so that it can be typed") {
  view::TextOptions options;
  options.recording = "a.db";
  Profile profile;
  profile.add_image(image_of({"a;b 7", "twin"}, "x.0.cwasm", 0));
  profile.add_image(image_of({"twin"}, "x.1.cwasm", 1));
  add_wasm(profile, 0, 1, InstrClass::alu, InstrClass::alu, 5);
  CHECK(lines(view::text_report(profile, options)).back().find("a.db --core 0 --func 0`") !=
        std::string::npos);
  add_wasm(profile, 1, 0x101, InstrClass::alu, InstrClass::alu, 9);
  CHECK(lines(view::text_report(profile, options)).back().find("a.db --core 0 --func 1`") !=
        std::string::npos);
}

TEST_CASE("no samples: the reason is given") {
  Profile profile;
  profile.info.event = "cpu-clock";
  profile.info.frequency_hz = 999;
  profile.info.duration_s = 5;
  profile.info.targets.resize(1);
  profile.info.targets[0].pid = 7;
  profile.add_image(image_of({"f"}));
  profile.regions.push_back({7, 0, 0x1000, 0x100, 0, 5});
  CHECK(line_with(view::text_report(profile, {}), "no samples") ==
        "no samples: the target slept: it used 0.000 s of CPU time in 5.0 s");
  profile.info.targets[0].exited = true;
  CHECK(line_with(view::text_report(profile, {}), "no samples") ==
        "no samples: the target exited before it was sampled, after 0.000 s of CPU time");
  profile.info.targets[0].exited = false;
  profile.regions.clear();
  CHECK(line_with(view::text_report(profile, {}), "no samples") ==
        "no samples: the target slept: it used 0.000 s of CPU time in 5.0 s; it never mapped "
        "mix.cwasm");
}

TEST_CASE("hostile names keep the table in columns and the terminal unharmed") {
  Profile profile;
  const std::vector<std::string> names = {"a;b 7",    "</text>&", "\x1b[2Jclear",
                                          "\xff\xfe", "世界世界", std::string(1 << 20, 'x'),
                                          "",         "n\nl"};
  profile.add_image(image_of(names));
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    add_wasm(profile, i, std::uint64_t{i} * 0x100, InstrClass::alu, InstrClass::alu, 1);
  }
  const std::string text = view::text_report(profile, {});
  std::size_t rows = 0;
  for (const std::string& line : lines(text)) {
    for (const char c : line) CHECK((static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
    const std::size_t at = line.find("  alu 100");
    if (!line.ends_with("  alu 100")) continue;
    ++rows;
    // self (6), gap, name (48 at most), gap, core (4), gap, local (6)
    CHECK(view::display_width(line.substr(0, at)) == 6 + 2 + 48 + 2 + 4 + 2 + 6);
  }
  CHECK(rows == names.size());
}

TEST_CASE("sorting, limits and the smallest share") {
  Profile profile = sample_profile();
  view::TextOptions options;
  options.limit = 1;
  std::string text = view::text_report(profile, options);
  CHECK(line_with(text, " cold ").empty());
  CHECK(line_with(text, "more function") == "  … 1 more function");
  options.sort = view::SortBy::kernel;
  text = view::text_report(profile, options);
  CHECK(line_with(text, " hot ").empty());
  CHECK(!line_with(text, " cold ").empty());
  options.limit = 0;
  options.sort = view::SortBy::name;
  text = view::text_report(profile, options);
  CHECK(text.find(" cold ") < text.find(" hot "));
  options.min_percent = 31;
  text = view::text_report(profile, options);
  CHECK(line_with(text, " cold ").empty());
  CHECK(!line_with(text, " hot ").empty());
}

TEST_CASE("ten thousand functions") {
  Profile profile;
  std::vector<std::string> names;
  for (int i = 0; i < 10000; ++i) names.push_back("f" + std::to_string(i));
  profile.add_image(image_of(names));
  for (std::uint32_t i = 0; i < 10000; ++i) {
    add_wasm(profile, i, std::uint64_t{i} * 0x100, InstrClass::move, InstrClass::move, i + 1);
  }
  view::TextOptions options;
  options.limit = 0;
  const std::string text = view::text_report(profile, options);
  std::size_t rows = 0;
  for (const std::string& line : lines(text)) rows += line.ends_with("  move 100") ? 1U : 0U;
  CHECK(rows == 10000);
  // 10,000 of 10000 * 10001 / 2 samples.
  CHECK(line_with(text, " f9999 ").starts_with("  0.02  f9999 "));
  CHECK(line_with(view::text_report(profile, {}), "more function") == "  … 9,970 more functions");
}

TEST_CASE("colour only when asked for") {
  view::TextOptions options;
  CHECK(view::text_report(sample_profile(), options).find('\x1b') == std::string::npos);
  options.color = true;
  CHECK(view::text_report(sample_profile(), options).find('\x1b') != std::string::npos);
}
