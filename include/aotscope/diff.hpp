// Two recordings of one program, before and after a change: what moved, and whether it is more
// than sampling noise. Pure, part of the profile room.
//
// Method. A share is k samples of n. Its uncertainty is Wilson's score interval, which holds for
// few samples too; the interval of a difference is Newcombe's square-and-add of the two. The error
// of `1 - confidence` is divided by the number of comparisons (Bonferroni), so it is the chance
// that anything at all is called significant in two runs of the same thing.
// Samples of a timer are not independent: where a program changes phase, neighbours are alike. So
// n is divided by the dispersion of the function's share between neighbouring time buckets,
// relative to what independent samples would show, where that is more than 1 and there are enough
// buckets to tell. CPU seconds differ between runs by what the machine does too: with `work` each
// figure is taken to be uncertain by another 4 %.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <aotscope/profile.hpp>

namespace aotscope::profile {

// Static instructions of each class of a function: its fingerprint.
using InstructionMix = PerClass<std::uint32_t>;

struct DiffSide {
  const Profile* profile = nullptr;
  std::map<FrameKey, InstructionMix> mixes;  // of functions whose code is known
};

struct DiffOptions {
  double confidence = 0.99;
  // Both runs did the same work: compare CPU seconds instead of shares.
  bool work = false;
  // With work: how far the same work's CPU time differs between runs for reasons of the machine
  // (caches, clock rates), as a part of each figure. Sampling says nothing about that.
  double machine = 0.04;
};

// A figure in both runs: samples, the value (per cent of all samples, or CPU seconds), and the
// interval of new - old.
struct Measure {
  std::uint64_t old_samples = 0;
  std::uint64_t new_samples = 0;
  double old_value = 0;
  double new_value = 0;
  double low = 0;
  double high = 0;
  double change() const { return new_value - old_value; }
  bool significant() const { return low > 0 || high < 0; }
};

enum class Matched : std::uint8_t { none, name, index, fingerprint };

struct DiffRow {
  std::optional<FrameKey> old_key;  // empty: a new function
  std::optional<FrameKey> new_key;  // empty: a vanished one
  Matched matched = Matched::none;
  std::string name;  // raw; the new one where there is one
  Measure self;
  Measure total;  // where both runs have stacks
  PerClass<std::uint64_t> old_classes{};
  PerClass<std::uint64_t> new_classes{};
  bool significant = false;  // self or total
};

struct ClassRow {
  InstrClass cls = InstrClass::other;
  Measure self;
  bool significant = false;
};

struct Diff {
  bool work = false;
  bool totals = false;  // both runs have stacks
  double confidence = 0;
  std::size_t comparisons = 0;  // of functions; classes are a family of their own
  double old_dispersion = 1;    // of the whole run: 1 is independent samples
  double new_dispersion = 1;
  std::vector<DiffRow> functions;  // with samples in either run: significant ones first, then by
                                   // the size of the change
  std::vector<ClassRow> classes;   // in the same order
  Measure wasm, host, unknown;     // with the classes' correction
};

Diff diff(const DiffSide& old_side, const DiffSide& new_side, const DiffOptions& options);

// ---- its parts, for tests -------------------------------------------------------------------

// The two-sided normal quantile: the z that |normal| exceeds with probability `alpha`.
double normal_quantile(double alpha);

struct Interval {
  double low = 0;
  double high = 0;
};
// Wilson's score interval of k of n, both real numbers because of the dispersion.
Interval wilson(double k, double n, double z);
// Newcombe's interval of b - a, from both values and their intervals.
Interval difference(double a, Interval of_a, double b, Interval of_b);

// How much more a share varies between neighbouring buckets than independent samples would, at
// least 1; 1 where there are fewer than 8 pairs of buckets.
double dispersion(const Profile& profile, FrameKey function);
// Of all functions, each weighted by its samples.
double dispersion(const Profile& profile);

// The functions of two images of the same core: new local -> old local, and by what.
struct FunctionMatch {
  std::uint32_t old_local = 0;
  Matched by = Matched::none;
};
using MixOf = std::function<const InstructionMix*(std::uint32_t local)>;  // null: code not known
std::map<std::uint32_t, FunctionMatch> match_functions(const ImageEntry& old_image,
                                                       const ImageEntry& new_image,
                                                       const MixOf& old_mix, const MixOf& new_mix);

}  // namespace aotscope::profile
