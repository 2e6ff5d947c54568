// IMAGE in all its forms: one core, a manifest, a component beside its manifest.
#include <unistd.h>

#include <catch2/catch.hpp>

#include <aotscope/image.hpp>

#include "image/manifest.hpp"
#include "support/cwasm_writer.hpp"
#include "unit/image/temp_dir.hpp"

using namespace aotscope::image;
using aotscope::test::Bytes;
using aotscope::test::CwasmWriter;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
namespace test = aotscope::test;

namespace {

void write_text(const std::filesystem::path& path, std::string_view text) {
  test::write_file(path, Bytes(text.begin(), text.end()));
}

// A core of `size` bytes of text.
void write_core(const std::filesystem::path& path, std::size_t size) {
  CwasmWriter w;
  w.add_function(Bytes(size, 0x90));
  w.write(path);
}

std::string manifest_error(std::string_view text) {
  const auto manifest = parse_manifest(text, "app.cwasm.json");
  if (manifest) FAIL("the manifest was read");
  CHECK_THAT(manifest.error().message, Catch::Matchers::StartsWith("app.cwasm.json: "));
  CHECK(manifest.error().message.find('\n') == std::string::npos);
  return manifest.error().message;
}

std::string nested(std::string_view open, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += open;
  return out;
}

constexpr std::string_view kTwoCores = R"({
  "version": 2, "wamr_build_id": "3.0.0-dev.14", "component_sha256": "00",
  "modules": [
    {"idx": 1, "path": "app.1.cwasm", "sha256": "00", "core_sha256": "00"},
    {"idx": 0, "path": "app.0.cwasm", "sha256": "00", "core_sha256": "00"}
  ]
})";

}  // namespace

TEST_CASE("a manifest as wamrc writes it") {
  const auto manifest = parse_manifest(kTwoCores, "app.cwasm.json");
  REQUIRE(manifest);
  CHECK(manifest->version == 2);
  CHECK(manifest->build_id == "3.0.0-dev.14");
  CHECK(manifest->component_sha256 == "00");
  REQUIRE(manifest->modules.size() == 2);
  CHECK(manifest->modules[0].path == "app.0.cwasm");
  CHECK(manifest->modules[1].path == "app.1.cwasm");
}

TEST_CASE("where idx repeats, the order in the file stays") {
  // A component made of components: idx counts within each of them.
  const auto manifest = parse_manifest(
      R"({"modules":[{"idx":1,"path":"a"},{"idx":0,"path":"b"},{"idx":0,"path":"c"}]})", "m.json");
  REQUIRE(manifest);
  REQUIRE(manifest->modules.size() == 3);
  CHECK(manifest->modules[0].path == "a");
  CHECK(manifest->modules[1].path == "b");
  CHECK(manifest->modules[2].path == "c");
}

TEST_CASE("keys that are not known are skipped, whatever they hold") {
  const auto manifest = parse_manifest(
      R"({"path":"not this","new":{"modules":[{"path":"nor this"}],"idx":[1,[2,{}]]},"idx":"text",
          "modules":[{"more":{"path":"inner"},"path":"a","extra":[null,true,1.5,-1]}],"z":null})",
      "m.json");
  REQUIRE(manifest);
  REQUIRE(manifest->modules.size() == 1);
  CHECK(manifest->modules[0].path == "a");
}

TEST_CASE("broken manifests") {
  CHECK_THAT(manifest_error(""), EndsWith("not JSON at offset 0x0"));
  CHECK_THAT(manifest_error("{\"modules\":[}"), EndsWith("not JSON at offset 0xc"));
  CHECK_THAT(manifest_error("{\"modules\":[]"), Contains("not JSON"));
  CHECK_THAT(manifest_error("{} x"), Contains("not JSON at offset 0x3"));
  CHECK_THAT(manifest_error("{}"), Contains("without \"modules\""));
  CHECK_THAT(manifest_error("[]"), Contains("an array, where an object is expected"));
  CHECK_THAT(manifest_error("7"), Contains("a number, where an object is expected"));
  CHECK_THAT(manifest_error(R"({"modules":7})"), Contains("\"modules\" is a number"));
  CHECK_THAT(manifest_error(R"({"modules":{}})"), Contains("\"modules\" is an object"));
  CHECK_THAT(manifest_error(R"({"modules":["a"]})"), Contains("module 0 is a string"));
  CHECK_THAT(manifest_error(R"({"modules":[{"path":"a"},[]]})"), Contains("module 1 is an array"));
  CHECK_THAT(manifest_error(R"({"modules":[{"path":5}]})"), Contains("\"path\" is a number"));
  CHECK_THAT(manifest_error(R"({"modules":[{"idx":-1,"path":"a"}]})"),
             Contains("\"idx\" is a negative number"));
  CHECK_THAT(manifest_error(R"({"modules":[{"path":"a"},{"idx":1}]})"),
             Contains("module 1 has no \"path\""));
  CHECK_THAT(manifest_error("{\"a\":\"\xff\xfe\"}"), Contains("not JSON"));
}

