// Load: what the run was, its targets and images.
#include <functional>
#include <limits>
#include <map>

#include "reader.hpp"

namespace aotscope::store {
namespace {

// Far beyond what the recorder writes; what they bound is memory.
constexpr std::uint64_t max_rows = 1U << 20;
constexpr std::uint64_t max_functions = 1U << 23;

using Setter = std::function<void(Statement&)>;

}  // namespace

void read_run(Reader& reader, Recording& recording, Widths& widths) {
  profile::Profile& profile = recording.profile;
  profile::RunInfo& info = profile.info;
  const auto text = [](std::string& into) {
    return Setter([&into](Statement& row) { into = row.text(1); });
  };
  const auto count = [](std::uint64_t& into) {
    return Setter([&into](Statement& row) { into = row.count(1); });
  };
  const auto real = [](double& into) {
    return Setter([&into](Statement& row) { into = row.real(1); });
  };
  const auto flag = [](bool& into) {
    return Setter([&into](Statement& row) { into = row.flag(1); });
  };
  const std::map<std::string, Setter> setters = {
      {"tool_version", text(info.tool_version)},
      {"host_name", text(info.host_name)},
      {"kernel_release", text(info.kernel_release)},
      {"command_line", text(info.command_line)},
      {"event", text(info.event)},
      {"precise", flag(info.precise)},
      {"frequency_asked", count(info.frequency_asked)},
      {"frequency_hz", count(info.frequency_hz)},
      {"started_unix_s", real(info.started_unix_s)},
      {"duration_s", real(info.duration_s)},
      {"stacks", flag(info.stacks)},
      {"target_cpu_s", real(info.target_cpu_s)},
      {"samples", count(widths.samples)},
      {"bucket_s", count(widths.bucket_s)},
      {"detail_s", count(widths.detail_s)},
      {"complete", flag(recording.complete)},
  };
  // A key that this version does not know is somebody's own note. A missing one is a recording
  // killed before its first flush: it keeps its default.
  reader.each("meta", "SELECT key, value FROM meta ORDER BY key", 1024, [&](Statement& row) {
    const auto it = setters.find(row.text(0));
    if (it != setters.end()) it->second(row);
    return true;
  });

  reader.each("parts", "SELECT start_s, duration_s, command_line FROM parts ORDER BY id", max_rows,
              [&](Statement& row) {
                info.parts.push_back({row.real(0), row.real(1), row.text(2)});
                return true;
              });

  reader.each(
      "targets",
      "SELECT pid, comm, command, runtime, cpu_s, exited, exit_status FROM targets "
      "ORDER BY id",
      max_rows, [&](Statement& row) {
        profile::TargetEntry target;
        target.pid = row.number(0);
        target.comm = row.text(1);
        target.command = row.text(2);
        target.runtime = row.text(3);
        target.cpu_s = row.real(4);
        target.exited = row.flag(5);
        if (!row.null(6)) {
          const auto status = static_cast<std::int64_t>(row.bits(6));
          if (status < std::numeric_limits<int>::min() || status > std::numeric_limits<int>::max())
            return false;
          target.exit_status = static_cast<int>(status);
        }
        info.targets.push_back(std::move(target));
        return true;
      });

  std::vector<profile::ImageEntry> images;
  reader.each("images",
              "SELECT id, path, core, format, version, arch, text_size, hash FROM images "
              "ORDER BY id",
              max_rows, [&](Statement& row) {
                profile::ImageEntry image;
                image.id = row.number(0);
                image.path = row.text(1);
                image.core = row.number(2);
                image.format = row.text(3);
                image.version = row.number(4);
                image.arch = row.text(5);
                image.text_size = row.count(6);
                image.hash = row.text(7);
                images.push_back(std::move(image));
                return images.back().id == images.size() - 1;
              });
  reader.each("functions",
              "SELECT image, local_func, func_index, offset, size, name FROM functions "
              "ORDER BY image, local_func",
              max_functions, [&](Statement& row) {
                profile::FunctionEntry function;
                const std::uint32_t image = row.number(0);
                function.local = row.number(1);
                function.index = row.number(2);
                function.offset = row.count(3);
                function.size = row.count(4);
                function.name = row.text(5, profile::max_name_bytes);
                if (image >= images.size() || function.local != images[image].functions.size())
                  return false;
                images[image].functions.push_back(std::move(function));
                return true;
              });
  for (profile::ImageEntry& image : images) {
    image.functions.shrink_to_fit();
    profile.add_image(std::move(image));
  }

  reader.each("regions", "SELECT pid, image, start, size, first_s, last_s FROM regions ORDER BY id",
              max_rows, [&](Statement& row) {
                profile::RegionEntry region;
                region.pid = row.number(0);
                region.image = row.number(1);
                region.start = row.bits(2);
                region.size = row.bits(3);
                region.first_s = row.real(4);
                region.last_s = row.real(5);
                profile.regions.push_back(region);
                return region.image < profile.images().size();
              });
  reader.each("lost", "SELECT cause, hint, count FROM lost ORDER BY cause", 1024,
              [&](Statement& row) {
                profile::LostCause lost{row.text(0), row.text(1), row.count(2)};
                info.lost.push_back(std::move(lost));
                return info.lost.back().count <= 1ULL << 53;  // 1024 of them do not overflow
              });
  reader.each("warnings", "SELECT text FROM warnings ORDER BY id", max_rows, [&](Statement& row) {
    info.warnings.push_back(row.text(0));
    return true;
  });
}

}  // namespace aotscope::store
