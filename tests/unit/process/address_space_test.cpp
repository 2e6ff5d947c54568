// What was mapped where in which epoch, as events and scans tell it.
#include <catch2/catch.hpp>

#include <aotscope/process.hpp>

using namespace aotscope::process;

namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t base = 0x7f0000000000;

aot_region_event event(aot_region_kind kind, std::uint32_t epoch, std::uint64_t start = 0,
                       std::uint64_t pages = 0) {
  aot_region_event e{};
  e.kind = kind;
  e.epoch = epoch;
  e.time_ns = epoch * 1000;
  e.start = start;
  e.length = pages * page;
  e.prot = 5;
  return e;
}

Mapping mapping(std::uint64_t start, std::uint64_t pages, std::string path = "") {
  Mapping m;
  m.start = start;
  m.end = start + pages * page;
  m.path = std::move(path);
  return m;
}

TextPlacement placement(std::uint64_t start, std::uint64_t size, std::uint32_t image) {
  TextPlacement p;
  p.base = start;
  p.size = size;
  p.image = image;
  p.first_ns = 1;
  return p;
}

// The image at an address in an epoch; -1: a region without a text, -2: nothing mapped.
int image_at(const AddressSpace& space, std::uint32_t epoch, std::uint64_t address) {
  const Region* region = space.find(epoch, address);
  if (!region) return -2;
  if (region->text < 0) return -1;
  return static_cast<int>(space.placements().at(region->text).image);
}

// Open regions never overlap, and none is empty.
void check_order(const AddressSpace& space) {
  std::uint64_t last = 0;
  for (const Region* region : space.open_regions()) {
    CHECK(region->start >= last);
    CHECK(region->end > region->start);
    last = region->end;
  }
}

const Region& at(const AddressSpace& space, std::uint32_t epoch, std::uint64_t address) {
  const Region* region = space.find(epoch, address);
  REQUIRE(region != nullptr);
  return *region;
}

}  // namespace

TEST_CASE("an address used again is another text from its epoch on") {
  AddressSpace space;
  space.apply(event(AOT_REGION_EXEC_ON, 1, base, 2));
  space.place(at(space, 1, base), placement(base, 2 * page, 0));
  space.apply(event(AOT_REGION_EXEC_OFF, 2, base, 2));
  space.apply(event(AOT_REGION_EXEC_ON, 3, base, 2));
  space.place(at(space, 3, base), placement(base, 2 * page, 1));

  CHECK(image_at(space, 0, base) == -2);
  CHECK(image_at(space, 1, base + page) == 0);
  CHECK(image_at(space, 2, base) == -2);
  CHECK(image_at(space, 3, base) == 1);
  CHECK(image_at(space, 100, base + 2 * page - 1) == 1);
  CHECK(image_at(space, 100, base + 2 * page) == -2);
  REQUIRE(space.placements().size() == 2);
  CHECK(space.placements().at(0).last_ns == 2000);
  CHECK(space.placements().at(1).last_ns == 0);
}

TEST_CASE("a part that goes leaves the rest as it was") {
  AddressSpace space;
  space.apply(event(AOT_REGION_EXEC_ON, 1, base, 4));
  space.place(at(space, 1, base), placement(base, 4 * page, 0));

  SECTION("from the middle") {
    space.apply(event(AOT_REGION_EXEC_OFF, 2, base + page, 2));
    CHECK(image_at(space, 2, base) == 0);
    CHECK(image_at(space, 2, base + page) == -2);
    CHECK(image_at(space, 2, base + 2 * page) == -2);
    CHECK(image_at(space, 2, base + 3 * page) == 0);
    CHECK(space.open_regions().size() == 2);
  }
  SECTION("from the beginning, with what lies before it") {
    space.apply(event(AOT_REGION_EXEC_OFF, 2, base - 3 * page, 4));
    CHECK(image_at(space, 2, base) == -2);
    CHECK(image_at(space, 2, base + page) == 0);
  }
  SECTION("from the end, and beyond") {
    space.apply(event(AOT_REGION_EXEC_OFF, 2, base + 3 * page, 9));
    CHECK(image_at(space, 2, base + 2 * page) == 0);
    CHECK(image_at(space, 2, base + 3 * page) == -2);
  }
  SECTION("next to it") {
    space.apply(event(AOT_REGION_EXEC_OFF, 2, base + 4 * page, 1));
    space.apply(event(AOT_REGION_EXEC_OFF, 3, base - page, 1));
    CHECK(space.open_regions().size() == 1);
  }
  for (std::uint64_t i = 0; i < 4; ++i) CHECK(image_at(space, 1, base + i * page) == 0);
  CHECK(space.placements().at(0).last_ns == 0);  // some of it is mapped still
  check_order(space);
}

