// The core reader on good files: indices, names, sizes, lookups. Expected values come from the
// format, not from what the reader printed.
#include <catch2/catch.hpp>

#include <aotscope/image.hpp>

#include "support/cwasm_writer.hpp"

using namespace aotscope::image;
using aotscope::test::Bytes;
using aotscope::test::CwasmWriter;
namespace test = aotscope::test;

namespace {

std::shared_ptr<const Core> read(const Bytes& bytes) {
  auto core = Core::from_bytes(bytes, "app.cwasm");
  if (!core) FAIL(core.error().message);
  return *core;
}

// CASES S5.
CwasmWriter indices_case() {
  CwasmWriter w;
  w.import_function("env", "f0");
  w.import_global("env", "g");
  w.import_function("env", "f1");
  w.import_memory("env", "mem");
  w.text.assign(0x700, 0x90);
  for (const std::uint32_t offset : {0x400, 0, 0x200, 0x200, 0x600}) w.add_function_at(offset);
  w.export_function("hot", 3);
  w.export_function("hot2", 3);
  w.add_export("mem", test::kKindMemory, 3);
  return w;
}

}  // namespace

TEST_CASE("indices count imported functions and nothing else") {
  auto w = indices_case();
  SECTION("imports as wamrc writes them") {}
  SECTION("imports with a plain index behind every kind") { w.plain_import_indices = true; }
  const Bytes bytes = w.bytes();
  const auto core = read(bytes);
  CHECK(core->imported_functions() == 2);
  REQUIRE(core->functions().size() == 5);
  for (std::uint32_t local = 0; local < 5; ++local) {
    CHECK(core->functions()[local].local == local);
    CHECK(core->functions()[local].index == local + 2);
  }
  CHECK(Core::display_name(core->functions()[0]) == "func[2]");
  CHECK(Core::display_name(core->functions()[1]) == "hot");
  CHECK(Core::display_name(core->functions()[2]) == "func[4]");
  CHECK(Core::display_name(core->functions()[3]) == "func[5]");
  CHECK(Core::display_name(core->functions()[4]) == "func[6]");
}

TEST_CASE("offsets need be neither sorted nor distinct") {
  const Bytes bytes = indices_case().bytes();
  const auto core = read(bytes);
  const std::uint64_t sizes[] = {0x200, 0x200, 0x200, 0x200, 0x100};
  for (std::size_t local = 0; local < 5; ++local) {
    CHECK(core->functions()[local].size == sizes[local]);
  }
  const auto local_at = [&](std::uint64_t offset) { return core->function_at(offset)->local; };
  CHECK(local_at(0) == 1);
  CHECK(local_at(0x1ff) == 1);
  CHECK(local_at(0x200) == 2);  // of 2 and 3 neither has a name: the lower
  CHECK(local_at(0x3ff) == 2);
  CHECK(local_at(0x400) == 0);
  CHECK(local_at(0x5ff) == 0);
  CHECK(local_at(0x600) == 4);
  CHECK(local_at(0x6ff) == 4);
  CHECK(core->function_at(0x700) == nullptr);
  CHECK(core->function_at(~0ULL) == nullptr);
}

TEST_CASE("of functions at one offset the first with a name is shown") {
  CwasmWriter w;
  w.text.assign(0x20, 0x90);
  for (const std::uint32_t offset : {0x10, 0x10, 0x10, 0x10}) w.add_function_at(offset);
  w.add_name(2, "second");
  w.add_name(3, "third");
  const Bytes bytes = w.bytes();
  const auto core = read(bytes);
  REQUIRE(core->function_at(0x1f) != nullptr);
  CHECK(core->function_at(0x1f)->local == 2);
  CHECK(core->function_at(0xf) == nullptr);  // padding before the first function
  for (const Function& function : core->functions()) CHECK(function.size == 0x10);
}

TEST_CASE("the name section goes before exports, the first export before later ones") {
  CwasmWriter w;
  w.import_function("env", "f");
  for (int i = 0; i < 4; ++i) w.add_function({0x90, 0xc3});
  w.add_export("a memory", test::kKindMemory, 2);
  w.add_export("a global", test::kKindGlobal, 4);
  w.export_function("export of 1", 1);
  w.export_function("first", 2);
  w.export_function("second", 2);
  w.export_function("imported", 0);
  w.export_function("nobody", 99);
  w.add_name(0, "import's name");
  w.add_name(1, "name of 1");
  w.add_name(3, "");
  w.add_name(77, "nobody");
  const Bytes bytes = w.bytes();
  const auto core = read(bytes);
  CHECK(core->functions()[0].name == "name of 1");
  CHECK(core->functions()[1].name == "first");
  CHECK(core->functions()[2].name.empty());
  CHECK(Core::display_name(core->functions()[2]) == "func[3]");
  CHECK(Core::display_name(core->functions()[3]) == "func[4]");
}

