// The full-screen live view. State and drawing are apart: a Model turns a profile's counters and
// the user's keys into a Snapshot, draw() turns a Snapshot into a Canvas without any terminal, and
// run() puts canvases on a terminal with ncurses while a session samples.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <aotscope/profile.hpp>
#include <aotscope/result.hpp>
#include <aotscope/session.hpp>

namespace aotscope::tui {

// ---- what a terminal can show ---------------------------------------------------------------

struct Size {
  int columns = 0;
  int rows = 0;
  bool operator==(const Size&) const = default;
};
inline constexpr Size smallest{60, 10};

struct Caps {
  int colors = 256;   // 256, 16, 8, or 0 for none (NO_COLOR, or a terminal without)
  bool utf8 = true;   // false: ASCII only, as under LC_ALL=C
  bool mouse = true;  // only for what the help says
};

// What a cell means; the terminal's palette gives it a colour, or none.
enum class Hue : std::uint8_t {
  plain,
  faint,
  title,
  key,
  good,
  warn,
  bad,
  hot,
  // the class groups, in the order of groups()
  spill,
  local,
  move,
  bounds,
  memory,
  dispatch,
  call,
  frame,
  compute,
  branch,
  other,
  // where samples landed
  wasm,
  host,
  kernel,
  unknown,
};
inline constexpr std::size_t hue_count = 23;

struct Style {
  Hue hue = Hue::plain;
  bool bold = false;
  bool selected = false;  // the row under the cursor
  bool operator==(const Style&) const = default;
};

// ---- classes in groups: a bar of twenty-four colours tells nobody anything --------------------

struct ClassGroup {
  std::string_view name;  // "spill"
  char letter = ' ';      // its mark in a bar without colours
  Hue hue = Hue::plain;
};
inline constexpr std::size_t group_count = 11;
const std::array<ClassGroup, group_count>& groups();
std::size_t group_of(isa::InstrClass cls);
using PerGroup = std::array<double, group_count>;  // per cent

// ---- keys -----------------------------------------------------------------------------------

// A character as it was typed, or one of these above all of Unicode.
using Key = char32_t;
namespace keys {
inline constexpr Key enter = U'\n', escape = 27, backspace = 127, tab = U'\t';
inline constexpr Key up = 0x200001, down = 0x200002, left = 0x200003, right = 0x200004,
                     page_up = 0x200005, page_down = 0x200006, home = 0x200007, end = 0x200008,
                     wheel_up = 0x200009, wheel_down = 0x20000a;
// A click on the head of a column: sort_by + Column.
inline constexpr Key sort_by = 0x210000;
}  // namespace keys

// ---- canvas ---------------------------------------------------------------------------------

struct Cell {
  std::string glyph = " ";  // one character with what combines with it; "" behind a wide one
  Style style;
};

// Somewhere to click: a key of the footer or of a column's head, or a row of a list.
struct Hit {
  int row = 0;
  int first = 0;  // columns [first, end)
  int end = 0;
  Key key = 0;  // 0: selects `item`
  int item = -1;
};

class Canvas {
 public:
  explicit Canvas(Size size);
  Size size() const { return size_; }
  const Cell& at(int column, int row) const;
  // Puts safe text at a place; what does not fit before `end` (-1: the edge) is cut, and a wide
  // character is never cut in half. Returns the column behind it.
  int put(int column, int row, std::string_view text, Style style = {}, int end = -1);
  void fill(int column, int row, int width, std::string_view glyph, Style style = {});
  void mark_selected(int row, int first, int end);
  void add_hit(const Hit& hit) { hits_.push_back(hit); }
  const Hit* hit_at(int column, int row) const;
  void to_ascii();
  std::string row_text(int row) const;  // without spaces at its end
  std::string text() const;             // all rows, empty ones at the end left out

  // What the list on it shows, for the model to scroll by.
  int first_item = 0;
  int page_items = 1;

