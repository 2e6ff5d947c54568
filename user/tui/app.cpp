// The loop: samples, keys, signals, one canvas for each change.
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <aotscope/process.hpp>

#include "tui/model.hpp"
#include "tui/save.hpp"
#include "tui/terminal.hpp"
#include "util/fd.hpp"

namespace aotscope::tui {
namespace {

using std::chrono::steady_clock;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double own_cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

steady_clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(seconds));
}

class App {
 public:
  App(session::Session& session, const Options& options, int end_signals)
      : session_(session), options_(options), end_signals_(end_signals), model_(options) {}

  Result<void> run() {
    if (auto ready = start(); !ready) return ready;
    auto next = steady_clock::now();
    while (!done_) {
      const auto now = steady_clock::now();
      if (now >= next) {
        refresh();
        next = now + duration_of(model_.snapshot().interval_s);
        if (options_.count != 0 && ++refreshes_ > options_.count) break;
      }
      if (now >= options_.until) break;
      show();
      wait(std::min(next, options_.until));
      take_signals();
      if (take_input())
        next = std::min(next, steady_clock::now() + duration_of(model_.snapshot().interval_s));
      take_notices();
      if (attached_ && !finished_ && !session_.targets_alive()) {
        // What there was is complete; it stays to be looked at.
        session_.finish();
        finished_ = true;
        next = steady_clock::now();
      }
    }
    return {};
  }

 private:
  Result<void> start() {
    sigset_t signals;
    ::sigemptyset(&signals);
    for (const int signal : {SIGTSTP, SIGCONT, SIGWINCH}) ::sigaddset(&signals, signal);
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);
    signals_ = util::UniqueFd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    wake_ = util::UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
    for (const int fd : {STDIN_FILENO, signals_.get(), end_signals_}) {
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.fd = fd;
      if (::epoll_ctl(wake_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
        return fail("cannot wait for keys on this terminal", "use --plain");
      }
    }
    for (const pid_t pid : options_.pids) {
      if (auto attached = session_.attach(pid); !attached) return attached;
      attached_ = true;
    }
    auto terminal = Terminal::open(options_.mouse);
    if (!terminal) return tl::unexpected(terminal.error());
    terminal_ = std::move(*terminal);
    if (!attached_) model_.open(Screen::chooser);
    return {};
  }

  void refresh() {
    if (model_.snapshot().screen == Screen::chooser) {
      find_candidates();
      return;
    }
    if (!finished_) session_.refresh();
    model_.update(session_.profile(), {now_s(), own_cpu_seconds()});
  }

  double now_s() const {
    return std::chrono::duration<double>(steady_clock::now() - started_).count();
  }

  void find_candidates() {
    std::vector<Candidate> found;
    std::map<pid_t, Meter> meters;
    for (const process::Identity& identity : process::find_aot_processes()) {
      Meter meter = std::move(meters_[identity.pid]);
      meter.add(now_s(), process::cpu_seconds(identity.pid).value_or(0));
      const double cpu = meter.points() < 2 ? -1 : 100 * meter.rate();
      found.push_back(
          {static_cast<std::uint32_t>(identity.pid), cpu, view::safe_text(identity.command())});
      meters[identity.pid] = std::move(meter);
    }
    meters_ = std::move(meters);
    model_.set_candidates(std::move(found));
  }

  void show() {
    model_.prepare(session_.profile(), session_);
    Canvas canvas = draw(model_.snapshot(), terminal_->size(), terminal_->caps());
    terminal_->paint(canvas);
    model_.shown(canvas.first_item, canvas.page_items);
    canvas_ = std::move(canvas);
  }

  void wait(steady_clock::time_point until) {
    if (attached_ && !finished_) {
      session_.run(until, wake_.get());
      return;
    }
    pollfd fd{wake_.get(), POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now());
    ::poll(&fd, 1, static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000)));
  }

  void take_signals() {
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
      if (info.ssi_signo == SIGTSTP) terminal_->stop();
      if (info.ssi_signo == SIGCONT) terminal_->take_again();
      if (info.ssi_signo == SIGWINCH) terminal_->resize();
    }
    if (::read(end_signals_, &info, sizeof info) == sizeof info) done_ = true;
    // A terminal that has gone away is readable for ever and gives nothing.
    pollfd in{STDIN_FILENO, POLLIN, 0};
    if (::poll(&in, 1, 0) > 0 && (in.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) done_ = true;
  }

  // True when the interval changed.
  bool take_input() {
    bool interval = false;
    while (const auto input = terminal_->read()) {
      Request request = Request::none;
      if (input->key == 12) {  // Ctrl-L
        terminal_->repaint_all();
      } else if (input->key != 0) {
        request = model_.key(input->key);
      } else if (const Hit* hit = canvas_.hit_at(input->column, input->row)) {
        request = hit->key != 0 ? model_.key(hit->key) : model_.click(hit->item);
      }
      // A pasted text may hold a key for each of several screens.
      model_.prepare(session_.profile(), session_);
      interval |= request == Request::interval;
      serve(request);
      if (done_) break;
    }
    return interval;
  }

  void serve(Request request) {
    switch (request) {
      case Request::quit:
        done_ = true;
        break;
      case Request::zero:
        session_.start_over();
        model_.zeroed();
        model_.update(session_.profile(), {now_s(), own_cpu_seconds()});
        model_.say("counters are zero");
        break;
      case Request::mouse:
        terminal_->set_mouse(!terminal_->caps().mouse);
        model_.say(terminal_->caps().mouse ? "the mouse works here"
                                           : "the mouse is the terminal's: select text with it");
        break;
      case Request::write_recording:
        say_saved(write_recording(session_));
        break;
      case Request::export_text:
        model_.prepare(session_.profile(), session_, true);
        say_saved(export_view(model_.snapshot(), terminal_->size(), terminal_->caps()));
        break;
      case Request::attach:
        attach(static_cast<pid_t>(model_.chosen_pid()));
        break;
      case Request::interval:
      case Request::none:
        break;
    }
  }

  void say_saved(const Result<std::string>& said) {
    if (said) {
      model_.say(*said);
    } else {
      model_.say(said.error().message, true);
    }
  }

  void attach(pid_t pid) {
    if (pid == 0) return;
    if (auto attached = session_.attach(pid); !attached) {
      model_.say(attached.error().message, true);
      return;
    }
    attached_ = true;
    model_.open(Screen::main);
    refresh();
  }

  void take_notices() {
    if (!options_.notices) return;
    for (const std::string& line : *options_.notices) {
      model_.say(line, line.starts_with("warning"));
    }
    options_.notices->clear();
  }

  session::Session& session_;
  const Options& options_;
  int end_signals_;
  Model model_;
  util::UniqueFd signals_, wake_;
  std::unique_ptr<Terminal> terminal_;
  Canvas canvas_{Size{}};
  std::map<pid_t, Meter> meters_;
  steady_clock::time_point started_ = steady_clock::now();
  std::uint64_t refreshes_ = 0;
  bool attached_ = false;
  bool finished_ = false;
  bool done_ = false;
};

}  // namespace

Result<void> run(session::Session& session, const Options& options, int end_signals) {
  return App(session, options, end_signals).run();
}

}  // namespace aotscope::tui
