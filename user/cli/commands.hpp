// The commands: one file each, registered here. A command's callback runs it and sets
// `exit_code`: 0 success, 1 a failure that print_error() explained. Bad usage is main()'s 2.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include <aotscope/result.hpp>
#include <aotscope/session.hpp>

namespace aotscope::cli {

void add_top(CLI::App& app, int& exit_code);
// `command`: what stands behind `--`, which CLI11 would mix with the images.
void add_record(CLI::App& app, int& exit_code, const std::vector<std::string>& command);
void add_report(CLI::App& app, int& exit_code);
void add_annotate(CLI::App& app, int& exit_code);
void add_diff(CLI::App& app, int& exit_code);
void add_inspect(CLI::App& app, int& exit_code);
void add_perfmap(CLI::App& app, int& exit_code);
void add_ps(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);

// `aotscope: error: …` and, where there is a cure, `hint: …` on stderr. Returns 1.
int print_error(const Error& error);
// `aotscope: …` on stderr, made safe to show; silent under -q.
void print_status(const std::string& line);

// ---- what top and record share --------------------------------------------------------------

struct SamplingFlags {
  std::vector<pid_t> pids;
  std::vector<std::string> images;
  std::uint64_t frequency = 999;
  std::string event;
  std::vector<std::string> bases;
  bool no_stacks = false;
  bool per_thread = false;
  bool no_repair = false;
  bool host_frames = false;
  std::uint32_t max_frames = 127;
  std::uint32_t map_entries = 16384;
  std::uint64_t buffer_bytes = 4u << 20;
  std::string duration;
  bool quiet = false;
  bool verbose = false;
};
void add_sampling_flags(CLI::App& command, SamplingFlags& flags);
// Checks what only makes sense together, and opens the session. `notice`: who hears what the
// session says; print_status() when empty. `earlier`: a recording that it goes on with.
Result<std::unique_ptr<session::Session>> open_session(
    const SamplingFlags& flags, bool follow, std::function<void(const std::string&)> notice = {},
    std::optional<profile::Profile> earlier = std::nullopt);
// The pids that -p named, or the only running AOT process; several are listed in the error.
Result<std::vector<pid_t>> choose_pids(const SamplingFlags& flags);
// "90", "1.5s", "10m", "2h" in seconds.
Result<double> parse_duration(std::string_view text);
// Bad usage, and so exit 2, like every other flag that cannot be read.
CLI::Validator is_duration();
// -d as a point in time; the far future without it.
Result<std::chrono::steady_clock::time_point> deadline(const SamplingFlags& flags);

// SIGINT, SIGTERM and SIGHUP as a descriptor: readable when one came. Blocks them for the whole
// process; make one before any thread starts.
class SignalFd {
 public:
  SignalFd();
  ~SignalFd();
  SignalFd(const SignalFd&) = delete;
  SignalFd& operator=(const SignalFd&) = delete;
  int fd() const { return fd_; }
  int take();  // the signal's number, 0 when none came

 private:
  int fd_ = -1;
};

}  // namespace aotscope::cli
