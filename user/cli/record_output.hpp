// Where `record` writes: a new file, an existing recording that it goes on with, or one file after
// the other.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <aotscope/session.hpp>
#include <aotscope/store.hpp>

namespace aotscope::cli {

struct OutputFlags {
  std::string path;  // -o
  bool force = false;
  bool append = false;
  std::string rotate;    // a duration; empty: one file
  std::size_t keep = 0;  // files of a rotation, the one being written included; 0: all
};

class RecordOutput {
 public:
  explicit RecordOutput(OutputFlags flags) : flags_(std::move(flags)) {}

  // Opens the recording that --append names, when there is one: the session has to start from it.
  Result<std::optional<profile::Profile>> earlier();
  bool has_path() const { return !flags_.path.empty(); }
  void set_path(std::string path) { flags_.path = std::move(path); }
  Result<void> open();
  // Nothing came of it: a file that open() made goes away, any other stays as it was.
  void abandon();

  // Says the first failure; sampling goes on in memory, and the next flush writes what is missing.
  void flush(session::Session& session);
  // When the next file is due; the far future without --rotate.
  std::chrono::steady_clock::time_point next_file() const { return next_; }
  // Ends the file and begins the next one.
  void rotate(session::Session& session);
  Result<void> finish(session::Session& session);
  const std::string& path() const { return path_; }  // of the file being written

 private:
  Result<void> create();
  void prune() const;
  void say(const Error& error);

  OutputFlags flags_;
  std::string path_;
  std::unique_ptr<store::Writer> writer_;  // null: the next file could not be made so far
  bool created_ = false;                   // by us, so ours to remove
  bool said_error_ = false;
  std::chrono::steady_clock::duration every_{};
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::time_point::max();
};

}  // namespace aotscope::cli
