// The plain lists: threads, the targets to choose from, help.
#include <algorithm>

#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "tui/draw.hpp"

namespace aotscope::tui {
namespace {

void mark(Pen& pen, int row, int item) {
  if (item == pen.state.cursor().item) {
    pen.canvas.put(0, row, "▸", {Hue::key, true});
    pen.canvas.mark_selected(row, 0, pen.width());
  }
  pen.canvas.add_hit({row, 0, pen.width(), 0, item});
}

}  // namespace

void draw_threads(Pen& pen) {
  const Snapshot& state = pen.state;
  Canvas& canvas = pen.canvas;
  const int width = pen.width();
  int row = draw_header(pen);
  if (pen.height() >= 14) {
    const int most = std::min(static_cast<int>(state.processes.size()), pen.height() / 4);
    canvas.put(1, row++, "     PID   CPU(s)  PROCESS", head);
    for (int i = 0; i < most; ++i, ++row) {
      const ProcessRow& process = state.processes[static_cast<std::size_t>(i)];
      int column = canvas.put(1, row, fmt::format("{:>8} {:>8.1f}  ", process.pid, process.cpu_s));
      if (process.exited) column = canvas.put(column, row, "exited ", {Hue::bad});
      canvas.put(
          column, row,
          view::fit(process.command, static_cast<std::size_t>(std::max(0, width - column - 1))));
    }
    if (pen.height() >= 20) ++row;
  }
  canvas.put(1, row++, "     PID      TID   NOW%  SELF%  KERN%     SAMPLES  THREAD", head);
  const int count = static_cast<int>(state.threads.size());
  const int page = std::max(1, body_height(pen, row));
  const int first = scroll_to(state.cursor(), count, page);
  if (count == 0) {
    canvas.put(3, row,
               state.header.stacks ? "no samples yet"
                                   : "threads are not told apart without stacks (--no-stacks)",
               faint);
  }
  for (int i = first; i < std::min(count, first + page); ++i, ++row) {
    const ThreadRow& thread = state.threads[static_cast<std::size_t>(i)];
    canvas.put(1, row, fmt::format("{:>8} {:>8}", thread.pid, thread.tid), faint);
    canvas.put(19, row, figure(thread.now, 6), heat(thread.now));
    canvas.put(26, row, figure(thread.self, 6), heat(thread.self));
    canvas.put(33, row, figure(thread.kernel, 6), {Hue::kernel});
    put_right(pen, 51, row, fmt::format("{}", thread.samples), plain);
    const int end = canvas.put(53, row, view::fit(thread.name, 20));
    const int bar_at = std::max(end + 2, 71);
    share_bar(pen, bar_at, row, std::min(40, width - bar_at - 1), thread.now, Hue::wasm);
    mark(pen, row, i);
  }
  canvas.first_item = first;
  canvas.page_items = page;
  draw_status(pen, range_text(first, page, count, "threads"));
  static constexpr FooterKey footer[] = {
      {"Esc", "back", keys::escape}, {"↑↓", "scroll", keys::down}, {"c", "classes", U'c'},
      {"Space", "pause", U' '},      {"e", "export", U'e'},        {"z", "zero", U'z'},
  };
  draw_footer(pen, footer);
}

void draw_chooser(Pen& pen) {
  const Snapshot& state = pen.state;
  Canvas& canvas = pen.canvas;
  const int width = pen.width();
  canvas.put(1, 0, "aotscope", title);
  canvas.put(11, 0, "which process?  Those that run AOT code:", plain);
  int row = pen.height() >= 14 ? 2 : 1;
  canvas.put(1, row++, "     PID   CPU%  COMMAND", head);
  const int count = static_cast<int>(state.candidates.size());
  const int page = std::max(1, body_height(pen, row));
  const int first = scroll_to(state.cursor(), count, page);
  if (count == 0) {
    canvas.put(3, row, "none runs now; one that is started shows up here", faint);
  }
  for (int i = first; i < std::min(count, first + page); ++i, ++row) {
    const Candidate& one = state.candidates[static_cast<std::size_t>(i)];
    canvas.put(1, row, fmt::format("{:>8}", one.pid));
    canvas.put(10, row, one.cpu < 0 ? "     ?" : figure(one.cpu, 6), heat(std::max(0.0, one.cpu)));
    canvas.put(18, row, view::fit(one.command, static_cast<std::size_t>(std::max(0, width - 19))));
    mark(pen, row, i);
  }
  canvas.first_item = first;
  canvas.page_items = page;
  draw_status(pen, range_text(first, page, count, "processes"));
  static constexpr FooterKey footer[] = {{"↑↓", "choose", keys::down},
                                         {"Enter", "attach", keys::enter}};
  draw_footer(pen, footer);
}

void draw_help(Pen& pen) {
  struct Line {
    std::string_view keys, text;
  };
  static constexpr Line lines[] = {
      {"Enter", "the function under the cursor: its mix, hottest instructions, callers, callees"},
      {"a", "its annotated listing; Enter twice leads there too"},
      {"n p", "listing: next and previous hot spot"},
      {"c", "classes over the whole process, and in which functions"},
      {"t", "threads and processes"},
      {"b", "between where samples landed and what they wait for"},
      {"s ← →", "column to sort by;  r reverses; a click on a head does both"},
      {"/", "filter by a part of the name; Esc drops it"},
      {"↑ ↓ j k", "move;  PgUp PgDn a page;  g G or Home End the ends"},
      {"Tab", "next list of a screen"},
      {"Space", "pause the screen; sampling goes on"},
      {"z", "zero all counters"},
      {"+ -", "longer, shorter interval"},
      {"w", "write the session as a recording, for report, annotate, diff"},
      {"e", "export this view as a text file"},
      {"m", "mouse off and on, to let the terminal select text"},
      {"Esc", "back;  q or Ctrl-C quits"},
      {"", ""},
      {"NOW%", "share of all samples, weighted: one counts half after 5 s"},
      {"SELF%", "since the start or the last zero: the innermost frame is this function"},
      {"TOTAL%", "the function is anywhere on the stack"},
      {"KERN%", "the part of SELF% that was in the kernel on the function's behalf"},
      {"waits", "a timer sample lands where an instruction could not finish yet: on the one"},
      {"", "that needs the result. Waits charge the slow one: the divide, the load"},
      {"LAST", "CPU used in each second, all on one scale, one column for some seconds"},
      {"self", "in the header: CPU that aotscope itself uses"},
  };
  Canvas& canvas = pen.canvas;
  canvas.put(1, 0, "aotscope", title);
  canvas.put(11, 0, "keys and columns", plain);
  const int count = static_cast<int>(std::size(lines));
  const int classes = static_cast<int>(group_count) + 2;
  int row = pen.height() >= 14 ? 2 : 1;
  const int page = std::max(1, body_height(pen, row));
  const int first = std::clamp(pen.state.cursor().item, 0, std::max(0, count + classes - page));
  for (int i = first; i < std::min(count + classes, first + page); ++i, ++row) {
    if (i < count) {
      const Line& line = lines[static_cast<std::size_t>(i)];
      canvas.put(2, row, line.keys, {Hue::key, true});
      canvas.put(11, row, line.text, plain, pen.width() - 1);
      continue;
    }
    if (i - count == 1) canvas.put(2, row, "classes as the bars group them", head);
    if (i - count < 2) continue;
    const std::size_t g = static_cast<std::size_t>(i - count - 2);
    const ClassGroup& group = groups()[g];
    const bool letters = pen.caps.colors < 16 || !pen.caps.utf8;
    canvas.put(2, row, letters ? std::string(1, group.letter) : "█", {group.hue});
    int column = canvas.put(4, row, group.name, {group.hue});
    column = std::max(column + 1, 14);
    for (std::size_t c = 0; c < isa::class_count; ++c) {
      const auto cls = static_cast<isa::InstrClass>(c);
      if (group_of(cls) == g) column = canvas.put(column, row, isa::class_id(cls), faint) + 1;
    }
  }
  canvas.first_item = first;
  canvas.page_items = page;
  draw_status(pen, "any other key goes back");
  static constexpr FooterKey footer[] = {{"Esc", "back", keys::escape},
                                         {"↑↓", "scroll", keys::down}};
  draw_footer(pen, footer);
}

}  // namespace aotscope::tui
