// aotscope doctor: what this machine allows, and the fix for what it does not.
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <aotscope/kernel.hpp>

#include "cli/commands.hpp"
#include "util/fd.hpp"
#include "util/files.hpp"

namespace aotscope::cli {
namespace {

enum class Verdict { ok, note, missing };

void say(Verdict verdict, std::string_view what, const std::string& finding,
         const std::string& fix = {}) {
  const char* mark = verdict == Verdict::ok ? "ok" : verdict == Verdict::note ? "note" : "MISSING";
  fmt::print("{:8} {:16} {}\n", mark, what, finding);
  if (!fix.empty()) fmt::print("{:25} fix: {}\n", "", fix);
}

bool check_capabilities() {
  const auto missing = kernel::missing_capabilities();
  if (missing.empty()) {
    say(Verdict::ok, "capabilities", "BPF, perf events and other processes' memory are allowed");
    return true;
  }
  say(Verdict::missing, "capabilities", fmt::format("missing: {}", fmt::join(missing, ", ")),
      "run as root, or: setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep $(which aotscope)");
  return false;
}

void check_events() {
  const auto event = kernel::default_event();
  if (event.name == "cycles") {
    say(Verdict::ok, "events", "hardware cycles, used by default");
  } else {
    say(Verdict::note, "events",
        "no PMU for this process: cpu-clock is used (samples land where the CPU could not go on)");
  }
  const auto rate = kernel::max_sample_rate();
  say(rate >= 999 || rate == 0 ? Verdict::ok : Verdict::note, "sample rate",
      fmt::format("up to {} Hz (kernel.perf_event_max_sample_rate)", rate),
      rate >= 999 || rate == 0 ? "" : "sysctl kernel.perf_event_max_sample_rate=100000");
  const auto depth = util::read_small_file("/proc/sys/kernel/perf_event_max_stack", 64);
  if (depth) {
    say(Verdict::ok, "stack depth",
        fmt::format("up to {} frames (kernel.perf_event_max_stack)",
                    depth->substr(0, depth->find('\n'))));
  }
}

bool check_programs() {
  kernel::Options options;
  options.event = kernel::default_event();
  const auto sampler = kernel::Sampler::create(options);
  if (sampler) {
    say(Verdict::ok, "BPF programs", "load and attach");
    return true;
  }
  say(Verdict::missing, "BPF programs", sampler.error().message, sampler.error().hint);
  return false;
}

bool check_tracefs() {
  const auto tracefs = kernel::open_tracefs();
  if (!tracefs) {
    say(Verdict::missing, "tracefs", tracefs.error().message, tracefs.error().hint);
    return false;
  }
  const util::UniqueFd fd(*tracefs);
  const bool mounted = ::access("/sys/kernel/tracing/events", R_OK) == 0;
  say(Verdict::ok, "tracefs",
      mounted ? "mounted" : "not mounted; a private mount serves and is not left behind");
  return true;
}

}  // namespace

void add_doctor(CLI::App& app, int& exit_code) {
  CLI::App* sub = app.add_subcommand(
      "doctor", "say what this machine allows, and the fix for what it does not");
  sub->footer("Example:\n  aotscope doctor");
  sub->callback([&exit_code] {
    utsname uts{};
    ::uname(&uts);
    say(Verdict::ok, "kernel", fmt::format("{} {} {}", uts.sysname, uts.release, uts.machine));
    bool works = check_capabilities();
    const bool btf = ::access("/sys/kernel/btf/vmlinux", R_OK) == 0;
    say(btf ? Verdict::ok : Verdict::missing, "BTF",
        btf ? "the kernel describes its types" : "/sys/kernel/btf/vmlinux is missing",
        btf ? "" : "use a kernel built with CONFIG_DEBUG_INFO_BTF");
    works &= check_tracefs();
    check_events();
    rlimit memlock{};
    ::getrlimit(RLIMIT_MEMLOCK, &memlock);
    say(Verdict::ok, "locked memory",
        memlock.rlim_cur == RLIM_INFINITY
            ? "unlimited"
            : fmt::format("{} KiB; not needed since Linux 5.11", memlock.rlim_cur / 1024));
    works &= check_programs();
    fmt::print("{}\n", works ? "aotscope can record here."
                             : "aotscope cannot record here; inspect, report, annotate and diff "
                               "work without privileges.");
    exit_code = works ? 0 : 1;
  });
}

}  // namespace aotscope::cli
