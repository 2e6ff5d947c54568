// One function: its instruction mix, its hottest instructions, who calls it and whom it calls.
#include <algorithm>

#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "tui/draw.hpp"

namespace aotscope::tui {
namespace {

// CLASS and, now and since the start, where samples landed; then what they wait for.
void draw_mix(Pen& pen, const Rect& area) {
  const FunctionView& view = pen.state.function;
  const bool precise = pen.state.header.precise;
  const bool wide = area.width >= 46 && !precise;
  Canvas& canvas = pen.canvas;
  int row = area.row;
  canvas.put(area.column, row, "CLASS", head);
  canvas.put(area.column + 13, row, "  NOW%  SELF%", head);
  if (wide) canvas.put(area.column + 26, row, " WAITS%", head);
  ++row;
  if (view.classes.empty()) {
    const bool wasm = view.key.kind == profile::FrameKind::wasm;
    canvas.put(area.column, row, wasm ? "no samples of its own" : "not wasm: no classes", faint,
               area.end());
    return;
  }
  const int bar_at = area.column + (wide ? 34 : 27);
  const int shown = std::min(static_cast<int>(view.classes.size()), area.height - 1);
  for (int i = 0; i < shown; ++i, ++row) {
    const Share& share = view.classes[static_cast<std::size_t>(i)];
    class_name(pen, area.column, row, share.cls, area.column + 13);
    canvas.put(area.column + 13, row, figure(share.now, 6), heat(share.now / 2));
    canvas.put(area.column + 20, row, figure(share.self, 6), plain);
    if (wide) canvas.put(area.column + 27, row, figure(share.waits_self, 6), plain);
    const double drawn = pen.state.by_waits ? share.waits_self : share.self;
    share_bar(pen, bar_at, row, area.end() - bar_at - 1, drawn, groups()[group_of(share.cls)].hue);
  }
}

void select(Pen& pen, int row, const Rect& area, int item) {
  if (item == pen.state.cursor().item) {
    pen.canvas.put(area.column > 0 ? area.column - 1 : 0, row, "▸", {Hue::key, true});
    pen.canvas.mark_selected(row, area.column - 1, area.end());
  }
  pen.canvas.add_hit({row, area.column - 1, area.end(), 0, item});
}

void draw_hottest(Pen& pen, const Rect& area) {
  const FunctionView& view = pen.state.function;
  Canvas& canvas = pen.canvas;
  const bool waits = area.width >= 76 && !pen.state.header.precise;
  int row = area.row;
  int column = area.column;
  canvas.put(column, row, "  NOW%  SELF%    OFFSET  CLASS", head);
  column += 38;
  if (waits) canvas.put(column, row, "WAITS FOR", head), column += 13;
  canvas.put(column, row, "HOTTEST INSTRUCTIONS", head, area.end());
  ++row;
  const int page = std::max(1, area.height - 1);
  pen.canvas.page_items = page;
  const int count = static_cast<int>(view.hottest.size());
  if (count == 0) {
    canvas.put(area.column, row, view.no_code.empty() ? "no samples in its code" : view.no_code,
               faint, area.end());
    return;
  }
  const int first = std::clamp(pen.state.cursor().item - page + 1, 0, std::max(0, count - page));
  for (int i = first; i < std::min(count, first + page); ++i, ++row) {
    const CodeLine& line = view.lines[view.hottest[static_cast<std::size_t>(i)]];
    column = area.column;
    canvas.put(column, row, figure(line.now, 6), heat(line.now));
    canvas.put(column + 7, row, figure(line.self, 6), heat(line.self));
    put_right(pen, column + 24, row, fmt::format("+{:#x}", line.offset), faint);
    class_name(pen, column + 25, row, line.cls, column + 37);
    column += 38;
    if (waits) {
      if (line.waits != line.cls) class_name(pen, column, row, line.waits, column + 12);
      column += 13;
    }
    canvas.put(column, row,
               view::fit(line.text, static_cast<std::size_t>(std::max(0, area.end() - column))));
    select(pen, row, area, i);
  }
}

void draw_neighbours(Pen& pen, const Rect& area, std::string_view name,
                     const std::vector<NamedShare>& list, int base) {
  Canvas& canvas = pen.canvas;
  int row = area.row;
  canvas.put(area.column, row++, name, head, area.end());
  if (list.empty()) {
    canvas.put(area.column, row, pen.state.header.stacks ? "none seen" : "not known: no stacks",
               faint, area.end());
    return;
  }
  const int page = std::max(1, area.height - 1);
  const int count = static_cast<int>(list.size());
  const int first =
      std::clamp(pen.state.cursor().item - base - page + 1, 0, std::max(0, count - page));
  for (int i = first; i < std::min(count, first + page); ++i, ++row) {
    const NamedShare& share = list[static_cast<std::size_t>(i)];
    canvas.put(area.column, row, figure(share.share, 6), plain);
    const bool wasm = share.key.kind == profile::FrameKind::wasm;
    canvas.put(area.column + 7, row,
               view::fit(share.name, static_cast<std::size_t>(std::max(0, area.width - 8))),
               wasm ? plain : faint);
    select(pen, row, area, base + i);
  }
}

}  // namespace

void draw_function(Pen& pen) {
  const FunctionView& view = pen.state.function;
  Canvas& canvas = pen.canvas;
  int row = draw_header(pen);
  int column = canvas.put(
      1, row, view::fit(view.row.name, static_cast<std::size_t>(pen.width() / 2)), title);
  canvas.put(column + 2, row, view.place, faint, pen.width() - 1);
  ++row;
  column = canvas.put(1, row, "now ", faint);
  column = canvas.put(column, row, fmt::format("{:.1f}%", view.row.now), heat(view.row.now));
  column = canvas.put(column + 2, row, "self ", faint);
  column = canvas.put(column, row, fmt::format("{:.1f}%", view.row.self), plain);
  column = canvas.put(column + 2, row, "total ", faint);
  column = canvas.put(column, row, fmt::format("{:.1f}%", view.row.total), plain);
  column = canvas.put(column + 2, row, "kernel ", faint);
  column = canvas.put(column, row, fmt::format("{:.1f}%", view.row.kernel), plain);
  const auto facts = static_cast<int>(view.facts.size());
  if (column + 3 + facts + 1 < pen.width()) canvas.put(column + 3, row, view.facts, faint);
  ++row;
  const int height = body_height(pen, row);
  if (pen.height() >= 20) ++row;
  const int body = body_height(pen, row);
  const int callers = static_cast<int>(view.hottest.size());
  const int callees = callers + static_cast<int>(view.callers.size());

  if (height < 8) {
    draw_hottest(pen, {1, row, pen.width() - 2, body});
  } else if (pen.width() >= 124) {
    const int left = std::clamp(pen.width() / 3, 48, 80);
    const int mix = std::clamp(static_cast<int>(view.classes.size()) + 1, 2, body - 8);
    draw_mix(pen, {1, row, left, mix});
    const int lists = body - mix - 1;
    const int upper = std::clamp(static_cast<int>(view.callers.size()) + 1, 2, lists / 2);
    draw_neighbours(pen, {1, row + mix + 1, left, upper}, "CALLERS%", view.callers, callers);
    draw_neighbours(pen, {1, row + mix + upper + 2, left, lists - upper - 1}, "CALLEES%",
                    view.callees, callees);
    draw_hottest(pen, {left + 3, row, pen.width() - left - 4, body});
  } else {
    const int width = pen.width() - 2;
    const int mix = std::clamp(static_cast<int>(view.classes.size()) + 1, 2, std::max(3, body / 3));
    const int most = static_cast<int>(std::max(view.callers.size(), view.callees.size()));
    const int lists = std::clamp(most + 1, 2, std::max(3, body / 4));
    draw_mix(pen, {1, row, width, mix});
    draw_hottest(pen, {1, row + mix, width, body - mix - lists});
    const int half = width / 2;
    const int at = row + body - lists;
    draw_neighbours(pen, {1, at, half, lists}, "CALLERS%", view.callers, callers);
    draw_neighbours(pen, {half + 2, at, width - half - 1, lists}, "CALLEES%", view.callees,
                    callees);
  }
  draw_status(pen, view.no_code.empty()
                       ? fmt::format("{} hottest instructions", view.hottest.size())
                       : view.no_code);
  static constexpr FooterKey footer[] = {
      {"Esc", "back", keys::escape}, {"Enter", "open", keys::enter},
      {"a", "annotate", U'a'},       {"Tab", "next list", keys::tab},
      {"b", "waits", U'b'},          {"Space", "pause", U' '},
      {"c", "classes", U'c'},        {"t", "threads", U't'},
      {"e", "export", U'e'},         {"w", "write", U'w'},
      {"z", "zero", U'z'},
  };
  draw_footer(pen, footer);
}

}  // namespace aotscope::tui
