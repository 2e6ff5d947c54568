// Lists: order, filter, where the cursor is in them.
#include <algorithm>
#include <cctype>

#include "tui/model.hpp"

namespace aotscope::tui {

using profile::FrameKey;
using profile::FrameKind;

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::size_t index(Screen screen) { return static_cast<std::size_t>(screen); }
constexpr std::size_t class_functions_cursor = 7;

}  // namespace

const Cursor& Snapshot::cursor() const {
  if (screen == Screen::classes && in_class) return cursors[class_functions_cursor];
  return cursors[index(screen)];
}
Cursor& Model::cursor() { return const_cast<Cursor&>(snapshot_.cursor()); }

int Model::item_count() const {
  const auto count = [](const auto& list) { return static_cast<int>(list.size()); };
  switch (snapshot_.screen) {
    case Screen::main:
      return count(snapshot_.order);
    case Screen::function:
      return count(snapshot_.function.hottest) + count(snapshot_.function.callers) +
             count(snapshot_.function.callees);
    case Screen::annotate:
      return count(snapshot_.function.lines);
    case Screen::classes:
      return snapshot_.in_class ? count(snapshot_.class_functions) : count(snapshot_.classes);
    case Screen::threads:
      return count(snapshot_.threads);
    case Screen::chooser:
      return count(snapshot_.candidates);
    case Screen::help:
      return 1000;  // draw_help() knows its end
  }
  return 0;
}

void Model::shown(int first_item, int page_items) {
  cursor().first = first_item;
  if (snapshot_.screen == Screen::help) cursor().item = first_item;
  page_ = std::max(1, page_items);
}

void Model::move_to(int item) {
  Cursor& at = cursor();
  at.item = std::clamp(item, 0, std::max(0, item_count() - 1));
  if (snapshot_.screen == Screen::main && !snapshot_.order.empty()) {
    moved_ = true;
    selected_ = (*snapshot_.rows)[snapshot_.order[static_cast<std::size_t>(at.item)]].key;
  }
  if (snapshot_.screen == Screen::classes && !snapshot_.in_class) {
    snapshot_.cursors[class_functions_cursor] = {};
    list_class_functions();
  }
}

void Model::sort_rows() {
  const std::vector<Row>& rows = *snapshot_.rows;
  snapshot_.order.clear();
  const std::string wanted = lower(snapshot_.filter);
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (wanted.empty() || lower(rows[i].name).find(wanted) != std::string::npos) {
      snapshot_.order.push_back(i);
    }
  }
  const bool by_waits = snapshot_.by_waits;
  const auto compare = [&](const Row& a, const Row& b) -> int {
    const auto larger = [](double x, double y) { return x > y ? -1 : x < y ? 1 : 0; };
    switch (snapshot_.sort) {
      case Column::now:
        return larger(a.now, b.now);
      case Column::self:
        break;
      case Column::total:
        return larger(a.total, b.total);
      case Column::kernel:
        return larger(a.kernel, b.kernel);
      case Column::name:
        return a.name.compare(b.name);
      case Column::core:
        return a.core.size() != b.core.size() ? (a.core.size() > b.core.size() ? -1 : 1)
                                              : a.core.compare(b.core);
      case Column::top_class: {
        const auto x = by_waits ? a.top_waits : a.top_landed;
        const auto y = by_waits ? b.top_waits : b.top_landed;
        return static_cast<int>(x) - static_cast<int>(y);
      }
    }
    return larger(a.self, b.self);
  };
  std::stable_sort(snapshot_.order.begin(), snapshot_.order.end(),
                   [&](std::uint32_t x, std::uint32_t y) {
                     int order = compare(rows[x], rows[y]);
                     if (snapshot_.reversed) order = -order;
                     if (order != 0) return order < 0;
                     return rows[x].self > rows[y].self;
                   });
  keep_selection();
}

// The row that the user chose stays chosen wherever it moves; before that it is the first.
void Model::keep_selection() {
  Cursor& at = snapshot_.cursors[index(Screen::main)];
  const auto count = static_cast<int>(snapshot_.order.size());
  if (!moved_) at.item = 0;
  for (int i = 0; moved_ && i < count; ++i) {
    if ((*snapshot_.rows)[snapshot_.order[static_cast<std::size_t>(i)]].key == selected_) {
      at.item = i;
      return;
    }
  }
  at.item = std::clamp(at.item, 0, std::max(0, count - 1));
}

const NamedShare* Model::neighbour(int item) const {
  const FunctionView& view = snapshot_.function;
  auto at = static_cast<std::size_t>(std::max(0, item));
  if (at < view.hottest.size()) return nullptr;
  at -= view.hottest.size();
  if (at < view.callers.size()) return &view.callers[at];
  at -= view.callers.size();
  return at < view.callees.size() ? &view.callees[at] : nullptr;
}

FrameKey Model::function_at_cursor() const {
  const auto item = static_cast<std::size_t>(snapshot_.cursor().item);
  if (snapshot_.screen == Screen::main && item < snapshot_.order.size()) {
    return (*snapshot_.rows)[snapshot_.order[item]].key;
  }
  if (snapshot_.screen == Screen::classes && snapshot_.in_class &&
      item < snapshot_.class_functions.size()) {
    return snapshot_.class_functions[item].key;
  }
  return {FrameKind::cut, 0, 0};
}

// In the order of addresses, from the cursor on and around.
void Model::next_hot_spot(int direction) {
  std::vector<std::uint32_t> spots = snapshot_.function.hottest;
  constexpr std::size_t most = 20;
  if (spots.size() > most) spots.resize(most);
  if (spots.empty()) return;
  std::sort(spots.begin(), spots.end());
  const auto here = static_cast<std::uint32_t>(cursor().item);
  std::uint32_t to = 0;
  if (direction > 0) {
    const auto next = std::upper_bound(spots.begin(), spots.end(), here);
    to = next == spots.end() ? spots.front() : *next;
  } else {
    const auto next = std::lower_bound(spots.begin(), spots.end(), here);
    to = next == spots.begin() ? spots.back() : *std::prev(next);
  }
  move_to(static_cast<int>(to));
  Cursor& at = cursor();
  if (at.item < at.first || at.item >= at.first + page_) {
    at.first = std::max(0, at.item - page_ / 2);
  }
}

bool Model::move(Key key) {
  const int item = cursor().item;
  switch (key) {
    case keys::up:
    case U'k':
      move_to(item - 1);
      return true;
    case keys::down:
    case U'j':
      move_to(item + 1);
      return true;
    case keys::wheel_up:
      move_to(item - 3);
      return true;
    case keys::wheel_down:
      move_to(item + 3);
      return true;
    case keys::page_up:
      move_to(item - page_);
      return true;
    case keys::page_down:
      move_to(item + page_);
      return true;
    case keys::home:
    case U'g':
      move_to(0);
      return true;
    case keys::end:
    case U'G':
      move_to(item_count() - 1);
      return true;
    default:
      return false;
  }
}

}  // namespace aotscope::tui
