#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include "tui/terminal.hpp"

#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <curses.h>
#include <term.h>

#include <fmt/format.h>

#include "tui/palette.hpp"

// term.h makes macros of common words.
#undef columns
#undef lines
#undef tab

namespace aotscope::tui {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// A terminfo string without its padding ("$<5>").
std::string capability(const char* name) {
  const char* raw = ::tigetstr(name);
  if (raw == nullptr || raw == reinterpret_cast<const char*>(-1)) return {};
  std::string text(raw);
  for (std::size_t at; (at = text.find("$<")) != std::string::npos;) {
    const std::size_t end = text.find('>', at);
    text.erase(at, end == std::string::npos ? end : end - at + 1);
  }
  return text;
}

int pair_of(const Style& style) {
  return 1 + static_cast<int>(style.hue) + (style.selected ? static_cast<int>(hue_count) : 0);
}

}  // namespace

bool terminal_is_capable() {
  const std::string_view term = environment("TERM");
  if (term.empty() || term == "dumb" || ::isatty(STDIN_FILENO) == 0 ||
      ::isatty(STDOUT_FILENO) == 0) {
    return false;
  }
  int status = 0;
  const bool known = ::setupterm(nullptr, STDOUT_FILENO, &status) == OK;
  const bool can_move = known && !capability("cup").empty();
  if (known) ::del_curterm(::cur_term);
  return can_move;
}

Result<std::unique_ptr<Terminal>> Terminal::open(bool mouse) {
  ::setlocale(LC_CTYPE, "");
  auto terminal = std::unique_ptr<Terminal>(new Terminal());
  terminal->caps_.utf8 = std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0;
  // Before ncurses changes them. The sequences that end xterm's mouse reports are in no terminfo.
  int status = 0;
  std::string leave;
  if (::setupterm(nullptr, STDOUT_FILENO, &status) == OK) {
    leave = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l" + capability("sgr0") + capability("op") +
            capability("rmkx") + capability("rmcup") + capability("cnorm");
  }
  remember_terminal(STDOUT_FILENO, leave);
  SCREEN* screen = ::newterm(nullptr, stdout, stdin);
  if (screen == nullptr) {
    forget_terminal();
    return fail(fmt::format("the terminal {} is not known", environment("TERM")),
                "use --plain, or set TERM");
  }
  terminal->screen_ = screen;
  ::set_term(screen);
  ::cbreak();
  ::noecho();
  ::nonl();
  ::set_escdelay(25);
  ::keypad(::stdscr, TRUE);
  ::nodelay(::stdscr, TRUE);
  ::mouseinterval(0);
  ::curs_set(0);
  terminal->start_colors();
  terminal->set_mouse(mouse);
  terminal->size_ = {getmaxx(::stdscr), getmaxy(::stdscr)};
  terminal->resize();
  return terminal;
}

Terminal::~Terminal() {
  if (screen_ == nullptr) return;
  ::curs_set(1);
  ::endwin();
  forget_terminal();
  ::delscreen(static_cast<SCREEN*>(screen_));
}

void Terminal::start_colors() {
  caps_.colors = 0;
  // https://no-color.org: any value but the empty one.
  if (!environment("NO_COLOR").empty() || !::has_colors()) return;
  ::start_color();
  ::use_default_colors();
  caps_.colors = ::COLORS >= 256 ? 256 : ::COLORS >= 16 ? 16 : ::COLORS >= 8 ? 8 : 0;
  if (::COLOR_PAIRS <= static_cast<int>(2 * hue_count)) caps_.colors = 0;
  if (caps_.colors == 0) return;
  // The row under the cursor has a ground of its own and a text that can be read on it, whether
  // the screen is dark or light. With fewer colours it is reversed: any ground hides some hue.
  const bool ground = caps_.colors >= 256;
  for (std::size_t i = 0; i < hue_count; ++i) {
    const auto hue = static_cast<Hue>(i);
    const auto color = static_cast<short>(color_of(hue, caps_.colors));
    ::init_pair(static_cast<short>(pair_of({hue})), color, -1);
    const short text = hue == Hue::plain ? short{255} : hue == Hue::faint ? short{250} : color;
    ::init_pair(static_cast<short>(pair_of({hue, false, true})), ground ? text : color,
                ground ? short{237} : short{-1});
  }
}

