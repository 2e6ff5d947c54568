// From a snapshot to a canvas. Nothing here reads, counts or waits.
#include "tui/draw.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <aotscope/view.hpp>

namespace aotscope::tui {

Style heat(double percent) {
  if (percent >= 10) return {Hue::hot, true};
  if (percent >= 2) return {Hue::warn};
  return percent >= 0.05 ? plain : faint;
}

std::string figure(double percent, int width, int decimals) {
  const double smallest = 0.5 * std::pow(10.0, -decimals);
  if (percent < smallest) return fmt::format("{:>{}}", "·", width);
  return fmt::format("{:{}.{}f}", percent, width, decimals);
}

void put_right(Pen& pen, int end, int row, std::string_view text, Style style) {
  const auto width = static_cast<int>(view::display_width(text));
  if (width <= end) pen.canvas.put(end - width, row, text, style, end);
}

int class_name(Pen& pen, int column, int row, isa::InstrClass cls, int end) {
  return pen.canvas.put(column, row, isa::class_id(cls), {groups()[group_of(cls)].hue}, end);
}

void class_bar(Pen& pen, int column, int row, int width, const PerGroup& shares) {
  if (width <= 0) return;
  // Whole columns by the largest remainder, so that the bar is full when the shares are.
  std::array<int, group_count> cells{};
  std::array<double, group_count> rest{};
  double whole = 0;
  int used = 0;
  for (std::size_t i = 0; i < group_count; ++i) {
    whole += shares[i];
    const double exact = shares[i] * width / 100;
    cells[i] = static_cast<int>(exact);
    rest[i] = exact - cells[i];
    used += cells[i];
  }
  const int wanted = std::min(width, static_cast<int>(std::lround(whole * width / 100)));
  while (used < wanted) {
    const auto most =
        static_cast<std::size_t>(std::max_element(rest.begin(), rest.end()) - rest.begin());
    if (rest[most] <= 0) break;
    ++cells[most], ++used;
    rest[most] = 0;
  }
  // Few colours, or none: letters tell the groups apart.
  const bool letters = pen.caps.colors < 16 || !pen.caps.utf8;
  for (std::size_t i = 0; i < group_count; ++i) {
    const ClassGroup& group = groups()[i];
    const std::string glyph = letters ? std::string(1, group.letter) : "█";
    pen.canvas.fill(column, row, cells[i], glyph, {group.hue});
    column += cells[i];
  }
}

void share_bar(Pen& pen, int column, int row, int width, double percent, Hue hue) {
  int cells = static_cast<int>(std::lround(percent * width / 100));
  if (cells == 0 && percent >= 1) cells = 1;
  pen.canvas.fill(column, row, std::clamp(cells, 0, std::max(0, width)), "█", {hue});
}

void sparkline(Pen& pen, int column, int row, int width, const History& history, float top,
               Hue hue) {
  static constexpr std::array<std::string_view, 8> levels{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const int slots = static_cast<int>(history_slots);
  width = std::min(width, slots);
  if (width <= 0 || top <= 0) return;
  for (int i = 0; i < width; ++i) {
    const int first = i * slots / width;
    const int end = std::max(first + 1, (i + 1) * slots / width);
    float sum = 0;
    for (int s = first; s < end; ++s) sum += history[static_cast<std::size_t>(s)];
    const float part = sum / static_cast<float>(end - first) / top;
    if (part <= 0.001F) continue;
    const auto level = static_cast<std::size_t>(std::clamp(part * 8.0F, 0.0F, 7.0F));
    pen.canvas.put(column + i, row, levels[level], {hue});
  }
}

int body_height(const Pen& pen, int from) { return std::max(0, pen.height() - 2 - from); }

int scroll_to(const Cursor& cursor, int count, int page) {
  int first = cursor.first;
  if (cursor.item < first) first = cursor.item;
  if (cursor.item >= first + page) first = cursor.item - page + 1;
  return std::clamp(first, 0, std::max(0, count - page));
}

std::string range_text(int first, int page, int count, std::string_view what) {
  if (count == 0) return fmt::format("no {}", what);
  if (count == 1 && what.ends_with("s")) {
    what.remove_suffix(what.ends_with("sses") ? 2 : 1);
    return fmt::format("1 {}", what);
  }
  if (count <= page) return fmt::format("{} {}", count, what);
  return fmt::format("{}-{} of {} {}", first + 1, std::min(count, first + page), count, what);
}

void draw_footer(Pen& pen, std::span<const FooterKey> footer) {
  static constexpr FooterKey always[] = {{"?", "help", U'?'}, {"q", "quit", U'q'}};
  const int row = pen.height() - 1;
  const auto length = [](const FooterKey& key) {
    return static_cast<int>(view::display_width(key.label) + 1 + key.what.size());
  };
  const auto put = [&](int column, const FooterKey& key) {
    const int first = column;
    column = pen.canvas.put(column, row, key.label, {Hue::key, true});
    column = pen.canvas.put(column + 1, row, key.what, faint);
    pen.canvas.add_hit({row, first, column, key.key, -1});
    return column + 2;
  };
  const int tail = length(always[0]) + length(always[1]) + 4;
  int column = 1;
  for (const FooterKey& key : footer) {
    if (column + length(key) + tail > pen.width()) break;
    column = put(column, key);
  }
  for (const FooterKey& key : always) column = put(column, key);
}

void draw_status(Pen& pen, std::string_view list) {
  const Snapshot& state = pen.state;
  const int row = pen.height() - 2;
  if (state.typing) {
    int column = pen.canvas.put(1, row, "/", {Hue::key, true});
    column = pen.canvas.put(column, row, view::safe_text(state.filter), title, pen.width() - 30);
    pen.canvas.put(column, row, "▏", title);
    put_right(pen, pen.width() - 1, row, "Enter keeps, Esc drops", faint);
    return;
  }
  if (!state.message.empty()) {
    pen.canvas.put(
        1, row,
        view::fit(view::safe_text(state.message, 1000), static_cast<std::size_t>(pen.width() - 2)),
        state.alarm ? Style{Hue::bad, true} : Style{Hue::good, true});
    return;
  }
  int column = pen.canvas.put(1, row, list, faint) + 2;
  if (!state.filter.empty() && state.screen == Screen::main) {
    column = pen.canvas.put(column, row, "filter ", faint);
    column = pen.canvas.put(column, row, view::safe_text(state.filter, 60), {Hue::warn}) + 2;
  }
}

Canvas draw(const Snapshot& snapshot, Size size, const Caps& caps) {
  Canvas canvas(size);
  if (size.columns < smallest.columns || size.rows < smallest.rows) {
    const std::string text = fmt::format("too small: {}x{}, needs {}x{}", size.columns, size.rows,
                                         smallest.columns, smallest.rows);
    canvas.put(0, 0, text, {Hue::warn});
    canvas.put(0, 1, "q quit", faint);
  } else {
    Pen pen{canvas, snapshot, caps};
    switch (snapshot.screen) {
      case Screen::main:
        draw_main(pen);
        break;
      case Screen::function:
        draw_function(pen);
        break;
      case Screen::annotate:
        draw_annotate(pen);
        break;
      case Screen::classes:
        draw_classes(pen);
        break;
      case Screen::threads:
        draw_threads(pen);
        break;
      case Screen::help:
        draw_help(pen);
        break;
      case Screen::chooser:
        draw_chooser(pen);
        break;
    }
  }
  if (!caps.utf8) canvas.to_ascii();
  return canvas;
}

}  // namespace aotscope::tui