TEST_CASE("nesting and size of a manifest have a limit") {
  CHECK_THAT(manifest_error("{\"x\":" + nested("[", 1'000'000)), Contains("nested deeper than 16"));
  CHECK_THAT(manifest_error(nested("{\"x\":", 500'000)), Contains("nested deeper than 16"));
  CHECK_THAT(manifest_error("{\"modules\":[" + nested("{\"path\":\"a\"},", 1'001) + "{}]}"),
             Contains("more than 1000 modules"));
  CHECK_THAT(manifest_error(std::string((4 << 20) + 1, ' ')), Contains("at most 4194304"));
}

TEST_CASE("one core") {
  const TempDir dir;
  write_core(dir / "any.name", 5);
  const auto program = open_program(dir / "any.name");
  REQUIRE(program);
  CHECK(program->path == dir / "any.name");
  REQUIRE(program->cores.size() == 1);
  CHECK(program->cores[0]->text().size() == 5);
  CHECK(program->warnings.empty());
  CHECK(program->build_id.empty());
}

TEST_CASE("an unknown version is said") {
  const TempDir dir;
  CwasmWriter w;
  w.version = 12;
  w.add_function({0xc3});
  w.write(dir / "new.cwasm");
  const auto program = open_program(dir / "new.cwasm");
  REQUIRE(program);
  REQUIRE(program->warnings.size() == 1);
  CHECK_THAT(program->warnings[0], Contains("new.cwasm") && Contains("version 12"));
}

TEST_CASE("a manifest's cores in the order of idx, from its folder") {
  const TempDir dir;
  write_core(dir / "app.0.cwasm", 10);
  write_core(dir / "app.1.cwasm", 20);
  write_text(dir / "app.cwasm.json", kTwoCores);
  write_text(dir / "app.wasm", std::string_view("\0asm\x0d\0\1\0", 8));
  for (const char* name : {"app.cwasm.json", "app.wasm"}) {
    const auto program = open_program(dir / name);
    REQUIRE(program);
    CHECK(program->path == dir / name);
    CHECK(program->build_id == "3.0.0-dev.14");
    REQUIRE(program->cores.size() == 2);
    CHECK(program->cores[0]->path() == dir / "app.0.cwasm");
    CHECK(program->cores[0]->text().size() == 10);
    CHECK(program->cores[1]->text().size() == 20);
  }
}

TEST_CASE("a manifest named without a folder") {
  const TempDir dir;
  write_core(dir / "app.0.cwasm", 10);
  write_text(dir / "app.cwasm.json", R"({"modules":[{"path":"app.0.cwasm"}]})");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  const auto program = open_program("app.cwasm.json");
  std::filesystem::current_path(before);
  REQUIRE(program);
  CHECK(program->cores[0]->path() == "app.0.cwasm");
}

TEST_CASE("a missing core names the manifest, the module and the file") {
  const TempDir dir;
  write_core(dir / "app.0.cwasm", 10);
  write_text(dir / "app.cwasm.json", kTwoCores);
  const auto program = open_program(dir / "app.cwasm.json");
  REQUIRE_FALSE(program);
  CHECK_THAT(program.error().message, Contains("app.cwasm.json: module 1: ") &&
                                          Contains("app.1.cwasm: No such file or directory"));
  CHECK_FALSE(program.error().hint.empty());
}

TEST_CASE("a manifest does not lead out of its folder") {
  const TempDir dir;
  std::filesystem::create_directory(dir / "sub");
  write_core(dir / "app.0.cwasm", 10);
  const std::string absolute = (dir / "app.0.cwasm").string();
  for (const std::string& path : {std::string("../app.0.cwasm"), std::string("x/../../app.0.cwasm"),
                                  std::string(".."), absolute}) {
    write_text(dir / "sub/app.cwasm.json", R"({"modules":[{"path":")" + path + R"("}]})");
    const auto program = open_program(dir / "sub/app.cwasm.json");
    REQUIRE_FALSE(program);
    CHECK_THAT(program.error().message,
               Contains("not inside the manifest's folder") && Contains(path));
  }
  // Deeper inside is fine.
  write_text(dir / "app.cwasm.json", R"({"modules":[{"path":"sub/./a.cwasm"}]})");
  write_core(dir / "sub/a.cwasm", 3);
  CHECK(open_program(dir / "app.cwasm.json"));
}

TEST_CASE("a hostile path cannot write to the terminal") {
  const TempDir dir;
  write_text(dir / "app.cwasm.json", R"({"modules":[{"path":"a\u001b[2J\n\u009b.cwasm"}]})");
  const auto program = open_program(dir / "app.cwasm.json");
  REQUIRE_FALSE(program);
  CHECK_THAT(program.error().message, Contains("a?[2J???.cwasm"));
  write_text(dir / "app.cwasm.json", R"({"modules":[{"path":"a\u0000.cwasm"}]})");
  CHECK_THAT(open_program(dir / "app.cwasm.json").error().message, Contains("not inside"));
}

TEST_CASE("sha256 is checked when asked for") {
  const TempDir dir;
  // SHA-256 of "abc", which no core is (FIPS 180-2, appendix B.1).
  constexpr std::string_view kAbc =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  write_core(dir / "app.0.cwasm", 10);
  const auto manifest_with = [&](std::string_view sha) {
    write_text(dir / "app.cwasm.json",
               std::string(R"({"modules":[{"path":"app.0.cwasm","sha256":")") + std::string(sha) +
                   R"("}]})");
  };
  manifest_with(kAbc);
  CHECK(open_program(dir / "app.cwasm.json", Verify::none));
  const auto wrong = open_program(dir / "app.cwasm.json", Verify::sha256);
  REQUIRE_FALSE(wrong);
  CHECK_THAT(wrong.error().message,
             Contains("app.0.cwasm") && Contains("app.cwasm.json says ba7816"));
  CHECK_FALSE(wrong.error().hint.empty());

  // The right sum is in the message: the file's, not the manifest's.
  const std::string is = "its sha256 is ";
  const auto at = wrong.error().message.find(is);
  REQUIRE(at != std::string::npos);
  std::string right = wrong.error().message.substr(at + is.size(), 64);
  manifest_with(right);
  CHECK(open_program(dir / "app.cwasm.json", Verify::sha256));
  std::transform(right.begin(), right.end(), right.begin(), ::toupper);
  manifest_with(right);
  CHECK(open_program(dir / "app.cwasm.json", Verify::sha256));

  manifest_with("");
  const auto without = open_program(dir / "app.cwasm.json", Verify::sha256);
  REQUIRE(without);
  REQUIRE(without->warnings.size() == 1);
  CHECK_THAT(without->warnings[0], Contains("no sha256"));
}

TEST_CASE("the component's own sha256 is checked when it led to the manifest") {
  const TempDir dir;
  write_core(dir / "app.0.cwasm", 10);
  write_text(dir / "app.wasm", std::string_view("\0asm\x0d\0\1\0", 8));
  // sha256 of those 8 bytes, by sha256sum.
  const std::string right = "24eaf3439a60c96764c4f2c92a0a81b52bd4fe5d5b91f090184a0f6486b1bf29";
  const auto manifest_with = [&](const std::string& sha) {
    write_text(dir / "app.cwasm.json",
               R"({"component_sha256":")" + sha + R"(","modules":[{"path":"app.0.cwasm"}]})");
  };
  manifest_with(right);
  CHECK(open_program(dir / "app.wasm", Verify::sha256));
  manifest_with(std::string(64, '0'));
  CHECK(open_program(dir / "app.wasm", Verify::none));
  const auto wrong = open_program(dir / "app.wasm", Verify::sha256);
  REQUIRE_FALSE(wrong);
  CHECK_THAT(wrong.error().message, Contains("app.wasm: its sha256 is " + right));
}

TEST_CASE("what can be compiled is told how") {
  const TempDir dir;
  write_text(dir / "core.wasm", std::string_view("\0asm\1\0\0\0", 8));
  const auto core = open_program(dir / "core.wasm");
  REQUIRE_FALSE(core);
  CHECK_THAT(core.error().hint, Contains("wamrc compile ") && Contains("core.cwasm"));
  write_text(dir / "app.wasm", std::string_view("\0asm\x0d\0\1\0", 8));
  const auto component = open_program(dir / "app.wasm");
  REQUIRE_FALSE(component);
  CHECK_THAT(component.error().message, Contains("without app.cwasm.json beside it"));
  CHECK_THAT(component.error().hint,
             Contains("wamrc compile-component ") && Contains("app.cwasm.json"));
}

TEST_CASE("what is no image") {
  const TempDir dir;
  CHECK_THAT(open_program(dir.path()).error().message, Contains("a directory"));
  CHECK_THAT(open_program(dir / "none").error().message, Contains("No such file"));
  CHECK_THAT(open_program("/proc/self/exe").error().message, Contains("ELF"));
  write_text(dir / "empty", "");
  CHECK_THAT(open_program(dir / "empty").error().message, Contains("empty"));
  write_text(dir / "text", "hello");
  CHECK_THAT(open_program(dir / "text").error().message, Contains("not an AOT file"));
  write_text(dir / "none.json", R"({"modules":[]})");
  CHECK_THAT(open_program(dir / "none.json").error().message, Contains("names no modules"));
  // A core inside a manifest has to be AOT code.
  write_text(dir / "m.json", R"({"modules":[{"path":"text"}]})");
  CHECK_THAT(open_program(dir / "m.json").error().message,
             Contains("m.json: module 0: ") && Contains("not an AOT file"));
}
