#include "tui/save.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include <aotscope/store.hpp>

#include "util/fd.hpp"

namespace aotscope::tui {
namespace {

constexpr int most_files = 999;

std::string numbered(const std::string& stem, const std::string& ending, int number) {
  return number == 1 ? stem + ending : fmt::format("{}-{}{}", stem, number, ending);
}

std::string_view screen_name(Screen screen) {
  switch (screen) {
    case Screen::main:
      return "top";
    case Screen::function:
      return "function";
    case Screen::annotate:
      return "annotate";
    case Screen::classes:
      return "classes";
    case Screen::threads:
      return "threads";
    case Screen::help:
      return "help";
    case Screen::chooser:
      return "targets";
  }
  return {};
}

}  // namespace

Result<std::string> write_recording(session::Session& session) {
  session.refresh();
  const profile::Profile& profile = session.profile();
  const auto& targets = profile.info.targets;
  if (targets.empty()) return fail("nothing is sampled yet");
  std::string path;
  for (int number = 1; number <= most_files; ++number) {
    path = numbered(fmt::format("aotscope-{}", targets.front().pid), ".db", number);
    std::error_code error;
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) break;
  }
  auto writer = store::Writer::create(path, false);
  if (!writer) return tl::unexpected(writer.error());
  if (auto done = (*writer)->finish(profile, &session); !done) return tl::unexpected(done.error());
  return fmt::format("wrote {}; `aotscope report {}` shows it", path, path);
}

Result<std::string> export_view(const Snapshot& snapshot, Size size, const Caps& caps) {
  constexpr int most_rows = 5000;  // a canvas of all of a huge listing would be one, too
  const auto count = [](const auto& list) { return static_cast<int>(list.size()); };
  const int items = std::max({count(snapshot.order), count(snapshot.function.lines),
                              count(snapshot.function.hottest), count(snapshot.threads),
                              count(snapshot.class_functions) + count(snapshot.classes), 40});
  Snapshot whole = snapshot;
  whole.message.clear();
  whole.typing = false;
  for (Cursor& cursor : whole.cursors) cursor.first = 0;
  const bool cut = items > most_rows;
  size = {std::max(size.columns, 140), std::min(items, most_rows) + 16};
  Caps plain = caps;
  plain.colors = 0;  // letters in the bars: a text file has no colours
  const std::string text = draw(whole, size, plain).text();

  const std::string pid = snapshot.header.pids.substr(0, snapshot.header.pids.find(','));
  const std::string stem =
      fmt::format("aotscope-{}-{}", pid.empty() ? "top" : pid, screen_name(snapshot.screen));
  for (int number = 1; number <= most_files; ++number) {
    const std::string path = numbered(stem, ".txt", number);
    const util::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!fd && errno == EEXIST) continue;
    if (!fd || ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      return fail(fmt::format("{}: {}", path, std::strerror(errno)));
    }
    return fmt::format("wrote {}{}", path, cut ? " (its first 5,000 lines)" : "");
  }
  return fail(fmt::format("there are {} files named {}-N.txt already", most_files, stem));
}

}  // namespace aotscope::tui
