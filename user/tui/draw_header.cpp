// The top of every screen: who is sampled, how, and how well; and the shares of the whole process.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "tui/draw.hpp"

namespace aotscope::tui {
namespace {

std::string clock_text(double seconds) {
  const auto s = static_cast<std::uint64_t>(std::max(0.0, seconds));
  if (s >= 86400) return fmt::format("{}d {:02}:{:02}", s / 86400, s / 3600 % 24, s / 60 % 60);
  return fmt::format("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

// A label and its value, as far as both fit before `end`.
int pair(Pen& pen, int column, int row, int end, std::string_view label, std::string_view value,
         Style style, std::string_view unit = {}) {
  const auto length = static_cast<int>(view::display_width(label) + view::display_width(value) +
                                       view::display_width(unit) + (label.empty() ? 0 : 1));
  if (column + length > end) return column;
  if (!label.empty()) column = pen.canvas.put(column, row, label, faint) + 1;
  column = pen.canvas.put(column, row, value, style);
  column = pen.canvas.put(column, row, unit, faint);
  return column + 3;
}

std::string frequency_text(const Header& header) {
  if (header.frequency <= 0) return fmt::format("{:.0f}", header.frequency_asked);
  return fmt::format("{:.0f}", header.frequency);
}

}  // namespace

int draw_header(Pen& pen) {
  const Header& header = pen.state.header;
  Canvas& canvas = pen.canvas;
  const int width = pen.width();

  std::string right = fmt::format("up {}", clock_text(header.uptime_s));
  Style right_style = plain;
  if (header.exited) {
    right = "EXITED, last state  " + right;
    right_style = {Hue::bad, true};
  } else if (pen.state.paused) {
    right = "PAUSED  " + right;
    right_style = {Hue::warn, true};
  }
  const int right_at = width - 1 - static_cast<int>(right.size());
  int column = canvas.put(1, 0, "aotscope", title) + 2;
  column =
      canvas.put(column, 0, header.pids.find(',') == std::string::npos ? "pid " : "pids ", faint);
  column = canvas.put(column, 0, view::fit(header.pids, 24), plain) + 1;
  const int room = right_at - 2 - column;
  if (room > 0) {
    canvas.put(column, 0, view::fit(header.command, static_cast<std::size_t>(room)),
               {Hue::plain, true});
  }
  canvas.put(right_at, 0, right, right_style);

  const int end = width - 1;
  column = 1;
  column = pair(pen, column, 1, end, header.event, frequency_text(header), plain, " Hz");
  column = pair(pen, column, 1, end, "target", fmt::format("{:.0f}%", header.target_cpu), plain,
                width >= 80 ? " CPU" : "");
  column = pair(pen, column, 1, end, "self", fmt::format("{:.1f}%", header.own_cpu), plain);
  std::string lost = view::safe_text(fmt::format("{}", header.lost));
  column = pair(pen, column, 1, end, "lost", lost,
                header.lost == 0 ? Style{Hue::good} : Style{Hue::bad, true});
  if (header.lost != 0 && !header.lost_hint.empty()) {
    column = pair(pen, column, 1, end, "see", header.lost_hint, {Hue::bad});
  }
  column = pair(pen, column, 1, end, "", header.image, plain);
  column = pair(pen, column, 1, end, "", header.runtime, faint);
  if (!header.stacks) pair(pen, column, 1, end, "", "no stacks", faint);
  return 2;
}

int draw_shares(Pen& pen, int row) {
  const Header& header = pen.state.header;
  Canvas& canvas = pen.canvas;
  const int width = pen.width();
  const PerGroup& shares = pen.state.by_waits ? header.waits : header.landed;

  // Where: one bar, the kernel's part of it named beside.
  const std::string figures =
      fmt::format("wasm {:.1f}  host {:.1f}  unknown {:.1f}  kernel {:.1f}", header.where.wasm,
                  header.where.host, header.where.unknown, header.where.kernel);
  int column = 1;
  const int bar_at = 10;
  const int bar = width - bar_at - 2 - static_cast<int>(figures.size());
  canvas.put(1, row, "where", faint);
  if (bar >= 8) {
    const auto cells = [&](double percent) {
      return static_cast<int>(std::lround(percent * bar / 100));
    };
    const bool letters = pen.caps.colors < 16 || !pen.caps.utf8;
    const int wasm = cells(header.where.wasm);
    const int host = cells(header.where.wasm + header.where.host) - wasm;
    const int all = cells(header.where.wasm + header.where.host + header.where.unknown);
    canvas.fill(bar_at, row, wasm, letters ? "W" : "█", {Hue::wasm});
    canvas.fill(bar_at + wasm, row, host, letters ? "H" : "█", {Hue::host});
    canvas.fill(bar_at + wasm + host, row, all - wasm - host, letters ? "?" : "█", {Hue::unknown});
    column = bar_at + bar + 1;
  } else {
    column = bar_at;
  }
  const auto part = [&](std::string_view name, double percent, Hue hue) {
    column = canvas.put(column, row, name, {hue}) + 1;
    column = canvas.put(column, row, fmt::format("{:.1f}", percent), plain) + 2;
  };
  part("wasm", header.where.wasm, Hue::wasm);
  part("host", header.where.host, Hue::host);
  part("unknown", header.where.unknown, Hue::unknown);
  part("kernel", header.where.kernel, Hue::kernel);
  ++row;

  const std::string_view name = pen.state.by_waits ? "waits" : "classes";
  if (pen.height() >= 16) {
    canvas.put(1, row, name, faint);
    class_bar(pen, bar_at, row, width - bar_at - 1, shares);
    ++row;
  }
  // The legend names what there is, the largest first.
  std::array<std::size_t, group_count> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  if (pen.height() < 16) canvas.put(1, row, name, faint);
  column = bar_at;
  for (const std::size_t i : order) {
    const ClassGroup& group = groups()[i];
    const std::string text = fmt::format("{:.0f}", shares[i]);
    const auto length = static_cast<int>(2 + group.name.size() + 1 + text.size());
    if (shares[i] < 0.5 || column + length > width - 1) break;
    const bool letters = pen.caps.colors < 16 || !pen.caps.utf8;
    canvas.put(column, row, letters ? std::string(1, group.letter) : "█", {group.hue});
    column = canvas.put(column + 2, row, group.name, {group.hue}) + 1;
    column = canvas.put(column, row, text, plain) + 2;
  }
  return row + 1;
}

}  // namespace aotscope::tui
