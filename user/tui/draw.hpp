// What the screens share: header, footer, bars, sparklines, lists.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <aotscope/tui.hpp>

namespace aotscope::tui {

struct Rect {
  int column = 0, row = 0, width = 0, height = 0;
  int end() const { return column + width; }
};

// One drawing under way.
struct Pen {
  Canvas& canvas;
  const Snapshot& state;
  const Caps& caps;
  int width() const { return canvas.size().columns; }
  int height() const { return canvas.size().rows; }
};

constexpr Style plain{}, faint{Hue::faint}, title{Hue::title, true}, head{Hue::faint, true};
Style heat(double percent);  // of a share: the hotter, the louder

// "12.3" in `width` columns; a dot for what would read 0.0, so that the figures stand out.
std::string figure(double percent, int width, int decimals = 1);
// At `end - width`, right-aligned.
void put_right(Pen& pen, int end, int row, std::string_view text, Style style = {});

// Two rows on top of every screen; returns the first free row.
int draw_header(Pen& pen);
// The main screen's further rows: where samples landed, classes with their legend.
int draw_shares(Pen& pen, int row);
// One line of class groups, `width` columns for 100 per cent.
void class_bar(Pen& pen, int column, int row, int width, const PerGroup& shares);
// A class's name in the colour of its group.
int class_name(Pen& pen, int column, int row, isa::InstrClass cls, int end);
// One share as a bar of up to `width` columns.
void share_bar(Pen& pen, int column, int row, int width, double percent, Hue hue);
void sparkline(Pen& pen, int column, int row, int width, const History& history, float top,
               Hue hue);

struct FooterKey {
  std::string_view label;  // "Enter"
  std::string_view what;   // "inspect"
  Key key;
};
void draw_footer(Pen& pen, std::span<const FooterKey> keys);
// The row above the footer: what the list shows, filter, messages.
void draw_status(Pen& pen, std::string_view list);
// Rows between `from` and the status row.
int body_height(const Pen& pen, int from);

// First item of a list of `count` that shows `page` of them, scrolled no more than it must be.
int scroll_to(const Cursor& cursor, int count, int page);
// "1-20 of 412 functions"
std::string range_text(int first, int page, int count, std::string_view what);

void draw_main(Pen& pen);
void draw_function(Pen& pen);
void draw_annotate(Pen& pen);
void draw_classes(Pen& pen);
void draw_threads(Pen& pen);
void draw_help(Pen& pen);
void draw_chooser(Pen& pen);

}  // namespace aotscope::tui
