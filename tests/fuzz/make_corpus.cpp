// Writes the seeds of tests/fuzz/corpus. Run it when the writer learns something new:
//   make_fuzz_corpus tests/fuzz/corpus
#include <algorithm>
#include <filesystem>

#include "support/cwasm_writer.hpp"

using namespace aotscope::test;

namespace {

Bytes to_bytes(std::string_view text) { return {text.begin(), text.end()}; }

CwasmWriter full() {
  CwasmWriter w;
  w.import_function("env", "f");
  w.import_table("env", "t");
  w.import_memory("env", "m");
  w.import_memory("env", "n", true);
  w.import_global("env", "g");
  w.import_tag("env", "x");
  w.import_function("wasi", "h", 1);
  w.add_function({0x55, 0x48, 0x89, 0xe5, 0x5d, 0xc3});
  w.add_function({0x90, 0xc3}, 1, 16);
  w.add_function_at(16, 1);
  w.export_function("run", 2);
  w.export_function("again", 3);
  w.add_export("memory", kKindMemory, 0);
  w.add_name(0, "f");
  w.add_name(2, "main");
  w.add_name(4, "\x1b[31m;</text>");
  w.add_raw(15, {0, 0, 0, 0});
  return w;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path core = std::filesystem::path(argv[1]) / "core";
  const std::filesystem::path manifest = std::filesystem::path(argv[1]) / "manifest";
  std::filesystem::create_directories(core);
  std::filesystem::create_directories(manifest);

  CwasmWriter w = full();
  w.write(core / "full.cwasm");
  auto sections = w.sections();
  std::reverse(sections.begin(), sections.end());
  write_file(core / "reversed.cwasm", CwasmWriter::join(sections));
  w.plain_import_indices = true;
  w.version = 12;
  w.write(core / "plain-imports.cwasm");
  w.offsets_only = true;
  w.version = 6;
  w.write(core / "version-6.cwasm");
  CwasmWriter().write(core / "no-code.cwasm");
  write_file(core / "upstream.aot", CwasmWriter::join({{kTarget, Bytes(48, 0)}, {1, {1, 2}}}, 6));
  write_file(core / "header.cwasm", {0, 'a', 'o', 't', 11, 0, 0, 0});

  write_file(manifest / "two.json", to_bytes(R"({
  "version": 2,
  "wamr_build_id": "3.0.0-dev.14",
  "component_sha256": "162d28da5d0a4cf3c7cff3c0ebe8026cd1ab033b4e500c7e121b378a25a360c9",
  "modules": [
    {"idx": 0, "path": "app.0.cwasm", "sha256": "aa7b", "core_sha256": "00a8"},
    {"idx": 1, "path": "app.1.cwasm", "sha256": "fa7e", "core_sha256": "932d"}
  ]
})"));
  write_file(manifest / "odd.json",
             to_bytes(R"({"x":[[[{"modules":[{"path":"\u001b\ud83d\ude00"}]}]]],"version":-1.5e9,)"
                      R"("modules":[{"path":"a","idx":18446744073709551616}]})"));
  write_file(manifest / "nested.json", Bytes(64, '['));
  write_file(manifest / "empty.json", to_bytes("{\"modules\":[]}"));
  return 0;
}