void Terminal::resize() {
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0) return;
  // A terminal of no size is one that does not tell (a serial line) or is on its way to another.
  if (window.ws_col == 0 || window.ws_row == 0) return;
  constexpr int most_columns = 1000, most_rows = 500;  // ncurses counts in short integers
  size_ = {std::min<int>(window.ws_col, most_columns), std::min<int>(window.ws_row, most_rows)};
  ::resizeterm(size_.rows, size_.columns);
}

void Terminal::paint(const Canvas& canvas) {
  ::werase(::stdscr);
  const Size size = canvas.size();
  for (int row = 0; row < size.rows; ++row) {
    int column = 0;
    while (column < size.columns) {
      const int first = column;
      const Style style = canvas.at(column, row).style;
      std::string run;
      // A run ends behind what may take another width on the terminal than we think.
      for (bool sure = true; sure && column < size.columns; ++column) {
        const Cell& cell = canvas.at(column, row);
        if (!(cell.style == style)) break;
        run += cell.glyph;
        sure = cell.glyph.size() <= 3 && !cell.glyph.empty();
      }
      if (run.empty()) continue;
      attr_t attributes = style.bold ? A_BOLD : A_NORMAL;
      short pair = 0;
      if (caps_.colors != 0) pair = static_cast<short>(pair_of(style));
      const bool bar = caps_.colors != 0 && style.hue >= Hue::spill;
      if (caps_.colors < 256 && style.selected && !bar) attributes |= A_REVERSE;
      if (caps_.colors < 16 && style.hue == Hue::faint) attributes |= A_DIM;
      ::wattr_set(::stdscr, attributes, pair, nullptr);
      ::mvwaddstr(::stdscr, row, first, run.c_str());
    }
  }
  ::wattr_set(::stdscr, A_NORMAL, 0, nullptr);
  ::wrefresh(::stdscr);
}

void Terminal::repaint_all() { ::clearok(::stdscr, TRUE); }

std::optional<Input> Terminal::read() {
  for (;;) {
    wint_t code = 0;
    const int status = ::wget_wch(::stdscr, &code);
    if (status == ERR) return std::nullopt;
    if (status != KEY_CODE_YES) return Input{static_cast<Key>(code)};
    switch (code) {
      case KEY_UP:
        return Input{keys::up};
      case KEY_DOWN:
        return Input{keys::down};
      case KEY_LEFT:
        return Input{keys::left};
      case KEY_RIGHT:
        return Input{keys::right};
      case KEY_PPAGE:
        return Input{keys::page_up};
      case KEY_NPAGE:
        return Input{keys::page_down};
      case KEY_HOME:
        return Input{keys::home};
      case KEY_END:
        return Input{keys::end};
      case KEY_ENTER:
        return Input{keys::enter};
      case KEY_BACKSPACE:
      case KEY_DC:
        return Input{keys::backspace};
      case KEY_MOUSE: {
        MEVENT event{};
        if (::getmouse(&event) != OK) break;
        if ((event.bstate & BUTTON4_PRESSED) != 0) return Input{keys::wheel_up};
        if ((event.bstate & BUTTON5_PRESSED) != 0) return Input{keys::wheel_down};
        if ((event.bstate & BUTTON1_PRESSED) != 0) return Input{0, event.x, event.y};
        break;
      }
      default:
        break;  // KEY_RESIZE and keys without a meaning
    }
  }
}

void Terminal::set_mouse(bool on) {
  caps_.mouse = on;
  ::mousemask(on ? BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, nullptr);
}

void Terminal::stop() {
  ::curs_set(1);
  ::endwin();
  sigset_t stop;
  ::sigemptyset(&stop);
  ::sigaddset(&stop, SIGTSTP);
  struct sigaction before {
  }, by_default{};
  by_default.sa_handler = SIG_DFL;
  ::sigaction(SIGTSTP, &by_default, &before);
  ::raise(SIGTSTP);
  ::sigprocmask(SIG_UNBLOCK, &stop, nullptr);  // stops here
  ::sigprocmask(SIG_BLOCK, &stop, nullptr);
  ::sigaction(SIGTSTP, &before, nullptr);
  take_again();
}

void Terminal::take_again() {
  // A shell may have changed the settings meanwhile: leave and enter anew.
  ::endwin();
  resize();
  ::clearok(::stdscr, TRUE);
  ::wrefresh(::stdscr);
  ::curs_set(0);
}

}  // namespace aotscope::tui
