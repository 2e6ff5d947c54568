// Writes minimal .cwasm files, good and broken, so that tests make their own inputs. The layout is
// the one that wamrc 3.0.0.dev5 writes (version 11), given by the format, not by our reader.
//
//   aotscope::test::CwasmWriter w;
//   w.import_function("env", "f");                    // takes function index 0
//   const auto local = w.add_function({0xc3});        // local function 0, function index 1
//   w.export_function("run", w.index_of(local));
//   w.write("a.cwasm");
//
// For a broken file use sections() and change, drop, repeat or reorder what it returns, then
// join(); or add raw sections; or cut and patch the bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aotscope::test {

using Bytes = std::vector<std::uint8_t>;

inline void put_u8(Bytes& out, std::uint32_t value) {
  out.push_back(static_cast<std::uint8_t>(value));
}
inline void put_u16(Bytes& out, std::uint32_t value) {
  put_u8(out, value & 0xff);
  put_u8(out, (value >> 8) & 0xff);
}
inline void put_u32(Bytes& out, std::uint32_t value) {
  put_u16(out, value & 0xffff);
  put_u16(out, value >> 16);
}
inline void put_u64(Bytes& out, std::uint64_t value) {
  put_u32(out, static_cast<std::uint32_t>(value));
  put_u32(out, static_cast<std::uint32_t>(value >> 32));
}
inline void put_bytes(Bytes& out, const Bytes& bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}
inline void put_string(Bytes& out, std::string_view text) {
  put_u32(out, static_cast<std::uint32_t>(text.size()));
  out.insert(out.end(), text.begin(), text.end());
}

