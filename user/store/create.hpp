// Puts an empty recording at a path, or leaves what is there untouched.
#pragma once

#include <filesystem>
#include <string>

#include <aotscope/result.hpp>

namespace aotscope::store {

// Returns the file's path with links resolved. The schema is written to a new file beside it
// first, which then takes the name in one step: whatever fails, an older recording is still
// there. With `force` it replaces a recording or an empty file, and nothing else: `-o` followed by
// the wrong name must not cost anyone a file that is no recording.
Result<std::string> create_file(const std::filesystem::path& path, bool force);

// Left by a recording that was killed and then deleted by hand, a -wal would be replayed into the
// next file of its name: SQLite tells by the name alone what belongs together.
void remove_sidecars(const std::string& path);

}  // namespace aotscope::store
