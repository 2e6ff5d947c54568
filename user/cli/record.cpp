// aotscope record: samples into a recording until its duration, a signal or its last target ends.
#include <signal.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <aotscope/store.hpp>

#include "cli/commands.hpp"
#include "cli/record_output.hpp"

namespace aotscope::cli {
namespace {

using std::chrono::steady_clock;
constexpr std::chrono::seconds flush_interval{1};

struct RecordFlags {
  SamplingFlags sampling;
  OutputFlags output;
  bool given_frequency = false;  // -F
};

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "0.0"
                    : fmt::format("{:.1f}",
                                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

void say_start(const session::Session& session, const std::vector<pid_t>& pids,
               const std::string& path) {
  const auto& info = session.profile().info;
  std::string command;
  for (const auto& target : info.targets) {
    if (static_cast<pid_t>(target.pid) == pids.front()) command = target.command;
  }
  print_status(fmt::format("sampling pid {} ({}) by {} at {} Hz{} into {}; Ctrl-C ends",
                           fmt::join(pids, ","), command, info.event, info.frequency_hz,
                           info.stacks ? " with stacks" : "", path));
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

void say_end(const session::Session& session, std::size_t earlier_targets,
             const std::string& path) {
  const auto& info = session.profile().info;
  const auto totals = session.profile().totals();
  for (std::size_t i = earlier_targets; i < info.targets.size(); ++i) {
    const auto& target = info.targets[i];
    if (target.exited) print_status(fmt::format("pid {} exited", target.pid));
  }
  if (totals.total == 0) {
    print_status(fmt::format("no samples in {:.1f} s: the target used {:.3f} s of CPU time",
                             info.sampled_s(), info.target_cpu_s));
  } else {
    print_status(fmt::format("{} samples in {:.1f} s, {} % in wasm, lost {}", totals.total,
                             info.sampled_s(), percent(totals.wasm, totals.total), totals.lost));
  }
  print_status(fmt::format("wrote {}; `aotscope report {}` shows it", path, path));
}

// What an earlier run was recorded with holds for the next one too, unless the user says otherwise.
void record_as_before(RecordFlags& flags, const profile::RunInfo& before) {
  if (!flags.given_frequency) flags.sampling.frequency = before.frequency_asked;
  if (flags.sampling.event.empty()) flags.sampling.event = before.event;
  if (!before.stacks) flags.sampling.no_stacks = true;
}

// Samples that mean different things do not add up.
Result<void> check_as_before(const profile::RunInfo& now, const profile::RunInfo& before,
                             const std::string& path) {
  const auto settings = [](const profile::RunInfo& info) {
    return fmt::format("{} at {} Hz {} stacks", info.event, info.frequency_hz,
                       info.stacks ? "with" : "without");
  };
  if (settings(now) == settings(before)) return {};
  return fail(fmt::format("{} was recorded by {}, and this run would be by {}", path,
                          settings(before), settings(now)),
              "leave -e, -F and --no-stacks out, or record into another file");
}

Result<int> record(RecordFlags flags, const std::vector<std::string>& command) {
  SignalFd signals;
  std::vector<pid_t> pids;
  if (command.empty()) {
    auto chosen = choose_pids(flags.sampling);
    if (!chosen) return tl::unexpected(chosen.error());
    pids = std::move(*chosen);
  }
  // An output that cannot be is said before anything starts.
  if (flags.output.path.empty() && !pids.empty()) {
    flags.output.path = fmt::format("aotscope-{}.db", pids.front());
  }
  RecordOutput output(flags.output);
  auto earlier = output.earlier();
  if (!earlier) return tl::unexpected(earlier.error());
  const auto before = earlier->has_value() ? std::optional((*earlier)->info) : std::nullopt;
  if (before) record_as_before(flags, *before);
  auto session = open_session(flags.sampling, !command.empty(), {}, std::move(*earlier));
  if (!session) return tl::unexpected(session.error());
  session::Session& live = **session;
  if (before) {
    if (auto same = check_as_before(live.profile().info, *before, output.path()); !same) {
      return tl::unexpected(same.error());
    }
  }
  const auto until = deadline(flags.sampling);
  if (!until) return tl::unexpected(until.error());
  if (output.has_path()) {
    if (auto opened = output.open(); !opened) return tl::unexpected(opened.error());
  }
  for (const pid_t pid : pids) {
    if (auto attached = live.attach(pid); !attached) {
      output.abandon();
      return tl::unexpected(attached.error());
    }
  }
  if (!command.empty()) {
    if (auto launched = live.launch(command); !launched) {
      output.abandon();
      return tl::unexpected(launched.error());
    }
  }
  if (!command.empty()) pids = {live.command_pid()};
  if (!output.has_path()) {
    output.set_path(fmt::format("aotscope-{}.db", pids.front()));
    if (auto opened = output.open(); !opened) {
      live.signal_command(SIGTERM);
      live.wait_command();
      return tl::unexpected(opened.error());
    }
  }
  say_start(live, pids, output.path());
  live.refresh();
  if (flags.sampling.verbose) say_regions(live.profile());

  int signal = 0;
  while (live.targets_alive() && signal == 0 && steady_clock::now() < *until) {
    const auto next = std::min({*until, steady_clock::now() + flush_interval, output.next_file()});
    if (live.run(next, signals.fd())) signal = signals.take();
    live.refresh();
    const auto now = steady_clock::now();
    if (now >= output.next_file() && now < *until && signal == 0 && live.targets_alive()) {
      output.rotate(live);
    } else {
      output.flush(live);
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
  if (auto finished = output.finish(live); !finished) {
    return tl::unexpected(finished.error());
  }
  say_end(live, live.earlier_targets(), output.path());
  live.wait_command();
  return live.command_status().value_or(0);
}

}  // namespace

void add_record(CLI::App& app, int& exit_code, const std::vector<std::string>& command) {
  auto flags = std::make_shared<RecordFlags>();
  CLI::App* sub =
      app.add_subcommand("record", "sample a process, or a command behind --, into a recording");
  add_sampling_flags(*sub, flags->sampling);
  sub->add_option("-o,--output", flags->output.path,
                  "the recording; aotscope-PID.db when left out");
  CLI::Option* force =
      sub->add_flag("-f,--force", flags->output.force, "overwrite an existing recording");
  CLI::Option* append =
      sub->add_flag("--append", flags->output.append,
                    "go on with an existing recording, by the same event and frequency");
  CLI::Option* rotate =
      sub->add_option("--rotate", flags->output.rotate,
                      "begin a new file after so long: run.db becomes run-YYYYMMDDTHHMMSSZ.db, UTC")
          ->check(is_duration())
          ->type_name("DURATION");
  sub->add_option("--keep", flags->output.keep,
                  "with --rotate: keep so many files and remove the oldest")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 20))
      ->type_name("N")
      ->needs(rotate);
  append->excludes(force)->excludes(rotate);
  sub->footer(
      "Examples:\n"
      "  aotscope record -p 4121 -d 10 -o run.db\n"
      "  aotscope record -o run.db -- wamr run app.cwasm\n"
      "  aotscope record -p 4121 -o run.db --rotate 1h --keep 24");
  sub->callback([flags, sub, &exit_code, &command] {
    flags->given_frequency = sub->count("--freq") != 0;
    if (!command.empty() && !flags->sampling.pids.empty()) {
      throw CLI::ValidationError("-p and a command behind -- exclude each other");
    }
    auto result = record(*flags, command);
    exit_code = result ? *result : print_error(result.error());
  });
}

}  // namespace aotscope::cli
