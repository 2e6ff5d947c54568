// Callers and callees, by hand and against a recount over random stacks.
#include <algorithm>

#include <catch2/catch.hpp>

#include "unit/profile/random_run.hpp"

using namespace aotscope::profile;
using aotscope::test::describe_run;
using aotscope::test::RandomRun;

namespace {

FrameKey f(std::uint32_t id) { return {FrameKind::wasm, 0, id}; }

// Outermost first, as one writes a call chain.
void call(Profile& profile, std::vector<FrameKey> chain, std::uint64_t count) {
  std::reverse(chain.begin(), chain.end());
  Sample sample;
  sample.stack = chain;
  sample.count = count;
  profile.add(sample);
}

// "1:5(2:3[3] 4:2[2])": id:count(children)[ends], in the tree's order.
std::string print(const CallTree& tree, std::uint32_t at = 0) {
  const CallNode& node = tree.nodes[at];
  std::string text = std::to_string(node.frame.id) + ":" + std::to_string(node.count);
  if (node.ends != 0) text += "[" + std::to_string(node.ends) + "]";
  if (node.children.empty()) return text;
  text += "(";
  for (const std::uint32_t child : node.children)
    text += (text.back() == '(' ? "" : " ") + print(tree, child);
  return text + ")";
}

void check_sums(const CallTree& tree) {
  for (const CallNode& node : tree.nodes) {
    std::uint64_t sum = node.ends;
    for (const std::uint32_t child : node.children) sum += tree.nodes[child].count;
    REQUIRE(sum == node.count);
  }
}

}  // namespace

TEST_CASE("callers and callees of a known call tree") {
  Profile profile;
  describe_run(profile);
  call(profile, {f(0), f(1), f(5)}, 3);
  call(profile, {f(0), f(2), f(5)}, 4);
  call(profile, {f(0), f(1), f(5), f(6)}, 2);
  call(profile, {f(5)}, 1);
  call(profile, {f(0), f(2)}, 9);
  CHECK(print(callers_of(profile, f(5))) == "5:10[1](1:5(0:5[5]) 2:4(0:4[4]))");
  CHECK(print(callees_of(profile, f(5))) == "5:10[8](6:2[2])");
  CHECK(print(callees_of(profile, f(0))) == "0:18(2:13[9](5:4[4]) 1:5(5:5[3](6:2[2])))");
  CHECK(print(callers_of(profile, f(0))) == "0:18[18]");
}

TEST_CASE("recursion counts once") {
  Profile profile;
  describe_run(profile);
  call(profile, {f(0), f(1), f(1), f(1)}, 5);
  call(profile, {f(0), f(1), f(2), f(1), f(3)}, 2);
  // The innermost occurrence's callers; the outermost occurrence's callees.
  CHECK(print(callers_of(profile, f(1))) == "1:7(1:5(1:5(0:5[5])) 2:2(1:2(0:2[2])))");
  CHECK(print(callees_of(profile, f(1))) == "1:7(1:5(1:5[5]) 2:2(1:2(3:2[2])))");
  CHECK(profile.functions().at(f(1)).total == 7);
}

TEST_CASE("what has no sample has a root alone") {
  Profile profile;
  describe_run(profile);
  CHECK(print(callers_of(profile, f(9))) == "9:0");
  CHECK(print(callees_of(profile, f(9))) == "9:0");
}

TEST_CASE("the root of both trees counts the function's total") {
  Profile profile;
  describe_run(profile);
  RandomRun run(11, 60);
  run.feed(profile, 3000);
  for (const auto& [key, function] : profile.functions()) {
    const CallTree callers = callers_of(profile, key);
    const CallTree callees = callees_of(profile, key);
    CHECK(callers.nodes[0].count == function.total);
    CHECK(callees.nodes[0].count == function.total);
    check_sums(callers);
    check_sums(callees);
  }
  for (std::uint32_t i = 0; i < profile.hosts().size(); ++i)
    CHECK(callers_of(profile, {FrameKind::host, 0, i}).nodes[0].count == profile.hosts()[i].total);
}
