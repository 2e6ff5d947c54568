// One event on each thread of a process, none twice and none left out.
#include <dirent.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "kernel/impl.hpp"
#include "kernel/perf.hpp"

namespace aotscope::kernel {
namespace {

std::set<pid_t> threads_of(pid_t pid) {
  std::set<pid_t> tids;
  DIR* dir = ::opendir(fmt::format("/proc/{}/task", pid).c_str());
  if (!dir) return tids;
  while (const dirent* entry = ::readdir(dir)) {
    pid_t tid = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, tid).ptr == end && tid > 0) tids.insert(tid);
  }
  ::closedir(dir);
  return tids;
}

void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

Error event_error(int error, pid_t pid, const Event& event) {
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV) {
    return Error{
        fmt::format("this machine does not count {}: {}", event.name, std::strerror(error)),
        "use -e cpu-clock"};
  }
  if (error == ESRCH) return Error{fmt::format("pid {}: no such process", pid), {}};
  if (error == EMFILE) {
    return Error{fmt::format("pid {} has more threads than this process may open files", pid),
                 "raise the limit: ulimit -n unlimited"};
  }
  return load_error(error, fmt::format("put a {} event on pid {}", event.name, pid));
}

}  // namespace

// A thread that appears while events are opened has either inherited one (its maker had one
// already) or not, and nothing tells which. So a round counts only when the list of threads is
// the same before and after it; otherwise its events are dropped, still disabled, and the next
// round begins. Programs that make threads all the time never settle: the last round is kept,
// with a thread made during it perhaps missing (threads made later inherit).
Result<std::vector<util::UniqueFd>> open_thread_events(pid_t pid, const Event& event,
                                                       std::uint64_t frequency, int program) {
  raise_file_limit();
  perf_event_attr attr = sampling_attr(event, frequency);
  attr.inherit = 1;
  attr.inherit_thread = 1;  // threads, not child processes (Linux 5.13)
  constexpr int max_rounds = 20;
  std::vector<util::UniqueFd> events;
  for (int round = 0; round < max_rounds; ++round) {
    events.clear();
    const auto before = threads_of(pid);
    if (before.empty()) return tl::unexpected(event_error(ESRCH, pid, event));
    int last_error = ESRCH;
    for (const pid_t tid : before) {
      util::UniqueFd fd(perf_event_open(attr, tid, -1));
      if (!fd) {
        last_error = errno;
        if (last_error == ESRCH) continue;  // ended in between
        return tl::unexpected(event_error(last_error, pid, event));
      }
      if (::ioctl(fd.get(), PERF_EVENT_IOC_SET_BPF, program) != 0) {
        return tl::unexpected(load_error(errno, "attach the sampling program"));
      }
      events.push_back(std::move(fd));
    }
    if (events.empty()) return tl::unexpected(event_error(last_error, pid, event));
    // A thread is made a little before it is listed.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    auto after = threads_of(pid);
    std::erase_if(after, [&](pid_t tid) { return before.contains(tid); });
    if (after.empty()) break;
  }
  return events;
}

Result<void> Sampler::sample_child(pid_t pid) {
  raise_file_limit();
  perf_event_attr attr = sampling_attr(options_.event, frequency_);
  attr.inherit = 1;
  attr.enable_on_exec = 1;
  util::UniqueFd fd(perf_event_open(attr, pid, -1));
  if (!fd) return tl::unexpected(event_error(errno, pid, options_.event));
  if (::ioctl(fd.get(), PERF_EVENT_IOC_SET_BPF, sample_program()) != 0) {
    return tl::unexpected(load_error(errno, "attach the sampling program"));
  }
  impl_->events[pid].push_back(std::move(fd));
  return {};
}

Result<void> Sampler::sample_threads(pid_t pid) {
  auto events = open_thread_events(pid, options_.event, frequency_, sample_program());
  if (!events) return tl::unexpected(events.error());
  for (const util::UniqueFd& event : *events) ::ioctl(event.get(), PERF_EVENT_IOC_ENABLE, 0);
  impl_->events[pid] = std::move(*events);
  return {};
}

}  // namespace aotscope::kernel
