// CASES S6: broken and foreign files give one line with path, section and offset, and cost nothing.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <aotscope/image.hpp>

#include "support/cwasm_writer.hpp"
#include "unit/image/temp_dir.hpp"

using namespace aotscope::image;
using aotscope::test::Bytes;
using aotscope::test::CwasmWriter;
using Catch::Matchers::Contains;
namespace test = aotscope::test;

namespace {

aotscope::Error error_of(const Bytes& bytes) {
  const auto core = Core::from_bytes(bytes, "dir/app.cwasm");
  if (core) FAIL("the file was read");
  CHECK(core.error().message.starts_with("dir/app.cwasm: "));
  CHECK(core.error().message.find('\n') == std::string::npos);
  return core.error();
}

std::string message_of(const Bytes& bytes) { return error_of(bytes).message; }

Bytes text_of(std::string_view text) { return {text.begin(), text.end()}; }

// A file of a header, a text of 16 bytes and one more section. The text's section is at 0x8, the
// other's at 0x8 + 8 + 16 = 0x20, its payload at 0x28.
Bytes with_section(std::uint32_t type, const Bytes& payload) {
  return CwasmWriter::join({{test::kText, Bytes(16, 0x90)}, {type, payload}});
}

// 32-bit words.
Bytes words(std::initializer_list<std::uint32_t> values) {
  Bytes out;
  for (const std::uint32_t value : values) test::put_u32(out, value);
  return out;
}

}  // namespace

TEST_CASE("what is no AOT file is called what it is") {
  using namespace std::string_literals;
  CHECK(message_of({}) == "dir/app.cwasm: the file is empty");
  CHECK_THAT(message_of(text_of("\x7f"
                                "ELF\2\1\1\0"s)),
             Contains("ELF"));
  const auto wasm = error_of(text_of("\0asm\1\0\0\0"s));
  CHECK_THAT(wasm.message, Contains("not compiled"));
  CHECK_THAT(wasm.hint, Contains("wamrc compile dir/app.cwasm"));
  const auto component = error_of(text_of("\0asm\x0d\0\1\0"s));
  CHECK_THAT(component.message, Contains("component"));
  CHECK_THAT(component.hint, Contains("wamrc compile-component"));
  CHECK_THAT(message_of(text_of("{}")), Contains("JSON"));
  CHECK_THAT(message_of(Bytes(4096, 0)), Contains("offset 0x0"));
  CHECK_THAT(message_of(text_of("\0ao"s)), Contains("offset 0x0"));
}

TEST_CASE("a file that ends in its header") {
  Bytes bytes = {0, 'a', 'o', 't', 11, 0, 0};
  CHECK(message_of(bytes) == "dir/app.cwasm: the header at offset 0x0 needs 8 bytes, 7 are left");
  bytes.push_back(0);
  CHECK(message_of(bytes) == "dir/app.cwasm: no section 2 (text) up to the end at offset 0x8");
  bytes.insert(bytes.end(), {2, 0, 0, 0, 0});
  CHECK(message_of(bytes) ==
        "dir/app.cwasm: the section header at offset 0x8 needs 8 bytes, 5 are left");
}

TEST_CASE("a section larger than the file") {
  Bytes bytes = CwasmWriter::join({{test::kText, Bytes(16, 0x90)}});
  for (std::size_t i = 0; i < 4; ++i) bytes[12 + i] = 0xff;
  CHECK(message_of(bytes) ==
        "dir/app.cwasm: section 2 (text) at offset 0x8 claims 4294967295 bytes, 16 are left");
  bytes[8] = 0x99;  // a type that would only be stepped over
  CHECK(message_of(bytes) ==
        "dir/app.cwasm: section 153 (unknown type) at offset 0x8 claims 4294967295 bytes, 16 are "
        "left");
}

TEST_CASE("counts that cannot be true") {
  CHECK(message_of(with_section(test::kFunction, words({0x20000000, 0, 0}))) ==
        "dir/app.cwasm: section 3 (function) at offset 0x28 claims 536870912 entries, 12 bytes are "
        "left");
  CHECK(message_of(with_section(test::kFunction, words({0xffffffff}))) ==
        "dir/app.cwasm: section 3 (function) at offset 0x28 claims 4294967295 entries, 4 bytes are "
        "left");
  CHECK(message_of(with_section(test::kFunction, words({2, 0, 0, 0}))) ==
        "dir/app.cwasm: section 3 (function) at offset 0x28 claims 2 entries, 16 bytes are left");
  CHECK_THAT(message_of(with_section(test::kExport, words({0xffffffff, 0}))),
             Contains("section 4 (export) at offset 0x28 claims 4294967295 entries"));
  CHECK_THAT(message_of(with_section(test::kName, words({0x20000000, 0}))),
             Contains("section 7 (name) at offset 0x28 claims 536870912 entries"));
  CHECK_THAT(message_of(with_section(test::kImport, words({0x7fffffff, 0}))),
             Contains("section 8 (import) at offset 0x28 claims 2147483647 entries"));
  CHECK(message_of(with_section(test::kFunction, {1, 0})) ==
        "dir/app.cwasm: section 3 (function) at offset 0x28 has no count, 2 bytes are left");
}

