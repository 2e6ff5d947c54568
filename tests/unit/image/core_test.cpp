#include <catch2/catch.hpp>

TEST_CASE("the room links") { SUCCEED(); }