 private:
  Size size_;
  std::vector<Cell> cells_;
  std::vector<Hit> hits_;
};

// ---- snapshot: all that a screen shows ------------------------------------------------------

enum class Screen : std::uint8_t { main, function, annotate, classes, threads, help, chooser };
enum class Column : std::uint8_t { now, self, total, kernel, name, core, top_class };
std::string_view column_name(Column column);

inline constexpr std::size_t history_slots = 60;   // seconds
using History = std::array<float, history_slots>;  // CPUs used, oldest first

struct Row {
  profile::FrameKey key;
  std::string name;  // safe
  std::string core;  // "0"; empty for code that is not wasm
  double now = 0;    // per cent of all samples, decaying window
  double self = 0;   // since the start, as the others
  double total = 0;
  double kernel = 0;
  PerGroup landed{};  // per cent of the function
  PerGroup waits{};
  isa::InstrClass top_landed = isa::InstrClass::other;
  isa::InstrClass top_waits = isa::InstrClass::other;
  double top_landed_share = 0;
  double top_waits_share = 0;
  History history{};
};

struct Where {  // per cent of all samples, kernel being part of the others
  double wasm = 0, host = 0, unknown = 0, kernel = 0;
};

struct Header {
  std::string pids;     // "4121" or "4121, 4122"
  std::string command;  // safe
  std::string image;    // "mix.cwasm", "js.0.cwasm + 3 cores"
  std::string runtime;
  std::string event;
  double frequency_asked = 0;
  double frequency = 0;  // achieved: samples for each second of the target's CPU time
  double uptime_s = 0;
  double target_cpu = 0;  // per cent of one CPU
  double own_cpu = 0;
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;
  std::string lost_hint;  // the flag that cures it
  Where where;
  PerGroup landed{};  // per cent of the wasm samples
  PerGroup waits{};
  bool exited = false;  // every target has ended
  bool stacks = true;
  bool precise = false;  // no waits
};

struct Share {  // a class, with both of its measures
  isa::InstrClass cls = isa::InstrClass::other;
  double now = 0, self = 0;  // per cent, where samples landed
  double waits_now = 0, waits_self = 0;
};

struct NamedShare {  // a caller, a callee, a function of a class
  profile::FrameKey key;
  std::string name;
  double now = 0;
  double share = 0;
};

struct CodeLine {
  std::uint32_t offset = 0;    // from the start of the function
  bool is_instruction = true;  // false: a jump table, in words
  isa::InstrClass cls = isa::InstrClass::other;
  isa::InstrClass waits = isa::InstrClass::other;
  std::int64_t producer = -1;  // offset of what it waits for
  std::string label;           // "L7" where something jumps to it
  std::string text;            // empty until it was wanted
  double now = 0;              // per cent of the function
  double self = 0;
  std::uint64_t samples = 0;
  enum class Edge : std::uint8_t { none, only, first, middle, last } edge = Edge::none;
  std::uint8_t rank = 0;  // of its block, 1 the hottest; 0: not worth a mark
  double block_share = 0;
};

struct FunctionView {
  profile::FrameKey key;
  Row row;            // its figures
  std::string place;  // "core 0 local 4 (func[11])  mix.cwasm"
  std::string facts;  // "812 bytes, 203 instructions, …"
  std::uint64_t text_offset = 0;
  std::vector<Share> classes;  // those with samples
  std::vector<NamedShare> callers, callees;
  std::vector<CodeLine> lines;         // empty: no code to show
  std::vector<std::uint32_t> hottest;  // places in lines
  std::string no_code;                 // why there are no lines
};

struct ThreadRow {
  std::uint32_t pid = 0, tid = 0;
  std::string name;
  double now = 0, self = 0, kernel = 0;  // per cent of all samples
  std::uint64_t samples = 0;
};
struct ProcessRow {
  std::uint32_t pid = 0;
  std::string command;
  double cpu_s = 0;
  bool exited = false;
};

struct Candidate {  // of the chooser
  std::uint32_t pid = 0;
  double cpu = 0;  // per cent of one CPU; < 0: not known yet
  std::string command;
};

struct Cursor {
  int item = 0;
  int first = 0;  // scrolled to
};

struct Snapshot {
  Screen screen = Screen::main;
  Screen under = Screen::main;  // what the help was called from
  Header header;
  std::shared_ptr<const std::vector<Row>> rows;  // all of them
  std::vector<std::uint32_t> order;              // filtered and sorted
  float history_top = 0;                         // tallest of all histories
  Column sort = Column::now;
  bool reversed = false;
  bool by_waits = false;
  bool paused = false;
  bool typing = false;  // the filter is being typed
  std::string filter;
  double interval_s = 1;
  std::string message;  // one line, for some seconds
  bool alarm = false;   // …in red
  bool mouse = true;
  FunctionView function;
  std::vector<Share> classes;  // of all wasm samples
  bool in_class = false;       // classes: the cursor is among the functions
  std::vector<NamedShare> class_functions;
  std::vector<ThreadRow> threads;
  std::vector<ProcessRow> processes;
  std::vector<Candidate> candidates;
  std::array<Cursor, 8> cursors{};  // by Screen; the last: functions of a class
  const Cursor& cursor() const;
};

// Pure: the same arguments give the same canvas.
Canvas draw(const Snapshot& snapshot, Size size, const Caps& caps);

// ---- running --------------------------------------------------------------------------------

struct Options {
  double interval_s = 1;
  std::uint64_t count = 0;  // end after so many refreshes; 0: never
  bool mouse = true;
  std::chrono::steady_clock::time_point until;
  std::vector<pid_t> pids;                            // empty: choose on the screen
  std::shared_ptr<std::vector<std::string>> notices;  // what the session says
};

// False where the full screen makes no sense: no terminal, TERM=dumb or unknown.
bool terminal_is_capable();

// From here on a crash leaves the terminal as it was. Call before images are opened: the image
// room's SIGBUS handler then comes first and passes on what is not its own.
void restore_on_crash();

// Attaches, and shows until the user quits, the count is reached, or `end_signals`, a signalfd
// that holds SIGINT, SIGTERM and SIGHUP, is readable.
Result<void> run(session::Session& session, const Options& options, int end_signals);

}  // namespace aotscope::tui