TEST_CASE("names are taken as they are and point into the file") {
  const std::string hostile[] = {"a;b 7",
                                 "</text>&",
                                 "\x1b[31mred\x1b[0m",
                                 "\xff\xfe\x80",
                                 std::string("nul\0inside", 10),
                                 std::string(1 << 20, 'x')};
  CwasmWriter w;
  std::uint32_t index = 0;
  for (const std::string& name : hostile) {
    w.add_function({0xc3});
    w.add_name(index++, name);
  }
  const Bytes bytes = w.bytes();
  const auto core = read(bytes);
  for (std::size_t i = 0; i < std::size(hostile); ++i) {
    const std::string_view name = core->functions()[i].name;
    CHECK((name == hostile[i]));
    CHECK(reinterpret_cast<const std::uint8_t*>(name.data()) > bytes.data());
    CHECK(reinterpret_cast<const std::uint8_t*>(name.data()) < bytes.data() + bytes.size());
  }
}

TEST_CASE("every kind of import is stepped over") {
  CwasmWriter w;
  w.import_table("env", "t");
  w.import_function("", "");
  w.import_memory("env", "m");
  w.import_memory("env", "m2", true);
  w.import_tag("env", "x");
  w.import_global("env", "g");
  w.import_function("env", "last");
  w.add_function({0xc3});
  w.export_function("run", 2);
  const Bytes bytes = w.bytes();
  const auto core = read(bytes);
  CHECK(core->imported_functions() == 2);
  CHECK(core->functions()[0].name == "run");
}

TEST_CASE("sections may come in any order, with unknown ones between") {
  CwasmWriter w;
  w.import_function("env", "f");
  w.add_function({0x90, 0xc3});
  w.export_function("exported", 1);
  w.add_name(1, "named");
  w.add_raw(15, {1, 2, 3});
  w.add_raw(15, {});  // what is not read may be there twice
  w.add_raw(0xfffffff0, Bytes(1000, 0xee));
  auto sections = w.sections();
  std::reverse(sections.begin(), sections.end());
  const Bytes bytes = CwasmWriter::join(sections);
  const auto core = read(bytes);
  CHECK(core->imported_functions() == 1);
  CHECK(core->functions()[0].name == "named");
  CHECK(core->arch() == Arch::x86_64);
  CHECK(core->text().size() == 2);
}

TEST_CASE("what a file is for") {
  CwasmWriter w;
  w.add_function({0xc3});
  SECTION("x86-64") {
    const Bytes bytes = w.bytes();
    CHECK(read(bytes)->arch() == Arch::x86_64);
    CHECK(arch_name(read(bytes)->arch()) == "x86-64");
    CHECK(read(bytes)->format() == "wamr-zig");
    CHECK(read(bytes)->path() == "app.cwasm");
  }
  SECTION("aarch64") {
    w.machine = 183;
    const Bytes bytes = w.bytes();
    CHECK(read(bytes)->arch() == Arch::aarch64);
    CHECK(arch_name(read(bytes)->arch()) == "aarch64");
  }
  SECTION("another machine") {
    w.machine = 243;
    const Bytes bytes = w.bytes();
    CHECK(read(bytes)->arch() == Arch::unknown);
  }
}

TEST_CASE("a version never seen is tried") {
  CwasmWriter w;
  w.add_function({0xc3});
  for (const std::uint32_t version : {6U, 7U, 11U, 12U, 0xffffffffU, 0U}) {
    w.version = version;
    const Bytes bytes = w.bytes();
    const auto core = read(bytes);
    CHECK(core->version() == version);
    CHECK(core->version_is_known() == (version >= 6 && version <= 11));
    CHECK(core->functions().size() == 1);
  }
}

TEST_CASE("the function section of version 6 has offsets alone") {
  CwasmWriter w;
  w.version = 6;
  w.offsets_only = true;
  w.text.assign(64, 0x90);
  for (const std::uint32_t offset : {0, 16, 48}) w.add_function_at(offset, 5);
  const Bytes bytes = w.bytes();
  const auto core = read(bytes);
  REQUIRE(core->functions().size() == 3);
  CHECK(core->functions()[1].offset == 16);
  CHECK(core->functions()[1].size == 32);
  CHECK(core->functions()[2].offset == 48);
}

TEST_CASE("type indices are read") {
  CwasmWriter w;
  w.add_function({0xc3}, 4);
  w.add_function({0xc3}, 0x01020304);
  const Bytes bytes = w.bytes();
  CHECK(read(bytes)->functions()[0].type == 4);
  CHECK(read(bytes)->functions()[1].type == 0x01020304);
}

TEST_CASE("a core without code") {
  CwasmWriter w;  // a component's last core can have a text of size 0
  const Bytes bytes = w.bytes();
  const auto core = read(bytes);
  CHECK(core->text().empty());
  CHECK(core->functions().empty());
  CHECK(core->function_at(0) == nullptr);
}

TEST_CASE("two builds have two hashes, one build has one") {
  CwasmWriter w;
  w.add_function({0x90, 0xc3});
  const Bytes one = w.bytes();
  w.text[0] = 0x91;
  const Bytes other = w.bytes();
  CHECK(read(one)->hash() == read(one)->hash());
  CHECK(read(one)->hash() != read(other)->hash());
  CHECK(read(one)->hash().size() == 32);
}
