// Files that a key writes, into the current folder, never over another.
#pragma once

#include <string>

#include <aotscope/result.hpp>
#include <aotscope/tui.hpp>

namespace aotscope::tui {

// A recording of the session so far. What was written, in words.
Result<std::string> write_recording(session::Session& session);
// The screen as text, its list in full.
Result<std::string> export_view(const Snapshot& snapshot, Size size, const Caps& caps);

}  // namespace aotscope::tui
