// Function symbols of ELF files, for host code.
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>

#include <aotscope/process.hpp>

#include "util/fd.hpp"

namespace aotscope::process {
namespace {

// A symbol table of a million entries is a large browser's; more is not worth the memory.
constexpr std::size_t max_symbols = 2'000'000;

struct Symbol {
  std::uint64_t offset = 0;  // in the file
  std::uint64_t size = 0;
  std::string name;
};

struct ElfCloser {
  void operator()(Elf* elf) const { ::elf_end(elf); }
};

struct Segment {
  std::uint64_t address, offset, size;
};

std::vector<Segment> load_segments(Elf* elf) {
  std::vector<Segment> segments;
  std::size_t count = 0;
  if (::elf_getphdrnum(elf, &count) != 0) return segments;
  for (std::size_t i = 0; i < count && i < 1024; ++i) {
    GElf_Phdr header;
    if (::gelf_getphdr(elf, static_cast<int>(i), &header) && header.p_type == PT_LOAD) {
      segments.push_back({header.p_vaddr, header.p_offset, header.p_filesz});
    }
  }
  return segments;
}

void read_section(Elf* elf, Elf_Scn* section, const std::vector<Segment>& segments,
                  std::vector<Symbol>& symbols) {
  GElf_Shdr header;
  if (!::gelf_getshdr(section, &header) || header.sh_entsize == 0) return;
  if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) return;
  Elf_Data* data = ::elf_getdata(section, nullptr);
  if (!data) return;
  const std::size_t count = header.sh_size / header.sh_entsize;
  for (std::size_t i = 0; i < count && symbols.size() < max_symbols; ++i) {
    GElf_Sym symbol;
    if (!::gelf_getsym(data, static_cast<int>(i), &symbol)) break;
    if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
    const char* name = ::elf_strptr(elf, header.sh_link, symbol.st_name);
    if (!name || !*name) continue;
    for (const Segment& segment : segments) {
      if (symbol.st_value - segment.address < segment.size) {
        symbols.push_back(
            {symbol.st_value - segment.address + segment.offset, symbol.st_size, name});
        break;
      }
    }
  }
}

}  // namespace

struct Symbols::Table {
  std::vector<Symbol> symbols;  // by offset
};

std::string Symbols::lookup(const std::string& file, std::uint64_t file_offset) {
  auto [entry, fresh] = tables_.try_emplace(file);
  if (fresh) {
    auto table = std::make_shared<Table>();
    const util::UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd && ::elf_version(EV_CURRENT) != EV_NONE) {
      const std::unique_ptr<Elf, ElfCloser> elf(::elf_begin(fd.get(), ELF_C_READ_MMAP, nullptr));
      if (elf && ::elf_kind(elf.get()) == ELF_K_ELF) {
        const auto segments = load_segments(elf.get());
        for (Elf_Scn* section = ::elf_nextscn(elf.get(), nullptr); section;
             section = ::elf_nextscn(elf.get(), section)) {
          read_section(elf.get(), section, segments, table->symbols);
        }
      }
    }
    std::stable_sort(table->symbols.begin(), table->symbols.end(),
                     [](const Symbol& a, const Symbol& b) { return a.offset < b.offset; });
    entry->second = std::move(table);
  }
  const auto& symbols = entry->second->symbols;
  auto it = std::upper_bound(symbols.begin(), symbols.end(), file_offset,
                             [](std::uint64_t at, const Symbol& s) { return at < s.offset; });
  if (it == symbols.begin()) return {};
  --it;
  // A size of 0 is an assembly symbol that did not say: it reaches to the next one.
  if (it->size != 0 && file_offset - it->offset >= it->size) return {};
  return it->name;
}

}  // namespace aotscope::process