TEST_CASE("another text over a page of the first") {
  AddressSpace space;
  space.apply(event(AOT_REGION_EXEC_ON, 1, base, 4));
  space.place(at(space, 1, base), placement(base, 4 * page, 0));
  space.apply(event(AOT_REGION_EXEC_ON, 2, base + page, 1));
  CHECK(image_at(space, 2, base + page) == -1);  // never the first text's any more
  REQUIRE(space.unresolved().size() == 1);
  space.place(*space.unresolved().front(), placement(base + page, page, 1));
  CHECK(image_at(space, 1, base + page) == 0);
  CHECK(image_at(space, 2, base + page) == 1);
  CHECK(image_at(space, 2, base) == 0);
  CHECK(image_at(space, 2, base + 2 * page) == 0);
  check_order(space);
}

TEST_CASE("a page that goes to RW and back is one placement, with a gap") {
  AddressSpace space;
  space.apply(event(AOT_REGION_EXEC_ON, 1, base, 4));
  space.place(at(space, 1, base), placement(base, 4 * page, 0));
  space.apply(event(AOT_REGION_EXEC_OFF, 2, base + 2 * page, 1));
  space.apply(event(AOT_REGION_EXEC_ON, 3, base + 2 * page, 1));
  REQUIRE(space.unresolved().size() == 1);
  const Region* region = space.unresolved().front();
  const TextPlacement* former = space.former_placement(region->start, region->end);
  REQUIRE(former != nullptr);
  CHECK(former->base == base);
  space.place(*region, placement(base, 4 * page, 0));
  CHECK(image_at(space, 1, base + 2 * page) == 0);
  CHECK(image_at(space, 2, base + 2 * page) == -2);
  CHECK(image_at(space, 3, base + 2 * page) == 0);
  CHECK(space.placements().size() == 1);
  CHECK(space.former_placement(base + 3 * page, base + 5 * page) == nullptr);
}

TEST_CASE("a text inside a merged range becomes a region of its own") {
  AddressSpace space;
  space.scan({mapping(base, 10)}, 0, 5);
  space.place(at(space, 0, base), placement(base + 3 * page, 2 * page + 1, 4));
  CHECK(image_at(space, 0, base + 2 * page) == -1);
  CHECK(image_at(space, 0, base + 3 * page) == 4);
  CHECK(image_at(space, 0, base + 5 * page) == 4);  // its last byte's page is its own
  CHECK(image_at(space, 0, base + 6 * page) == -1);
  CHECK(space.open_regions().size() == 3);
  CHECK(space.unresolved().size() == 2);
  check_order(space);
}

