// aotscope top: a live view; here its plain form, a table or a JSON line at every interval.
#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

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

Result<int> top(const TopFlags& flags) {
  SignalFd signals;
  ::signal(SIGPIPE, SIG_IGN);
  const auto pids = choose_pids(flags.sampling);
  if (!pids) return tl::unexpected(pids.error());
  const auto interval = parse_duration(flags.interval);
  if (!interval) return tl::unexpected(interval.error());
  const auto step = std::chrono::duration_cast<steady_clock::duration>(
      std::chrono::duration<double>(std::max(0.05, *interval)));
  const auto until = deadline(flags.sampling);
  if (!until) return tl::unexpected(until.error());
  auto session = open_session(flags.sampling, false);
  if (!session) return tl::unexpected(session.error());
  session::Session& live = **session;
  for (const pid_t pid : *pids) {
    if (auto attached = live.attach(pid); !attached) return tl::unexpected(attached.error());
  }
  bool ended = false;
  auto next = steady_clock::now() + step;
  for (std::uint64_t shown = 0; !ended && (flags.count == 0 || shown < flags.count); ++shown) {
    const bool signal = live.run(std::min(*until, next), signals.fd());
    ended = signal || !live.targets_alive() || steady_clock::now() >= *until;
    if (ended) {
      live.finish();
    } else {
      live.refresh();
    }
    if (!show(live.profile(), flags)) break;
    next += step;
    if (next < steady_clock::now()) next = steady_clock::now() + step;
  }
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
  sub->add_option("-n,--count", flags->count, "end after so many refreshes");
  sub->add_option("--interval", flags->interval, "time between refreshes")->capture_default_str();
  sub->add_option("--limit", flags->limit, "rows of functions; 0: all")->capture_default_str();
  sub->footer(
      "Examples:\n"
      "  aotscope top -p 4121\n"
      "  aotscope top -p 4121 --plain -n 3\n"
      "  aotscope top -p 4121 --json -n 1");
  sub->callback([flags, &exit_code] {
    auto result = top(*flags);
    exit_code = result ? *result : print_error(result.error());
  });
}

}  // namespace aotscope::cli
