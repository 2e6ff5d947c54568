#include "image/core_reader.hpp"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "image/mapped_file.hpp"
#include "image/sniff.hpp"

namespace aotscope::image {
namespace {

enum SectionType : std::uint32_t {
  kTarget = 0,
  kText = 2,
  kFunction = 3,
  kExport = 4,
  kName = 7,
  kImport = 8,
};

// The most entries taken from one section. Engines agree on at most 1,000,000 functions, imports
// and exports in a module (WebAssembly JavaScript Interface, "Implementation-defined Limits"); the
// name section covers imported and local functions. Bounds time and memory on a hostile file.
constexpr std::uint32_t kMostEntries = 1'000'000;
constexpr std::uint32_t kMostNames = 2 * kMostEntries;

// Upstream WAMR in C has four more words in its target section.
constexpr std::size_t kUpstreamTargetSize = 48;

constexpr std::uint8_t kKindFunction = 0;

std::string_view section_name(std::uint32_t type) {
  constexpr std::string_view kNames[] = {"target", "init data",  "text",  "function", "export",
                                         "data",   "relocation", "name",  "import",   "memory",
                                         "global", "element",    "start", "type"};
  return type < std::size(kNames) ? kNames[type] : "unknown type";
}

}  // namespace

tl::unexpected<Error> CoreReader::fail_at(std::uint32_t type, std::uint64_t at,
                                          std::string_view what) const {
  std::string hint;
  if (!core_.version_is_known()) {
    hint =
        fmt::format("the file has format version {}; versions 6 to 11 are known, others are tried",
                    core_.version_);
  }
  return fail(fmt::format("{}: section {} ({}) at offset 0x{:x} {}", printable(core_.path_), type,
                          section_name(type), at, what),
              std::move(hint));
}

Result<void> CoreReader::read_header() {
  if (const FileKind kind = sniff(bytes_); kind != FileKind::aot) {
    return tl::unexpected<Error>(not_aot(kind, core_.path_, bytes_.size()));
  }
  Cursor cursor(bytes_, 0);
  std::uint32_t magic = 0;
  if (!cursor.u32(magic) || !cursor.u32(core_.version_)) {
    return fail(fmt::format("{}: the header at offset 0x0 needs 8 bytes, {} are left",
                            printable(core_.path_), bytes_.size()));
  }
  return {};
}

Result<void> CoreReader::find_sections() {
  Cursor cursor(bytes_.subspan(8), 8);
  while (cursor.left() > 0) {
    Section section;
    section.offset = cursor.offset();
    std::uint32_t size = 0;
    const std::size_t left = cursor.left();
    if (!cursor.u32(section.type) || !cursor.u32(size)) {
      return fail(fmt::format("{}: the section header at offset 0x{:x} needs 8 bytes, {} are left",
                              printable(core_.path_), section.offset, left));
    }
    const std::size_t behind = cursor.left();
    if (!cursor.take(size, section.payload)) {
      return fail_at(section.type, section.offset,
                     fmt::format("claims {} bytes, {} are left", size, behind));
    }
    // Upstream pads its sections to 4 bytes, so its file must be told before the next header.
    if (section.type == kTarget && size == kUpstreamTargetSize) {
      return fail(
          fmt::format("{}: an AOT file of upstream WAMR (C, format version {}), which is not "
                      "read yet",
                      printable(core_.path_), core_.version_),
          "compile the module with the wamrc of the Zig port: wamrc compile app.wasm -o "
          "app.cwasm");
    }
    if (section.type >= kTypes) continue;
    std::optional<Section>& known = sections_[section.type];
    if (!known) {
      known = section;
    } else if (section.type == kTarget || section.type == kText || section.type == kFunction ||
               section.type == kExport || section.type == kName || section.type == kImport) {
      return fail_at(
          section.type, section.offset,
          fmt::format("is there a second time, the first is at offset 0x{:x}", known->offset));
    }
  }
  return {};
}

Result<void> CoreReader::read_target() {
  if (!sections_[kTarget]) return {};  // the architecture stays unknown
  const Section& section = *sections_[kTarget];
  Cursor cursor(section.payload, section.offset + 8);
  std::uint16_t machine = 0;
  if (!cursor.skip(6) || !cursor.u16(machine)) {
    return fail_at(
        kTarget, section.offset,
        fmt::format("has {} bytes, the machine is in bytes 6 and 7", section.payload.size()));
  }
  for (const Arch arch : {Arch::x86_64, Arch::aarch64}) {
    if (machine == static_cast<std::uint16_t>(arch)) core_.arch_ = arch;
  }
  return {};
}

Result<std::uint32_t> CoreReader::read_count(const Section& section, Cursor& cursor,
                                             std::size_t smallest, std::uint32_t most) {
  const std::uint64_t at = cursor.offset();
  const std::size_t left = cursor.left();
  std::uint32_t count = 0;
  if (!cursor.u32(count)) {
    return fail_at(section.type, at, fmt::format("has no count, {} bytes are left", left));
  }
  if (count > cursor.left() / smallest) {
    return fail_at(section.type, at,
                   fmt::format("claims {} entries, {} bytes are left", count, left));
  }
  if (count > most) {
    return fail_at(section.type, at,
                   fmt::format("claims {} entries, at most {} are read", count, most));
  }
  return count;
}

Result<std::string_view> CoreReader::read_string(const Section& section, Cursor& cursor,
                                                 std::string_view what) {
  const std::uint64_t at = cursor.offset();
  const std::size_t left = cursor.left();
  std::uint32_t length = 0;
  if (!cursor.u32(length)) {
    return fail_at(section.type, at, fmt::format("ends inside {}, {} bytes are left", what, left));
  }
  const std::size_t behind = cursor.left();
  std::span<const std::uint8_t> bytes;
  if (!cursor.take(length, bytes)) {
    return fail_at(section.type, at,
                   fmt::format("claims {} of {} bytes, {} are left", what, length, behind));
  }
  return as_text(bytes);
}

Result<void> CoreReader::read_functions() {
  if (!sections_[kFunction]) return {};
  const Section& section = *sections_[kFunction];
  Cursor cursor(section.payload, section.offset + 8);
  const auto count = read_count(section, cursor, 4, kMostEntries);
  if (!count) return tl::unexpected<Error>(count.error());
  // Version 6 had offsets alone, 7 and later pairs with a type index. The size decides.
  const bool offsets_only = cursor.left() == std::size_t{*count} * 4;
  if (!offsets_only && *count > cursor.left() / 8) {
    return fail_at(kFunction, section.offset + 8,
                   fmt::format("claims {} entries, {} bytes are left", *count, cursor.left() + 4));
  }
  core_.functions_.resize(*count);
  for (std::uint32_t local = 0; local < *count; ++local) {
    Function& function = core_.functions_[local];
    const std::uint64_t at = cursor.offset();
    std::uint32_t offset = 0;
    cursor.u32(offset);  // both are there: the count was compared with what is left
    if (!offsets_only) cursor.u32(function.type);
    if (offset >= core_.text_.size()) {
      return fail_at(kFunction, at,
                     fmt::format("puts function {} at text offset 0x{:x}, the text has {} bytes",
                                 local, offset, core_.text_.size()));
    }
    function.local = local;
    function.offset = offset;
  }
  return {};
}

Result<std::uint32_t> CoreReader::count_imports(const Section& section, ImportLayout layout) {
  Cursor cursor(section.payload, section.offset + 8);
  auto count = read_count(section, cursor, 11, kMostEntries);  // 4 + 4 + 1 + 2 bytes
  if (!count) return count;
  std::uint32_t functions = 0;
  for (std::uint32_t i = 0; i < *count; ++i) {
    for (const std::string_view what : {"a module name", "a field name"}) {
      if (auto string = read_string(section, cursor, what); !string) {
        return tl::unexpected<Error>(string.error());
      }
    }
    const std::uint64_t at = cursor.offset();
    std::uint8_t kind = 0;
    std::uint8_t has_maximum = 0;
    bool whole = cursor.u8(kind);
    if (!whole) {
      // Reported below.
    } else if (layout == ImportLayout::index_only || kind == kKindFunction || kind == 4) {
      whole = cursor.skip(4);  // type index of a function or of an exception tag
    } else if (kind == 1) {    // table: element type, minimum, has a maximum, maximum if so
      whole = cursor.skip(5) && cursor.u8(has_maximum) && cursor.skip(has_maximum != 0 ? 4 : 0);
    } else if (kind == 2) {  // memory: minimum, has a maximum, maximum if so, is 64-bit, is shared
      whole = cursor.skip(4) && cursor.u8(has_maximum) && cursor.skip(has_maximum != 0 ? 6 : 2);
    } else if (kind == 3) {  // global: value type, is mutable
      whole = cursor.skip(2);
    } else {
      return fail_at(kImport, at, fmt::format("has an import of unknown kind {}", kind));
    }
    if (!whole) {
      return fail_at(kImport, at,
                     fmt::format("ends inside import {} of {}, {} bytes are left", i, *count,
                                 section.offset + 8 + section.payload.size() - at));
    }
    if (kind == kKindFunction) ++functions;
  }
  if (cursor.left() > 0) {
    return fail_at(kImport, cursor.offset(),
                   fmt::format("has {} bytes behind its {} entries", cursor.left(), *count));
  }
  return functions;
}

Result<void> CoreReader::read_imports() {
  if (sections_[kImport]) {
    // wamrc 3.0.0.dev5 writes what each kind needs; a plain index behind every kind is the other
    // layout. With only functions they are the same; otherwise one of them ends with the section.
    auto functions = count_imports(*sections_[kImport], ImportLayout::by_kind);
    if (!functions) {
      const auto other = count_imports(*sections_[kImport], ImportLayout::index_only);
      if (!other) return tl::unexpected<Error>(functions.error());
      functions = other;
    }
    core_.imported_functions_ = *functions;
  }
  for (Function& function : core_.functions_) {
    function.index = core_.imported_functions_ + function.local;
  }
  return {};
}

void CoreReader::give_name(std::uint32_t function_index, std::string_view name) {
  // Below: an imported function, which has no code here. Above: no such function.
  if (function_index < core_.imported_functions_) return;
  const std::uint32_t local = function_index - core_.imported_functions_;
  if (local < core_.functions_.size() && core_.functions_[local].name.empty()) {
    core_.functions_[local].name = name;
  }
}

Result<void> CoreReader::read_names() {
  if (!sections_[kName]) return {};
  const Section& section = *sections_[kName];
  Cursor cursor(section.payload, section.offset + 8);
  const auto count = read_count(section, cursor, 8, kMostNames);
  if (!count) return tl::unexpected<Error>(count.error());
  for (std::uint32_t i = 0; i < *count; ++i) {
    const std::uint64_t at = cursor.offset();
    std::uint32_t index = 0;
    if (!cursor.u32(index)) {
      return fail_at(
          kName, at,
          fmt::format("ends inside name {} of {}, {} bytes are left", i, *count, cursor.left()));
    }
    const auto name = read_string(section, cursor, "a name");
    if (!name) return tl::unexpected<Error>(name.error());
    give_name(index, *name);
  }
  return {};
}

Result<void> CoreReader::read_exports() {
  if (!sections_[kExport]) return {};
  const Section& section = *sections_[kExport];
  Cursor cursor(section.payload, section.offset + 8);
  const auto count = read_count(section, cursor, 9, kMostEntries);
  if (!count) return tl::unexpected<Error>(count.error());
  for (std::uint32_t i = 0; i < *count; ++i) {
    const auto name = read_string(section, cursor, "a name");
    if (!name) return tl::unexpected<Error>(name.error());
    const std::uint64_t at = cursor.offset();
    const std::size_t left = cursor.left();
    std::uint8_t kind = 0;
    std::uint32_t index = 0;
    if (!cursor.u8(kind) || !cursor.u32(index)) {
      return fail_at(
          kExport, at,
          fmt::format("ends inside export {} of {}, {} bytes are left", i, *count, left));
    }
    if (kind == kKindFunction) give_name(index, *name);
  }
  return {};
}

// Offsets need be neither sorted nor distinct. A function ends where the next higher offset
// begins; one stands for all that share an offset: the first with a name, else the lowest.
void CoreReader::order_by_offset() {
  std::vector<Function>& functions = core_.functions_;
  std::vector<std::uint32_t>& order = core_.by_offset_;
  order.resize(functions.size());
  for (std::uint32_t local = 0; local < order.size(); ++local) order[local] = local;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return functions[a].offset != functions[b].offset ? functions[a].offset < functions[b].offset
                                                      : a < b;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < order.size();) {
    const std::uint64_t offset = functions[order[i]].offset;
    std::size_t end = i;
    std::uint32_t shown = order[i];
    while (end < order.size() && functions[order[end]].offset == offset) {
      if (functions[shown].name.empty() && !functions[order[end]].name.empty()) shown = order[end];
      ++end;
    }
    const std::uint64_t next =
        end < order.size() ? functions[order[end]].offset : core_.text_.size();
    for (; i < end; ++i) functions[order[i]].size = next - offset;
    order[kept++] = shown;
  }
  order.resize(kept);
}

