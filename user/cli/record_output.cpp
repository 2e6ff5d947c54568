#include "cli/record_output.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "cli/commands.hpp"

namespace aotscope::cli {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t stamp_size = 16;  // 20261129T164836Z

bool is_stamp(std::string_view text) {
  constexpr std::string_view shape = "00000000T000000Z";
  static_assert(shape.size() == stamp_size);
  if (text.size() != stamp_size) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (shape[i] == '0' ? !digit : text[i] != shape[i]) return false;
  }
  return true;
}

// "run.db" at some time as one of a row: "run-20261129T164836Z.db". UTC: no hour comes twice, and
// names sort by time.
std::string rotated_name(const std::string& path, std::chrono::system_clock::time_point at) {
  const fs::path base(path);
  const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
  const std::string name = fmt::format("{}-{:%Y%m%dT%H%M%SZ}{}", base.stem().string(),
                                       fmt::gmtime(seconds), base.extension().string());
  return (base.parent_path() / name).string();
}

// Whether `name` is one that rotated_name() makes of `path`, both without folders.
bool is_rotated_name(const std::string& path, const std::string& name) {
  const fs::path base(path);
  const std::string before = base.stem().string() + '-';
  const std::string after = base.extension().string();
  if (name.size() != before.size() + stamp_size + after.size()) return false;
  return name.starts_with(before) && name.ends_with(after) &&
         is_stamp(std::string_view(name).substr(before.size(), stamp_size));
}

}  // namespace

Result<std::optional<profile::Profile>> RecordOutput::earlier() {
  std::error_code error;
  if (!flags_.append || !has_path() || !fs::exists(flags_.path, error)) {
    return std::optional<profile::Profile>();
  }
  store::Recording recording;
  auto writer = store::Writer::append(flags_.path, recording);
  if (!writer) return tl::unexpected(writer.error());
  writer_ = std::move(*writer);
  path_ = flags_.path;
  return std::optional(std::move(recording.profile));
}

Result<void> RecordOutput::open() {
  if (writer_) return {};  // --append
  if (!flags_.rotate.empty()) {
    const auto every = parse_duration(flags_.rotate);
    if (!every) return tl::unexpected(every.error());
    every_ = std::chrono::duration_cast<steady_clock::duration>(
        std::chrono::duration<double>(std::max(1.0, *every)));
    next_ = steady_clock::now() + every_;
  }
  return create();
}

Result<void> RecordOutput::create() {
  path_ = flags_.path;
  if (every_.count() != 0) path_ = rotated_name(flags_.path, std::chrono::system_clock::now());
  auto created = store::Writer::create(path_, flags_.force);
  if (!created) return tl::unexpected(created.error());
  writer_ = std::move(*created);
  created_ = true;
  if (flags_.keep != 0) prune();
  return {};
}

void RecordOutput::abandon() {
  writer_.reset();
  if (created_) store::remove_recording(path_);
}

// Files of earlier runs with this name count too, or a restarted service would fill the disk. What
// only has such a name, or is being written, stays.
void RecordOutput::prune() const {
  const fs::path base(flags_.path);
  const fs::path folder = base.has_parent_path() ? base.parent_path() : fs::path(".");
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (is_rotated_name(base.filename().string(), it->path().filename().string())) {
      files.push_back(it->path());
    }
  }
  std::sort(files.begin(), files.end());
  const std::size_t surplus = files.size() - std::min(files.size(), flags_.keep);
  for (std::size_t i = 0; i < surplus; ++i) {
    if (auto removed = store::remove_recording(files[i]); !removed) {
      print_status(fmt::format("warning: {}; it stays", removed.error().message));
    }
  }
}

void RecordOutput::say(const Error& error) {
  if (said_error_) return;
  said_error_ = true;
  print_status(fmt::format("warning: {}; sampling goes on in memory", error.message));
}

void RecordOutput::flush(session::Session& session) {
  if (!writer_) {
    if (auto created = create(); !created) return say(created.error());
  }
  if (auto flushed = writer_->flush(session.profile(), &session); !flushed) say(flushed.error());
}

void RecordOutput::rotate(session::Session& session) {
  if (!writer_) return flush(session);
  if (auto finished = writer_->finish(session.profile(), &session); !finished) {
    return say(finished.error());  // tried again with the next flush
  }
  print_status(fmt::format("{} samples; wrote {}", session.profile().totals().total, path_));
  writer_.reset();
  session.start_over();
  while (next_ <= steady_clock::now()) next_ += every_;
  flush(session);
}

Result<void> RecordOutput::finish(session::Session& session) {
  if (!writer_) {
    if (auto created = create(); !created) return created;
  }
  return writer_->finish(session.profile(), &session);
}

}  // namespace aotscope::cli