TEST_CASE("a scan adds what is new and leaves what is known") {
  AddressSpace space;
  space.apply(event(AOT_REGION_EXEC_ON, 3, base + page, 1));
  space.place(at(space, 3, base + page), placement(base + page, page, 0));
  space.clear_changed();
  space.scan({mapping(base, 3), mapping(base + 8 * page, 1, "/lib/x.so")}, 5, 9);
  CHECK(space.changed());
  CHECK(image_at(space, 5, base) == -1);
  CHECK(image_at(space, 5, base + page) == 0);
  CHECK(image_at(space, 2, base + page) == -2);  // what the event said stands
  CHECK(image_at(space, 5, base + 2 * page) == -1);
  CHECK(at(space, 5, base + 8 * page).path == "/lib/x.so");
  // It may have been there before the first event.
  CHECK(image_at(space, 0, base) == -1);
  check_order(space);

  SECTION("the same again changes nothing") {
    space.clear_changed();
    space.scan({mapping(base, 3), mapping(base + 8 * page, 1, "/lib/x.so")}, 6, 10);
    CHECK_FALSE(space.changed());
  }
  SECTION("one without something takes nothing away: its end may be under way as an event") {
    space.scan({}, 6, 10);
    CHECK(image_at(space, 6, base + page) == 0);
  }
  SECTION("an offset in a file counts from the part that was new") {
    Mapping file = mapping(base, 12, "/lib/y.so");
    file.file_offset = 0x10000;
    space.scan({file}, 7, 11);
    CHECK(at(space, 7, base + 4 * page).file_offset == 0x10000 + 3 * page);
  }
}

TEST_CASE("what a scan finds is not older than the end of what was there") {
  AddressSpace space;
  space.apply(event(AOT_REGION_EXEC_ON, 1, base, 1));
  space.place(at(space, 1, base), placement(base, page, 0));
  space.apply(event(AOT_REGION_EXEC_OFF, 4, base, 1));
  space.scan({mapping(base, 1)}, 9, 9);
  CHECK(image_at(space, 3, base) == 0);
  CHECK(image_at(space, 4, base) == -1);
  CHECK(image_at(space, 9, base) == -1);
}

TEST_CASE("when events were missed the maps are the truth") {
  AddressSpace space;
  space.apply(event(AOT_REGION_EXEC_ON, 1, base, 2));
  space.place(at(space, 1, base), placement(base, 2 * page, 0));
  space.apply(event(AOT_REGION_EXEC_ON, 2, base + 8 * page, 4));
  space.place(at(space, 2, base + 8 * page), placement(base + 8 * page, 4 * page, 1));
  space.scan({mapping(base + 20 * page, 1, "/lib/x.so")}, 2, 3);

  space.reconcile(
      {mapping(base, 2), mapping(base + 9 * page, 1), mapping(base + 20 * page, 1, "/lib/x.so")}, 5,
      9000);
  // Before, all as it was.
  CHECK(image_at(space, 4, base) == 0);
  CHECK(image_at(space, 4, base + 8 * page) == 1);
  CHECK(image_at(space, 4, base + 9 * page) == 1);
  // From there on what is gone is gone, and what is there is looked at again: it may be other
  // code at the old address.
  CHECK(image_at(space, 5, base + 8 * page) == -2);
  CHECK(image_at(space, 5, base + 10 * page) == -2);
  CHECK(image_at(space, 5, base) == -1);
  CHECK(image_at(space, 5, base + 9 * page) == -1);
  CHECK(at(space, 5, base + 20 * page).path == "/lib/x.so");
  CHECK(space.unresolved().size() == 2);
  check_order(space);

  SECTION("found again it is the same placement") {
    space.place(at(space, 5, base), placement(base, 2 * page, 0));
    CHECK(image_at(space, 5, base) == 0);
    CHECK(space.placements().size() == 2);
    CHECK(space.placements().at(0).last_ns == 0);
  }
  SECTION("also when some of it goes before it is found") {
    space.apply(event(AOT_REGION_EXEC_OFF, 6, base + page, 1));
    space.place(at(space, 6, base), placement(base, 2 * page, 0));
    CHECK(space.placements().size() == 2);
    CHECK(space.placements().at(0).last_ns == 0);
  }
  SECTION("another text is another one") {
    space.place(at(space, 5, base), placement(base, 2 * page, 2));
    CHECK(image_at(space, 4, base) == 0);
    CHECK(image_at(space, 5, base) == 2);
  }
}

