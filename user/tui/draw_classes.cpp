// Classes over the whole process: which class, in which functions.
#include <algorithm>

#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "tui/draw.hpp"

namespace aotscope::tui {
namespace {

void mark(Pen& pen, int row, const Rect& area, bool selected, int item) {
  if (selected) {
    pen.canvas.put(area.column - 1, row, "▸", {Hue::key, true});
    pen.canvas.mark_selected(row, area.column - 1, area.end());
  }
  if (item >= 0) pen.canvas.add_hit({row, area.column - 1, area.end(), 0, item});
}

void draw_list(Pen& pen, const Rect& area) {
  const Snapshot& state = pen.state;
  Canvas& canvas = pen.canvas;
  const bool waits = !state.header.precise;
  int row = area.row;
  canvas.put(area.column, row, "CLASS", head);
  canvas.put(area.column + 13, row, "  NOW%  SELF%", head);
  if (waits) canvas.put(area.column + 27, row, "   NOW%  WAITS%", head);
  ++row;
  const int count = static_cast<int>(state.classes.size());
  const int page = std::max(1, area.height - 1);
  const Cursor& cursor = state.cursors[static_cast<std::size_t>(Screen::classes)];
  const int first = scroll_to(cursor, count, page);
  if (count == 0) canvas.put(area.column, row, "no samples in wasm code", faint, area.end());
  const int bar_at = area.column + (waits ? 44 : 28);
  double largest = 1;  // its bar has the whole width
  for (const Share& share : state.classes) {
    largest = std::max(largest, state.by_waits ? share.waits_self : share.self);
  }
  for (int i = first; i < std::min(count, first + page); ++i, ++row) {
    const Share& share = state.classes[static_cast<std::size_t>(i)];
    class_name(pen, area.column, row, share.cls, area.column + 13);
    const bool by_waits = state.by_waits;
    canvas.put(area.column + 13, row, figure(share.now, 6), by_waits ? faint : heat(share.now));
    canvas.put(area.column + 20, row, figure(share.self, 6), by_waits ? faint : plain);
    if (waits) {
      canvas.put(area.column + 28, row, figure(share.waits_now, 6),
                 by_waits ? heat(share.waits_now) : faint);
      canvas.put(area.column + 36, row, figure(share.waits_self, 6), by_waits ? plain : faint);
    }
    share_bar(pen, bar_at, row, area.end() - bar_at - 1,
              100 * (by_waits ? share.waits_self : share.self) / largest,
              groups()[group_of(share.cls)].hue);
    mark(pen, row, area, i == cursor.item, state.in_class ? -1 : i);
  }
  if (!state.in_class) canvas.first_item = first, canvas.page_items = page;
}

void draw_functions(Pen& pen, const Rect& area) {
  const Snapshot& state = pen.state;
  Canvas& canvas = pen.canvas;
  const auto item =
      static_cast<std::size_t>(state.cursors[static_cast<std::size_t>(Screen::classes)].item);
  int row = area.row;
  canvas.put(area.column, row, "  NOW%  SELF%", head);
  if (item < state.classes.size()) {
    int column = canvas.put(area.column + 15, row, state.by_waits ? "of waiting for " : "of ", head,
                            area.end());
    column = class_name(pen, column, row, state.classes[item].cls, area.end());
    canvas.put(column, row, ", in", head, area.end());
  }
  ++row;
  const int count = static_cast<int>(state.class_functions.size());
  const int page = std::max(1, area.height - 1);
  const Cursor& cursor = state.cursors.back();
  const int first = state.in_class ? scroll_to(cursor, count, page) : 0;
  for (int i = first; i < std::min(count, first + page); ++i, ++row) {
    const NamedShare& share = state.class_functions[static_cast<std::size_t>(i)];
    canvas.put(area.column, row, figure(share.now, 6), heat(share.now));
    canvas.put(area.column + 7, row, figure(share.share, 6), plain);
    canvas.put(area.column + 15, row,
               view::fit(share.name, static_cast<std::size_t>(std::max(0, area.width - 16))));
    mark(pen, row, area, state.in_class && i == cursor.item, state.in_class ? i : -1);
  }
  if (state.in_class) canvas.first_item = first, canvas.page_items = page;
}

}  // namespace

void draw_classes(Pen& pen) {
  int row = draw_shares(pen, draw_header(pen));
  if (pen.height() >= 20) ++row;
  const int body = body_height(pen, row);
  const int width = pen.width();
  if (width >= 100) {
    const int left = std::clamp(width / 2, 62, 90);
    draw_list(pen, {1, row, left, body});
    draw_functions(pen, {left + 3, row, width - left - 4, body});
  } else if (body >= 8) {
    const int upper = body / 2;
    draw_list(pen, {1, row, width - 2, upper});
    draw_functions(pen, {1, row + upper, width - 2, body - upper});
  } else if (pen.state.in_class) {
    draw_functions(pen, {1, row, width - 2, body});
  } else {
    draw_list(pen, {1, row, width - 2, body});
  }
  draw_status(pen, pen.state.by_waits ? "by what the samples wait for" : "by where samples landed");
  static constexpr FooterKey footer[] = {
      {"Esc", "back", keys::escape},
      {"↑↓", "choose", keys::down},
      {"Enter", "into its functions", keys::enter},
      {"Tab", "other list", keys::tab},
      {"b", "waits", U'b'},
      {"Space", "pause", U' '},
      {"e", "export", U'e'},
      {"z", "zero", U'z'},
      {"w", "write", U'w'},
  };
  draw_footer(pen, footer);
}

}  // namespace aotscope::tui
