#include "tui/restore.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>

#include <aotscope/tui.hpp>

namespace aotscope::tui {
namespace {

// What the handler may look at: no allocation, no locks.
std::atomic<bool> remembered{false};
int terminal_fd = -1;
termios settings{};
std::array<char, 512> leave_text{};
std::size_t leave_size = 0;
std::atomic<int> saved_stderr{-1};

constexpr std::array crashes{SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS};

void write_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t done = ::write(fd, data, size);
    if (done <= 0) return;
    data += done;
    size -= static_cast<std::size_t>(done);
  }
}

// write(2), tcsetattr(3), dup2(2), sigaction(2) and raise(3) are async-signal-safe.
void on_crash(int signal) {
  if (remembered.exchange(false)) {
    write_all(terminal_fd, leave_text.data(), leave_size);
    ::tcsetattr(terminal_fd, TCSANOW, &settings);
  }
  if (const int fd = saved_stderr.exchange(-1); fd >= 0) ::dup2(fd, STDERR_FILENO);
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
  // Blocked until this returns; then the default action ends the process, with its core file.
  ::raise(signal);
}

}  // namespace

void restore_on_crash() {
  // A stack of its own: an overflow of the other one is a crash, too.
  static const std::size_t stack_size = 64 * 1024;
  static std::unique_ptr<char[]> stack;
  if (stack) return;
  stack = std::make_unique<char[]>(stack_size);
  stack_t alternate{};
  alternate.ss_sp = stack.get();
  alternate.ss_size = stack_size;
  ::sigaltstack(&alternate, nullptr);
  for (const int signal : crashes) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    // Someone else's (a sanitizer's, the image room's) knows more of the crash.
    if (before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = on_crash;
    action.sa_flags = SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

void remember_terminal(int fd, std::string_view leave) {
  terminal_fd = fd;
  leave_size = std::min(leave.size(), leave_text.size());
  std::memcpy(leave_text.data(), leave.data(), leave_size);
  remembered = ::tcgetattr(fd, &settings) == 0;
}

void forget_terminal() { remembered = false; }

StderrAside::StderrAside() {
  if (::isatty(STDERR_FILENO) == 0) return;
  aside_ = ::memfd_create("aotscope-stderr", MFD_CLOEXEC);
  saved_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (aside_ < 0 || saved_ < 0) return;
  ::dup2(aside_, STDERR_FILENO);
  saved_stderr = saved_;
}

StderrAside::~StderrAside() {
  saved_stderr = -1;
  if (aside_ >= 0 && saved_ >= 0) {
    ::dup2(saved_, STDERR_FILENO);
    std::array<char, 4096> buffer;
    off_t at = 0;
    for (ssize_t size; (size = ::pread(aside_, buffer.data(), buffer.size(), at)) > 0; at += size) {
      write_all(STDERR_FILENO, buffer.data(), static_cast<std::size_t>(size));
    }
  }
  if (aside_ >= 0) ::close(aside_);
  if (saved_ >= 0) ::close(saved_);
}

}  // namespace aotscope::tui
