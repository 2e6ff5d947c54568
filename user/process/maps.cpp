// /proc/PID/maps, executable lines only.
#include <fcntl.h>
#include <unistd.h>

#include <charconv>

#include <fmt/format.h>

#include <aotscope/process.hpp>

#include "util/fd.hpp"

namespace aotscope::process {
namespace {

// "7f12-7f13 r-xp 00001000 08:01 1234    /path with spaces": fields by single spaces, the path
// after padding. False for a line of another shape.
bool parse_line(std::string_view line, Mapping& mapping, bool& executable) {
  const char* at = line.data();
  const char* end = at + line.size();
  auto number = std::from_chars(at, end, mapping.start, 16);
  if (number.ec != std::errc{} || number.ptr == end || *number.ptr != '-') return false;
  number = std::from_chars(number.ptr + 1, end, mapping.end, 16);
  if (number.ec != std::errc{} || end - number.ptr < 6 || *number.ptr != ' ') return false;
  const char* modes = number.ptr + 1;
  executable = modes[2] == 'x';
  mapping.writable = modes[1] == 'w';
  number = std::from_chars(modes + 5, end, mapping.file_offset, 16);
  if (number.ec != std::errc{}) return false;
  // Device and inode, then the path.
  std::string_view rest(number.ptr, static_cast<std::size_t>(end - number.ptr));
  for (int field = 0; field < 2; ++field) {
    const std::size_t begin = rest.find_first_not_of(' ');
    if (begin == std::string_view::npos) return false;
    rest.remove_prefix(begin);
    const std::size_t stop = rest.find(' ');
    rest.remove_prefix(stop == std::string_view::npos ? rest.size() : stop);
  }
  const std::size_t path = rest.find_first_not_of(' ');
  mapping.path = path == std::string_view::npos ? std::string() : std::string(rest.substr(path));
  return mapping.start < mapping.end;
}

void parse_lines(std::string_view& text, std::vector<Mapping>& out) {
  for (std::size_t eol; (eol = text.find('\n')) != std::string_view::npos;
       text.remove_prefix(eol + 1)) {
    Mapping mapping;
    bool executable = false;
    if (parse_line(text.substr(0, eol), mapping, executable) && executable) {
      out.push_back(std::move(mapping));
    }
  }
}

// Streams, so that 50,000 mappings cost no memory. Nullopt when it cannot be read.
std::optional<std::vector<Mapping>> read_maps(const std::string& path) {
  const util::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  std::vector<Mapping> out;
  std::string buffer;
  char chunk[65536];
  for (;;) {
    const ssize_t got = ::read(fd.get(), chunk, sizeof chunk);
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    buffer.append(chunk, static_cast<std::size_t>(got));
    std::string_view text(buffer);
    parse_lines(text, out);
    buffer.erase(0, buffer.size() - text.size());
  }
  return out;
}

}  // namespace

std::vector<Mapping> parse_executable_mappings(std::string_view maps) {
  std::vector<Mapping> out;
  parse_lines(maps, out);
  return out;
}

bool may_read(pid_t pid) {
  return static_cast<bool>(
      util::UniqueFd(::open(proc_path(pid, "maps").c_str(), O_RDONLY | O_CLOEXEC)));
}

Result<std::vector<Mapping>> executable_mappings(pid_t pid) {
  auto mappings = read_maps(fmt::format("/proc/{}/maps", pid));
  if (mappings && !mappings->empty()) return *mappings;
  for (const pid_t tid : threads(pid)) {
    auto of_thread = read_maps(fmt::format("/proc/{}/task/{}/maps", pid, tid));
    if (of_thread && !of_thread->empty()) return *of_thread;
  }
  if (mappings) return *mappings;
  return fail(fmt::format("pid {}: its memory map cannot be read", pid),
              "it ended, or belongs to someone else: run as its user or as root");
}

}  // namespace aotscope::process
