// The state of the view: what was counted, what is selected, what is asked for.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <aotscope/store.hpp>
#include <aotscope/tui.hpp>
#include <aotscope/view.hpp>

#include "tui/window.hpp"

namespace aotscope::view {
class FunctionListing;
}

namespace aotscope::tui {

// What a key asks of whoever owns the session.
enum class Request : std::uint8_t {
  none,
  quit,
  zero,
  write_recording,
  export_text,
  attach,
  interval,
  mouse,
};

// Time as the model sees it: it has no clock of its own.
struct Tick {
  double now_s = 0;      // monotonic
  double own_cpu_s = 0;  // CPU time of this process so far
};

class Model {
 public:
  explicit Model(const Options& options);
  ~Model();

  // New counters, once for each interval.
  void update(const profile::Profile& profile, const Tick& tick);
  Request key(Key key);
  // A click on a row of the list of the current screen; a second one opens it.
  Request click(int item);
  // What the last canvas showed, so that the next one scrolls on from there.
  void shown(int first_item, int page_items);
  // Gets ready what the next canvas shows of code and stacks: the only place that reads code.
  // `all_lines`: for an export.
  void prepare(const profile::Profile& profile, store::CodeSource& code, bool all_lines = false);

  void say(std::string message, bool alarm = false);
  void set_candidates(std::vector<Candidate> candidates);
  void open(Screen screen);
  void zeroed();  // the profile's counters have been
  std::uint32_t chosen_pid() const;
  const Snapshot& snapshot() const { return snapshot_; }

 private:
  struct Code;  // a function's listing, in model_code.cpp

  void update_header(const profile::Profile& profile, const Tick& tick);
  void update_rows(const profile::Profile& profile, double from_s, double to_s);
  void update_classes(const profile::Profile& profile);
  void update_threads(const profile::Profile& profile);
  Row* add_row(std::vector<Row>& rows, profile::FrameKey key, std::uint64_t self,
               std::uint64_t total, std::uint64_t kernel);
  FunctionWindow& window_of(const profile::Profile& profile, profile::FrameKey key);
  void sort_rows();
  void keep_selection();
  void list_class_functions();
  void update_function(const profile::Profile& profile, bool fresh);
  void update_lines(const profile::Profile& profile);
  void mark_blocks(const std::map<std::uint32_t, double>& samples, double all);
  void open_code(const profile::Profile& profile, store::CodeSource& code);

  Cursor& cursor();
  int item_count() const;
  void move_to(int item);
  void next_hot_spot(int direction);
  void center_cursor();
  void go(Screen screen);
  void enter_function(profile::FrameKey key, Screen screen);
  const NamedShare* neighbour(int item) const;  // a caller or callee on the function screen
  profile::FrameKey function_at_cursor() const;
  void back();
  bool move(Key key);
  bool sort_key(Key key);
  Request enter();
  void type_filter(Key key);
  void change_interval(int direction);

  Snapshot snapshot_;
  std::map<profile::FrameKey, FunctionWindow> windows_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Counter> threads_;
  isa::PerClass<Counter> classes_{}, waits_{};
  Counter total_, wasm_, host_, unknown_, kernel_;
  Meter target_cpu_, own_cpu_;
  std::uint64_t round_ = 0;
  double last_s_ = -1;
  double decay_ = 1;
  std::uint64_t all_samples_ = 0;
  // What the counters of info, which zeroing does not touch, were when the user zeroed.
  bool wants_base_ = false;
  double base_cpu_s_ = 0, base_duration_s_ = 0;
  std::uint64_t base_lost_ = 0;
  bool moved_ = false;  // the user chose a row: the selection follows it
  profile::FrameKey selected_;
  struct Place {
    Screen screen = Screen::main;
    profile::FrameKey function;
  };
  std::vector<Place> behind_;  // where Esc leads
  std::string filter_before_;
  std::unique_ptr<Code> code_;
  bool wants_function_ = false;  // a function was chosen; prepare() gets it
  bool has_news_ = false;        // new counters since the function's view was made
  bool wants_detail_ = false;    // its order of classes changed
  int page_ = 1;
  double now_s_ = 0;
  double message_until_s_ = 0;
};

}  // namespace aotscope::tui
