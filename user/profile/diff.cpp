// Puts two recordings side by side.
#include <algorithm>
#include <cmath>
#include <set>

#include <aotscope/diff.hpp>

namespace aotscope::profile {
namespace {

// Values of one run: shares in per cent, or CPU seconds.
struct Scale {
  double samples = 0;
  double factor = 100;
  double machine = 0;

  Scale(const Profile& profile, const DiffOptions& options)
      : samples(static_cast<double>(profile.totals().total)),
        factor(options.work ? profile.info.target_cpu_s : 100),
        machine(options.work ? options.machine : 0) {}
  double value(std::uint64_t count) const {
    return samples > 0 ? factor * static_cast<double>(count) / samples : 0;
  }
  Interval interval(std::uint64_t count, double dispersion, double z) const {
    const Interval share = wilson(static_cast<double>(count) / dispersion, samples / dispersion, z);
    // Independent of the sampling, so the two add up in squares.
    const double middle = value(count);
    const double apart = machine * middle;
    return {middle - std::hypot(middle - share.low * factor, apart),
            middle + std::hypot(share.high * factor - middle, apart)};
  }
};

struct Noise {
  double z = 0;
  double old_dispersion = 1;
  double new_dispersion = 1;
};

Measure measure(std::uint64_t old_count, const Scale& old_scale, std::uint64_t new_count,
                const Scale& new_scale, const Noise& noise) {
  Measure out;
  out.old_samples = old_count;
  out.new_samples = new_count;
  out.old_value = old_scale.value(old_count);
  out.new_value = new_scale.value(new_count);
  const Interval of_old = old_scale.interval(old_count, noise.old_dispersion, noise.z);
  const Interval of_new = new_scale.interval(new_count, noise.new_dispersion, noise.z);
  const Interval change = difference(out.old_value, of_old, out.new_value, of_new);
  out.low = change.low;
  out.high = change.high;
  return out;
}

// The image of the new run that continues an old one: the same core of a component of the same
// file, else the same core. Each old image is taken once.
std::map<std::uint32_t, std::uint32_t> match_images(const Profile& old_run,
                                                    const Profile& new_run) {
  const auto file = [](const ImageEntry& image) {
    return std::string_view(image.path).substr(image.path.find_last_of('/') + 1);
  };
  std::map<std::uint32_t, std::uint32_t> out;  // new -> old
  std::set<std::uint32_t> taken;
  for (const bool same_file : {true, false}) {
    for (const ImageEntry& b : new_run.images()) {
      if (out.contains(b.id)) continue;
      for (const ImageEntry& a : old_run.images()) {
        if (taken.contains(a.id) || a.core != b.core || (same_file && file(a) != file(b))) continue;
        out[b.id] = a.id;
        taken.insert(a.id);
        break;
      }
    }
  }
  return out;
}

const FunctionCount& count_of(const Profile& profile, const std::optional<FrameKey>& key) {
  static const FunctionCount none;
  if (!key) return none;
  const auto found = profile.functions().find(*key);
  return found == profile.functions().end() ? none : found->second;
}

std::vector<DiffRow> rows_of(const DiffSide& old_side, const DiffSide& new_side) {
  const auto mix_of = [](const DiffSide& side, std::uint32_t image) {
    return [&side, image](std::uint32_t local) -> const InstructionMix* {
      const auto found = side.mixes.find({FrameKind::wasm, image, local});
      return found == side.mixes.end() ? nullptr : &found->second;
    };
  };
  std::map<FrameKey, std::pair<FrameKey, Matched>> old_of;  // by the new key
  std::map<FrameKey, FrameKey> new_of;
  for (const auto& [new_image, old_image] : match_images(*old_side.profile, *new_side.profile)) {
    const auto matches = match_functions(old_side.profile->images()[old_image],
                                         new_side.profile->images()[new_image],
                                         mix_of(old_side, old_image), mix_of(new_side, new_image));
    for (const auto& [local, match] : matches) {
      const FrameKey new_key{FrameKind::wasm, new_image, local};
      const FrameKey old_key{FrameKind::wasm, old_image, match.old_local};
      old_of[new_key] = {old_key, match.by};
      new_of[old_key] = new_key;
    }
  }

  std::vector<DiffRow> rows;
  for (const auto& [key, count] : new_side.profile->functions()) {
    DiffRow row;
    row.new_key = key;
    row.name = new_side.profile->frame_name(key);
    if (const auto found = old_of.find(key); found != old_of.end()) {
      row.old_key = found->second.first;
      row.matched = found->second.second;
    }
    rows.push_back(std::move(row));
  }
  for (const auto& [key, count] : old_side.profile->functions()) {
    const auto found = new_of.find(key);
    if (found != new_of.end() && new_side.profile->functions().contains(found->second)) continue;
    DiffRow row;
    row.old_key = key;
    row.name = old_side.profile->frame_name(key);
    if (found != new_of.end()) {
      row.new_key = found->second;
      row.matched = old_of[found->second].second;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// Significant ones first, the largest change first.
template <typename Row, typename Size>
void order(std::vector<Row>& rows, Size size) {
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return a.significant != b.significant ? a.significant : size(a) > size(b);
  });
}

}  // namespace

Diff diff(const DiffSide& old_side, const DiffSide& new_side, const DiffOptions& options) {
  const Profile& old_run = *old_side.profile;
  const Profile& new_run = *new_side.profile;
  const Scale old_scale(old_run, options);
  const Scale new_scale(new_run, options);
  Diff out;
  out.work = options.work;
  out.totals = old_run.info.stacks && new_run.info.stacks;
  out.confidence = options.confidence;
  out.old_dispersion = dispersion(old_run);
  out.new_dispersion = dispersion(new_run);
  const double error = 1 - options.confidence;

  out.functions = rows_of(old_side, new_side);
  out.comparisons = std::max<std::size_t>(1, out.functions.size() * (out.totals ? 2 : 1));
  Noise noise;
  noise.z = normal_quantile(error / static_cast<double>(out.comparisons));
  for (DiffRow& row : out.functions) {
    const FunctionCount& before = count_of(old_run, row.old_key);
    const FunctionCount& after = count_of(new_run, row.new_key);
    row.old_classes = before.classes;
    row.new_classes = after.classes;
    noise.old_dispersion = row.old_key ? dispersion(old_run, *row.old_key) : 1;
    noise.new_dispersion = row.new_key ? dispersion(new_run, *row.new_key) : 1;
    row.self = measure(before.self, old_scale, after.self, new_scale, noise);
    row.significant = row.self.significant();
    if (!out.totals) continue;
    // A total has no time buckets of its own: it varies as its function or as the run does.
    noise.old_dispersion = std::max(noise.old_dispersion, out.old_dispersion);
    noise.new_dispersion = std::max(noise.new_dispersion, out.new_dispersion);
    row.total = measure(before.total, old_scale, after.total, new_scale, noise);
    row.significant = row.significant || row.total.significant();
  }
  order(out.functions, [](const DiffRow& row) {
    return std::max(std::abs(row.self.change()), std::abs(row.total.change()));
  });

  const PerClass<std::uint64_t> before = old_run.classes();
  const PerClass<std::uint64_t> after = new_run.classes();
  Noise whole{0, out.old_dispersion, out.new_dispersion};
  whole.z = normal_quantile(error / static_cast<double>(isa::class_count + 3));
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == 0 && after[i] == 0) continue;
    ClassRow row;
    row.cls = static_cast<InstrClass>(i);
    row.self = measure(before[i], old_scale, after[i], new_scale, whole);
    row.significant = row.self.significant();
    out.classes.push_back(row);
  }
  order(out.classes, [](const ClassRow& row) { return std::abs(row.self.change()); });

  const Totals old_totals = old_run.totals();
  const Totals new_totals = new_run.totals();
  out.wasm = measure(old_totals.wasm, old_scale, new_totals.wasm, new_scale, whole);
  out.host = measure(old_totals.host, old_scale, new_totals.host, new_scale, whole);
  out.unknown = measure(old_totals.unknown, old_scale, new_totals.unknown, new_scale, whole);
  return out;
}

}  // namespace aotscope::profile
