// Folded stacks and call trees of a program whose stacks are known.
#include <algorithm>
#include <regex>

#include <catch2/catch.hpp>

#include <aotscope/view.hpp>

#include "unit/view/make_profile.hpp"

using namespace aotscope;
using namespace aotscope::test;

namespace {

// `stack` innermost first.
void add_stack(Profile& profile, std::vector<FrameKey> stack, std::uint64_t count) {
  profile::Sample sample;
  sample.leaf = stack[0];
  sample.text_offset = std::uint64_t{stack[0].id} * 0x100;
  sample.cls = sample.waits = InstrClass::alu;
  sample.count = count;
  sample.stack = stack;
  profile.add(sample);
}

std::vector<std::string> folded(const Profile& profile) {
  std::vector<std::string> out;
  view::folded_stacks(profile, [&](std::string_view line) { out.emplace_back(line); });
  std::sort(out.begin(), out.end());
  return out;
}

const FrameKey truncated{FrameKind::truncated, 0, 0};
const FrameKey cut{FrameKind::cut, 0, 0};

}  // namespace

TEST_CASE("stacks are folded outermost first") {
  Profile profile;
  profile.info.stacks = true;
  profile.add_image(image_of({"_start", "main", "leaf"}));
  add_stack(profile, {wasm(2), wasm(1), wasm(0)}, 7);
  add_stack(profile, {wasm(1), wasm(0)}, 2);
  add_stack(profile, {wasm(2), wasm(2), truncated}, 3);
  add_stack(profile, {wasm(1), cut}, 1);
  CHECK(folded(profile) == std::vector<std::string>{"[cut];main 1", "[truncated];leaf;leaf 3",
                                                    "_start;main 2", "_start;main;leaf 7"});
}

TEST_CASE("hostile names keep the number of frames") {
  Profile profile;
  profile.info.stacks = true;
  profile.add_image(image_of(
      {"a;b 7", "</text>&", "\x1b[31m\n", "\xff\xfe", "", ";", std::string(1 << 20, ';')}));
  add_stack(profile, {wasm(0), wasm(1), wasm(2), wasm(3), wasm(4), wasm(5), wasm(6)}, 5);
  const std::vector<std::string> all = folded(profile);
  REQUIRE(all.size() == 1);
  CHECK(std::count(all[0].begin(), all[0].end(), ';') == 6);
  CHECK(all[0].ends_with(";a\\x3bb\\x207 5"));
  CHECK(all[0].find("\\x1b[31m\\x0a") != std::string::npos);
  CHECK(std::none_of(all[0].begin(), all[0].end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
  // std::regex recurses per character, so the long frame is left out of this check.
  Profile small;
  small.info.stacks = true;
  small.add_image(image_of({"a;b 7", "</text>&", ""}));
  add_stack(small, {wasm(0), wasm(1), wasm(2)}, 5);
  CHECK(std::regex_match(folded(small)[0], std::regex("^[^;]+(;[^;]+)* [0-9]+$")));
}

TEST_CASE("a number that ends a name is not taken for samples") {
  const std::pair<const char*, const char*> names[] = {
      {"draw 7", "draw\\x207 5"}, {"draw 3 7.", "draw 3\\x207. 5"},
      {"d 7.25", "d\\x207.25 5"}, {" 7", "\\x207 5"},
      {"draw 7a", "draw 7a 5"},   {"draw 7.x", "draw 7.x 5"},
      {"draw .7", "draw .7 5"},   {"7", "7 5"},
      {"draw ", "draw  5"},       {"draw 7 ", "draw 7  5"},
      {"draw7", "draw7 5"}};
  for (const auto& [name, line] : names) {
    Profile profile;
    profile.info.stacks = true;
    profile.add_image(image_of({name}));
    add_stack(profile, {wasm(0)}, 5);
    CHECK(folded(profile) == std::vector<std::string>{line});
  }
}

TEST_CASE("lean samples are stacks of one frame, and the counts sum to all samples") {
  std::uint64_t sum = 0;
  for (const std::string& line : folded(sample_profile())) {
    sum += std::stoull(line.substr(line.rfind(' ') + 1));
  }
  CHECK(sum == 100);
}

TEST_CASE("callers with shares") {
  Profile profile;
  profile.info.stacks = true;
  profile.add_image(image_of({"_start", "main", "a", "leaf"}));
  add_stack(profile, {wasm(3), wasm(2), wasm(1), wasm(0)}, 30);
  add_stack(profile, {wasm(3), wasm(1), wasm(0)}, 10);
  const auto text = lines(view::call_tree(profile, wasm(3), view::TreeKind::callers, {}));
  REQUIRE(text.size() == 8);
  CHECK(text[0] == "callers of leaf: 40 samples, 100.00% of all");
  CHECK(text[2] == "100.00           40  leaf");
  CHECK(text[3] == " 75.00           30  ├─ a");
  CHECK(text[4] == " 75.00           30  │  main");
  CHECK(text[5] == " 75.00           30  │  _start");
  CHECK(text[6] == " 25.00           10  └─ main");
  CHECK(text[7] == " 25.00           10     _start");
}

TEST_CASE("callees with self, recursion in one line") {
  Profile profile;
  profile.info.stacks = true;
  profile.add_image(image_of({"_start", "fib"}));
  std::vector<FrameKey> deep(100, wasm(1));
  deep.push_back(wasm(0));
  add_stack(profile, deep, 8);
  add_stack(profile, {wasm(0)}, 2);
  const auto text = lines(view::call_tree(profile, wasm(0), view::TreeKind::callees, {}));
  REQUIRE(text.size() == 5);
  CHECK(text[2] == "100.00           10  _start");
  CHECK(text[3] == " 20.00            2  ├─ [self]");
  CHECK(text[4] == " 80.00            8  └─ fib  ×100");
}

TEST_CASE("small branches are left out and counted") {
  Profile profile;
  profile.info.stacks = true;
  profile.add_image(image_of({"leaf", "a", "b", "c"}));
  add_stack(profile, {wasm(0), wasm(1)}, 998);
  add_stack(profile, {wasm(0), wasm(2)}, 1);
  add_stack(profile, {wasm(0), wasm(3)}, 1);
  const std::string text = view::call_tree(profile, wasm(0), view::TreeKind::callers, {});
  CHECK(line_with(text, "smaller") == "  0.20            2  └─ [2 smaller]");
}
