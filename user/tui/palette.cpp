// The class groups follow the palette of Okabe and Ito, which people with any common kind of
// colour blindness can tell apart, and differ in lightness too; greys are for what matters least.
#include "tui/palette.hpp"

namespace aotscope::tui {
namespace {

struct Entry {
  short full;   // of 256
  short basic;  // of 16
};

Entry entry(Hue hue) {
  switch (hue) {
    case Hue::plain:
      return {-1, -1};
    case Hue::faint:
      return {245, 8};
    case Hue::title:
      return {80, 14};
    case Hue::key:
      return {80, 14};
    case Hue::good:
      return {72, 2};
    case Hue::warn:
      return {179, 3};
    case Hue::bad:
      return {203, 9};
    case Hue::hot:
      return {209, 9};
    case Hue::spill:
      return {166, 1};  // vermillion
    case Hue::local:
      return {214, 3};  // orange
    case Hue::move:
      return {33, 4};  // blue
    case Hue::bounds:
      return {228, 11};  // yellow
    case Hue::memory:
      return {36, 2};  // bluish green
    case Hue::dispatch:
      return {175, 13};  // reddish purple
    case Hue::call:
      return {97, 5};  // a dark shade of it
    case Hue::frame:
      return {243, 8};
    case Hue::compute:
      return {117, 14};  // sky blue
    case Hue::branch:
      return {252, 15};
    case Hue::other:
      return {239, 7};
    case Hue::wasm:
      return {73, 6};
    case Hue::host:
      return {180, 3};
    case Hue::kernel:
      return {175, 13};
    case Hue::unknown:
      return {203, 9};
  }
  return {-1, -1};
}

}  // namespace

int color_of(Hue hue, int colors) {
  const Entry e = entry(hue);
  if (colors >= 256) return e.full;
  if (colors >= 16) return e.basic;
  return e.basic < 0 || e.basic == 8 ? -1 : e.basic % 8;
}

}  // namespace aotscope::tui
