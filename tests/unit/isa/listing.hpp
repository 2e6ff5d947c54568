// Hand-assembled code for the isa tests: one row for each instruction, with its bytes, the assembly
// they came from (GNU as, Intel syntax) and the class that DESIGN.md gives it.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

#include <aotscope/isa.hpp>
#include <catch2/catch.hpp>

namespace aotscope::isa::test {

struct Row {
  const char* bytes;       // "48 89 e5"
  const char* assembly;    // what it is, for the reader and for messages
  const char* cls = "";    // expected class; empty for data, which the sweep must step over
  const char* waits = "";  // expected class of the producer, where the test is about waits
};
using Rows = std::vector<Row>;

inline std::vector<std::uint8_t> bytes_of(const char* hex) {
  std::vector<std::uint8_t> out;
  for (char* end = nullptr;; hex = end) {
    const unsigned long value = std::strtoul(hex, &end, 16);
    if (end == hex) return out;
    out.push_back(static_cast<std::uint8_t>(value));
  }
}

inline std::vector<std::uint8_t> assemble(const Rows& rows) {
  std::vector<std::uint8_t> out;
  for (const Row& row : rows) {
    const auto bytes = bytes_of(row.bytes);
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

inline std::string id(InstrClass cls) { return std::string(class_id(cls)); }

// Analyses the rows as one function and checks every boundary, class and waits that they state.
inline Code check(const Rows& rows, image::Arch arch = image::Arch::x86_64) {
  const auto text = assemble(rows);
  Code code = analyze(arch, text, 0, text.size());
  std::uint32_t offset = 0;
  std::size_t next = 0;
  for (const Row& row : rows) {
    const auto length = static_cast<std::uint32_t>(bytes_of(row.bytes).size());
    INFO("at " << offset << ": " << row.assembly);
    if (*row.cls) {
      REQUIRE(next < code.instrs.size());
      const Instr& instr = code.instrs[next++];
      CHECK(instr.offset == offset);
      CHECK(instr.length == length);
      CHECK(id(instr.cls) == row.cls);
      if (*row.waits) {
        CHECK(id(instr.waits) == row.waits);
      }
    }
    offset += length;
  }
  CHECK(next == code.instrs.size());
  return code;
}

}  // namespace aotscope::isa::test