TEST_CASE("the number of entries has a limit even where the bytes are there") {
  Bytes payload(4 + 8 * 1'000'001, 0);
  const Bytes count = words({1'000'001});
  std::copy(count.begin(), count.end(), payload.begin());
  CHECK_THAT(message_of(with_section(test::kFunction, payload)),
             Contains("claims 1000001 entries, at most 1000000 are read"));
}

TEST_CASE("a function outside the text") {
  CHECK(message_of(with_section(test::kFunction, words({2, 0, 0, 16, 0}))) ==
        "dir/app.cwasm: section 3 (function) at offset 0x34 puts function 1 at text offset 0x10, "
        "the text has 16 bytes");
  CHECK_THAT(message_of(with_section(test::kFunction, words({1, 0xffffffff, 0}))),
             Contains("text offset 0xffffffff"));
}

TEST_CASE("strings that run past their section") {
  // Count at 0x28, function index at 0x2c, length at 0x30.
  CHECK(message_of(with_section(test::kName, words({1, 0, 0xffffffff, 0x41414141}))) ==
        "dir/app.cwasm: section 7 (name) at offset 0x30 claims a name of 4294967295 bytes, 4 are "
        "left");
  CHECK_THAT(message_of(with_section(test::kExport, words({1, 0xffffffff, 0, 0}))),
             Contains("section 4 (export) at offset 0x2c claims a name of 4294967295 bytes"));
  CHECK_THAT(
      message_of(with_section(test::kImport, words({1, 0xffffffff, 0, 0}))),
      Contains("section 8 (import) at offset 0x2c claims a module name of 4294967295 bytes"));
  // The last name's bytes reach to the end exactly; one entry more is claimed than is there.
  CHECK_THAT(message_of(with_section(test::kName, words({2, 0, 4, 0x41414141, 7}))),
             Contains("section 7 (name) at offset 0x3c ends inside a name, 0 bytes are left"));
  Bytes entry = words({1, 1});
  entry.insert(entry.end(), {'x', 0, 1, 0, 0, 0, 0});  // kind and index; then cut the index
  entry.resize(entry.size() - 3);
  CHECK_THAT(message_of(with_section(test::kExport, entry)), Contains("section 4 (export)"));
}

TEST_CASE("imports of a kind that does not exist") {
  Bytes payload = words({1, 0, 0});
  payload.insert(payload.end(), {9, 0, 0});
  CHECK_THAT(message_of(with_section(test::kImport, payload)),
             Contains("section 8 (import) at offset 0x34 has an import of unknown kind 9"));
}

TEST_CASE("a section that is read may be there once") {
  for (const std::uint32_t type :
       {test::kTarget, test::kText, test::kFunction, test::kExport, test::kName, test::kImport}) {
    CwasmWriter w;
    w.import_function("env", "f");
    w.add_function({0xc3});
    w.add_name(1, "x");
    auto sections = w.sections();
    std::uint64_t second = 8;
    for (const auto& section : sections) second += 8 + section.payload.size();
    const auto first = std::find_if(sections.begin(), sections.end(),
                                    [&](const auto& section) { return section.type == type; });
    REQUIRE(first != sections.end());
    sections.push_back(*first);
    char expected[64];
    std::snprintf(expected, sizeof expected, "at offset 0x%llx is there a second time",
                  static_cast<unsigned long long>(second));
    CHECK_THAT(message_of(CwasmWriter::join(sections)), Contains(expected));
  }
}

TEST_CASE("a target section that holds no machine") {
  CHECK_THAT(message_of(with_section(test::kTarget, {2, 0, 0, 0, 1, 0, 62})),
             Contains("section 0 (target) at offset 0x20 has 7 bytes"));
}

TEST_CASE("upstream WAMR's files are told by their shape") {
  // Its target section has 48 bytes; text follows padded, so nothing behind it may be looked at.
  const Bytes bytes = CwasmWriter::join({{test::kTarget, Bytes(48, 0)}, {1, {1, 2, 3}}}, 6);
  const auto error = error_of(bytes);
  CHECK_THAT(error.message, Contains("upstream WAMR") && Contains("version 6"));
  CHECK_FALSE(error.hint.empty());
}

