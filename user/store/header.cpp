#include "header.hpp"

#include <algorithm>
#include <string_view>

#include "schema.hpp"

namespace aotscope::store {
namespace {

struct Magic {
  std::string_view bytes;
  const char* what;
};
using namespace std::string_view_literals;
constexpr std::string_view sqlite = "SQLite format 3\0"sv;
constexpr Magic known[] = {
    {"\x7f"
     "ELF"sv,
     "an ELF file"},
    {"\0asm"sv, "a WebAssembly module"},
    {"\0aot"sv, "compiled wasm code (.cwasm)"},
    {"PERFILE2"sv, "a perf.data file"},
    {"\x1f\x8b"sv, "a gzip file"},
    {"{"sv, "a JSON file"},
    {"<"sv, "an XML or HTML file"},
};

}  // namespace

std::string describe(std::span<const std::uint8_t> start) {
  if (start.empty()) return "empty";
  const auto begins = [&](std::string_view magic) {
    return start.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), start.begin(),
                      [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
  };
  if (begins(sqlite)) {
    if (start.size() < Header().size()) return "a cut SQLite database";
    std::uint32_t id = 0;
    for (std::size_t i = 68; i < 72; ++i) id = id << 8 | start[i];
    return id == application_id ? "" : "another program's SQLite database";
  }
  for (const Magic& magic : known)
    if (begins(magic.bytes)) return magic.what;
  return "no SQLite database";
}

}  // namespace aotscope::store
