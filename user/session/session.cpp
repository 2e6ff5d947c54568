// The life of a session: targets come and go, events and samples are collected in their order.
#include <poll.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "session/impl.hpp"
#include "util/files.hpp"

namespace aotscope::session {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// How often the kernel side is drained. In stack mode the ring must not fill up; in lean mode a
// drain waits for a grace period, and counts wait in their map at no cost.
constexpr milliseconds stack_interval{200};
constexpr milliseconds lean_interval{500};
// A region event is handled at once, but a storm of them not more often than this.
constexpr milliseconds event_interval{5};
constexpr milliseconds longest_scan_pause{30'000};
constexpr milliseconds shortest_scan_pause{50};

// Generated code that stays writable: what the runtime makes for calls from core to core. One
// range around all of it; a text inside it is harmless, its code does not look like a trampoline.
aot_range trampolines(const process::AddressSpace& space) {
  aot_range range{};
  for (const process::Region* region : space.open_regions()) {
    if (!region->writable || !region->path.empty() || region->text >= 0) continue;
    range.start =
        range.end == 0 ? region->start : std::min<std::uint64_t>(range.start, region->start);
    range.end = std::max<std::uint64_t>(range.end, region->end);
  }
  return range;
}

double unix_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

std::uint64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

double Session::Impl::seconds(std::uint64_t time_ns) const {
  return earlier_s +
         (time_ns <= started_ns ? 0.0 : static_cast<double>(time_ns - started_ns) * 1e-9);
}

void Session::Impl::notice(const std::string& line) const {
  if (options.notice) options.notice(line);
}

// Said now, and again by every report of the recording.
void Session::Impl::warn(const std::string& line) {
  auto& warnings = profile.info.warnings;
  if (std::find(warnings.begin(), warnings.end(), line) != warnings.end()) return;
  constexpr std::size_t most = 100;
  if (warnings.size() < most) warnings.push_back(line);
  notice("warning: " + line);
}

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::create(Options options) {
  auto impl = std::make_unique<Impl>();
  impl->options = std::move(options);
  for (const auto& path : impl->options.images) {
    auto program = image::open_program(path);
    if (!program) return tl::unexpected(program.error());
    impl->given.emplace_back(path.string(), std::move(*program));
  }
  auto sampler = kernel::Sampler::create(impl->options.sampler);
  if (!sampler) return tl::unexpected(sampler.error());
  impl->sampler = std::move(*sampler);
  impl->started_ns = monotonic_ns();
  const bool goes_on = impl->options.earlier.has_value();
  if (goes_on) {
    impl->go_on_with(std::move(*impl->options.earlier));
    impl->options.earlier.reset();
  }

  profile::RunInfo& info = impl->profile.info;
  utsname uts{};
  if (::uname(&uts) == 0) {
    info.host_name = uts.nodename;
    info.kernel_release = uts.release;
  }
  info.tool_version = AOTSCOPE_VERSION;
  if (auto own = util::read_small_file("/proc/self/cmdline", 4096)) {
    while (!own->empty() && own->back() == '\0') own->pop_back();
    std::replace(own->begin(), own->end(), '\0', ' ');
    info.command_line = *own;
  }
  const kernel::Options& sampling = impl->sampler->options();
  info.event = sampling.event.name;
  info.precise = sampling.event.precise > 0;
  info.frequency_asked = sampling.frequency;
  info.frequency_hz = impl->sampler->frequency();
  info.stacks = sampling.stacks;
  const double now = unix_seconds();
  if (goes_on) {
    // A clock that was set back must not put this run before the end of the last one.
    impl->earlier_s = std::max(info.duration_s, now - info.started_unix_s);
  } else {
    info.started_unix_s = now;
  }
  info.parts.push_back({impl->earlier_s, 0, info.command_line});
  if (info.frequency_hz != info.frequency_asked) {
    impl->warn(fmt::format("asked for {} Hz, granted {} Hz (kernel.perf_event_max_sample_rate)",
                           info.frequency_asked, info.frequency_hz));
  }
  return std::unique_ptr<Session>(new Session(std::move(impl)));
}

Result<Target*> Session::Impl::add_target(pid_t pid) {
  auto identity = process::identify(pid);
  if (!identity) return tl::unexpected(identity.error());
  auto target = std::make_unique<Target>();
  target->identity = std::move(*identity);
  target->pidfd = util::UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  target->cpu_at_start = process::cpu_seconds(pid).value_or(0);
  target->earlier_cpu_s = take_past(*target);
  auto& slot = targets[static_cast<std::uint32_t>(pid)];
  slot = std::move(target);
  return slot.get();
}

// Subscribe, note what is mapped, sample; open images and match later (settle_targets): nothing
// falls in between.
Result<void> Session::attach(pid_t pid) {
  auto identity = process::identify(pid);  // its errors are clearer than the kernel's
  if (!identity) return tl::unexpected(identity.error());
  if (auto watched = impl_->sampler->watch(pid); !watched) return watched;
  const auto give_up = [&](Error error) {
    impl_->sampler->forget(pid);
    impl_->targets.erase(static_cast<std::uint32_t>(pid));
    return tl::unexpected(std::move(error));
  };
  auto added = impl_->add_target(pid);
  if (!added) return give_up(added.error());
  Target& target = **added;
  target.fresh = true;
  if (!process::may_read(pid)) {
    return give_up({fmt::format("pid {}: its memory map cannot be read", pid),
                    "it ended, or belongs to someone else: run as its user or as root"});
  }
  impl_->first_look(target);
  if (impl_->options.repair_stacks) {
    impl_->sampler->set_trampolines(pid, trampolines(target.space));
  }
  if (auto sampled = impl_->sampler->sample_threads(pid); !sampled) return give_up(sampled.error());
  target.cpu_at_start = process::cpu_seconds(pid).value_or(0);
  impl_->refresh_info();
  return {};
}

// Most likely the wrong process: no image on its command line, no code of its own making.
bool Session::Impl::runs_nothing(const Target& target) const {
  const auto regions = target.space.open_regions();
  return target.images.empty() && !target.exited &&
         std::none_of(regions.begin(), regions.end(),
                      [](const process::Region* region) { return region->path.empty(); });
}

void Session::Impl::look_at(Target& target) {
  target.fresh = false;
  find_target_image(target);
  target.runtime = process::runtime_name(target.identity);
  auto mappings = process::executable_mappings(target.identity.pid);
  if (mappings) target.space.scan(*mappings, sampler->epoch(), started_ns);
  if (runs_nothing(target)) {
    notice(fmt::format("pid {} ({}) runs no wasm code so far", target.identity.pid,
                       target.identity.command()));
  }
  // A call that was under way while the programs were attached is seen by a second look.
  target.wants_scan = true;
  target.next_scan = steady_clock::now() + milliseconds(20);
}

void Session::Impl::end_target(Target& target, std::uint64_t cpu_ns) {
  if (target.exited) return;
  target.exited = true;
  if (const auto cpu = process::cpu_seconds(target.identity.pid)) {
    target.cpu_seconds = *cpu - target.cpu_at_start;
  } else if (cpu_ns != 0) {  // its parent has waited for it already
    target.cpu_seconds = static_cast<double>(cpu_ns) * 1e-9 - target.cpu_at_start;
  }
  target.space.close_all(sampler->epoch() + 1, monotonic_ns());
  sampler->forget(target.identity.pid);
  target.pidfd.reset();
  if (target.identity.pid == command) reap_command();
}

void Session::Impl::apply(const aot_region_event& event) {
  last_epoch = std::max<std::uint32_t>(last_epoch, event.epoch);
  if (event.kind == AOT_REGION_FORK) {
    const auto parent = targets.find(event.other);
    auto child = add_target(static_cast<pid_t>(event.tgid));
    if (!child) {
      // It has ended already; its samples still need a home.
      auto gone = std::make_unique<Target>();
      gone->identity.pid = static_cast<pid_t>(event.tgid);
      gone->identity.comm = "?";
      auto& slot = targets[event.tgid];
      slot = std::move(gone);
      child = slot.get();
    }
    (*child)->cpu_at_start = 0;
    if (parent != targets.end()) {
      (*child)->space = parent->second->space.fork(event.epoch, event.time_ns);
      (*child)->images = parent->second->images;
      (*child)->runtime = parent->second->runtime;
    }
    return;
  }
  const auto found = targets.find(event.tgid);
  if (found == targets.end()) return;
  Target& target = *found->second;
  if (event.kind == AOT_REGION_EXEC_ON && event.has_fingerprint) {
    constexpr std::size_t most_fingerprints = 1024;
    if (target.fingerprints.size() >= most_fingerprints) {
      target.fingerprints.erase(target.fingerprints.begin());
    }
    target.fingerprints.emplace(event.epoch, event);
  }
  target.space.apply(event);
  // A file's code was mapped, or code moved: only the maps name the file.
  if (event.kind == AOT_REGION_EXEC_ON && event.file_backed) {
    target.wants_scan = true;
    target.next_scan = steady_clock::now();
  }
  if (event.kind == AOT_REGION_EXEC) {
    if (auto identity = process::identify(target.identity.pid)) {
      target.identity = std::move(*identity);
    }
    target.images.clear();
    target.said_mismatch = false;
    find_target_image(target);
    target.runtime = process::runtime_name(target.identity);
    scan(target, false);
  } else if (event.kind == AOT_REGION_UNSURE) {
    target.unsure = true;
  } else if (event.kind == AOT_REGION_EXIT) {
    end_target(target, event.start);
  }
}

void Session::Impl::apply_events() {
  std::stable_sort(batch.regions.begin(), batch.regions.end(),
                   [](const auto& a, const auto& b) { return a.epoch < b.epoch; });
  for (const aot_region_event& event : batch.regions) apply(event);
  batch.regions.clear();
  // Events that did not fit their ring: only the maps themselves tell now.
  const std::uint64_t missed = sampler->lost()[AOT_LOST_REGION];
  if (missed != regions_lost) {
    regions_lost = missed;
    last_epoch = std::max(last_epoch, sampler->epoch());
    for (auto& [tgid, target] : targets) target->unsure = true;
  }
  for (auto& [tgid, target] : targets) {
    if (target->unsure && !target->exited) scan(*target, true);
    target->unsure = false;
  }
}

// Second looks, matching, and what the kernel side should know of it.
void Session::Impl::settle_targets() {
  const auto now = steady_clock::now();
  for (auto& [tgid, target] : targets) {
    if (target->fresh) look_at(*target);
    if (target->wants_scan && !target->exited && now >= target->next_scan) {
      target->wants_scan = false;
      scan(*target, false);
      const auto cost = std::chrono::duration_cast<milliseconds>(steady_clock::now() - now);
      // A process with very many mappings is looked at rarely: at most 1 % of the time.
      target->scan_pause =
          std::min(longest_scan_pause, std::max(target->scan_pause * 2, cost * 100));
      // It paid off: code that came unseen, a library for example, may come again.
      if (target->space.changed()) target->scan_pause = shortest_scan_pause;
      target->next_scan = now + std::max(target->scan_pause, cost * 100);
    }
    if (target->space.changed()) {
      target->places.clear();
      resolve(*target);
      if (!target->exited) {
        sampler->set_known_ranges(target->identity.pid, target->space.known_ranges());
        if (options.repair_stacks) {
          sampler->set_trampolines(target->identity.pid, trampolines(target->space));
        }
      }
      target->space.clear_changed();
    } else {
      resolve(*target);
    }
  }
}

void Session::Impl::collect(bool with_samples) {
  batch.clear();
  const std::uint32_t epoch_before = sampler->epoch();
  if (with_samples) {
    sampler->drain(batch);
  } else {
    sampler->drain_regions(batch);
  }
  apply_events();
  settle_targets();
  if (!with_samples) return;

  // Those that waited come first; each gets a few rounds, then what is known decides.
  std::vector<DeferredSample> waiting = std::move(deferred);
  deferred.clear();
  for (DeferredSample& one : waiting) {
    --one.rounds_left;
    if (!attribute(one.sample, one.frames, one.rounds_left <= 0 || finished)) {
      deferred.push_back(std::move(one));
    }
  }
  constexpr std::size_t most_deferred = 65536;
  for (const kernel::RawSample& sample : batch.samples) {
    const auto frames = batch.frames_of(sample);
    const bool early = sample.epoch > last_epoch && sample.epoch > epoch_before;
    const bool last = finished || deferred.size() >= most_deferred;
    if (last || !early) {
      if (attribute(sample, frames, last)) continue;
    }
    DeferredSample one;
    one.sample = sample;
    one.sample.first_frame = 0;
    one.frames.assign(frames.begin(), frames.end());
    one.rounds_left = 3;
    deferred.push_back(std::move(one));
  }
  if (deferred.empty()) {
    for (auto& [tgid, target] : targets) target->space.forget_before(epoch_before);
  }
}

bool Session::run(steady_clock::time_point until, int wake_fd) {
  const milliseconds interval = impl_->sampler->options().stacks ? stack_interval : lean_interval;
  auto next_drain = steady_clock::now() + interval;
  for (;;) {
    std::vector<pollfd> fds{{wake_fd, POLLIN, 0}, {impl_->sampler->region_fd(), POLLIN, 0}};
    std::vector<Target*> owners;
    for (auto& [tgid, target] : impl_->targets) {
      if (target->exited || !target->pidfd) continue;
      fds.push_back({target->pidfd.get(), POLLIN, 0});
      owners.push_back(target.get());
    }
    const auto now = steady_clock::now();
    const auto next = std::min(until, next_drain);
    const auto wait = std::chrono::ceil<milliseconds>(next - now).count();
    const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(std::max<long>(0, wait)));
    if (ready < 0 && errno != EINTR) return false;
    const auto after = steady_clock::now();
    const bool region = ready > 0 && fds[1].revents != 0;
    bool ended = false;
    for (std::size_t i = 0; ready > 0 && i < owners.size(); ++i) {
      if (fds[i + 2].revents != 0) {
        if (!ended) impl_->collect(true);  // its last samples, while it can still be read
        impl_->end_target(*owners[i]);
        ended = true;
      }
    }
    if (after >= next_drain || ended) {
      impl_->collect(true);
      next_drain = steady_clock::now() + interval;
    } else if (region) {
      impl_->collect(false);
      std::this_thread::sleep_for(event_interval);
    }
    if (ready > 0 && fds[0].revents != 0) return true;
    if (!targets_alive() || after >= until) return false;
  }
}

bool Session::targets_alive() const {
  return std::any_of(impl_->targets.begin(), impl_->targets.end(),
                     [](const auto& entry) { return !entry.second->exited; });
}

std::size_t Session::earlier_targets() const { return impl_->past_targets.size(); }
pid_t Session::command_pid() const { return impl_->command; }

// A process that an earlier run sampled too is one target.
double Session::Impl::take_past(const Target& target) {
  double cpu_s = 0;
  std::erase_if(past_targets, [&](const profile::TargetEntry& past) {
    const bool same = past.pid == static_cast<std::uint32_t>(target.identity.pid) &&
                      past.command == target.identity.command() && !past.exited;
    if (same) cpu_s += past.cpu_s;
    return same;
  });
  return cpu_s;
}

void Session::Impl::refresh_info() {
  profile::RunInfo& info = profile.info;
  if (!finished) info.duration_s = seconds(monotonic_ns());
  info.parts.back().duration_s = info.duration_s - info.parts.back().start_s;
  info.targets = past_targets;
  info.target_cpu_s = 0;
  for (const profile::TargetEntry& target : past_targets) info.target_cpu_s += target.cpu_s;
  profile.regions = past_regions;
  for (auto& [tgid, target] : targets) {
    if (!target->counts) continue;
    if (!target->exited) {
      if (const auto cpu = process::cpu_seconds(target->identity.pid)) {
        target->cpu_seconds = *cpu - target->cpu_at_start;
      }
    }
    profile::TargetEntry entry;
    entry.pid = tgid;
    entry.comm = target->identity.comm;
    entry.command = target->identity.command();
    entry.runtime = target->runtime;
    entry.cpu_s = target->earlier_cpu_s + target->cpu_seconds;
    entry.exited = target->exited;
    if (target->identity.pid == command) entry.exit_status = command_status;
    info.target_cpu_s += entry.cpu_s;
    info.targets.push_back(std::move(entry));
    for (const auto& [number, placement] : target->space.placements()) {
      if (placement.last_ns != 0 && placement.last_ns < started_ns) continue;
      profile.regions.push_back({tgid, placement.image, placement.base, placement.size,
                                 seconds(placement.first_ns),
                                 placement.last_ns ? seconds(placement.last_ns) : info.duration_s});
    }
  }
  auto lost = sampler->lost();
  for (std::size_t i = 0; i < lost.size(); ++i) lost[i] -= lost_before[i];
  info.lost = {
      {"map-full", "--map-entries", lost[AOT_LOST_MAP_FULL]},
      {"buffer-full", "--buffer", lost[AOT_LOST_RING_FULL]},
      {"no-user-registers", "", lost[AOT_LOST_NO_USER_REGS]},
  };
  for (const profile::LostCause& before : past_lost) {
    const auto same = std::find_if(info.lost.begin(), info.lost.end(),
                                   [&](const auto& cause) { return cause.cause == before.cause; });
    if (same == info.lost.end()) {
      info.lost.push_back(before);
    } else {
      same->count += before.count;
    }
  }
  if (regions_lost != 0) {
    warn(fmt::format("{} changes of mappings were missed; the maps were read again instead",
                     regions_lost));
  }
}

void Session::refresh() {
  if (!impl_->finished) impl_->collect(true);
  impl_->reap_command();
  impl_->refresh_info();
}

void Session::start_over() {
  Impl& impl = *impl_;
  impl.profile.zero();
  impl.started_ns = monotonic_ns();
  impl.earlier_s = 0;
  impl.past_regions.clear();
  impl.past_targets.clear();
  impl.past_lost.clear();
  impl.lost_before = impl.sampler->lost();
  const bool alive = targets_alive();
  for (auto& [tgid, target] : impl.targets) {
    if (target->exited) {
      target->counts = !alive;  // somebody has to be named
    } else if (const auto cpu = process::cpu_seconds(target->identity.pid)) {
      target->cpu_at_start = *cpu;
      target->cpu_seconds = 0;
      target->earlier_cpu_s = 0;
    }
  }
  profile::RunInfo& info = impl.profile.info;
  info.started_unix_s = unix_seconds();
  info.parts = {{0, 0, info.command_line}};
  impl.refresh_info();
}

void Session::finish() {
  if (impl_->finished) return;
  for (auto& [tgid, target] : impl_->targets) {
    if (target->exited) continue;
    if (const auto cpu = process::cpu_seconds(target->identity.pid)) {
      target->cpu_seconds = *cpu - target->cpu_at_start;
    }
  }
  impl_->collect(true);
  impl_->refresh_info();  // takes the duration
  // Twice: what the first round put off is settled by the second.
  impl_->finished = true;
  for (const auto& [tgid, target] : impl_->targets)
    impl_->sampler->forget(static_cast<pid_t>(tgid));
  impl_->collect(true);
  const bool any_mapped = std::any_of(impl_->images.begin(), impl_->images.end(),
                                      [](const LiveImage& image) { return image.mapped; });
  const bool said = std::any_of(impl_->targets.begin(), impl_->targets.end(),
                                [](const auto& entry) { return entry.second->said_mismatch; });
  if (!any_mapped && !said && !impl_->targets.empty()) {
    const auto& [pid, target] = *impl_->targets.begin();
    if (impl_->runs_nothing(*target)) {
      impl_->warn(
          fmt::format("pid {} ({}) runs no wasm code: its command line names no image, and "
                      "no generated code is in its memory",
                      pid, target->identity.command()));
    } else if (impl_->images.empty()) {
      impl_->warn(
          fmt::format("pid {} names no image on its command line; samples of its AOT code "
                      "are shown by address (name the .cwasm as an argument)",
                      pid));
    } else {
      impl_->warn(
          fmt::format("pid {} never mapped the text of {}", pid, impl_->images.front().shown));
    }
  }
  impl_->refresh_info();
}

const profile::Profile& Session::profile() const { return impl_->profile; }
profile::Profile& Session::profile() { return impl_->profile; }

const image::Core* Session::core(std::uint32_t image) const {
  return image < impl_->images.size() ? impl_->images[image].core.get() : nullptr;
}

std::shared_ptr<const isa::Code> Session::analysed(profile::FrameKey function) {
  if (function.kind != profile::FrameKind::wasm || function.image >= impl_->images.size() ||
      !impl_->images[function.image].code) {
    return nullptr;
  }
  return impl_->images[function.image].code->code(function.id);
}

std::vector<std::uint8_t> Session::code(profile::FrameKey function) {
  const image::Core* core = this->core(function.image);
  if (!core || function.kind != profile::FrameKind::wasm ||
      function.id >= core->functions().size()) {
    return {};
  }
  const image::Function& entry = core->functions()[function.id];
  const auto bytes = core->text().subspan(entry.offset, entry.size);
  return {bytes.begin(), bytes.end()};
}

}  // namespace aotscope::session
