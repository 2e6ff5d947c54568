// aotscope record: samples into a recording until its duration, a signal or its last target ends.
#include <signal.h>

#include <fmt/format.h>

#include <aotscope/store.hpp>

#include "cli/commands.hpp"

namespace aotscope::cli {
namespace {

using std::chrono::steady_clock;
constexpr std::chrono::seconds flush_interval{1};

struct RecordFlags {
  SamplingFlags sampling;
  std::string output;
  bool force = false;
};

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "0.0" : fmt::format("{:.1f}", 100.0 * static_cast<double>(part) /
                                                        static_cast<double>(whole));
}

void say_start(const session::Session& session, const std::string& path) {
  const auto& info = session.profile().info;
  std::string pids;
  for (const auto& target : info.targets) {
    pids += fmt::format("{}{}", pids.empty() ? "" : ",", target.pid);
  }
  print_status(fmt::format("sampling pid {} ({}) by {} at {} Hz{} into {}; Ctrl-C ends", pids,
                           info.targets.empty() ? "" : info.targets.front().command, info.event,
                           info.frequency_hz, info.stacks ? " with stacks" : "", path));
}

// -v: which core's text was found where.
void say_regions(const profile::Profile& profile) {
  for (const auto& region : profile.regions) {
    const auto& image = profile.images()[region.image];
    print_status(fmt::format("pid {}: core {} ({}) at {:#x}, {} bytes", region.pid, image.core,
                             image.path, region.start, region.size));
  }
  if (profile.regions.empty()) print_status("no text of an image is mapped so far");
}

void say_end(const session::Session& session, const std::string& path) {
  const auto& info = session.profile().info;
  const auto totals = session.profile().totals();
  for (const auto& target : info.targets) {
    if (target.exited) print_status(fmt::format("pid {} exited", target.pid));
  }
  if (totals.total == 0) {
    print_status(fmt::format("no samples in {:.1f} s: the target used {:.3f} s of CPU time",
                             info.duration_s, info.target_cpu_s));
  } else {
    print_status(fmt::format("{} samples in {:.1f} s, {} % in wasm, lost {}", totals.total,
                             info.duration_s, percent(totals.wasm, totals.total), totals.lost));
  }
  print_status(fmt::format("wrote {}; `aotscope report {}` shows it", path, path));
}

Result<int> record(const RecordFlags& flags, const std::vector<std::string>& command) {
  SignalFd signals;
  std::vector<pid_t> pids;
  if (command.empty()) {
    auto chosen = choose_pids(flags.sampling);
    if (!chosen) return tl::unexpected(chosen.error());
    pids = std::move(*chosen);
  }
  // An output that cannot be is said before anything starts.
  std::string path = flags.output;
  if (path.empty() && !pids.empty()) path = fmt::format("aotscope-{}.db", pids.front());
  std::unique_ptr<store::Writer> writer;
  const auto open_writer = [&]() -> Result<void> {
    auto created = store::Writer::create(path, flags.force);
    if (!created) return tl::unexpected(created.error());
    writer = std::move(*created);
    return {};
  };
  auto session = open_session(flags.sampling, !command.empty());
  if (!session) return tl::unexpected(session.error());
  session::Session& live = **session;
  if (!path.empty()) {
    if (auto opened = open_writer(); !opened) return tl::unexpected(opened.error());
  }
  const auto until = deadline(flags.sampling);
  if (!until) return tl::unexpected(until.error());
  for (const pid_t pid : pids) {
    if (auto attached = live.attach(pid); !attached) {
      writer.reset();
      std::filesystem::remove(path);
      return tl::unexpected(attached.error());
    }
  }
  if (!command.empty()) {
    if (auto launched = live.launch(command); !launched) {
      if (writer) {
        writer.reset();
        std::filesystem::remove(path);
      }
      return tl::unexpected(launched.error());
    }
  }
  if (path.empty()) {
    path = fmt::format("aotscope-{}.db", live.profile().info.targets.front().pid);
    if (auto opened = open_writer(); !opened) {
      live.signal_command(SIGTERM);
      live.wait_command();
      return tl::unexpected(opened.error());
    }
  }
  say_start(live, path);
  live.refresh();
  if (flags.sampling.verbose) say_regions(live.profile());

  bool said_flush_error = false;
  int signal = 0;
  while (live.targets_alive() && signal == 0 && steady_clock::now() < *until) {
    if (live.run(std::min(*until, steady_clock::now() + flush_interval), signals.fd())) {
      signal = signals.take();
    }
    live.refresh();
    if (auto flushed = writer->flush(live.profile(), &live); !flushed && !said_flush_error) {
      said_flush_error = true;
      print_status(fmt::format("warning: {}; sampling goes on in memory", flushed.error().message));
    }
  }
  live.finish();
  if (signal != 0) live.signal_command(signal);
  if (!command.empty()) {
    if (signal == 0 && live.targets_alive()) {
      print_status("the recording is complete; waiting for the command to end");
    }
    if (!live.targets_alive()) live.wait_command();
  }
  live.refresh();
  if (auto finished = writer->finish(live.profile(), &live); !finished) {
    return tl::unexpected(finished.error());
  }
  say_end(live, path);
  live.wait_command();
  return live.command_status().value_or(0);
}

}  // namespace

void add_record(CLI::App& app, int& exit_code, const std::vector<std::string>& command) {
  auto flags = std::make_shared<RecordFlags>();
  CLI::App* sub = app.add_subcommand(
      "record", "sample a process, or a command behind --, into a recording");
  add_sampling_flags(*sub, flags->sampling);
  sub->add_option("-o,--output", flags->output, "the recording; aotscope-PID.db when left out");
  sub->add_flag("-f,--force", flags->force, "overwrite an existing recording");
  sub->footer(
      "Examples:\n"
      "  aotscope record -p 4121 -d 10 -o run.db\n"
      "  aotscope record -o run.db -- wamr run app.cwasm");
  sub->callback([flags, &exit_code, &command] {
    if (!command.empty() && !flags->sampling.pids.empty()) {
      throw CLI::ValidationError("-p and a command behind -- exclude each other");
    }
    auto result = record(*flags, command);
    exit_code = result ? *result : print_error(result.error());
  });
}

}  // namespace aotscope::cli
