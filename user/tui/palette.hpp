// Colours for what cells mean.
#pragma once

#include <aotscope/tui.hpp>

namespace aotscope::tui {

// The terminal's colour number for a hue; -1: the default foreground. `colors`: 256, 16 or 8.
int color_of(Hue hue, int colors);

}  // namespace aotscope::tui
