// Flush: what the run is, its targets and images.
#include "rows.hpp"

namespace aotscope::store {
namespace {

// A list of a few rows that changed is written anew.
template <typename T, typename Write>
void rewrite(Db& db, const char* clear, const std::vector<T>& written, const std::vector<T>& next,
             Write write) {
  if (written == next) return;
  db.exec(clear);
  for (std::size_t i = 0; i < next.size() && db.ok(); ++i) write(i, next[i]);
}

}  // namespace

void RunRows::write(Db& db, const Profile& profile, bool complete) {
  const profile::RunInfo& info = profile.info;
  const auto whole = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  next_.meta = {
      {"tool_version", info.tool_version},
      {"host_name", info.host_name},
      {"kernel_release", info.kernel_release},
      {"command_line", info.command_line},
      {"event", info.event},
      {"precise", whole(info.precise)},
      {"frequency_asked", whole(info.frequency_asked)},
      {"frequency_hz", whole(info.frequency_hz)},
      {"started_unix_s", info.started_unix_s},
      {"duration_s", info.duration_s},
      {"stacks", whole(info.stacks)},
      {"target_cpu_s", info.target_cpu_s},
      {"samples", whole(profile.totals().total)},
      {"bucket_s", whole(profile.bucket_seconds())},
      {"detail_s", whole(profile.detail_seconds())},
      {"complete", whole(complete)},
  };
  next_.parts = info.parts;
  next_.targets = info.targets;
  next_.regions = profile.regions;
  next_.lost = info.lost;
  next_.warnings = info.warnings;
  write_meta(db);
  write_targets(db);
  write_regions(db);
  write_lines(db);
}

void RunRows::write_meta(Db& db) {
  for (const auto& [key, value] : next_.meta) {
    const auto it = written_.meta.find(key);
    if (it != written_.meta.end() && it->second == value) continue;
    std::visit([&](const auto& plain) { meta_.run(db, key, plain); }, value);
  }
}

void RunRows::write_targets(Db& db) {
  rewrite(db, "DELETE FROM parts", written_.parts, next_.parts,
          [&](std::size_t i, const profile::RunPart& part) {
            part_.run(db, static_cast<std::uint64_t>(i), part.start_s, part.duration_s,
                      part.command_line);
          });
  rewrite(db, "DELETE FROM targets", written_.targets, next_.targets,
          [&](std::size_t i, const profile::TargetEntry& target) {
            target_.run(db, static_cast<std::uint64_t>(i), target.pid, target.comm, target.command,
                        target.runtime, target.cpu_s, target.exited, target.exit_status);
          });
}

// Regions come and go by the thousand in some targets, so these are compared one by one.
void RunRows::write_regions(Db& db) {
  for (std::size_t i = 0; i < next_.regions.size() && db.ok(); ++i) {
    const profile::RegionEntry& region = next_.regions[i];
    if (i < written_.regions.size() && written_.regions[i] == region) continue;
    region_.run(db, static_cast<std::uint64_t>(i), region.pid, region.image, region.start,
                region.size, region.first_s, region.last_s);
  }
  if (next_.regions.size() < written_.regions.size())
    drop_regions_.run(db, static_cast<std::uint64_t>(next_.regions.size()));
}

void RunRows::write_lines(Db& db) {
  rewrite(db, "DELETE FROM lost", written_.lost, next_.lost,
          [&](std::size_t, const profile::LostCause& lost) {
            lost_.run(db, lost.cause, lost.hint, lost.count);
          });
  rewrite(db, "DELETE FROM warnings", written_.warnings, next_.warnings,
          [&](std::size_t i, const std::string& line) {
            warning_.run(db, static_cast<std::uint64_t>(i), line);
          });
}

void ImageRows::write(Db& db, const Profile& profile) {
  const std::vector<profile::ImageEntry>& images = profile.images();
  for (next_ = written_; next_ < images.size() && db.ok(); ++next_) {
    const profile::ImageEntry& image = images[next_];
    image_.run(db, image.id, image.path, image.core, image.format, image.version, image.arch,
               image.text_size, image.hash);
    for (const profile::FunctionEntry& function : image.functions)
      if (!function_.run(db, image.id, function.local, function.index, function.offset,
                         function.size, function.name))
        break;
  }
}

}  // namespace aotscope::store
