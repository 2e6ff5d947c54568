// The store room: a recording is one SQLite file with a schema version, self-contained, written
// in one transaction for each flush. user/store/schema.hpp documents the tables.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <aotscope/profile.hpp>
#include <aotscope/result.hpp>

namespace aotscope::store {

inline constexpr int schema_version = 2;  // 1: without parts, stacks and instructions in time

// Code bytes of sampled functions travel with the recording, so that annotate works without the
// image file. Called once for each function when it first has a sample.
class CodeSource {
 public:
  virtual ~CodeSource() = default;
  virtual std::vector<std::uint8_t> code(profile::FrameKey function) = 0;
};

class Writer {
 public:
  virtual ~Writer() = default;
  // An existing file is not overwritten without `force` (error with hint). `force` replaces a
  // recording or an empty file in one step, and never a file that is something else. The process
  // has to ignore SIGXFSZ, or a limit on file sizes kills it where a full disk is an error.
  static Result<std::unique_ptr<Writer>> create(const std::filesystem::path& path, bool force);
  // Goes on with a recording that nobody writes any more: `into` becomes what it holds, and what
  // is flushed has to be grown from that. A recorder that was killed left one just as well.
  static Result<std::unique_ptr<Writer>> append(const std::filesystem::path& path,
                                                struct Recording& into);
  // Writes what changed since the last flush, in one transaction. On failure (disk full) nothing
  // of this flush is in the file, the profile is intact, and the next flush tries again. A file
  // that somebody has removed or replaced meanwhile is an error.
  virtual Result<void> flush(const profile::Profile& profile, CodeSource* code) = 0;
  // Last flush, marks the recording complete and closes.
  virtual Result<void> finish(const profile::Profile& profile, CodeSource* code) = 0;
};

struct Recording {
  profile::Profile profile;
  bool complete = false;  // false: the recorder was killed, or is still writing
  bool live = false;      // it is still writing
  // The code bytes of a sampled function, empty when the recording has none.
  std::map<profile::FrameKey, std::vector<std::uint8_t>> code;
};

// Errors: no such file, not a recording (says what it looks like), damaged, newer version.
Result<Recording> load(const std::filesystem::path& path);

// Removes a recording with what SQLite keeps beside it. Anything else, and one that is being
// written, is an error and stays.
Result<void> remove_recording(const std::filesystem::path& path);

}  // namespace aotscope::store
