// Which image a process runs, from its command line, and which processes run any.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include <aotscope/process.hpp>

#include "util/fd.hpp"

namespace aotscope::process {
namespace {

constexpr std::string_view manifest_option = "--precompiled-manifest";

// How to reach a path that the process named: relative to its cwd, or in its root.
std::string through_proc(pid_t pid, std::string_view path) {
  return proc_path(
      pid, path.starts_with('/') ? fmt::format("root{}", path) : fmt::format("cwd/{}", path));
}

bool regular_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// `\0aot`, or `\0asm`: which a runtime can be told to run.
bool looks_like_image(const std::string& path) {
  const util::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::array<char, 4> magic{};
  if (!fd || ::read(fd.get(), magic.data(), magic.size()) != 4) return false;
  const std::string_view head(magic.data(), magic.size());
  return head == std::string_view("\0aot", 4) || head == std::string_view("\0asm", 4);
}

// The argument that names the image, "" for none. Arguments behind it are the program's own.
std::string image_argument(const Identity& identity) {
  const auto& arguments = identity.arguments;
  std::string first;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == manifest_option && i + 1 < arguments.size()) return arguments[i + 1];
    if (argument.starts_with(manifest_option) && argument.size() > manifest_option.size() &&
        argument[manifest_option.size()] == '=') {
      return std::string(argument.substr(manifest_option.size() + 1));
    }
    if (!first.empty() || argument.empty() || argument.starts_with('-')) continue;
    const std::string path = through_proc(identity.pid, argument);
    const bool manifest = argument.ends_with(".cwasm.json");
    if (regular_file(path) && (manifest || looks_like_image(path))) first = argument;
  }
  return first;
}

// What the command line names as an image, but is not there any more; "" when nothing is.
std::string missing_argument(const Identity& identity) {
  constexpr std::string_view endings[] = {".cwasm", ".cwasm.json", ".wasm", ".aot"};
  for (std::size_t i = 1; i < identity.arguments.size(); ++i) {
    const std::string& argument = identity.arguments[i];
    const bool named = std::any_of(std::begin(endings), std::end(endings), [&](auto ending) {
      return argument.size() > ending.size() && argument.ends_with(ending);
    });
    if (!named || argument.starts_with('-')) continue;
    if (!regular_file(through_proc(identity.pid, argument))) return argument;
  }
  return {};
}

std::string_view exe_name(const Identity& identity) {
  const std::string_view exe = identity.exe;
  return exe.substr(exe.rfind('/') + 1);
}

// Compiles what its command line names, and starts the runtime as a child.
bool is_compiler(const Identity& identity) { return exe_name(identity).starts_with("wamrc"); }

bool is_wamr(const Identity& identity) {
  return exe_name(identity).starts_with("wamr") && !is_compiler(identity);
}

}  // namespace

Result<std::optional<FoundImage>> find_image(const Identity& identity) {
  if (is_compiler(identity)) return std::nullopt;
  const std::string argument = image_argument(identity);
  if (argument.empty()) {
    const std::string missing = missing_argument(identity);
    if (missing.empty()) return std::nullopt;
    return fail(fmt::format("{} on its command line is not there", missing));
  }
  auto program = image::open_program(through_proc(identity.pid, argument));
  if (!program) return tl::unexpected(program.error());
  return FoundImage{argument, std::move(*program)};
}

std::vector<Identity> find_aot_processes() {
  std::vector<Identity> found;
  DIR* proc = ::opendir("/proc");
  if (!proc) return found;
  while (const dirent* entry = ::readdir(proc)) {
    pid_t pid = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, pid).ptr != end || pid == ::getpid()) continue;
    auto identity = identify(pid);
    if (!identity || identity->arguments.empty()) continue;
    if (is_wamr(*identity)) {
      found.push_back(std::move(*identity));
      continue;
    }
    // Another runtime, or a loader of AOT files: it names one and has code of its own making.
    if (image_argument(*identity).empty()) continue;
    const auto mappings = executable_mappings(pid);
    if (mappings && std::any_of(mappings->begin(), mappings->end(),
                                [](const Mapping& m) { return m.anonymous(); })) {
      found.push_back(std::move(*identity));
    }
  }
  ::closedir(proc);
  std::sort(found.begin(), found.end(),
            [](const Identity& a, const Identity& b) { return a.pid < b.pid; });
  return found;
}

// The executable holds "wamr 3.0.0-dev.14" among its strings; it is read, never run.
std::string runtime_name(const Identity& identity) {
  const std::string_view exe = identity.exe;
  const std::string name(exe.empty() ? std::string_view(identity.comm)
                                     : exe.substr(exe.rfind('/') + 1));
  if (!is_wamr(identity)) return name;
  const util::UniqueFd fd(::open(proc_path(identity.pid, "exe").c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return name;
  constexpr std::string_view marker = "wamr ";
  std::string chunk;
  constexpr std::size_t step = 1 << 18, overlap = 64, most = 8 << 20;
  for (off_t at = 0; at < static_cast<off_t>(most); at += static_cast<off_t>(step)) {
    chunk.resize(step + overlap);
    const ssize_t got = ::pread(fd.get(), chunk.data(), chunk.size(), at);
    if (got <= 0) break;
    chunk.resize(static_cast<std::size_t>(got));
    for (std::size_t hit = chunk.find(marker); hit != std::string::npos;
         hit = chunk.find(marker, hit + 1)) {
      const std::size_t begin = hit + marker.size();
      const std::size_t stop =
          chunk.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz.-+", begin);
      if (begin >= chunk.size() || chunk[begin] < '0' || chunk[begin] > '9') continue;
      if (stop == std::string::npos || stop - begin > 40) continue;
      const std::string version = chunk.substr(begin, stop - begin);
      if (std::count(version.begin(), version.end(), '.') >= 2) return "wamr " + version;
    }
  }
  return name;
}

}  // namespace aotscope::process
