// `report` for people. Order: what it is, what is hot, what else there was, what to do next.
#include <algorithm>

#include <fmt/format.h>

#include "view/report_parts.hpp"

namespace aotscope::view {
namespace {

using profile::Profile;

// The command that shows more of the hottest function. A local index always names one function,
// but only within one core; a name is kinder to read and is used where it is plain.
std::string hint_line(const Profile& profile, const std::string& recording) {
  const profile::FunctionCount* hottest = nullptr;
  profile::FrameKey key;
  for (const auto& [function, count] : profile.functions()) {
    if (count.self != 0 && (hottest == nullptr || count.self > hottest->self)) {
      hottest = &count;
      key = function;
    }
  }
  if (hottest == nullptr || recording.empty()) return {};
  const std::string name = profile.frame_name(key);
  const bool plain =
      !name.empty() && name.size() <= 40 &&
      std::all_of(name.begin(), name.end(),
                  [](char c) {
                    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '_' || c == '.';
                  }) &&
      !std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  std::size_t same_name = 0;
  if (plain) {
    for (const profile::ImageEntry& image : profile.images()) {
      same_name += static_cast<std::size_t>(
          std::count_if(image.functions.begin(), image.functions.end(),
                        [&](const profile::FunctionEntry& f) { return f.name == name; }));
    }
  }
  std::string which;
  if (profile.images().size() > 1) {
    which = fmt::format("--core {} ", profile.images()[key.image].core);
  }
  which += "--func " + (plain && same_name == 1 ? name : fmt::to_string(key.id));
  return fmt::format("hint: `aotscope annotate {} {}` shows the hottest instructions\n",
                     safe_text(recording), which);
}

std::string warning_lines(const Profile& profile, const Paint& paint) {
  std::string out;
  for (const std::string& warning : profile.info.warnings) {
    out += paint.yellow("warning: " + safe_text(warning, 1024)) + "\n";
  }
  return out;
}

}  // namespace

std::string text_report(const Profile& profile, const TextOptions& options) {
  const Paint paint{options.color};
  std::string out = header_lines(profile);
  if (profile.totals().total == 0) {
    out += "\n" + no_samples_lines(profile);
    return out + lost_lines(profile) + warning_lines(profile, paint) + exit_lines(profile);
  }
  for (const std::string& table : {function_table(profile, options), host_table(profile),
                                   unknown_table(profile), class_lines(profile)}) {
    if (!table.empty()) out += "\n" + table;
  }
  out += lost_lines(profile) + warning_lines(profile, paint) + exit_lines(profile);
  return out + hint_line(profile, options.recording);
}

}  // namespace aotscope::view
