// The thin layer over ncurses: keys in, canvases out. Nothing else of this program knows it.
#pragma once

#include <memory>
#include <optional>

#include <aotscope/result.hpp>
#include <aotscope/tui.hpp>

#include "tui/restore.hpp"

namespace aotscope::tui {

struct Input {
  Key key = 0;  // 0: a click
  int column = 0;
  int row = 0;
};

class Terminal {
 public:
  // Takes the terminal over: stdin and stdout.
  static Result<std::unique_ptr<Terminal>> open(bool mouse);
  // Gives it back as it was.
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  const Caps& caps() const { return caps_; }
  Size size() const { return size_; }
  void resize();  // after SIGWINCH
  void paint(const Canvas& canvas);
  std::optional<Input> read();  // nullopt: nothing there
  void set_mouse(bool on);
  void stop();        // SIGTSTP: gives the terminal back, stops, takes it again
  void take_again();  // SIGCONT after a stop that could not be caught
  void repaint_all();

 private:
  Terminal() = default;
  void start_colors();

  StderrAside stderr_;  // destroyed after ncurses has left the screen
  Caps caps_;
  Size size_;
  void* screen_ = nullptr;  // SCREEN*
};

}  // namespace aotscope::tui
