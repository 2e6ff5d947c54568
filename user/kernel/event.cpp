// Event names, as perf spells them, and which of them this machine has.
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "kernel/perf.hpp"
#include "util/fd.hpp"
#include "util/files.hpp"

namespace aotscope::kernel {
namespace {

struct Known {
  std::string_view name;
  std::uint32_t type;
  std::uint64_t config;
};
constexpr Known known_events[] = {
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
};

}  // namespace

int perf_event_open(const perf_event_attr& attr, pid_t pid, int cpu) {
  return static_cast<int>(
      ::syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC));
}

perf_event_attr sampling_attr(const Event& event, std::uint64_t frequency) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = event.type;
  attr.config = event.config;
  attr.sample_freq = frequency;
  attr.freq = 1;
  attr.disabled = 1;
  attr.exclude_hv = 1;
  attr.precise_ip = event.precise & 3;
  return attr;
}

Result<Event> parse_event(std::string_view name) {
  const std::string_view base = name.substr(0, name.find(':'));
  const std::string_view modifiers =
      base.size() < name.size() ? name.substr(base.size() + 1) : std::string_view{};
  for (const Known& known : known_events) {
    if (known.name != base) continue;
    Event event{std::string(name), known.type, known.config, 0};
    for (const char c : modifiers) {
      if (c != 'p' || event.precise == 3) {
        return fail(fmt::format("event {}: unknown modifier '{}'", name, c),
                    "only p, pp and ppp may follow the colon");
      }
      ++event.precise;
    }
    return event;
  }
  std::string all;
  for (const Known& known : known_events) all += fmt::format(" {}", known.name);
  return fail(fmt::format("unknown event: {}", name), "known events:" + all);
}

Event default_event() {
  const Event cycles{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0};
  const util::UniqueFd probe(perf_event_open(sampling_attr(cycles, 1), 0, -1));
  if (probe) return cycles;
  return Event{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0};
}

std::uint64_t max_sample_rate() {
  const auto text = util::read_small_file("/proc/sys/kernel/perf_event_max_sample_rate");
  std::uint64_t rate = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), rate);
  return rate;
}

}  // namespace aotscope::kernel
