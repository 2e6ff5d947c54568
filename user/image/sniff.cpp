#include "image/sniff.hpp"

#include <string_view>

#include <fmt/format.h>

#include "image/bytes.hpp"

namespace aotscope::image {

using namespace std::string_view_literals;

FileKind sniff(std::span<const std::uint8_t> bytes) {
  const std::string_view text = as_text(bytes.first(std::min<std::size_t>(bytes.size(), 4096)));
  if (text.empty()) return FileKind::empty;
  if (text.starts_with("\0aot"sv)) return FileKind::aot;
  if (text.starts_with("\x7f"
                       "ELF"sv)) {
    return FileKind::elf;
  }
  // The last two bytes of the wasm preamble are the layer: 0 core module, 1 component
  // (Component Model, Binary.md).
  if (text.starts_with("\0asm"sv)) {
    return text.size() >= 8 && text[6] == 1 && text[7] == 0 ? FileKind::component : FileKind::wasm;
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') return FileKind::json;
  return FileKind::other;
}

Error not_aot(FileKind kind, const std::filesystem::path& path, std::size_t size) {
  const std::string name = printable(path);
  std::filesystem::path stem = path;
  switch (kind) {
    case FileKind::empty:
      return {fmt::format("{}: the file is empty", name),
              "compile the module again: wamrc compile app.wasm -o app.cwasm"};
    case FileKind::elf:
      return {fmt::format("{}: an ELF file, not AOT code of WAMR", name),
              "name the .cwasm that wamr runs; the wamr process itself is named with -p PID"};
    case FileKind::wasm:
      return {fmt::format("{}: a wasm module that is not compiled ahead of time", name),
              fmt::format("compile it, run the result and name that: wamrc compile {} -o {}", name,
                          printable(stem.replace_extension(".cwasm")))};
    case FileKind::component:
      return {fmt::format("{}: a wasm component that is not compiled ahead of time", name),
              fmt::format("compile it: wamrc compile-component {} -o {}", name,
                          printable(stem.replace_extension(".cwasm.json")))};
    case FileKind::json:
      return {fmt::format("{}: a JSON file where the AOT code of one core is expected", name), {}};
    case FileKind::aot:
    case FileKind::other:
      break;
  }
  return {
      fmt::format("{}: not an AOT file: no \\0aot at offset 0x0, {} bytes are left", name, size),
      "name a .cwasm, a .cwasm.json, or a component .wasm with its manifest beside it"};
}

}  // namespace aotscope::image
