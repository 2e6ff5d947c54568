// Files that a command makes of a recording.
#pragma once

#include <string>
#include <string_view>

#include <aotscope/result.hpp>

namespace aotscope::cli {

// Writes `bytes` to `path` as a whole or not at all: into a new file beside it that then takes its
// place. A symbolic link is replaced, not followed; what is no regular file (a pipe, /dev/stdout)
// is written to as it is. A recording is never overwritten.
Result<void> write_file(const std::string& path, std::string_view bytes);

}  // namespace aotscope::cli