TEST_CASE("a file mapped where code was, or the other way round, unseen") {
  AddressSpace space;
  space.apply(event(AOT_REGION_EXEC_ON, 1, base, 1));
  space.place(at(space, 1, base), placement(base, page, 0));
  space.reconcile({mapping(base, 1, "/lib/x.so")}, 3, 9);
  CHECK(image_at(space, 2, base) == 0);
  CHECK(at(space, 3, base).path == "/lib/x.so");
  space.reconcile({mapping(base, 1)}, 6, 12);
  CHECK(at(space, 5, base).path == "/lib/x.so");
  CHECK(at(space, 6, base).path.empty());
}

TEST_CASE("mremap takes code along") {
  AddressSpace space;
  space.apply(event(AOT_REGION_EXEC_ON, 1, base, 2));
  space.place(at(space, 1, base), placement(base, 2 * page, 0));
  aot_region_event moved = event(AOT_REGION_MOVED, 2, base + 16 * page, 2);
  moved.old_start = base;
  moved.old_length = 2 * page;
  space.apply(moved);
  CHECK(image_at(space, 1, base) == 0);
  CHECK(image_at(space, 2, base) == -2);
  CHECK(image_at(space, 2, base + 17 * page) == -1);  // matched anew, by its bytes
  CHECK(image_at(space, 1, base + 17 * page) == -2);
  check_order(space);

  SECTION("data moved over code ends the code") {
    aot_region_event data = event(AOT_REGION_MOVED, 3, base + 16 * page, 1);
    data.old_start = base + 64 * page;
    data.old_length = page;
    space.apply(data);
    CHECK(image_at(space, 3, base + 16 * page) == -2);
    CHECK(image_at(space, 3, base + 17 * page) == -1);
  }
  SECTION("shrunk in place") {
    aot_region_event shrunk = event(AOT_REGION_MOVED, 3, base + 16 * page, 1);
    shrunk.old_start = base + 16 * page;
    shrunk.old_length = 2 * page;
    space.apply(shrunk);
    CHECK(image_at(space, 3, base + 16 * page) == -1);
    CHECK(image_at(space, 3, base + 17 * page) == -2);
    check_order(space);
  }
}

TEST_CASE("exec and exit end everything") {
  for (const auto kind : {AOT_REGION_EXEC, AOT_REGION_EXIT}) {
    AddressSpace space;
    space.apply(event(AOT_REGION_EXEC_ON, 1, base, 2));
    space.place(at(space, 1, base), placement(base, 2 * page, 0));
    space.scan({mapping(0x400000, 3, "/usr/bin/wamr")}, 1, 2);
    space.apply(event(kind, 2));
    CHECK(space.open_regions().empty());
    CHECK(image_at(space, 1, base) == 0);
    CHECK(image_at(space, 2, base) == -2);
    CHECK(at(space, 1, 0x400000).path == "/usr/bin/wamr");
    CHECK(space.placements().at(0).last_ns == 2000);
    CHECK(space.known_ranges().empty());
  }
}

TEST_CASE("a forked child begins with its parent's regions, and goes its own way") {
  AddressSpace parent;
  parent.apply(event(AOT_REGION_EXEC_ON, 1, base, 2));
  parent.place(at(parent, 1, base), placement(base, 2 * page, 0));
  parent.apply(event(AOT_REGION_EXEC_ON, 2, base + 4 * page, 1));
  parent.apply(event(AOT_REGION_EXEC_OFF, 3, base + 4 * page, 1));
  AddressSpace child = parent.fork(4, 4000);
  CHECK(image_at(child, 4, base) == -1);  // its placements are its own, found by its own memory
  CHECK(image_at(child, 3, base) == -2);
  CHECK(image_at(child, 4, base + 4 * page) == -2);
  CHECK(child.placements().empty());
  CHECK(child.unresolved().size() == 1);
  child.apply(event(AOT_REGION_EXEC_OFF, 5, base, 2));
  CHECK(image_at(parent, 5, base) == 0);
}