Result<std::shared_ptr<const Core>> CoreReader::read(std::span<const std::uint8_t> bytes,
                                                     const std::filesystem::path& path,
                                                     std::unique_ptr<const MappedFile> mapping) {
  // Not make_shared: the constructor is ours alone.
  const std::shared_ptr<Core> core(new Core());
  core->path_ = path;
  core->file_ = bytes;
  core->mapping_ = std::move(mapping);
  CoreReader reader(*core, bytes);
  if (auto ok = reader.read_header(); !ok) return tl::unexpected<Error>(ok.error());
  if (auto ok = reader.find_sections(); !ok) return tl::unexpected<Error>(ok.error());
  if (!reader.sections_[kText]) {
    return fail(fmt::format("{}: no section 2 (text) up to the end at offset 0x{:x}",
                            printable(path), bytes.size()));
  }
  core->text_ = reader.sections_[kText]->payload;
  // Names last: they need the functions and the number of imports; the name section before the
  // exports, which only fill the gaps.
  for (const auto step :
       {&CoreReader::read_target, &CoreReader::read_functions, &CoreReader::read_imports,
        &CoreReader::read_names, &CoreReader::read_exports}) {
    if (auto ok = (reader.*step)(); !ok) return tl::unexpected<Error>(ok.error());
  }
  reader.order_by_offset();
  return core;
}

Result<std::shared_ptr<const Core>> Core::open(const std::filesystem::path& path) {
  auto mapping = MappedFile::open(path);
  if (!mapping) return tl::unexpected<Error>(mapping.error());
  const auto bytes = (*mapping)->bytes();
  return CoreReader::read(bytes, path, std::move(*mapping));
}

Result<std::shared_ptr<const Core>> Core::from_bytes(std::span<const std::uint8_t> bytes,
                                                     const std::filesystem::path& path) {
  return CoreReader::read(bytes, path, nullptr);
}

}  // namespace aotscope::image
