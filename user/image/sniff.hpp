// What a file is, by its first bytes and never by its name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include <aotscope/result.hpp>

namespace aotscope::image {

enum class FileKind {
  aot,        // "\0aot"
  wasm,       // "\0asm" 01 00 00 00: a core module
  component,  // "\0asm" with layer 1 in the last two bytes
  json,       // first byte that is not blank is '{'
  elf,
  empty,
  other,
};

FileKind sniff(std::span<const std::uint8_t> bytes);

// The error for a file that should have been an AOT file (`kind` is anything but aot).
Error not_aot(FileKind kind, const std::filesystem::path& path, std::size_t size);

}  // namespace aotscope::image
