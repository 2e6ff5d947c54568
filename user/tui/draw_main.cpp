// The table of functions.
#include <algorithm>

#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "tui/draw.hpp"

namespace aotscope::tui {

std::string_view column_name(Column column) {
  switch (column) {
    case Column::now:
      return "NOW%";
    case Column::self:
      return "SELF%";
    case Column::total:
      return "TOTAL%";
    case Column::kernel:
      return "KERN%";
    case Column::name:
      return "FUNCTION";
    case Column::core:
      return "CORE";
    case Column::top_class:
      return "TOP CLASS";
  }
  return {};
}

namespace {

// Widths of the columns; 0: not shown.
struct Layout {
  int now = 6, self = 6, total = 0, kernel = 0, name = 14, core = 0, spark = 0, bar = 0, top = 0;
  int used() const {
    const auto gap = [](int width) { return width == 0 ? 0 : width + 1; };
    return 2 + gap(now) + gap(self) + gap(total) + gap(kernel) + gap(name) + gap(core) +
           gap(spark) + gap(bar) + gap(top);
  }
};

// In the order of their worth, as they fit; what is left goes to names, bars and the last minute.
Layout fit_columns(int width, bool stacks, bool cores, int longest_name) {
  Layout layout;
  const auto add = [&](int& column, int size) {
    if (layout.used() + size + 1 <= width) column = size;
  };
  add(layout.bar, 12);
  add(layout.top, 15);
  if (stacks) add(layout.total, 6);
  add(layout.spark, 10);
  if (cores) add(layout.core, 4);
  add(layout.kernel, 6);
  const auto grow = [&](int& column, int most) {
    if (column != 0) column += std::clamp(width - layout.used(), 0, std::max(0, most - column));
  };
  grow(layout.name, std::min(longest_name, 28));
  grow(layout.bar, 20);
  grow(layout.spark, 20);
  grow(layout.name, std::min(longest_name, 48));
  grow(layout.spark, 30);
  grow(layout.bar, 40);
  grow(layout.name, longest_name);
  grow(layout.spark, 60);
  grow(layout.bar, 100);
  return layout;
}

void draw_heads(Pen& pen, const Layout& layout, int row) {
  int column = 2;
  const auto one = [&](int width, Column which, bool right) {
    if (width == 0) return;
    const std::string_view name = column_name(which);
    const bool sorted = pen.state.sort == which;
    const Style style = sorted ? Style{Hue::key, true} : head;
    const std::string_view mark = !sorted ? "" : pen.state.reversed ? "▲" : "▼";
    const int length = static_cast<int>(name.size());
    int at = right ? column + width - length : column;
    if (sorted && right && at > 0) pen.canvas.put(at - 1, row, mark, style);
    pen.canvas.put(at, row, name, style, column + width);
    if (sorted && !right && length < width) pen.canvas.put(at + length, row, mark, style);
    pen.canvas.add_hit({row, column, column + width, keys::sort_by + static_cast<Key>(which), -1});
    column += width + 1;
  };
  one(layout.now, Column::now, true);
  one(layout.self, Column::self, true);
  one(layout.total, Column::total, true);
  one(layout.kernel, Column::kernel, true);
  one(layout.name, Column::name, false);
  one(layout.core, Column::core, true);
  if (layout.spark != 0) {
    pen.canvas.put(column, row, layout.spark >= 11 ? "LAST MINUTE" : "LAST MIN", head);
    column += layout.spark + 1;
  }
  if (layout.bar != 0) {
    pen.canvas.put(column, row, pen.state.by_waits ? "WAITS FOR" : "CLASSES", head);
    column += layout.bar + 1;
  }
  one(layout.top, Column::top_class, false);
}

void draw_row(Pen& pen, const Layout& layout, const Row& item, int row) {
  Canvas& canvas = pen.canvas;
  const bool wasm = item.key.kind == profile::FrameKind::wasm;
  int column = 2;
  const auto number = [&](int width, double percent, Style style) {
    if (width == 0) return;
    canvas.put(column, row, figure(percent, width), style);
    column += width + 1;
  };
  number(layout.now, item.now, heat(item.now));
  number(layout.self, item.self, heat(item.self));
  number(layout.total, item.total, item.total < 0.05 ? faint : plain);
  number(layout.kernel, item.kernel, item.kernel < 0.05 ? faint : Style{Hue::kernel});
  const Style name_style = wasm ? Style{Hue::plain, item.now >= 10} : Style{Hue::host};
  canvas.put(column, row, view::fit(item.name, static_cast<std::size_t>(layout.name)), name_style);
  column += layout.name + 1;
  if (layout.core != 0) {
    put_right(pen, column + layout.core, row, wasm ? item.core : "-", faint);
    column += layout.core + 1;
  }
  if (layout.spark != 0) {
    sparkline(pen, column, row, layout.spark, item.history, pen.state.history_top,
              wasm ? Hue::wasm : Hue::host);
    column += layout.spark + 1;
  }
  if (!wasm) {
    const std::string_view what = item.key.kind == profile::FrameKind::host ? "host" : "unknown";
    if (layout.bar != 0) canvas.put(column, row, what, faint);
    return;
  }
  const bool waits = pen.state.by_waits;
  if (item.self < 1e-9) return;  // only on the stacks of others
  if (layout.bar != 0) {
    class_bar(pen, column, row, layout.bar, waits ? item.waits : item.landed);
    column += layout.bar + 1;
  }
  if (layout.top != 0) {
    const auto cls = waits ? item.top_waits : item.top_landed;
    class_name(pen, column, row, cls, column + layout.top - 4);
    put_right(pen, column + layout.top, row,
              fmt::format("{:.0f}", waits ? item.top_waits_share : item.top_landed_share), plain);
  }
}

void say_empty(Pen& pen, int row) {
  const Snapshot& state = pen.state;
  std::string text = "no samples yet";
  if (!state.filter.empty() && state.rows && !state.rows->empty()) {
    text = "no function's name holds the filter";
  } else if (state.header.exited) {
    text = "the target has ended without a sample";
  } else if (state.header.uptime_s > 2 && state.header.target_cpu < 0.5) {
    text = "no samples: the target is idle";
  }
  pen.canvas.put(3, row, text, faint);
}

}  // namespace

void draw_main(Pen& pen) {
  const Snapshot& state = pen.state;
  int row = draw_shares(pen, draw_header(pen));
  if (pen.height() >= 24) ++row;
  const int count = static_cast<int>(state.order.size());
  const int page = std::max(1, body_height(pen, row + 1));
  const Cursor& cursor = state.cursor();
  const int first = scroll_to(cursor, count, page);
  // Names and cores of what may be scrolled to: a column that jumps about cannot be read.
  int longest = 14;
  bool cores = false;
  for (const std::uint32_t i : state.order) {
    const Row& item = (*state.rows)[i];
    if (!item.core.empty() && item.core != "0") cores = true;
    longest = std::max(longest, static_cast<int>(view::display_width(item.name)));
    if (longest > 200) break;
  }
  const bool roomy = pen.width() >= 110;
  const Layout layout = fit_columns(pen.width() - 1, state.header.stacks, cores || roomy, longest);
  draw_heads(pen, layout, row++);
  if (count == 0) say_empty(pen, row);
  for (int i = first; i < std::min(count, first + page); ++i, ++row) {
    draw_row(pen, layout, (*state.rows)[state.order[static_cast<std::size_t>(i)]], row);
    if (i == cursor.item) {
      pen.canvas.put(0, row, "▸", {Hue::key, true});
      pen.canvas.mark_selected(row, 0, pen.width());
    }
    pen.canvas.add_hit({row, 0, pen.width(), 0, i});
  }
  pen.canvas.first_item = first;
  pen.canvas.page_items = page;
  draw_status(pen, range_text(first, page, count, "functions"));
  static constexpr FooterKey footer[] = {
      {"Enter", "inspect", keys::enter},
      {"a", "annotate", U'a'},
      {"c", "classes", U'c'},
      {"b", "waits", U'b'},
      {"t", "threads", U't'},
      {"/", "filter", U'/'},
      {"s", "sort", U's'},
      {"r", "reverse", U'r'},
      {"Space", "pause", U' '},
      {"z", "zero", U'z'},
      {"w", "write", U'w'},
      {"e", "export", U'e'},
      {"+-", "interval", U'+'},
  };
  draw_footer(pen, footer);
}

}  // namespace aotscope::tui
