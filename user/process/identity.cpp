// Who a pid is, from /proc.
#include <dirent.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include <aotscope/process.hpp>

#include "util/files.hpp"

namespace aotscope::process {
namespace {

// The state letter and the fields after the command of /proc/PID/stat. The command may hold
// anything, so look for the last parenthesis.
std::string_view after_command(std::string_view stat) {
  const std::size_t close = stat.rfind(')');
  return close == std::string_view::npos || close + 2 > stat.size() ? std::string_view{}
                                                                    : stat.substr(close + 2);
}

}  // namespace

std::string Identity::command() const {
  if (arguments.empty()) return "[" + comm + "]";
  std::string text;
  for (const std::string& argument : arguments) {
    if (!text.empty()) text += ' ';
    text += argument;
  }
  return text;
}

std::vector<pid_t> threads(pid_t pid) {
  std::vector<pid_t> tids;
  DIR* dir = ::opendir(fmt::format("/proc/{}/task", pid).c_str());
  if (!dir) return tids;
  while (const dirent* entry = ::readdir(dir)) {
    pid_t tid = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, tid).ptr == end && tid > 0) tids.push_back(tid);
  }
  ::closedir(dir);
  std::sort(tids.begin(), tids.end());
  return tids;
}

std::string thread_name(pid_t pid, pid_t tid) {
  auto name = util::read_small_file(fmt::format("/proc/{}/task/{}/comm", pid, tid), 64);
  if (!name) return {};
  while (!name->empty() && name->back() == '\n') name->pop_back();
  return *name;
}

pid_t living_thread(pid_t pid) {
  for (const pid_t tid : threads(pid)) {
    const auto stat = util::read_small_file(fmt::format("/proc/{}/task/{}/stat", pid, tid), 4096);
    if (!stat) continue;
    const std::string_view fields = after_command(*stat);
    if (!fields.empty() && fields.front() != 'Z' && fields.front() != 'X') return tid;
  }
  return 0;
}

bool alive(pid_t pid) { return living_thread(pid) != 0; }

std::string proc_path(pid_t pid, std::string_view entry) {
  const pid_t tid = living_thread(pid);
  if (tid == 0 || tid == pid) return fmt::format("/proc/{}/{}", pid, entry);
  return fmt::format("/proc/{}/task/{}/{}", pid, tid, entry);
}

std::optional<double> cpu_seconds(pid_t pid) {
  // The process's CPU clock counts nanoseconds, ended threads included; /proc/PID/stat ticks.
  clockid_t clock = 0;
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) == 0 && ::clock_gettime(clock, &time) == 0) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  return std::nullopt;
}

Result<Identity> identify(pid_t pid) {
  const std::string proc = fmt::format("/proc/{}", pid);
  const auto status = util::read_small_file(proc + "/status", 65536);
  if (pid <= 0 || !status) {
    return fail(fmt::format("pid {}: no such process", pid),
                "`aotscope ps` lists the running AOT processes; a number from inside a "
                "container means another process here");
  }
  // A thread's number opens /proc/TID too; the process is its thread group.
  pid_t tgid = pid;
  if (const std::size_t at = status->find("\nTgid:\t"); at != std::string::npos) {
    std::from_chars(status->data() + at + 7, status->data() + status->size(), tgid);
  }
  if (tgid != pid) {
    return fail(fmt::format("pid {} is a thread of process {}", pid, tgid),
                fmt::format("use -p {}", tgid));
  }
  Identity identity;
  identity.pid = pid;
  if (auto comm = util::read_small_file(proc + "/comm", 64)) {
    while (!comm->empty() && comm->back() == '\n') comm->pop_back();
    identity.comm = *comm;
  }
  if (const auto cmdline = util::read_small_file(proc_path(pid, "cmdline"), 256 << 10)) {
    std::string_view rest(*cmdline);
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\0'), rest.size());
      identity.arguments.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  char exe[PATH_MAX];
  const ssize_t length = ::readlink(proc_path(pid, "exe").c_str(), exe, sizeof exe);
  if (length > 0) identity.exe.assign(exe, static_cast<std::size_t>(length));
  return identity;
}

}  // namespace aotscope::process
