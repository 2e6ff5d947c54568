// --func: names, local indices, func[INDEX], and what is said when none or several are meant.
#include <catch2/catch.hpp>

#include <aotscope/view.hpp>

#include "unit/view/make_profile.hpp"

using namespace aotscope;
using namespace aotscope::test;
using view::choose_function;

namespace {

std::vector<profile::ImageEntry> two_cores() {
  std::vector<profile::ImageEntry> images = {
      image_of({"start", "fp", "func[4]", "7", "a\nb"}, "x.0.cwasm", 0),
      image_of({"fp", "fp_many"}, "x.1.cwasm", 1)};
  images[1].id = 1;
  return images;
}

}  // namespace

TEST_CASE("a function is found by name, index and func[INDEX]") {
  const auto images = two_cores();
  CHECK(choose_function(images, "start", {}, nullptr).value() == wasm(0));
  CHECK(choose_function(images, "fp_many", {}, nullptr).value() == wasm(1, 1));
  CHECK(choose_function(images, "fp", 1, nullptr).value() == wasm(0, 1));
  CHECK(choose_function(images, "1", 0, nullptr).value() == wasm(1));
  CHECK(choose_function(images, "3", {}, nullptr).value() == wasm(3));        // core 1 has only two
  CHECK(choose_function(images, "func[4]", {}, nullptr).value() == wasm(2));  // 2 imports before it
  CHECK(choose_function(images, "7", {}, nullptr).value() == wasm(3));  // no local index 7: a name
  CHECK(choose_function(images, "a\\x0ab", {}, nullptr).value() == wasm(4));  // as it is shown
}

TEST_CASE("an ambiguous one lists the candidates") {
  const auto images = two_cores();
  const auto error = choose_function(images, "fp", {}, nullptr).error();
  CHECK(error.message == "2 functions are meant by --func fp");
  CHECK(error.hint == "choose one of: --core 0 --func 1 (fp), --core 1 --func 0 (fp)");
  CHECK_FALSE(choose_function(images, "0", {}, nullptr).has_value());
}

TEST_CASE("an unknown one lists what is near, or what is hot") {
  const std::vector<profile::ImageEntry> one = {image_of({"hot_loop", "cold", "loop_end"})};
  auto error = choose_function(one, "loop", {}, nullptr).error();
  CHECK(error.message == "no function loop in mix.cwasm");
  CHECK(error.hint == "did you mean: --func 0 (hot_loop), --func 2 (loop_end)");
  const Profile profile = sample_profile();
  error = choose_function(profile.images(), "nothing\x1b", {}, &profile).error();
  CHECK(error.message == "no function nothing\\x1b in mix.cwasm");
  CHECK(error.hint == "with samples there are: --func 0 (hot), --func 1 (cold)");
  error = choose_function(two_cores(), "fp", 5, nullptr).error();
  CHECK(error.message == "there is no core 5");
  CHECK(error.hint == "the cores are 0, 1");
}
