// Results go to stdout, status to stderr; what a terminal can show decides how.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <aotscope/result.hpp>
#include <aotscope/store.hpp>

namespace aotscope::cli {

// A terminal that wants colour: not with NO_COLOR, TERM=dumb or TERM unset.
bool wants_color(std::FILE* stream);
// A terminal whose locale is not UTF-8. Files and pipes get UTF-8 whatever the locale, so that a
// report does not depend on where it was made.
bool needs_ascii(std::FILE* stream);

// Writes a result to stdout, in ASCII where the terminal needs it. Errors (a full disk, a closed
// descriptor) are reported, not swallowed.
Result<void> write_result(std::string_view text);

// `aotscope: warning: LINE` on stderr, each line made safe.
void print_warnings(const std::vector<std::string>& warnings);
// Says of a recording that was not ended why that may be.
void warn_unfinished(const std::string& path, const store::Recording& recording);

}  // namespace aotscope::cli
