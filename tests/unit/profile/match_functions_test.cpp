// Who is who in another build: by name, by index, by fingerprint.
#include <catch2/catch.hpp>

#include <aotscope/diff.hpp>

using namespace aotscope;
using namespace aotscope::profile;

namespace {

ImageEntry image_of(const std::vector<std::string>& names) {
  ImageEntry image;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    std::string name = names[i].empty() ? "func[" + std::to_string(i + 3) + "]" : names[i];
    image.functions.push_back({i, i + 3, std::uint64_t{i} * 64, 64, std::move(name)});
  }
  return image;
}

using Mixes = std::vector<InstructionMix>;

// One mix for each number: equal numbers, equal mixes; 0 is code that is not known.
MixOf mixes_of(const Mixes& mixes) {
  return [&mixes](std::uint32_t local) -> const InstructionMix* {
    return local < mixes.size() && mixes[local][0] != 0 ? &mixes[local] : nullptr;
  };
}
Mixes make(const std::vector<std::uint32_t>& seeds) {
  Mixes out;
  for (const std::uint32_t seed : seeds) {
    InstructionMix mix{};
    if (seed != 0) {
      mix[0] = 10;
      mix[1 + seed % 20] = 50 * seed;
    }
    out.push_back(mix);
  }
  return out;
}

std::map<std::uint32_t, FunctionMatch> match(const std::vector<std::string>& olds,
                                             const std::vector<std::string>& news,
                                             const std::vector<std::uint32_t>& old_code = {},
                                             const std::vector<std::uint32_t>& new_code = {}) {
  const Mixes old_mixes = make(old_code);
  const Mixes new_mixes = make(new_code);
  return match_functions(image_of(olds), image_of(news), mixes_of(old_mixes), mixes_of(new_mixes));
}

}  // namespace

TEST_CASE("names hold whatever moved") {
  const auto found = match({"a", "b", "c"}, {"new", "c", "a", "b"});
  REQUIRE(found.size() == 3);
  CHECK(found.at(1).old_local == 2);
  CHECK(found.at(2).old_local == 0);
  CHECK(found.at(3).old_local == 1);
  CHECK(found.at(1).by == Matched::name);
}

TEST_CASE("equal names go together in their order, when all are there") {
  const auto all = match({"init", "x", "init"}, {"y", "init", "init", "x"});
  CHECK(all.at(1).old_local == 0);
  CHECK(all.at(2).old_local == 2);
  const auto one_less = match({"init", "x", "init"}, {"init", "x"});
  CHECK(!one_less.contains(0));
  CHECK(one_less.at(1).old_local == 1);
}

TEST_CASE("without names the index tells, as long as nothing moved") {
  const auto found = match({"", "", ""}, {"", "", ""}, {1, 2, 3}, {7, 8, 9});
  REQUIRE(found.size() == 3);
  for (const auto& [local, m] : found) {
    CHECK(m.old_local == local);
    CHECK(m.by == Matched::index);
  }
}

TEST_CASE("when indices moved the fingerprint tells") {
  // One function more in front; two have the same code, so they are left to their neighbours.
  const auto found =
      match({"", "", "", "", ""}, {"", "", "", "", "", ""}, {1, 2, 4, 4, 3}, {9, 1, 2, 4, 4, 3});
  REQUIRE(found.size() == 5);
  CHECK(!found.contains(0));
  for (std::uint32_t local = 1; local < 6; ++local) CHECK(found.at(local).old_local == local - 1);
  CHECK(found.at(1).by == Matched::fingerprint);
  CHECK(found.at(3).by == Matched::index);
  CHECK(found.at(5).by == Matched::fingerprint);
}

TEST_CASE("what cannot be told is left apart") {
  // Moved, and no code is known.
  CHECK(match({"", ""}, {"", "", ""}).empty());
  // A name never goes with another name, not by index and not by fingerprint.
  CHECK(match({"a"}, {"b"}, {1}, {1}).empty());
  CHECK(match({"a", "x"}, {"b"}, {1, 2}, {1}).empty());
  // A function that lost its name, as a stripped build does.
  const auto stripped = match({"a", "b"}, {"", ""});
  CHECK(stripped.at(1).old_local == 1);
  CHECK(stripped.at(1).by == Matched::index);
}
