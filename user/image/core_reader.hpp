// Reads one .cwasm of the Zig port of WAMR. All little endian:
//   u32 magic "\0aot", u32 version, then sections to the end of the file, unpadded:
//   u32 type, u32 size, payload.
// The sections that are read, by type (the others are stepped over by their size):
//   0 target    u16 bin_type, abi_type, e_type, e_machine (ELF's), u32 flags, u32, arch[16], u64
//   2 text      the machine code
//   3 function  u32 count, count x {u32 text offset, u32 type index}; version 6: offsets alone
//   4 export    u32 count, count x {string, u8 kind (0 function), u32 index}
//   7 name      u32 count, count x {u32 function index, string}
//   8 import    u32 count, count x {string module, string field, u8 kind, what the kind needs}
// A string is a u32 length and that many bytes. Function indices count the imported functions
// first, as in wasm.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <aotscope/image.hpp>

#include "image/bytes.hpp"

namespace aotscope::image {

class CoreReader {
 public:
  // `bytes` must outlive the Core; `mapping` owns them, or is null when the caller does.
  static Result<std::shared_ptr<const Core>> read(std::span<const std::uint8_t> bytes,
                                                  const std::filesystem::path& path,
                                                  std::unique_ptr<const MappedFile> mapping);

 private:
  struct Section {
    std::uint32_t type = 0;
    std::uint64_t offset = 0;  // of the section's header in the file
    std::span<const std::uint8_t> payload;
  };

  CoreReader(Core& core, std::span<const std::uint8_t> bytes) : core_(core), bytes_(bytes) {}

  Result<void> read_header();
  Result<void> find_sections();
  Result<void> read_target();
  Result<void> read_functions();
  Result<void> read_imports();
  Result<void> read_names();
  Result<void> read_exports();
  void order_by_offset();

  // The count at the start of a section, refused when entries of at least `smallest` bytes each
  // cannot be there, or when there are more than `most`.
  Result<std::uint32_t> read_count(const Section& section, Cursor& cursor, std::size_t smallest,
                                   std::uint32_t most);
  // A length and its bytes; `what` names it in the message.
  Result<std::string_view> read_string(const Section& section, Cursor& cursor,
                                       std::string_view what);
  // How many functions `section` imports when its entries have the given layout, or the error.
  enum class ImportLayout { by_kind, index_only };
  Result<std::uint32_t> count_imports(const Section& section, ImportLayout layout);
  void give_name(std::uint32_t function_index, std::string_view name);

  // "app.cwasm: section 3 (function) at offset 0x38 WHAT"; `at` is the offset that matters.
  tl::unexpected<Error> fail_at(std::uint32_t type, std::uint64_t at, std::string_view what) const;

  Core& core_;
  std::span<const std::uint8_t> bytes_;
  // The file's one section of each type that is read.
  static constexpr std::size_t kTypes = 9;
  std::optional<Section> sections_[kTypes];
};

}  // namespace aotscope::image
