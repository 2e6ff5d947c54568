#include "cli/output.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

#include <aotscope/view.hpp>

namespace aotscope::cli {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

// The first of the three that is set and not empty decides (POSIX, Internationalization
// Variables).
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string_view::npos ||
           value.find("utf8") != std::string_view::npos ||
           value.find("UTF8") != std::string_view::npos ||
           value.find("utf-8") != std::string_view::npos;
  }
  return false;
}

}  // namespace

bool wants_color(std::FILE* stream) {
  const std::string_view term = environment("TERM");
  return is_terminal(stream) && environment("NO_COLOR").empty() && !term.empty() && term != "dumb";
}

bool needs_ascii(std::FILE* stream) { return is_terminal(stream) && !locale_is_utf8(); }

Result<void> write_result(std::string_view text) {
  std::string converted;
  if (needs_ascii(stdout)) {
    converted = view::ascii_text(text);
    text = converted;
  }
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    return fail(fmt::format("standard output: {}", std::strerror(errno)));
  }
  return {};
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    fmt::print(stderr, "aotscope: warning: {}\n", view::safe_text(warning, 1024));
  }
}

void warn_unfinished(const std::string& path, const store::Recording& recording) {
  if (recording.complete) return;
  print_warnings({path + (recording.live ? ": it is being written right now; this is what is there "
                                           "so far"
                                         : ": its recorder was killed, or its disk was full; "
                                           "this is what was written until then")});
}

}  // namespace aotscope::cli
