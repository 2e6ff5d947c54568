// The session: one live observation. Joins the rooms: samples from kernel/, what is mapped from
// process/, functions from image/, classes from isa/, all into one Profile.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <aotscope/kernel.hpp>
#include <aotscope/process.hpp>
#include <aotscope/profile.hpp>
#include <aotscope/result.hpp>
#include <aotscope/store.hpp>

namespace aotscope::session {

// --base: this core's text is at this address, whatever its bytes say.
struct ForcedBase {
  std::uint64_t address = 0;
  std::uint32_t core = 0;
};

struct Options {
  kernel::Options sampler;
  std::vector<std::filesystem::path> images;  // empty: found from each target's command line
  std::vector<ForcedBase> bases;
  bool repair_stacks = true;  // put back the caller that a prologue sample lost
  // What an earlier run recorded, to be gone on with: event, frequency and stacks have to be its.
  std::optional<profile::Profile> earlier;
  bool host_frames = false;  // keep each host frame without a symbol
  // Lines for the user as they arise ("pid 7 exited"), without prefix or newline.
  std::function<void(const std::string&)> notice;
};

class Session : public store::CodeSource {
 public:
  // Opens the given images, loads the BPF programs. Nothing is sampled yet.
  static Result<std::unique_ptr<Session>> create(Options options);
  ~Session() override;

  // Samples a running process from now on. What is mapped in it is looked at by the next run() or
  // refresh().
  Result<void> attach(pid_t pid);
  // Starts a command under sampling: it and its descendants are targets from the exec on.
  Result<void> launch(const std::vector<std::string>& command);

  // Waits until `until`, a target's end or `wake_fd` being readable (-1: none), collecting
  // meanwhile. True when wake_fd is readable.
  bool run(std::chrono::steady_clock::time_point until, int wake_fd);
  bool targets_alive() const;
  // So many of profile().info.targets come first that only an earlier run sampled.
  std::size_t earlier_targets() const;
  pid_t command_pid() const;  // of the launched command
  // Status of the launched command as a shell gives it (128 + signal); nullopt while it runs.
  std::optional<int> command_status() const;
  void signal_command(int signal);  // nothing when it has ended
  void wait_command();              // sampling is over; returns when it has ended

  // Collects what is there and brings profile().info up to date.
  void refresh();
  // Drops what was counted, as if sampling had begun now: the next file of a recording in several.
  // Call refresh() before it, or what was collected since the last one is counted afterwards.
  void start_over();
  // Stops sampling, collects the rest and says what never happened (an image never mapped).
  void finish();

  const profile::Profile& profile() const;
  profile::Profile& profile();
  std::vector<std::uint8_t> code(profile::FrameKey function) override;
  // Analysed code of a sampled function, null without its image (isa::CodeCache).
  std::shared_ptr<const isa::Code> analysed(profile::FrameKey function);
  const image::Core* core(std::uint32_t image) const;

 private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace aotscope::session
