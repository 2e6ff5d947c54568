// From counters to what the screens show, once for each interval.
#include "tui/model.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tui/code.hpp"
#include "view/format.hpp"

namespace aotscope::tui {

using isa::InstrClass;
using profile::FrameKey;
using profile::FrameKind;

namespace {

double share(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }
double share(std::uint64_t part, std::uint64_t whole) {
  return share(static_cast<double>(part), static_cast<double>(whole));
}

// The mix of one function, or of all: of the window where that has enough samples to be steady.
PerGroup mix(const isa::PerClass<Counter>& counters, InstrClass& top, double& top_share) {
  double recent = 0, all = 0;
  for (const Counter& counter : counters) {
    recent += counter.recent;
    all += static_cast<double>(counter.before);
  }
  const bool now = recent >= enough_samples;
  const double whole = now ? recent : all;
  PerGroup out{};
  top_share = 0;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const double part =
        share(now ? counters[i].recent : static_cast<double>(counters[i].before), whole);
    const auto cls = static_cast<InstrClass>(i);
    out[group_of(cls)] += part;
    if (part > top_share) top = cls, top_share = part;
  }
  return out;
}

std::string image_text(const profile::Profile& profile) {
  const auto& images = profile.images();
  if (images.empty()) return "no image";
  const std::string first = view::base_name(images.front().path);
  if (images.size() == 1) return first;
  return fmt::format("{} + {} more", first, images.size() - 1);
}

}  // namespace

Model::Model(const Options& options) {
  snapshot_.interval_s = options.interval_s;
  snapshot_.mouse = options.mouse;
  snapshot_.rows = std::make_shared<std::vector<Row>>();
}
Model::~Model() = default;

void Model::update(const profile::Profile& profile, const Tick& tick) {
  now_s_ = tick.now_s;
  if (now_s_ >= message_until_s_) snapshot_.message.clear();
  const double from = last_s_ < 0 ? tick.now_s : last_s_;
  decay_ = decay_over(tick.now_s - from);
  last_s_ = tick.now_s;
  ++round_;

  const profile::Totals totals = profile.totals();
  all_samples_ = totals.total;
  total_.update(totals.total, decay_);
  wasm_.update(totals.wasm, decay_);
  host_.update(totals.host, decay_);
  unknown_.update(totals.unknown, decay_);
  kernel_.update(totals.kernel, decay_);
  target_cpu_.add(tick.now_s, profile.info.target_cpu_s);
  own_cpu_.add(tick.now_s, tick.own_cpu_s);
  update_rows(profile, from, tick.now_s);
  update_classes(profile);
  update_header(profile, tick);
  update_threads(profile);
  if (!snapshot_.paused) {
    sort_rows();
    list_class_functions();
  }
  has_news_ = true;
}

void Model::update_header(const profile::Profile& profile, const Tick&) {
  const profile::RunInfo& info = profile.info;
  const profile::Totals totals = profile.totals();
  if (wants_base_) {
    wants_base_ = false;
    base_cpu_s_ = info.target_cpu_s;
    base_duration_s_ = info.duration_s;
    base_lost_ = totals.lost;
  }
  Header header;
  std::size_t alive = 0;
  for (const profile::TargetEntry& target : info.targets) {
    header.pids += fmt::format("{}{}", header.pids.empty() ? "" : ", ", target.pid);
    if (!target.exited) ++alive;
  }
  header.exited = !info.targets.empty() && alive == 0;
  if (!info.targets.empty()) {
    header.command = view::safe_text(info.targets.front().command);
    header.runtime = view::safe_text(info.targets.front().runtime, 60);
  }
  header.image = image_text(profile);
  header.event = info.event;
  header.frequency_asked = static_cast<double>(info.frequency_asked);
  header.samples = totals.total;
  header.lost = totals.lost - std::min(totals.lost, base_lost_);
  for (const profile::LostCause& lost : info.lost) {
    if (lost.count != 0 && header.lost_hint.empty()) header.lost_hint = lost.hint;
  }
  const double cpu_s = info.target_cpu_s - base_cpu_s_;
  header.frequency = cpu_s > 0.3 ? static_cast<double>(totals.total + header.lost) / cpu_s : 0;
  header.uptime_s = info.duration_s - base_duration_s_;
  header.target_cpu = 100 * target_cpu_.rate();
  header.own_cpu = 100 * own_cpu_.rate();
  if (total_.recent >= enough_samples) {
    header.where = {share(wasm_.recent, total_.recent), share(host_.recent, total_.recent),
                    share(unknown_.recent, total_.recent), share(kernel_.recent, total_.recent)};
  } else {
    header.where = {share(totals.wasm, totals.total), share(totals.host, totals.total),
                    share(totals.unknown, totals.total), share(totals.kernel, totals.total)};
  }
  InstrClass top{};
  double top_share = 0;
  header.landed = mix(classes_, top, top_share);
  header.waits = mix(waits_, top, top_share);
  header.stacks = info.stacks;
  header.precise = info.precise;
  if (snapshot_.paused) {
    // What says how the tool and the target are is never frozen.
    snapshot_.header.own_cpu = header.own_cpu;
    snapshot_.header.target_cpu = header.target_cpu;
    snapshot_.header.uptime_s = header.uptime_s;
    snapshot_.header.exited = header.exited;
    return;
  }
  snapshot_.header = std::move(header);
}

