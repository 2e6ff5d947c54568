// Opens, configures, loads and attaches the BPF programs, each step checked.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "aotscope.skel.h"
#include "kernel/impl.hpp"
#include "kernel/perf.hpp"
#include "util/files.hpp"

namespace aotscope::kernel {
namespace {

constexpr const char* btf_path = "/sys/kernel/btf/vmlinux";
// The tool's pid namespace is the machine's when it has this inode (PROC_PID_INIT_INO).
constexpr std::uint64_t initial_pid_namespace = 0xEFFFFFFC;

std::string last_libbpf_warning;

int remember_warning(libbpf_print_level level, const char* format, va_list arguments) {
  if (level != LIBBPF_WARN) return 0;
  char line[512];
  std::vsnprintf(line, sizeof line, format, arguments);
  last_libbpf_warning = line;
  while (!last_libbpf_warning.empty() && last_libbpf_warning.back() == '\n') {
    last_libbpf_warning.pop_back();
  }
  return 0;
}

Result<void> check_btf() {
  util::UniqueFd fd(::open(btf_path, O_RDONLY | O_CLOEXEC));
  std::uint16_t magic = 0;
  if (fd && ::read(fd.get(), &magic, sizeof magic) == sizeof magic && magic == 0xeB9F) return {};
  return fail(fmt::format("the kernel's type information, {}, is {}", btf_path,
                          fd ? "empty or damaged" : "missing"),
              "a kernel built with CONFIG_DEBUG_INFO_BTF has it (Linux 5.8 and later)");
}

Result<std::uint64_t> tracepoint_id(int tracefs, const char* name) {
  const std::string path = fmt::format("events/syscalls/{}/id", name);
  const auto text = util::read_small_file(tracefs, path.c_str());
  std::uint64_t id = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), id).ec != std::errc{}) {
    return fail(fmt::format("the kernel has no tracepoint syscalls:{}", name),
                "a kernel built with CONFIG_FTRACE_SYSCALLS has it");
  }
  return id;
}

}  // namespace

void SkeletonDeleter::operator()(aotscope_bpf* skeleton) const { aotscope_bpf__destroy(skeleton); }

Error load_error(int error, const std::string& what) {
  if (error == EPERM || error == EACCES) {
    auto missing = missing_capabilities();
    std::erase(missing, "CAP_SYS_PTRACE");
    if (!missing.empty()) {
      return Error{
          fmt::format("cannot {}: {} {} missing", what, fmt::join(missing, " and "),
                      missing.size() == 1 ? "is" : "are"),
          "run as root, or: setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep $(which aotscope)"};
    }
  }
  std::string why = std::strerror(error);
  if (!last_libbpf_warning.empty()) why += " (" + last_libbpf_warning + ")";
  return Error{fmt::format("cannot {}: {}", what, why), "run `aotscope doctor`"};
}

Result<void> Sampler::Impl::load(const Options& options) {
  libbpf_set_print(remember_warning);
  last_libbpf_warning.clear();
  if (auto missing = missing_capabilities();
      !missing.empty() && missing.front() != "CAP_SYS_PTRACE") {
    return tl::unexpected(load_error(EPERM, "load BPF programs"));
  }
  if (auto btf = check_btf(); !btf) return btf;
  skeleton.reset(aotscope_bpf__open());
  if (!skeleton) return tl::unexpected(load_error(errno, "open BPF programs"));

  skeleton->rodata->cfg_stacks = options.stacks ? 1 : 0;
  skeleton->rodata->cfg_max_frames = options.max_frames;
  skeleton->rodata->cfg_per_thread = options.per_thread ? 1 : 0;
  skeleton->rodata->cfg_follow = options.follow ? 1 : 0;
  struct stat ns {};
  if (::stat("/proc/self/ns/pid", &ns) == 0 && ns.st_ino != initial_pid_namespace) {
    skeleton->rodata->cfg_pidns = static_cast<std::uint32_t>(ns.st_ino);
  }
  std::uint32_t slots = 1;
  while (slots * 2 <= std::min<std::uint32_t>(options.map_entries, AOT_MAX_SLOTS)) slots *= 2;
  const auto cpus = static_cast<std::uint32_t>(std::max(1, libbpf_num_possible_cpus()));
  skeleton->rodata->cfg_slots = slots;
  skeleton->rodata->cfg_cpus = cpus;
  slot_count = options.stacks ? 0 : std::size_t{2} * cpus * slots;
  bpf_map__set_max_entries(skeleton->maps.slots,
                           static_cast<std::uint32_t>(std::max<std::size_t>(1, slot_count)));
  const std::uint32_t entries = options.stacks ? 1 : options.map_entries;
  const auto page = static_cast<std::uint32_t>(::sysconf(_SC_PAGESIZE));
  bpf_map__set_max_entries(skeleton->maps.counters_a, entries);
  bpf_map__set_max_entries(skeleton->maps.counters_b, entries);
  bpf_map__set_max_entries(skeleton->maps.samples, options.stacks ? options.buffer_bytes : page);
  // Raising RLIMIT_MEMLOCK is libbpf's business and may fail: since Linux 5.11 maps are charged
  // to the memory cgroup instead.
  if (const int error = aotscope_bpf__load(skeleton.get())) {
    return tl::unexpected(load_error(-error, "load BPF programs"));
  }
  return map_slots();
}

Result<void> Sampler::Impl::map_slots() {
  if (slot_count == 0) return {};
  void* mapped = ::mmap(nullptr, slot_count * sizeof(aot_slot), PROT_READ | PROT_WRITE, MAP_SHARED,
                        bpf_map__fd(skeleton->maps.slots), 0);
  if (mapped == MAP_FAILED) return tl::unexpected(load_error(errno, "map the sample counters"));
  slots = static_cast<aot_slot*>(mapped);
  return {};
}

Sampler::Impl::~Impl() {
  if (slots) ::munmap(slots, slot_count * sizeof(aot_slot));
}

Result<void> Sampler::Impl::attach_tracepoints() {
  const auto tracefs = open_tracefs();
  if (!tracefs) return tl::unexpected(tracefs.error());
  const util::UniqueFd root(*tracefs);
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton->obj) {
    const std::string_view section = bpf_program__section_name(program);
    if (section.starts_with("tp_btf/")) {
      bpf_link* link = bpf_program__attach_trace(program);
      if (!link) return tl::unexpected(load_error(errno, fmt::format("attach {}", section)));
      links.emplace_back(link);
      continue;
    }
    constexpr std::string_view prefix = "tracepoint/syscalls/";
    if (!section.starts_with(prefix)) continue;
    const auto id = tracepoint_id(root.get(), section.data() + prefix.size());
    if (!id) return tl::unexpected(id.error());
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.config = *id;
    // The program runs for every task that passes the tracepoint, whatever task or CPU its event
    // is bound to; this thread is one that always exists.
    util::UniqueFd event(perf_event_open(attr, 0, -1));
    if (!event || ::ioctl(event.get(), PERF_EVENT_IOC_SET_BPF, bpf_program__fd(program)) != 0 ||
        ::ioctl(event.get(), PERF_EVENT_IOC_ENABLE, 0) != 0) {
      return tl::unexpected(load_error(errno, fmt::format("attach {}", section)));
    }
    tracepoints.push_back(std::move(event));
  }
  return {};
}

}  // namespace aotscope::kernel
