// What a file is, by its first bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace aotscope::store {

// SQLite's file header (https://sqlite.org/fileformat2.html): magic at 0, application_id at 68.
using Header = std::array<std::uint8_t, 100>;

// Empty for a recording, else what it looks like: "an ELF file", "empty".
std::string describe(std::span<const std::uint8_t> start);

}  // namespace aotscope::store
