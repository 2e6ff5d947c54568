#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <aotscope/result.hpp>

#include "image/mapped_file.hpp"

namespace aotscope::image {

// SHA-256 of a whole mapped file in lower-case hex. What was read is released as it goes, so a
// large file does not become resident.
Result<std::string> sha256_hex(const MappedFile& file);

}  // namespace aotscope::image
