// A grid of characters: what a screen looks like, before any terminal.
#include <algorithm>

#include <aotscope/tui.hpp>
#include <aotscope/view.hpp>

#include "view/utf8.hpp"

namespace aotscope::tui {
namespace {

// What the screens draw with, one column each, for a terminal without UTF-8.
std::string_view ascii_glyph(std::string_view glyph) {
  struct Pair {
    std::string_view drawn, ascii;
  };
  static constexpr Pair pairs[] = {
      {"█", "#"}, {"▁", "."}, {"▂", "."}, {"▃", ":"}, {"▄", "-"}, {"▅", "="}, {"▆", "+"},
      {"▇", "*"}, {"▸", ">"}, {"▼", "v"}, {"▲", "^"}, {"◀", "<"}, {"│", "|"}, {"╭", "."},
      {"╰", "`"}, {"─", "-"}, {"←", "<"}, {"→", ">"}, {"↑", "^"}, {"↓", "v"}, {"…", "~"},
      {"·", "."}, {"×", "x"}, {"┌", "."}, {"▪", "#"},
  };
  for (const Pair& pair : pairs) {
    if (pair.drawn == glyph) return pair.ascii;
  }
  return "?";
}

const Cell outside{};

}  // namespace

Canvas::Canvas(Size size)
    : size_{std::max(0, size.columns), std::max(0, size.rows)},
      cells_(static_cast<std::size_t>(size_.columns) * static_cast<std::size_t>(size_.rows)) {}

const Cell& Canvas::at(int column, int row) const {
  if (column < 0 || row < 0 || column >= size_.columns || row >= size_.rows) return outside;
  return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(size_.columns) +
                static_cast<std::size_t>(column)];
}

int Canvas::put(int column, int row, std::string_view text, Style style, int end) {
  if (end < 0 || end > size_.columns) end = size_.columns;
  if (row < 0 || row >= size_.rows || column < 0) return column;
  Cell* line =
      cells_.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(size_.columns);
  while (!text.empty()) {
    const view::Character character = view::next_character(text);
    const auto bytes = text.substr(0, character.length);
    text.remove_prefix(character.length);
    // Whoever calls has made the text safe; this is the last gate before the terminal.
    const bool safe = character.valid && !view::is_unsafe(character.code);
    const int width = safe ? static_cast<int>(view::character_width(character.code)) : 1;
    if (width == 0) {
      constexpr std::size_t most_bytes = 32;  // a tower of accents stays one character
      if (column > 0 && column <= end && line[column - 1].glyph.size() < most_bytes &&
          !line[column - 1].glyph.empty()) {
        line[column - 1].glyph += bytes;
      }
      continue;
    }
    if (column + width > end) break;
    // What is overwritten in half is not left as a half.
    if (line[column].glyph.empty() && column > 0) line[column - 1].glyph = " ";
    const int behind = column + width;
    if (behind < size_.columns && line[behind].glyph.empty()) line[behind].glyph = " ";
    line[column].glyph = safe ? std::string(bytes) : std::string("?");
    line[column].style = style;
    if (width == 2) {
      line[column + 1].glyph.clear();
      line[column + 1].style = style;
    }
    column += width;
  }
  return column;
}

void Canvas::fill(int column, int row, int width, std::string_view glyph, Style style) {
  for (int i = 0; i < width; ++i) put(column + i, row, glyph, style);
}

void Canvas::mark_selected(int row, int first, int end) {
  if (row < 0 || row >= size_.rows) return;
  for (int column = std::max(0, first); column < std::min(end, size_.columns); ++column) {
    cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(size_.columns) +
           static_cast<std::size_t>(column)]
        .style.selected = true;
  }
}

const Hit* Canvas::hit_at(int column, int row) const {
  for (const Hit& hit : hits_) {
    if (hit.row == row && column >= hit.first && column < hit.end) return &hit;
  }
  return nullptr;
}

void Canvas::to_ascii() {
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    Cell& cell = cells_[i];
    if (cell.glyph.empty() && i > 0 && cells_[i - 1].glyph == "?") {
      cell.glyph = "?";  // the second half of a wide character
    } else if (cell.glyph.size() > 1) {
      const bool ascii_base = static_cast<unsigned char>(cell.glyph[0]) < 0x80;
      cell.glyph = ascii_base ? cell.glyph.substr(0, 1) : std::string(ascii_glyph(cell.glyph));
    }
  }
}

std::string Canvas::row_text(int row) const {
  std::string text;
  for (int column = 0; column < size_.columns; ++column) text += at(column, row).glyph;
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string Canvas::text() const {
  std::string text;
  for (int row = 0; row < size_.rows; ++row) text += row_text(row) + '\n';
  const std::size_t last = text.find_last_not_of('\n');
  text.erase(last == std::string::npos ? 0 : last + 2);
  return text;
}

}  // namespace aotscope::tui