inline void write_file(const std::filesystem::path& path, const Bytes& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

// Section types and the kinds of imports and exports, as the format numbers them.
enum CwasmSection : std::uint32_t {
  kTarget = 0,
  kText = 2,
  kFunction = 3,
  kExport = 4,
  kData = 5,
  kName = 7,
  kImport = 8,
  kMemory = 9,
  kType = 13,
};
enum CwasmKind : std::uint8_t { kKindFunc = 0, kKindTable, kKindMemory, kKindGlobal, kKindTag };

struct RawSection {
  std::uint32_t type = 0;
  Bytes payload;
};

class CwasmWriter {
 public:
  std::uint32_t version = 11;
  std::uint16_t machine = 62;  // ELF's e_machine: 62 x86-64, 183 aarch64
  std::string arch = "x86_64";
  bool offsets_only = false;          // the function section of version 6
  bool plain_import_indices = false;  // a u32 index behind every import's kind
  Bytes text;

  // Machine code behind what is there, at the next multiple of `alignment`; the gap is filled with
  // int3. Returns the local function's number.
  std::uint32_t add_function(const Bytes& code, std::uint32_t type = 0, std::size_t alignment = 1) {
    while (text.size() % alignment != 0) text.push_back(0xcc);
    const auto offset = static_cast<std::uint32_t>(text.size());
    put_bytes(text, code);
    return add_function_at(offset, type);
  }
  // A function at any offset of the text, which is laid out by hand (see place_code).
  std::uint32_t add_function_at(std::uint32_t offset, std::uint32_t type = 0) {
    functions_.push_back({offset, type});
    return static_cast<std::uint32_t>(functions_.size() - 1);
  }
  void place_code(std::size_t offset, const Bytes& code) {
    if (text.size() < offset + code.size()) text.resize(offset + code.size(), 0xcc);
    std::copy(code.begin(), code.end(), text.begin() + static_cast<std::ptrdiff_t>(offset));
  }

  // Imports, in the order of the calls.
  void import_function(std::string_view module, std::string_view field, std::uint32_t type = 0) {
    Bytes tail;
    put_u32(tail, type);
    import(module, field, kKindFunc, tail);
    ++imported_functions_;
  }
  void import_table(std::string_view module, std::string_view field) {
    import(module, field, kKindTable, {0x70, 1, 0, 0, 0, 1, 9, 0, 0, 0});  // funcref, 1 to 9
  }
  void import_memory(std::string_view module, std::string_view field, bool maximum = false) {
    import(module, field, kKindMemory,
           maximum ? Bytes{1, 0, 0, 0, 1, 5, 0, 0, 0, 0, 0} : Bytes{1, 0, 0, 0, 0, 0, 0});
  }
  void import_global(std::string_view module, std::string_view field) {
    import(module, field, kKindGlobal, {0x7f, 0});  // i32, const
  }
  void import_tag(std::string_view module, std::string_view field) {
    import(module, field, kKindTag, {0, 0, 0, 0});
  }

  void add_export(std::string_view name, CwasmKind kind, std::uint32_t index) {
    exports_.push_back({std::string(name), kind, index});
  }
  void export_function(std::string_view name, std::uint32_t function_index) {
    add_export(name, kKindFunc, function_index);
  }
  void add_name(std::uint32_t function_index, std::string_view name) {
    names_.emplace_back(function_index, name);
  }
  // Written behind the others, whatever its type.
  void add_raw(std::uint32_t type, Bytes payload) { raw_.push_back({type, std::move(payload)}); }

  // The function index of a local function: valid once all imports are there.
  std::uint32_t index_of(std::uint32_t local) const { return imported_functions_ + local; }

  std::vector<RawSection> sections() const {
    std::vector<RawSection> all;
    all.push_back({kTarget, target()});
    all.push_back({kText, text});
    all.push_back({kType, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}});  // one type: () -> ()
    all.push_back({kFunction, function_section()});
    all.push_back({kExport, export_section()});
    if (!imports_.empty()) all.push_back({kImport, import_section()});
    if (!names_.empty()) all.push_back({kName, name_section()});
    all.insert(all.end(), raw_.begin(), raw_.end());
    return all;
  }
  static Bytes join(const std::vector<RawSection>& sections, std::uint32_t version = 11) {
    Bytes out = {0, 'a', 'o', 't'};
    put_u32(out, version);
    for (const RawSection& section : sections) {
      put_u32(out, section.type);
      put_u32(out, static_cast<std::uint32_t>(section.payload.size()));
      put_bytes(out, section.payload);
    }
    return out;
  }
  Bytes bytes() const { return join(sections(), version); }
  void write(const std::filesystem::path& path) const { write_file(path, bytes()); }

 private:
  struct FunctionEntry {
    std::uint32_t offset = 0;
    std::uint32_t type = 0;
  };
  struct ImportEntry {
    std::string module;
    std::string field;
    CwasmKind kind = kKindFunc;
    Bytes tail;
  };
  struct ExportEntry {
    std::string name;
    CwasmKind kind = kKindFunc;
    std::uint32_t index = 0;
  };

  void import(std::string_view module, std::string_view field, CwasmKind kind, Bytes tail) {
    imports_.push_back({std::string(module), std::string(field), kind, std::move(tail)});
  }

  Bytes target() const {
    Bytes out;
    put_u16(out, 2);  // bin_type: ELF64, little endian
    put_u16(out, 0);  // abi_type
    put_u16(out, 1);  // e_type: relocatable
    put_u16(out, machine);
    put_u32(out, 0);  // e_flags
    put_u32(out, 0);  // reserved
    for (std::size_t i = 0; i < 16; ++i) {
      put_u8(out, i < arch.size() ? static_cast<unsigned char>(arch[i]) : 0U);
    }
    put_u64(out, 0);  // features
    return out;
  }
  Bytes function_section() const {
    Bytes out;
    put_u32(out, static_cast<std::uint32_t>(functions_.size()));
    for (const FunctionEntry& function : functions_) {
      put_u32(out, function.offset);
      if (!offsets_only) put_u32(out, function.type);
    }
    return out;
  }
  Bytes export_section() const {
    Bytes out;
    put_u32(out, static_cast<std::uint32_t>(exports_.size()));
    for (const ExportEntry& entry : exports_) {
      put_string(out, entry.name);
      put_u8(out, entry.kind);
      put_u32(out, entry.index);
    }
    return out;
  }
  Bytes import_section() const {
    Bytes out;
    put_u32(out, static_cast<std::uint32_t>(imports_.size()));
    for (const ImportEntry& entry : imports_) {
      put_string(out, entry.module);
      put_string(out, entry.field);
      put_u8(out, entry.kind);
      if (plain_import_indices) {
        put_u32(out, 0);
      } else {
        put_bytes(out, entry.tail);
      }
    }
    return out;
  }
  Bytes name_section() const {
    Bytes out;
    put_u32(out, static_cast<std::uint32_t>(names_.size()));
    for (const auto& [index, name] : names_) {
      put_u32(out, index);
      put_string(out, name);
    }
    return out;
  }

  std::uint32_t imported_functions_ = 0;
  std::vector<FunctionEntry> functions_;
  std::vector<ImportEntry> imports_;
  std::vector<ExportEntry> exports_;
  std::vector<std::pair<std::uint32_t, std::string>> names_;
  std::vector<RawSection> raw_;
};

}  // namespace aotscope::test
