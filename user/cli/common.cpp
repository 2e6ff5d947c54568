// What the commands share: messages, signals, sampling flags.
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "cli/commands.hpp"

namespace aotscope::cli {
namespace {

bool quiet_mode = false;

// Messages name files and commands from outside.
std::string safe_line(const std::string& line) { return view::safe_text(line, 2000); }

Result<session::ForcedBase> parse_base(std::string_view text) {
  session::ForcedBase base;
  const std::string_view address = text.substr(0, text.find('='));
  const char* begin = address.data();
  const char* end = begin + address.size();
  if (address.starts_with("0x") || address.starts_with("0X")) begin += 2;
  bool ok = begin < end && std::from_chars(begin, end, base.address, 16).ptr == end;
  if (ok && address.size() < text.size()) {
    const std::string_view core = text.substr(address.size() + 1);
    const auto parsed = std::from_chars(core.data(), core.data() + core.size(), base.core);
    ok = parsed.ec == std::errc{} && parsed.ptr == core.data() + core.size();
  }
  if (!ok || base.address % 4096 != 0) {
    return fail(fmt::format("--base {}: not a page-aligned address", text),
                "write --base 0xADDRESS or --base 0xADDRESS=CORE");
  }
  return base;
}

}  // namespace

int print_error(const Error& error) {
  std::fflush(stdout);
  fmt::print(stderr, "aotscope: error: {}\n", safe_line(error.message));
  if (!error.hint.empty()) fmt::print(stderr, "hint: {}\n", safe_line(error.hint));
  return 1;
}

void print_status(const std::string& line) {
  if (!quiet_mode) fmt::print(stderr, "aotscope: {}\n", safe_line(line));
}

void add_sampling_flags(CLI::App& command, SamplingFlags& flags) {
  command.add_option("-p,--pid", flags.pids, "processes to sample, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false);  // what follows it is an image
  command.add_option("images", flags.images,
                     "what they run: a .cwasm, its manifest, or the component .wasm beside one; "
                     "found from the command line when left out");
  command.add_option("-F,--freq", flags.frequency, "samples per second of CPU time")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{10'000'000}))
      ->capture_default_str();
  command.add_option("-e,--event", flags.event,
                     "what the timer counts: cycles where there is a PMU, else cpu-clock");
  command
      .add_option("--base", flags.bases,
                  "0xADDRESS[=CORE]: this core's text is there, whatever its bytes say")
      ->allow_extra_args(false);
  command.add_option("-d,--duration", flags.duration, "end after so long: 90, 1.5s, 10m, 2h")
      ->check(is_duration());
  command.add_flag("--no-stacks", flags.no_stacks,
                   "count addresses only: the cheapest way, without callers and totals");
  command.add_flag("--per-thread", flags.per_thread,
                   "with --no-stacks: count each thread apart (with stacks that is so anyway)");
  command.add_flag("--no-repair", flags.no_repair,
                   "leave stacks as the frame pointers tell them, for comparison");
  command.add_flag("--host-frames", flags.host_frames,
                   "keep every host frame of a stripped runtime instead of one [host]");
  command.add_option("--max-frames", flags.max_frames, "deepest stack that is kept whole")
      ->check(CLI::Range(1, AOT_MAX_FRAMES))
      ->capture_default_str();
  command
      .add_option("--map-entries", flags.map_entries,
                  "with --no-stacks: distinct addresses between two drains")
      ->check(CLI::Range(16, 1 << 24))
      ->capture_default_str();
  command
      .add_option("--buffer", flags.buffer_bytes,
                  "bytes of the ring that holds stacks between two drains; a power of two")
      ->check(CLI::Range(4096, 1 << 30))
      ->capture_default_str();
  command.add_flag("-q,--quiet", flags.quiet, "only errors and results");
  command.add_flag("-v,--verbose", flags.verbose, "record: say which texts were found where");
}

