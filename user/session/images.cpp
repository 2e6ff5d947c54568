// Programs and their cores as the images of one profile.
#include <sys/stat.h>

#include <algorithm>

#include <fmt/format.h>

#include "session/impl.hpp"

namespace aotscope::session {
namespace {

// Two targets that run the same file share its images: device, inode and size tell.
std::string file_identity(const image::Core& core) {
  struct stat status {};
  if (::stat(core.path().c_str(), &status) != 0) return core.path().string();
  return fmt::format("{}:{}:{}:{}", status.st_dev, status.st_ino, status.st_size,
                     status.st_mtim.tv_nsec);
}

// "/proc/7/cwd/app.cwasm" helps nobody: a core beside the file that the user named.
std::string shown_path(const image::Program& program, const image::Core& core,
                       const std::string& shown) {
  if (core.path() == program.path) return shown;
  return (std::filesystem::path(shown).parent_path() / core.path().filename()).string();
}

}  // namespace

void Session::Impl::go_on_with(profile::Profile earlier) {
  profile = std::move(earlier);
  for (const profile::ImageEntry& entry : profile.images()) {
    LiveImage live;
    live.shown = entry.path;
    live.number = entry.core;
    images.push_back(std::move(live));
  }
  past_regions = profile.regions;
  past_targets = profile.info.targets;
  past_lost = profile.info.lost;
}

// The same text as in an earlier run of the recording keeps its number.
std::uint32_t Session::Impl::add_image(LiveImage live, profile::ImageEntry entry) {
  for (std::uint32_t i = 0; i < images.size(); ++i) {
    const profile::ImageEntry& known = profile.images()[i];
    if (images[i].core || known.hash != entry.hash || known.core != entry.core ||
        known.functions != entry.functions) {
      continue;
    }
    images[i] = std::move(live);
    return i;
  }
  images.push_back(std::move(live));
  return profile.add_image(std::move(entry));
}

std::vector<std::uint32_t> Session::Impl::add_program(image::Program program,
                                                      const std::string& shown) {
  std::string identity;
  for (const auto& core : program.cores) identity += file_identity(*core) + ' ';
  if (const auto known = programs.find(identity); known != programs.end()) return known->second;

  for (const std::string& warning : program.warnings) warn(warning);
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < program.cores.size(); ++i) {
    const auto& core = program.cores[i];
    profile::ImageEntry entry;
    entry.path = shown_path(program, *core, shown);
    entry.core = static_cast<std::uint32_t>(i);
    entry.format = core->format();
    entry.version = core->version();
    entry.arch = image::arch_name(core->arch());
    entry.text_size = core->text().size();
    entry.hash = core->hash();
    entry.functions.reserve(core->functions().size());
    for (const image::Function& function : core->functions()) {
      entry.functions.push_back({function.local, function.index, function.offset, function.size,
                                 image::Core::display_name(function)});
    }
    if (!core->version_is_known()) {
      warn(
          fmt::format("{}: version {} is not known; its sections parsed, so it is read as one "
                      "that is",
                      entry.path, core->version()));
    }
    LiveImage live;
    live.core = core;
    live.code = std::make_unique<isa::CodeCache>(core);
    live.shown = entry.path;
    live.number = entry.core;
    numbers.push_back(add_image(std::move(live), std::move(entry)));
  }
  programs.emplace(identity, numbers);
  return numbers;
}

void Session::Impl::find_target_image(Target& target) {
  for (auto& [shown, program] : given) add_program(std::move(program), shown);
  given.clear();
  if (!options.images.empty()) {
    target.images.clear();
    for (const auto& [identity, numbers] : programs) {
      target.images.insert(target.images.end(), numbers.begin(), numbers.end());
    }
    std::sort(target.images.begin(), target.images.end());
    return;
  }
  auto found = process::find_image(target.identity);
  if (!found) {
    warn(fmt::format("pid {}: {}; samples of its AOT code are shown by address",
                     target.identity.pid, found.error().message));
    target.said_mismatch = true;  // nothing better can be said of it later
    return;
  }
  if (*found) target.images = add_program(std::move((*found)->program), (*found)->shown);
}

}  // namespace aotscope::session