FunctionWindow& Model::window_of(const profile::Profile& profile, FrameKey key) {
  const auto [it, fresh] = windows_.try_emplace(key);
  FunctionWindow& window = it->second;
  if (!fresh) return window;
  if (key.kind == FrameKind::wasm) {
    window.name = view::function_label(profile, key);
    window.core = fmt::to_string(profile.images()[key.image].core);
  } else if (key.kind == FrameKind::host) {
    const profile::HostEntry& host = profile.hosts()[key.id];
    window.name = view::safe_text(
        host.symbol.empty() ? host.module : fmt::format("{} [{}]", host.symbol, host.module), 200);
  } else {
    const std::uint64_t region = profile.unknowns()[key.id].region;
    window.name = region == 0 ? "[unknown]" : fmt::format("[unknown at {:#x}]", region);
  }
  return window;
}

Row* Model::add_row(std::vector<Row>& rows, FrameKey key, std::uint64_t self, std::uint64_t total,
                    std::uint64_t kernel) {
  Row& row = rows.emplace_back();
  row.key = key;
  row.self = share(self, all_samples_);
  row.total = share(total, all_samples_);
  row.kernel = share(kernel, all_samples_);
  return &row;
}

void Model::update_rows(const profile::Profile& profile, double from_s, double to_s) {
  auto rows = std::make_shared<std::vector<Row>>();
  const double hz = static_cast<double>(std::max<std::uint64_t>(1, profile.info.frequency_hz));
  float tallest = 0;
  const auto one = [&](FrameKey key, std::uint64_t self, std::uint64_t total, std::uint64_t kernel,
                       const profile::FunctionCount* count) {
    FunctionWindow& window = window_of(profile, key);
    window.round = round_;
    const bool quiet = window.self.recent == 0 && window.self.before == self;
    const std::uint64_t delta = window.self.update(self, decay_);
    if (count != nullptr && !quiet) {
      for (std::size_t i = 0; i < isa::class_count; ++i) {
        window.classes[i].update(count->classes[i], decay_);
        window.waits[i].update(count->waits[i], decay_);
      }
    }
    window.history.add(from_s, to_s, static_cast<double>(delta) / hz);
    if (snapshot_.paused) return;
    Row* row = add_row(*rows, key, self, total, kernel);
    row->name = window.name;
    row->core = window.core;
    row->now = share(window.self.recent, total_.recent);
    row->history = window.history.read(to_s);
    tallest = std::max(tallest, *std::max_element(row->history.begin(), row->history.end()));
    if (count != nullptr) {
      row->landed = mix(window.classes, row->top_landed, row->top_landed_share);
      row->waits = mix(window.waits, row->top_waits, row->top_waits_share);
    }
  };
  for (const auto& [key, count] : profile.functions()) {
    one(key, count.self, count.total, count.kernel, &count);
  }
  for (std::uint32_t i = 0; i < profile.hosts().size(); ++i) {
    const profile::HostEntry& host = profile.hosts()[i];
    if (host.self == 0 && host.total == 0) continue;
    one({FrameKind::host, 0, i}, host.self, host.total, host.kernel, nullptr);
  }
  for (std::uint32_t i = 0; i < profile.unknowns().size(); ++i) {
    const profile::UnknownEntry& unknown = profile.unknowns()[i];
    if (unknown.self == 0) continue;
    one({FrameKind::unknown, 0, i}, unknown.self, unknown.self, unknown.kernel, nullptr);
  }
  if (snapshot_.paused) return;
  snapshot_.rows = std::move(rows);
  snapshot_.history_top = tallest;
}