Result<double> parse_duration(std::string_view text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(parsed.ptr,
                              static_cast<std::size_t>(text.data() + text.size() - parsed.ptr));
  double scale = 0;
  if (unit.empty() || unit == "s") scale = 1;
  if (unit == "ms") scale = 1e-3;
  if (unit == "m") scale = 60;
  if (unit == "h") scale = 3600;
  if (unit == "d") scale = 86400;
  value *= scale;
  if (parsed.ec != std::errc{} || scale == 0 || !std::isfinite(value) || value <= 0 ||
      value > 1e9) {
    return fail(fmt::format("{}: not a duration", text), "write 90, 1.5s, 10m or 2h");
  }
  return value;
}

CLI::Validator is_duration() {
  return {[](const std::string& text) {
            const auto value = parse_duration(text);
            return value ? std::string()
                         : fmt::format("{} ({})", value.error().message, value.error().hint);
          },
          "", "duration"};
}

Result<std::chrono::steady_clock::time_point> deadline(const SamplingFlags& flags) {
  using namespace std::chrono;
  if (flags.duration.empty()) return steady_clock::now() + hours(24 * 365 * 10);
  const auto length = parse_duration(flags.duration);
  if (!length) return tl::unexpected(length.error());
  return steady_clock::now() + duration_cast<steady_clock::duration>(duration<double>(*length));
}

Result<std::unique_ptr<session::Session>> open_session(
    const SamplingFlags& flags, bool follow, std::function<void(const std::string&)> notice,
    std::optional<profile::Profile> earlier) {
  quiet_mode = flags.quiet;
  session::Options options;
  if (flags.event.empty()) {
    options.sampler.event = kernel::default_event();
  } else {
    auto event = kernel::parse_event(flags.event);
    if (!event) return tl::unexpected(event.error());
    options.sampler.event = std::move(*event);
  }
  if ((flags.buffer_bytes & (flags.buffer_bytes - 1)) != 0) {
    return fail(fmt::format("--buffer {}: not a power of two", flags.buffer_bytes));
  }
  options.sampler.frequency = flags.frequency;
  options.sampler.stacks = !flags.no_stacks;
  options.sampler.per_thread = flags.per_thread;
  options.sampler.max_frames = flags.max_frames;
  options.sampler.map_entries = flags.map_entries;
  options.sampler.buffer_bytes = static_cast<std::uint32_t>(flags.buffer_bytes);
  options.sampler.follow = follow;
  options.repair_stacks = !flags.no_repair;
  options.host_frames = flags.host_frames;
  options.earlier = std::move(earlier);
  options.images.assign(flags.images.begin(), flags.images.end());
  for (const std::string& text : flags.bases) {
    auto base = parse_base(text);
    if (!base) return tl::unexpected(base.error());
    options.bases.push_back(*base);
  }
  options.notice = notice ? std::move(notice) : [](const std::string& line) { print_status(line); };
  return session::Session::create(std::move(options));
}

Result<std::vector<pid_t>> choose_pids(const SamplingFlags& flags) {
  if (!flags.pids.empty()) return flags.pids;
  const auto found = process::find_aot_processes();
  if (found.empty()) {
    return fail("no process runs AOT code here",
                "start one, or name a process with -p; `aotscope record -- COMMAND` starts it "
                "under sampling");
  }
  if (found.size() > 1) {
    std::string list;
    for (const process::Identity& identity : found) {
      list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", identity.pid, identity.command());
    }
    return fail(fmt::format("{} processes run AOT code: {}", found.size(), list),
                fmt::format("choose with -p, for example -p {}", found.front().pid));
  }
  return std::vector<pid_t>{found.front().pid};
}

SignalFd::SignalFd() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals, signal);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  fd_ = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

SignalFd::~SignalFd() {
  if (fd_ >= 0) ::close(fd_);
}

int SignalFd::take() {
  signalfd_siginfo info{};
  if (::read(fd_, &info, sizeof info) != sizeof info) return 0;
  return static_cast<int>(info.ssi_signo);
}

}  // namespace aotscope::cli