TEST_CASE("an unknown version is named when its sections do not parse") {
  Bytes bytes = with_section(test::kFunction, words({0x20000000}));
  CHECK(error_of(bytes).hint.empty());
  bytes[4] = 12;
  CHECK_THAT(error_of(bytes).hint, Contains("version 12"));
}

TEST_CASE("any cut of a good file is an error or a core, never a crash") {
  CwasmWriter w;
  w.import_function("env", "f");
  w.import_memory("env", "m");
  w.add_function({0x90, 0xc3});
  w.export_function("run", 1);
  w.add_name(1, "name");
  const Bytes whole = w.bytes();
  std::size_t read = 0;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    // Its own buffer, so that a read past the end is seen by a sanitizer.
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    if (Core::from_bytes(part, "cut.cwasm")) ++read;
  }
  // Those that end with a section from the text on: text, type, function, export, import, name.
  CHECK(read == 6);
}

TEST_CASE("control bytes of a path do not reach a message") {
  const auto core = Core::from_bytes({}, "a\x1b[31m\nb\xc2\x9b.cwasm");
  REQUIRE_FALSE(core);
  CHECK(core.error().message == "a?[31m?b??.cwasm: the file is empty");
}

TEST_CASE("what is no regular file is refused at once") {
  const TempDir dir;
  CHECK_THAT(Core::open(dir.path()).error().message, Contains("a directory"));
  CHECK_THAT(Core::open("/dev/null").error().message, Contains("a device"));
  CHECK_THAT(Core::open(dir / "none.cwasm").error().message, Contains("No such file"));
  REQUIRE(::mkfifo((dir / "fifo").c_str(), 0600) == 0);
  ::alarm(5);  // a reader that waits for a writer would hang here
  CHECK_THAT(Core::open(dir / "fifo").error().message, Contains("a FIFO"));
  CHECK_THAT(open_program(dir / "fifo").error().message, Contains("a FIFO"));
  ::alarm(0);
}

TEST_CASE("an empty file on disk") {
  const TempDir dir;
  test::write_file(dir / "empty.cwasm", {});
  CHECK_THAT(Core::open(dir / "empty.cwasm").error().message, Contains("the file is empty"));
}

TEST_CASE("claims cost no memory") {
  const TempDir dir;
  std::vector<std::filesystem::path> files;
  const auto add = [&](const Bytes& bytes, std::uint64_t size = 0) {
    files.push_back(dir / (std::to_string(files.size()) + ".cwasm"));
    test::write_file(files.back(), bytes);
    if (size != 0) std::filesystem::resize_file(files.back(), size);
  };
  add(with_section(test::kFunction, words({0x20000000, 0, 0})));
  add(with_section(test::kName, words({1, 0, 0xffffffff})));
  // 4 GiB sparse: zeros; and a function, name and import section over all of it.
  const std::uint64_t huge = 4ULL << 30;
  add({}, huge);
  for (const std::uint32_t type : {test::kFunction, test::kName, test::kExport, test::kImport}) {
    Bytes bytes = with_section(type, words({0x1fffffff}));
    const auto left = static_cast<std::uint32_t>(huge - 0x28);
    const Bytes size = words({left});
    std::copy(size.begin(), size.end(), bytes.begin() + 0x24);
    add(bytes, huge);
  }
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // 16 MiB of data beyond what is there already; file mappings do not count (RLIMIT_DATA).
    long pages = 0;
    long ignored[4];
    std::FILE* statm = std::fopen("/proc/self/statm", "r");
    if (std::fscanf(statm, "%ld %ld %ld %ld %ld %ld", &ignored[0], &ignored[1], &ignored[2],
                    &ignored[3], &ignored[0], &pages) != 6) {
      ::_exit(3);
    }
    const auto limit = static_cast<rlim_t>(pages) * 4096 + (16U << 20);
    const rlimit data{limit, limit};
    ::setrlimit(RLIMIT_DATA, &data);
    ::alarm(10);
    for (const auto& file : files) {
      if (Core::open(file)) ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a file cut short while it is mapped reads as zeros") {
  const TempDir dir;
  CwasmWriter w;
  w.add_function(Bytes(64 << 10, 0x90));
  w.add_name(0, "a name at the end of the file");
  w.write(dir / "app.cwasm");
  const auto core = Core::open(dir / "app.cwasm");
  REQUIRE(core);
  CHECK_FALSE((*core)->truncated());
  CHECK((*core)->functions()[0].name == "a name at the end of the file");
  std::filesystem::resize_file(dir / "app.cwasm", 4096);
  const auto text = (*core)->text();
  CHECK(text[0] == 0x90);
  CHECK(text[32 << 10] == 0);
  CHECK(text[text.size() - 1] == 0);
  CHECK((*core)->truncated());
  CHECK((*core)->functions()[0].name[0] == 0);
  CHECK((*core)->hash().size() == 32);
}
