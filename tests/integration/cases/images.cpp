// Writes the .cwasm files of the cases into the folder named on the command line. Their functions
// are hand-made machine code in the shape that wamrc gives its own: frame pointer, frame, body.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>

#include "support/cwasm_writer.hpp"

namespace {

namespace fs = std::filesystem;
using aotscope::test::Bytes;
using aotscope::test::CwasmWriter;
namespace test = aotscope::test;

constexpr std::size_t page = 4096;
// A loop round takes about a cycle: some 100 us, so that the caller's clock reads do not count.
constexpr std::uint32_t many = 300'000;

Bytes framed(const Bytes& body) {
  Bytes code = {0x55, 0x48, 0x89, 0xe5};                     // push rbp; mov rbp,rsp
  test::put_bytes(code, {0x48, 0x81, 0xec, 0x20, 2, 0, 0});  // sub rsp,0x220
  test::put_bytes(code, body);
  test::put_bytes(code, {0x48, 0x89, 0xec, 0x5d, 0xc3});  // mov rsp,rbp; pop rbp; ret
  return code;
}

// `number` makes the bytes unlike those of any other function.
Bytes busy(std::uint32_t number, std::uint32_t times = many) {
  Bytes body = {0xb8};  // mov eax,number
  test::put_u32(body, number);
  body.push_back(0xb9);  // mov ecx,times
  test::put_u32(body, times);
  test::put_bytes(body, {0x83, 0xe9, 1, 0x75, 0xfb});  // sub ecx,1; jnz back
  return framed(body);
}

// Writes one byte to each of rsi pages at rdi.
Bytes storing() {
  return framed({0x48, 0x89, 0xf1,                      // mov rcx,rsi
                 0x48, 0x89, 0xf8,                      // mov rax,rdi
                 0xc6, 0x00, 0x01,                      // mov byte [rax],1
                 0x48, 0x05, 0x00, 0x10, 0x00, 0x00,    // add rax,4096
                 0x48, 0x83, 0xe9, 0x01, 0x75, 0xf1});  // sub rcx,1; jnz back
}

std::uint32_t export_busy(CwasmWriter& w, const std::string& name, std::size_t offset,
                          std::uint32_t number) {
  w.place_code(offset, busy(number));
  const auto local = w.add_function_at(static_cast<std::uint32_t>(offset));
  w.export_function(name, w.index_of(local));
  return local;
}

// One busy function on each page.
CwasmWriter pages(const std::vector<std::string>& names, std::uint32_t first_number) {
  CwasmWriter w;
  for (std::size_t i = 0; i < names.size(); ++i) {
    export_busy(w, names[i], i * page, first_number + static_cast<std::uint32_t>(i));
  }
  w.text.resize(names.size() * page, 0xcc);
  return w;
}

// S1 and S11. Where one module has its busy function the other has one that nobody calls, so a
// sample that goes to the wrong module shows by name.
void same_size(const fs::path& folder) {
  pages({"alpha", "never_a"}, 100).write(folder / "a.cwasm");
  pages({"never_b", "beta"}, 200).write(folder / "b.cwasm");
}

void partial(const fs::path& folder) {
  pages({"p0", "p1", "p2", "p3"}, 300).write(folder / "four.cwasm");
  pages({"q"}, 400).write(folder / "q.cwasm");
}

void threads(const fs::path& folder) {
  pages({"t1", "t2", "t3", "t4", "t5"}, 500).write(folder / "threads.cwasm");
}

void indices(const fs::path& folder) {
  CwasmWriter w;
  w.import_function("env", "f");
  w.import_global("env", "g");
  w.import_function("env", "h");
  w.import_memory("env", "m");
  std::uint32_t number = 600;
  for (const std::uint32_t offset : {0x400U, 0U, 0x200U, 0x200U, 0x600U}) {
    w.place_code(offset, busy(number == 603 ? 602 : number));  // two share one offset
    w.add_function_at(offset);
    ++number;
  }
  w.export_function("hot", 3);
  w.export_function("hot2", 3);
  w.add_export("mem", test::kKindMemory, 3);
  w.write(folder / "indices.cwasm");
}

void many_functions(const fs::path& folder) {
  CwasmWriter w;
  constexpr std::uint32_t count = 20'000;
  for (std::uint32_t i = 0; i < count; ++i) w.add_function(busy(1000 + i, 3000), 0, 16);
  w.write(folder / "many.cwasm");
}

void stores(const fs::path& folder) {
  CwasmWriter w;
  const auto local = w.add_function(storing());
  w.export_function("stores", w.index_of(local));
  export_busy(w, "quiet", 0x200, 700);
  w.write(folder / "stores.cwasm");
}

void hostile_names(const fs::path& folder) {
  const std::string names[] = {"a;b 7",
                               "</text>&",
                               "esc\x1b[31mred\x1b]0;title\x07",
                               "bad\xff\xfe\xc3(",
                               std::string(1 << 20, 'n'),
                               "new\nline"};
  CwasmWriter w;
  std::uint32_t number = 800;
  for (const std::string& name : names) {
    const auto local = w.add_function(busy(number++), 0, 16);
    w.add_name(w.index_of(local), name);
  }
  w.write(folder / "hostile.cwasm");
}

// Word `index` of a section's payload.
Bytes patched(const Bytes& payload, std::size_t index, std::uint32_t value) {
  Bytes word, out = payload;
  test::put_u32(word, value);
  std::copy(word.begin(), word.end(), out.begin() + static_cast<std::ptrdiff_t>(index * 4));
  return out;
}

Bytes with_patch(std::uint32_t type, std::size_t index, std::uint32_t value) {
  auto sections = pages({"busy"}, 900).sections();
  for (auto& section : sections) {
    if (section.type == type) section.payload = patched(section.payload, index, value);
  }
  return CwasmWriter::join(sections);
}

// S6: files that must be refused, and good ones of versions that are tried.
void bad_files(const fs::path& folder) {
  const CwasmWriter good = pages({"busy"}, 900);
  const Bytes bytes = good.bytes();
  test::write_file(folder / "empty.cwasm", {});
  test::write_file(folder / "seven.cwasm", Bytes(bytes.begin(), bytes.begin() + 7));
  test::write_file(folder / "cut.cwasm", Bytes(bytes.begin(), bytes.end() - 3));
  Bytes size = bytes;  // the first section's size is the word at 12
  std::fill_n(size.begin() + 12, 4, std::uint8_t{0xff});
  test::write_file(folder / "section-size.cwasm", size);
  // A name section is: count, then index, length, bytes. An export section: count, length, ...
  CwasmWriter named = pages({"busy"}, 900);
  named.add_name(0, "name");
  auto sections = named.sections();
  for (auto& section : sections) {
    if (section.type == test::kName) section.payload = patched(section.payload, 2, 0xffffffff);
  }
  test::write_file(folder / "name-length.cwasm", CwasmWriter::join(sections));
  test::write_file(folder / "export-length.cwasm", with_patch(test::kExport, 1, 0xffffffff));
  test::write_file(folder / "function-count.cwasm", with_patch(test::kFunction, 0, 0x20000000));
  test::write_file(folder / "offset-past-text.cwasm", with_patch(test::kFunction, 1, 0x7fff0000));
  auto no_text = good.sections();
  std::erase_if(no_text, [](const auto& section) { return section.type == test::kText; });
  test::write_file(folder / "no-text.cwasm", CwasmWriter::join(no_text));
  test::write_file(folder / "plain.wasm", {0, 'a', 's', 'm', 1, 0, 0, 0});
  for (const std::uint32_t version : {6U, 7U, 11U, 12U, 0xffffffffU}) {
    CwasmWriter w = pages({"busy"}, 900);
    w.version = version;
    w.offsets_only = version == 6;
    w.write(folder / ("version-" + std::to_string(version) + ".cwasm"));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: case_images FOLDER\n";
    return 2;
  }
  const fs::path folder = argv[1];
  fs::create_directories(folder / "bad");
  same_size(folder);
  partial(folder);
  threads(folder);
  indices(folder);
  many_functions(folder);
  stores(folder);
  hostile_names(folder);
  bad_files(folder / "bad");
}
