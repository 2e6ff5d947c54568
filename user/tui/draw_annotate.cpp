// The listing of one function with its shares, updated in place.
#include <algorithm>

#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "tui/draw.hpp"

namespace aotscope::tui {
namespace {

// First column of each; 0: not shown.
struct Layout {
  int now = 0, self = 0, mark = 0, offset = 0, cls = 0, waits = 0, label = 0, edge = 0, code = 0;
};

Layout lay_out(int width, bool precise) {
  Layout layout;
  int column = 1;
  if (width >= 74) layout.now = column, column += 7;
  layout.self = column, column += 7;
  layout.mark = column, column += 2;
  layout.offset = column, column += 10;
  layout.cls = column, column += 13;
  if (width >= 90 && !precise) layout.waits = column, column += 13;
  if (width >= 66) layout.label = column, column += 6;
  layout.edge = column, column += 2;
  layout.code = column;
  return layout;
}

void draw_line(Pen& pen, const Layout& layout, const CodeLine& line, int row, int end) {
  Canvas& canvas = pen.canvas;
  put_right(pen, layout.offset + 8, row, fmt::format("+{:#x}", line.offset), faint);
  if (line.is_instruction) {
    const auto number = [&](int column, double percent) {
      if (column == 0 || percent < 0.05) return;  // blank: the hot lines stand out
      canvas.put(column, row, figure(percent, 6), heat(percent));
    };
    number(layout.now, line.now);
    number(layout.self, line.self);
    if (line.self >= 10) canvas.put(layout.mark, row, "◀", {Hue::hot, true});
    class_name(pen, layout.cls, row, line.cls, layout.cls + 12);
    if (layout.waits != 0 && line.waits != line.cls) {
      class_name(pen, layout.waits, row, line.waits, layout.waits + 12);
    }
  }
  if (layout.label != 0 && !line.label.empty()) {
    canvas.put(layout.label, row, line.label + ":", {Hue::key}, layout.edge);
  }
  static constexpr std::string_view edges[] = {" ", "─", "╭", "│", "╰"};
  canvas.put(layout.edge, row, edges[static_cast<std::size_t>(line.edge)],
             {line.rank == 1 ? Hue::hot : Hue::warn});
  const int room = end - layout.code;
  if (room <= 0) return;
  int column = canvas.put(layout.code, row, view::fit(line.text, static_cast<std::size_t>(room)),
                          line.is_instruction ? plain : faint);
  using Edge = CodeLine::Edge;
  if (line.edge == Edge::first || line.edge == Edge::only) {
    const std::string note =
        line.rank == 1 ? fmt::format("hottest block, {:.0f}%", line.block_share)
                       : fmt::format("block {} by heat, {:.0f}%", line.rank, line.block_share);
    if (column + 3 + static_cast<int>(note.size()) < end) {
      put_right(pen, end, row, note, {line.rank == 1 ? Hue::hot : Hue::warn});
      end -= static_cast<int>(note.size()) + 2;
    }
  }
  if (line.producer >= 0 && !pen.state.header.precise) {
    const std::string from = fmt::format("← +{:#x}", line.producer);
    column = std::max(column + 2, layout.code + 42);
    if (column + static_cast<int>(view::display_width(from)) < end) {
      canvas.put(column, row, from, faint);
    }
  }
}

}  // namespace

void draw_annotate(Pen& pen) {
  const FunctionView& view = pen.state.function;
  Canvas& canvas = pen.canvas;
  const int width = pen.width();
  int row = draw_header(pen);
  int column =
      canvas.put(1, row, view::fit(view.row.name, static_cast<std::size_t>(width / 3)), title);
  column = canvas.put(column + 2, row, view.place, faint, width - 1) + 2;
  std::string of =
      fmt::format("now {:.1f}%  self {:.1f}% of the process", view.row.now, view.row.self);
  if (column + static_cast<int>(of.size()) < width) column = canvas.put(column, row, of) + 2;
  if (!view.callers.empty()) {
    const std::string by =
        fmt::format("called by {} {:.0f}%", view.callers.front().name, view.callers.front().share);
    if (column + static_cast<int>(view::display_width(by)) < width) {
      column = canvas.put(column, row, by, faint) + 2;
    }
  }
  const std::string from = fmt::format("offsets from {:#x}", view.text_offset);
  if (column + static_cast<int>(from.size()) < width) put_right(pen, width - 1, row, from, faint);
  ++row;

  const Layout layout = lay_out(width, pen.state.header.precise);
  if (layout.now != 0) canvas.put(layout.now, row, "  NOW%", head);
  canvas.put(layout.self, row, " SELF%", head);
  put_right(pen, layout.offset + 8, row, "OFFSET", head);
  canvas.put(layout.cls, row, "CLASS", head);
  if (layout.waits != 0) canvas.put(layout.waits, row, "WAITS FOR", head);
  canvas.put(layout.code, row, "INSTRUCTION", head);
  ++row;

  const int count = static_cast<int>(view.lines.size());
  const int page = std::max(1, body_height(pen, row));
  const Cursor& cursor = pen.state.cursor();
  const int first = scroll_to(cursor, count, page);
  if (count == 0) canvas.put(3, row, view.no_code, faint);
  for (int i = first; i < std::min(count, first + page); ++i, ++row) {
    draw_line(pen, layout, view.lines[static_cast<std::size_t>(i)], row, width - 1);
    if (i == cursor.item) {
      canvas.put(0, row, "▸", {Hue::key, true});
      canvas.mark_selected(row, 0, width);
    }
    canvas.add_hit({row, 0, width, 0, i});
  }
  canvas.first_item = first;
  canvas.page_items = page;
  std::string status = range_text(first, page, count, "lines");
  if (!view.facts.empty()) status += "  " + view.facts;
  draw_status(pen, view::fit(status, static_cast<std::size_t>(width - 2)));
  static constexpr FooterKey footer[] = {
      {"Esc", "back", keys::escape},
      {"↑↓ PgUp PgDn", "scroll", keys::down},
      {"n", "next hot spot", U'n'},
      {"p", "previous", U'p'},
      {"g", "top", U'g'},
      {"G", "end", U'G'},
      {"e", "export", U'e'},
      {"Space", "pause", U' '},
  };
  draw_footer(pen, footer);
}

}  // namespace aotscope::tui
