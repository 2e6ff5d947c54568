// Starting a command under sampling, and what becomes of it.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "session/impl.hpp"

namespace aotscope::session {
namespace {

int shell_status(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// In the child: waits for the word to go, becomes the command. What exec says comes back through
// `failure`, which closes by itself when it succeeds.
[[noreturn]] void become(const std::vector<std::string>& command, int go, int failure) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  char byte = 0;
  if (::read(go, &byte, 1) != 1) ::_exit(127);  // the tool gave up
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(failure, &error, sizeof error);
  ::_exit(error == ENOENT ? 127 : 126);
}

}  // namespace

Result<void> Session::launch(const std::vector<std::string>& command) {
  int go[2], failure[2];
  if (::pipe2(go, O_CLOEXEC) != 0) return fail(std::strerror(errno));
  const util::UniqueFd go_read(go[0]);
  util::UniqueFd go_write(go[1]);
  if (::pipe2(failure, O_CLOEXEC) != 0) return fail(std::strerror(errno));
  const util::UniqueFd failure_read(failure[0]);
  util::UniqueFd failure_write(failure[1]);

  const pid_t pid = ::fork();
  if (pid < 0) return fail(fmt::format("cannot start {}: {}", command[0], std::strerror(errno)));
  if (pid == 0) {
    ::close(go_write.get());
    become(command, go_read.get(), failure_write.get());
  }
  failure_write.reset();
  impl_->command = pid;
  const auto give_up = [&](Error error) -> Result<void> {
    go_write.reset();
    ::waitpid(pid, nullptr, 0);
    impl_->command = 0;
    impl_->targets.clear();
    return tl::unexpected(std::move(error));
  };
  if (auto watched = impl_->sampler->watch(pid); !watched) return give_up(watched.error());
  if (auto sampled = impl_->sampler->sample_child(pid); !sampled) return give_up(sampled.error());
  auto added = impl_->add_target(pid);
  if (!added) return give_up(added.error());
  (*added)->cpu_at_start = 0;
  (*added)->identity.arguments = command;  // what it is about to become
  const char byte = 1;
  if (::write(go_write.get(), &byte, 1) != 1) return give_up(Error{std::strerror(errno), {}});
  int error = 0;
  if (::read(failure_read.get(), &error, sizeof error) == sizeof error) {
    return give_up(Error{fmt::format("cannot start {}: {}", command[0], std::strerror(error)), {}});
  }
  impl_->refresh_info();
  return {};
}

void Session::Impl::reap_command() {
  int status = 0;
  if (command > 0 && !command_status && ::waitpid(command, &status, WNOHANG) == command) {
    command_status = shell_status(status);
  }
}

std::optional<int> Session::command_status() const {
  impl_->reap_command();
  return impl_->command_status;
}

void Session::signal_command(int signal) {
  impl_->reap_command();
  if (impl_->command > 0 && !impl_->command_status) ::kill(impl_->command, signal);
}

void Session::wait_command() {
  int status = 0;
  while (impl_->command > 0 && !impl_->command_status) {
    const pid_t got = ::waitpid(impl_->command, &status, 0);
    if (got == impl_->command) {
      impl_->command_status = shell_status(status);
    } else if (errno != EINTR) {
      break;
    }
  }
}

}  // namespace aotscope::session
