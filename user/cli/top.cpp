// aotscope top: a live view. On a terminal the full screen; else, or when asked for, its plain
// form, a table or a JSON line at every interval.
#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

#include <aotscope/tui.hpp>
#include <aotscope/view.hpp>

#include "cli/commands.hpp"

namespace aotscope::cli {
namespace {

using std::chrono::steady_clock;

struct TopFlags {
  SamplingFlags sampling;
  bool plain = false;
  bool json = false;
  bool offsets = false;
  bool no_mouse = false;
  std::uint64_t count = 0;
  std::size_t limit = 20;
  std::string interval = "1";
};

// False when nobody reads any more.
bool show(const profile::Profile& profile, const TopFlags& flags) {
  std::string text;
  if (flags.json) {
    text = view::json_report(profile, {flags.offsets, true});
    if (text.empty() || text.back() != '\n') text += '\n';
  } else {
    view::TextOptions options;
    options.limit = flags.limit;
    text = view::text_report(profile, options) + "\n";
  }
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

// A table or a line at every interval.
Result<int> run_plain(session::Session& live, const TopFlags& flags, const std::vector<pid_t>& pids,
                      steady_clock::duration step, steady_clock::time_point until, int signals) {
  for (const pid_t pid : pids) {
    if (auto attached = live.attach(pid); !attached) return tl::unexpected(attached.error());
  }
  bool ended = false;
  auto next = steady_clock::now() + step;
  for (std::uint64_t shown = 0; !ended && (flags.count == 0 || shown < flags.count); ++shown) {
    const bool signal = live.run(std::min(until, next), signals);
    ended = signal || !live.targets_alive() || steady_clock::now() >= until;
    if (ended) {
      live.finish();
    } else {
      live.refresh();
    }
    if (!show(live.profile(), flags)) break;
    next += step;
    if (next < steady_clock::now()) next = steady_clock::now() + step;
  }
  return 0;
}

Result<int> run_screen(session::Session& live, const TopFlags& flags, std::vector<pid_t> pids,
                       double interval_s, steady_clock::time_point until, int signals,
                       std::shared_ptr<std::vector<std::string>> notices) {
  tui::Options options;
  options.interval_s = interval_s;
  options.count = flags.count;
  options.mouse = !flags.no_mouse;
  options.until = until;
  options.pids = std::move(pids);
  options.notices = std::move(notices);
  if (auto done = tui::run(live, options, signals); !done) return tl::unexpected(done.error());
  return 0;
}

Result<int> top(const TopFlags& flags) {
  const bool screen = !flags.json && !flags.plain && tui::terminal_is_capable();
  if (screen) tui::restore_on_crash();
  SignalFd signals;
  ::signal(SIGPIPE, SIG_IGN);
  const auto interval = parse_duration(flags.interval);
  if (!interval) return tl::unexpected(interval.error());
  const double interval_s = std::max(0.05, *interval);
  const auto step =
      std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(interval_s));
  const auto until = deadline(flags.sampling);
  if (!until) return tl::unexpected(until.error());
  auto pids = choose_pids(flags.sampling);
  if (!pids) {
    // None, or several: the screen shows them to choose from.
    if (!screen) return tl::unexpected(pids.error());
    pids = std::vector<pid_t>{};
  }
  auto notices = std::make_shared<std::vector<std::string>>();
  auto session =
      open_session(flags.sampling, false,
                   screen ? [notices](const std::string& line) { notices->push_back(line); }
                          : std::function<void(const std::string&)>{});
  if (!session) return tl::unexpected(session.error());
  session::Session& live = **session;
  auto done =
      screen ? run_screen(live, flags, std::move(*pids), interval_s, *until, signals.fd(), notices)
             : run_plain(live, flags, *pids, step, *until, signals.fd());
  if (!done) return done;
  for (const auto& target : live.profile().info.targets) {
    if (target.exited) print_status(fmt::format("pid {} exited", target.pid));
  }
  return 0;
}

}  // namespace

void add_top(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<TopFlags>();
  CLI::App* sub = app.add_subcommand("top", "show live where the CPU time goes");
  add_sampling_flags(*sub, flags->sampling);
  sub->add_flag("--plain", flags->plain, "a table at every interval instead of the full screen");
  sub->add_flag("--json", flags->json, "one JSON object a line at every interval");
  sub->add_flag("--offsets", flags->offsets, "with --json: samples by text offset");
  sub->add_flag("--no-mouse", flags->no_mouse, "leave the mouse to the terminal; key m does too");
  sub->add_option("-n,--count", flags->count, "end after so many refreshes");
  sub->add_option("--interval", flags->interval, "time between refreshes")->capture_default_str();
  sub->add_option("--limit", flags->limit, "rows of functions; 0: all")->capture_default_str();
  sub->footer(
      "Examples:\n"
      "  aotscope top\n"
      "  aotscope top -p 4121\n"
      "  aotscope top -p 4121 --plain -n 3\n"
      "  aotscope top -p 4121 --json -n 1");
  sub->callback([flags, &exit_code] {
    auto result = top(*flags);
    exit_code = result ? *result : print_error(result.error());
  });
}

}  // namespace aotscope::cli