void Model::update_classes(const profile::Profile& profile) {
  const auto landed = profile.classes(), waits = profile.waits();
  double recent = 0, recent_waits = 0;
  for (std::size_t i = 0; i < isa::class_count; ++i) {
    classes_[i].update(landed[i], decay_);
    waits_[i].update(waits[i], decay_);
    recent += classes_[i].recent;
    recent_waits += waits_[i].recent;
  }
  if (snapshot_.paused) return;
  const std::uint64_t wasm = profile.totals().wasm;
  snapshot_.classes.clear();
  for (std::size_t i = 0; i < isa::class_count; ++i) {
    if (landed[i] == 0 && waits[i] == 0) continue;
    snapshot_.classes.push_back({static_cast<InstrClass>(i), share(classes_[i].recent, recent),
                                 share(landed[i], wasm), share(waits_[i].recent, recent_waits),
                                 share(waits[i], wasm)});
  }
}

void Model::update_threads(const profile::Profile& profile) {
  std::vector<ThreadRow> rows;
  for (const auto& [key, thread] : profile.threads()) {
    Counter& counter = threads_[key];
    counter.update(thread.self, decay_);
    if (snapshot_.paused) continue;
    rows.push_back({thread.pid, thread.tid, view::safe_text(thread.comm, 64),
                    share(counter.recent, total_.recent), share(thread.self, all_samples_),
                    share(thread.kernel, all_samples_), thread.self});
  }
  if (snapshot_.paused) return;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ThreadRow& a, const ThreadRow& b) { return a.samples > b.samples; });
  snapshot_.threads = std::move(rows);
  snapshot_.processes.clear();
  for (const profile::TargetEntry& target : profile.info.targets) {
    snapshot_.processes.push_back(
        {target.pid, view::safe_text(target.command), target.cpu_s, target.exited});
  }
}

// Which functions the class under the cursor is spent in.
void Model::list_class_functions() {
  snapshot_.class_functions.clear();
  const std::size_t item =
      static_cast<std::size_t>(snapshot_.cursors[static_cast<std::size_t>(Screen::classes)].item);
  if (item >= snapshot_.classes.size()) return;
  const auto cls = static_cast<std::size_t>(snapshot_.classes[item].cls);
  const Counter& whole = snapshot_.by_waits ? waits_[cls] : classes_[cls];
  for (const auto& [key, window] : windows_) {
    const Counter& part = snapshot_.by_waits ? window.waits[cls] : window.classes[cls];
    if (part.before == 0) continue;
    snapshot_.class_functions.push_back(
        {key, window.name, share(part.recent, whole.recent), share(part.before, whole.before)});
  }
  std::stable_sort(snapshot_.class_functions.begin(), snapshot_.class_functions.end(),
                   [](const NamedShare& a, const NamedShare& b) { return a.share > b.share; });
}

void Model::say(std::string message, bool alarm) {
  snapshot_.message = std::move(message);
  snapshot_.alarm = alarm;
  message_until_s_ = now_s_ + 8;
}

void Model::set_candidates(std::vector<Candidate> candidates) {
  const std::uint32_t chosen = chosen_pid();
  snapshot_.candidates = std::move(candidates);
  Cursor& at = snapshot_.cursors[static_cast<std::size_t>(Screen::chooser)];
  for (std::size_t i = 0; i < snapshot_.candidates.size(); ++i) {
    if (snapshot_.candidates[i].pid == chosen) at.item = static_cast<int>(i);
  }
  at.item = std::clamp(at.item, 0, std::max(0, static_cast<int>(snapshot_.candidates.size()) - 1));
}

std::uint32_t Model::chosen_pid() const {
  const auto item =
      static_cast<std::size_t>(snapshot_.cursors[static_cast<std::size_t>(Screen::chooser)].item);
  return item < snapshot_.candidates.size() ? snapshot_.candidates[item].pid : 0;
}

void Model::zeroed() {
  windows_.clear();
  threads_.clear();
  classes_ = {};
  waits_ = {};
  total_ = wasm_ = host_ = unknown_ = kernel_ = {};
  if (code_) code_->counters.assign(code_->counters.size(), {});
  target_cpu_ = {};  // its CPU time is counted anew
  wants_base_ = true;
}

}  // namespace aotscope::tui
