// Which function of the old image is which of the new one.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <aotscope/diff.hpp>

namespace aotscope::profile {
namespace {

// "func[7]" is no name: it says nothing but the index, which is what may have moved.
bool is_named(const FunctionEntry& function) {
  return !function.name.empty() && function.name != fmt::format("func[{}]", function.index);
}

class Matcher {
 public:
  Matcher(const ImageEntry& old_image, const ImageEntry& new_image, const MixOf& old_mix,
          const MixOf& new_mix)
      : old_(old_image), new_(new_image), old_mix_(old_mix), new_mix_(new_mix) {}

  std::map<std::uint32_t, FunctionMatch> run() {
    by_name();
    // With as many functions as before, nothing has moved: an index says who a function is, even
    // where its code was compiled quite differently.
    const bool moved = old_.functions.size() != new_.functions.size();
    if (moved) by_fingerprint();
    by_index(moved);
    return std::move(matches_);
  }

 private:
  void match(std::uint32_t old_local, std::uint32_t new_local, Matched by) {
    matches_[new_local] = {old_local, by};
    taken_.insert(old_local);
  }
  bool free(std::uint32_t old_local, std::uint32_t new_local) const {
    return !taken_.contains(old_local) && !matches_.contains(new_local);
  }

  // Functions of one name (static functions of several files) go together in their order when
  // there are equally many; else it cannot be told which of them is missing.
  void by_name() {
    std::map<std::string_view, std::vector<std::uint32_t>> olds;
    std::map<std::string_view, std::vector<std::uint32_t>> news;
    for (const FunctionEntry& f : old_.functions) {
      if (is_named(f)) olds[f.name].push_back(f.local);
    }
    for (const FunctionEntry& f : new_.functions) {
      if (is_named(f)) news[f.name].push_back(f.local);
    }
    for (const auto& [name, locals] : news) {
      const auto found = olds.find(name);
      if (found == olds.end() || found->second.size() != locals.size()) continue;
      for (std::size_t i = 0; i < locals.size(); ++i) {
        match(found->second[i], locals[i], Matched::name);
      }
    }
  }

  // A function with a name goes with no function of another name.
  bool may_match(std::uint32_t old_local, std::uint32_t new_local) const {
    const FunctionEntry& a = old_.functions[old_local];
    const FunctionEntry& b = new_.functions[new_local];
    return !is_named(a) || !is_named(b) || a.name == b.name;
  }

  // 0 for equal mixes, 1 for mixes with nothing in common.
  static double distance(const InstructionMix& a, const InstructionMix& b) {
    double apart = 0;
    double all = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      apart += std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
      all += static_cast<double>(a[i]) + static_cast<double>(b[i]);
    }
    return all > 0 ? apart / all : 1;
  }

  // Closest pairs first; a pair counts when neither side has another candidate nearly as close.
  void by_fingerprint() {
    constexpr double similar = 0.15;
    constexpr double clearly = 0.05;
    struct Pair {
      double distance;
      std::uint32_t old_local;
      std::uint32_t new_local;
    };
    std::vector<std::pair<std::uint32_t, const InstructionMix*>> olds;
    for (const FunctionEntry& a : old_.functions) {
      const InstructionMix* mix = taken_.contains(a.local) ? nullptr : old_mix_(a.local);
      if (mix != nullptr) olds.emplace_back(a.local, mix);
    }
    std::vector<Pair> pairs;
    for (const FunctionEntry& b : new_.functions) {
      const InstructionMix* mix = matches_.contains(b.local) ? nullptr : new_mix_(b.local);
      if (mix == nullptr) continue;
      for (const auto& [old_local, old_mix] : olds) {
        if (!may_match(old_local, b.local)) continue;
        const double apart = distance(*old_mix, *mix);
        if (apart <= similar + clearly) pairs.push_back({apart, old_local, b.local});
      }
    }
    std::map<std::uint32_t, std::vector<double>> of_old;
    std::map<std::uint32_t, std::vector<double>> of_new;
    for (const Pair& pair : pairs) {
      of_old[pair.old_local].push_back(pair.distance);
      of_new[pair.new_local].push_back(pair.distance);
    }
    const auto rivals = [&](const std::vector<double>& distances, double limit) {
      return std::count_if(distances.begin(), distances.end(),
                           [&](double other) { return other <= limit; });
    };
    for (const Pair& pair : pairs) {
      const double limit = pair.distance == 0 ? 0 : pair.distance + clearly;
      if (pair.distance > similar || rivals(of_old[pair.old_local], limit) != 1 ||
          rivals(of_new[pair.new_local], limit) != 1) {
        continue;
      }
      if (free(pair.old_local, pair.new_local)) {
        match(pair.old_local, pair.new_local, Matched::fingerprint);
      }
    }
  }

  // Where indices moved, a function between two known neighbours that moved equally far moved as
  // far as they did; elsewhere an index says nothing.
  void by_index(bool moved) {
    const std::map<std::uint32_t, FunctionMatch> known = matches_;
    for (const FunctionEntry& b : new_.functions) {
      if (matches_.contains(b.local)) continue;
      std::int64_t old_local = b.local;
      if (moved) {
        const auto after = known.upper_bound(b.local);
        if (after == known.end() || after == known.begin()) continue;
        const auto before = std::prev(after);
        const std::int64_t shift = std::int64_t{before->second.old_local} - before->first;
        if (shift != std::int64_t{after->second.old_local} - after->first) continue;
        old_local += shift;
      }
      if (old_local < 0 || static_cast<std::uint64_t>(old_local) >= old_.functions.size()) continue;
      const auto local = static_cast<std::uint32_t>(old_local);
      if (free(local, b.local) && may_match(local, b.local)) match(local, b.local, Matched::index);
    }
  }

  const ImageEntry& old_;
  const ImageEntry& new_;
  const MixOf& old_mix_;
  const MixOf& new_mix_;
  std::map<std::uint32_t, FunctionMatch> matches_;
  std::set<std::uint32_t> taken_;
};

}  // namespace

std::map<std::uint32_t, FunctionMatch> match_functions(const ImageEntry& old_image,
                                                       const ImageEntry& new_image,
                                                       const MixOf& old_mix, const MixOf& new_mix) {
  return Matcher(old_image, new_image, old_mix, new_mix).run();
}

}  // namespace aotscope::profile
