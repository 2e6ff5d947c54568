// perf_event_open(2), which the C library does not wrap.
#pragma once

#include <linux/perf_event.h>

#include <aotscope/kernel.hpp>

namespace aotscope::kernel {

// The descriptor, or -1 with errno. `cpu` -1: wherever the thread runs.
int perf_event_open(const perf_event_attr& attr, pid_t pid, int cpu);

// A disabled sampling event of `frequency` Hz.
perf_event_attr sampling_attr(const Event& event, std::uint64_t frequency);

}  // namespace aotscope::kernel
