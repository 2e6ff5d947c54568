// What the keys do.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tui/model.hpp"
#include "view/utf8.hpp"

namespace aotscope::tui {

using profile::FrameKey;
using profile::FrameKind;

namespace {

std::size_t index(Screen screen) { return static_cast<std::size_t>(screen); }

constexpr std::array columns{Column::now,  Column::self, Column::total,    Column::kernel,
                             Column::name, Column::core, Column::top_class};

void append_utf8(std::string& text, char32_t code) {
  const auto put = [&](char32_t bits) { text += static_cast<char>(bits); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
  }
}

}  // namespace

void Model::open(Screen screen) { snapshot_.screen = screen; }

void Model::go(Screen screen) {
  if (snapshot_.screen == screen) return;
  behind_.push_back({snapshot_.screen, snapshot_.function.key});
  if (screen == Screen::help) snapshot_.under = snapshot_.screen;
  snapshot_.screen = screen;
  if (screen == Screen::classes) list_class_functions();
}

void Model::enter_function(FrameKey key, Screen screen) {
  if (key.kind == FrameKind::truncated || key.kind == FrameKind::cut) return;
  const bool same =
      (snapshot_.screen == Screen::function || snapshot_.screen == Screen::annotate) &&
      snapshot_.function.key == key;
  go(screen);
  if (same) return;
  snapshot_.function.key = key;
  snapshot_.cursors[index(Screen::function)] = {};
  snapshot_.cursors[index(Screen::annotate)] = {};
  wants_function_ = true;
}

void Model::back() {
  if (snapshot_.screen == Screen::classes && snapshot_.in_class) {
    snapshot_.in_class = false;
    return;
  }
  if (behind_.empty()) {
    if (snapshot_.screen == Screen::main && !snapshot_.filter.empty()) {
      snapshot_.filter.clear();
      sort_rows();
    }
    return;
  }
  const Place place = behind_.back();
  behind_.pop_back();
  snapshot_.screen = place.screen;
  const bool shows_function = place.screen == Screen::function || place.screen == Screen::annotate;
  if (shows_function && place.function != snapshot_.function.key) {
    snapshot_.function.key = place.function;
    snapshot_.cursors[index(Screen::function)] = {};
    wants_function_ = true;
  }
}

Request Model::enter() {
  switch (snapshot_.screen) {
    case Screen::main:
      enter_function(function_at_cursor(), Screen::function);
      break;
    case Screen::function: {
      const int item = cursor().item;
      if (const NamedShare* other = neighbour(item)) {
        const FrameKey key = other->key;
        if (key.kind == FrameKind::truncated || key.kind == FrameKind::cut) break;
        behind_.push_back({Screen::function, snapshot_.function.key});
        snapshot_.function.key = key;
        snapshot_.cursors[index(Screen::function)] = {};
        wants_function_ = true;
      } else {
        go(Screen::annotate);
        center_cursor();
        const auto& hottest = snapshot_.function.hottest;
        if (static_cast<std::size_t>(item) < hottest.size()) {
          Cursor& at = snapshot_.cursors[index(Screen::annotate)];
          at.item = static_cast<int>(hottest[static_cast<std::size_t>(item)]);
          at.first = std::max(0, at.item - page_ / 2);
        }
      }
      break;
    }
    case Screen::classes:
      if (!snapshot_.in_class) {
        snapshot_.in_class = !snapshot_.class_functions.empty();
      } else {
        enter_function(function_at_cursor(), Screen::function);
      }
      break;
    case Screen::chooser:
      return snapshot_.candidates.empty() ? Request::none : Request::attach;
    case Screen::help:
      back();
      break;
    default:
      break;
  }
  return Request::none;
}

bool Model::sort_key(Key key) {
  if (snapshot_.screen != Screen::main) return false;
  const auto here = std::find(columns.begin(), columns.end(), snapshot_.sort) - columns.begin();
  const auto count = static_cast<std::ptrdiff_t>(columns.size());
  std::ptrdiff_t to = here;
  if (key >= keys::sort_by && key < keys::sort_by + columns.size()) {
    to = static_cast<std::ptrdiff_t>(key - keys::sort_by);
    if (to == here) snapshot_.reversed = !snapshot_.reversed;
  } else if (key == U's' || key == keys::right) {
    to = (here + 1) % count;
  } else if (key == keys::left) {
    to = (here + count - 1) % count;
  } else if (key == U'r') {
    snapshot_.reversed = !snapshot_.reversed;
  } else {
    return false;
  }
  if (to != here) snapshot_.reversed = false;
  snapshot_.sort = columns[static_cast<std::size_t>(to)];
  sort_rows();
  return true;
}

void Model::type_filter(Key key) {
  constexpr std::size_t most_bytes = 100;
  std::string& filter = snapshot_.filter;
  if (key == keys::enter) {
    snapshot_.typing = false;
    return;
  }
  if (key == keys::escape) {
    snapshot_.typing = false;
    filter = filter_before_;
  } else if (key == keys::backspace || key == 8) {
    while (!filter.empty() && (static_cast<unsigned char>(filter.back()) & 0xC0U) == 0x80) {
      filter.pop_back();
    }
    if (!filter.empty()) filter.pop_back();
  } else if (key < 0x110000 && !view::is_unsafe(key) && filter.size() < most_bytes) {
    append_utf8(filter, key);
  } else {
    move(key);
    return;
  }
  moved_ = false;
  sort_rows();
}

void Model::change_interval(int direction) {
  constexpr std::array steps{0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0};
  double& interval = snapshot_.interval_s;
  double to = interval;
  for (const double step : steps) {
    if (direction > 0 && step > interval + 1e-9) {
      to = step;
      break;
    }
    if (direction < 0 && step < interval - 1e-9) to = step;
  }
  interval = to;
  say(fmt::format("a refresh every {} s", interval));
}

Request Model::click(int item) {
  if (item < 0) return Request::none;
  const bool again = cursor().item == item && (snapshot_.screen != Screen::main || moved_);
  move_to(item);
  return again ? enter() : Request::none;
}

Request Model::key(Key key) {
  if (key == U'\r') key = keys::enter;
  if (snapshot_.typing) {
    type_filter(key);
    return Request::none;
  }
  if (key == U'q') return Request::quit;
  if (snapshot_.screen == Screen::help) {
    if (!move(key)) back();
    return Request::none;
  }
  if (key == keys::enter) return enter();
  if (key == U'?') {
    go(Screen::help);
    return Request::none;
  }
  if (key == U'm') return Request::mouse;
  if (move(key) || sort_key(key)) return Request::none;
  const bool listing = snapshot_.screen == Screen::annotate;
  if (listing && (key == U'n' || key == U'p')) {
    next_hot_spot(key == U'n' ? 1 : -1);
    return Request::none;
  }
  if (key == keys::escape) {
    if (snapshot_.screen == Screen::chooser) return Request::quit;
    back();
    return Request::none;
  }
  if (snapshot_.screen == Screen::chooser) return Request::none;
  switch (key) {
    case U'a':
      if (snapshot_.screen == Screen::function) {
        go(Screen::annotate);
        center_cursor();
      } else {
        enter_function(function_at_cursor(), Screen::annotate);
      }
      return Request::none;
    case U'b':
      if (snapshot_.header.precise) {
        say("a precise event: samples are charged to the instruction itself, there are no waits");
        return Request::none;
      }
      snapshot_.by_waits = !snapshot_.by_waits;
      wants_detail_ = true;
      sort_rows();
      list_class_functions();
      return Request::none;
    case U'c':
      snapshot_.screen == Screen::classes ? back() : go(Screen::classes);
      return Request::none;
    case U't':
      snapshot_.screen == Screen::threads ? back() : go(Screen::threads);
      return Request::none;
    case keys::tab:
    case keys::left:
    case keys::right:
      if (snapshot_.screen == Screen::classes) {
        snapshot_.in_class = !snapshot_.in_class && !snapshot_.class_functions.empty();
      } else if (snapshot_.screen == Screen::function) {
        // From one list to the next.
        const FunctionView& view = snapshot_.function;
        const auto hot = static_cast<int>(view.hottest.size());
        const int callees = hot + static_cast<int>(view.callers.size());
        const int item = cursor().item;
        move_to(item < hot ? hot : item < callees ? callees : 0);
      }
      return Request::none;
    case U'/':
      if (snapshot_.screen == Screen::main) {
        filter_before_ = snapshot_.filter;
        snapshot_.typing = true;
      }
      return Request::none;
    case U'+':
    case U'=':
      change_interval(1);
      return Request::interval;
    case U'-':
      change_interval(-1);
      return Request::interval;
    case U'z':
      return Request::zero;
    case U'w':
      return Request::write_recording;
    case U'e':
      return Request::export_text;
    case U' ':
      if (snapshot_.header.exited) return Request::quit;
      snapshot_.paused = !snapshot_.paused;
      return Request::none;
    default:
      break;
  }
  // The last state stays until a key; those that show more of it are above.
  return snapshot_.header.exited ? Request::quit : Request::none;
}

}  // namespace aotscope::tui
