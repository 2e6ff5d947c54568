// Numbers and class mixes as people read them; shared by the views.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <aotscope/profile.hpp>

namespace aotscope::view {

// 100 * part / whole, 0 when there is no whole.
double percent(std::uint64_t part, std::uint64_t whole);

// 6160 -> "6,160", whatever the locale.
std::string grouped(std::uint64_t number);

// 0.31 -> "0.31 s", 6.2 -> "6.2 s", 4000 -> "1 h 06 min".
std::string duration_text(double seconds);

// The last part of a path, safe to show. An image is named by it in tables.
std::string base_name(std::string_view path);

// A function's name, safe to show.
std::string function_label(const profile::Profile& profile, profile::FrameKey function);

struct ClassShare {
  isa::InstrClass cls;
  std::uint64_t count = 0;
  double share = 0;  // per cent of the mix
};
// The classes with counts, largest first, ties in order of display.
std::vector<ClassShare> ranked(const isa::PerClass<std::uint64_t>& counts);

// "move 84  float 13  local-store 2": at most `most` classes, the small ones left out.
std::string mix_text(const isa::PerClass<std::uint64_t>& counts, std::size_t most = 5);

// The class that the function waits for, when it is not what the mix already says: the largest
// class of `waits` where it is not also the largest of `classes`, else the one that is at least
// five points larger in `waits` than in `classes`. "float 88", or empty.
std::string waits_text(const isa::PerClass<std::uint64_t>& classes,
                       const isa::PerClass<std::uint64_t>& waits);

// Terminal attributes, or nothing at all without colour.
struct Paint {
  bool on = false;
  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string dim(std::string_view text) const { return wrap("2", text); }
  std::string red(std::string_view text) const { return wrap("31", text); }
  std::string yellow(std::string_view text) const { return wrap("33", text); }
  std::string cyan(std::string_view text) const { return wrap("36", text); }

 private:
  std::string wrap(std::string_view code, std::string_view text) const;
};

}  // namespace aotscope::view