TEST_CASE("a file made executable is named by the next scan") {
  AddressSpace space;
  space.apply(event(AOT_REGION_EXEC_ON, 1, base, 4));
  space.place(at(space, 1, base), placement(base, 4 * page, 0));
  aot_region_event file = event(AOT_REGION_EXEC_ON, 2, base + page, 1);
  file.file_backed = 1;
  space.apply(file);
  CHECK(image_at(space, 2, base + page) == -2);
  space.scan({mapping(base, 1), mapping(base + page, 1, "/lib/x.so"), mapping(base + 2 * page, 2)},
             3, 9);
  CHECK(at(space, 2, base + page).path == "/lib/x.so");
  CHECK(image_at(space, 1, base + page) == 0);
  CHECK(image_at(space, 3, base + 2 * page) == 0);
}

TEST_CASE("a code region that is gone before anyone looked can still get its text") {
  AddressSpace space;
  space.apply(event(AOT_REGION_EXEC_ON, 1, base, 1));
  space.apply(event(AOT_REGION_EXEC_OFF, 2, base, 1));
  REQUIRE(space.unresolved().size() == 1);
  space.place(*space.unresolved().front(), placement(base, 100, 3));
  CHECK(image_at(space, 1, base) == 3);
  CHECK(image_at(space, 2, base) == -2);
  REQUIRE(space.placements().size() == 1);
  CHECK(space.placements().begin()->second.last_ns == 2000);
  CHECK(space.unresolved().empty());
}

TEST_CASE("closed regions are kept while samples may carry their epoch") {
  AddressSpace space;
  for (std::uint32_t i = 0; i < 10; ++i) {
    space.apply(event(AOT_REGION_EXEC_ON, 2 * i + 1, base, 1));
    space.apply(event(AOT_REGION_EXEC_OFF, 2 * i + 2, base, 1));
  }
  space.forget_before(10);
  CHECK(image_at(space, 9, base) == -2);
  CHECK(image_at(space, 11, base) == -1);
  CHECK(image_at(space, 19, base) == -1);
}

TEST_CASE("placements that ended are bounded") {
  AddressSpace space;
  const std::uint32_t rounds = AddressSpace::max_placements + 100;
  space.apply(event(AOT_REGION_EXEC_ON, 1, base + 64 * page, 1));
  space.place(at(space, 1, base + 64 * page), placement(base + 64 * page, page, 7));
  for (std::uint32_t i = 1; i < rounds; ++i) {
    space.apply(event(AOT_REGION_EXEC_ON, 2 * i, base, 1));
    space.place(at(space, 2 * i, base), placement(base, page, 0));
    space.apply(event(AOT_REGION_EXEC_OFF, 2 * i + 1, base, 1));
    space.forget_before(2 * i);
  }
  CHECK(image_at(space, 2 * rounds, base + 64 * page) == 7);  // the oldest, and still mapped
  // Those that ended go, whether or not one that lives is older.
  CHECK(space.placements().size() <= AddressSpace::max_placements + 1);
}

TEST_CASE("known ranges join neighbours") {
  AddressSpace space;
  space.scan({mapping(base, 1), mapping(base + page, 2), mapping(base + 8 * page, 1, "/lib/x.so")},
             0, 1);
  space.place(at(space, 0, base), placement(base, page, 0));
  const auto ranges = space.known_ranges();
  REQUIRE(ranges.size() == 2);
  CHECK(ranges[0].start == base);
  CHECK(ranges[0].end == base + 3 * page);
  CHECK(ranges[1].start == base + 8 * page);
}

TEST_CASE("the last page of the address space") {
  AddressSpace space;
  space.scan({mapping(0xffffffffff600000, 1, "[vsyscall]")}, 0, 1);
  CHECK(at(space, 3, 0xffffffffff600123).path == "[vsyscall]");
  CHECK(space.find(3, UINT64_MAX) == nullptr);
  space.close_all(5, 2);
  CHECK(space.find(5, 0xffffffffff600123) == nullptr);
}
