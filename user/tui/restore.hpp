// The terminal as it was, for the case that nobody is left to ask ncurses for it.
#pragma once

#include <string_view>

namespace aotscope::tui {

// Remembers the terminal's settings and the strings that leave the full screen. From here to
// forget_terminal() a crash restores it.
void remember_terminal(int fd, std::string_view leave);
void forget_terminal();

// While the full screen is up, what anybody writes to stderr would tear it: it is kept aside and
// shown when the screen is gone.
class StderrAside {
 public:
  StderrAside();
  ~StderrAside();
  StderrAside(const StderrAside&) = delete;
  StderrAside& operator=(const StderrAside&) = delete;

 private:
  int saved_ = -1;
  int aside_ = -1;
};

}  // namespace aotscope::tui
