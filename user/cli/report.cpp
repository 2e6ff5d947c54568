// `aotscope report`: a recording as tables, JSON, CSV, stacks or a call tree, or in files for other
// tools.
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <aotscope/exports.hpp>
#include <aotscope/isa.hpp>
#include <aotscope/store.hpp>
#include <aotscope/view.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/report_files.hpp"
#include "cli/run_time.hpp"

namespace aotscope::cli {
namespace {

struct ReportOptions {
  std::string file;
  bool json = false;
  bool offsets = false;
  bool folded = false;
  bool csv = false;
  bool timeline = false;
  TimeOptions time;
  std::optional<view::GroupBy> group;
  ReportFiles files;
  std::string callers;
  std::string callees;
  std::optional<std::uint32_t> core;
  std::string spill_log;
  view::TextOptions text;

  // Results that are made from stacks, of a part of the run too.
  bool wants_stacks() const {
    return folded || !callers.empty() || !callees.empty() || group == view::GroupBy::stack ||
           files.any();
  }
};

Result<void> write_folded(const profile::Profile& profile) {
  constexpr std::size_t enough = 1U << 16;  // bytes for one write
  Result<void> result;
  std::string buffer;
  view::folded_stacks(profile, [&](std::string_view line) {
    if (!result) return;
    buffer += line;
    buffer += '\n';
    if (buffer.size() < enough) return;
    result = write_result(buffer);
    buffer.clear();
  });
  return result ? write_result(buffer) : result;
}

Result<void> write_tree(const profile::Profile& profile, const std::string& function,
                        view::TreeKind kind, const ReportOptions& options) {
  const auto frame = view::choose_function(profile.images(), function, options.core, &profile);
  if (!frame) return tl::unexpected(frame.error());
  view::TreeOptions tree;
  if (options.text.min_percent > 0) tree.min_percent = options.text.min_percent;
  tree.color = options.text.color;
  return write_result(view::call_tree(profile, *frame, kind, tree));
}

// Holds the log against the code that travels with the recording: only sampled functions have
// some, so what else the log names is neither right nor wrong, unless its number is beyond the
// image's functions.
std::string spill_text(const store::Recording& recording, const isa::SpillLog& log,
                       std::size_t limit) {
  std::vector<view::SpillCheck> checks;
  for (const profile::ImageEntry& image : recording.profile.images()) {
    if (!isa::knows_spills(view::arch_of(image))) continue;
    std::vector<isa::FunctionCounts> counts;
    isa::SpillLog relevant;
    for (const auto& [key, code] : recording.code) {
      if (key.image != image.id || code.empty()) continue;
      counts.push_back({key.id, isa::count(view::arch_of(image), code, 0, code.size())});
      if (const isa::SpillEntry* entry = log.find(image.core, key.id)) {
        relevant.entries.push_back(*entry);
      }
    }
    for (const isa::SpillEntry& entry : log.entries) {
      if (entry.module == image.core && entry.local_func >= image.functions.size()) {
        relevant.entries.push_back(entry);
      }
    }
    checks.push_back({&image, isa::compare(relevant, image.core, counts)});
  }
  return "\n" + view::spill_cost_table(recording.profile, log, limit) + "\n" +
         view::spill_check_text(log, checks);
}

// What the time buckets tell: a part of the run, the samples by groups, the timeline.
Result<void> write_window(const profile::Profile& profile, const ReportOptions& options) {
  const bool part = options.time.any();
  const auto between = times(options.time, profile.info);
  if (!between) return tl::unexpected(between.error());
  const std::optional<view::Window> window =
      view::window_of(profile, between->first, between->second);
  if (options.json) return write_result(view::window_json(profile, *window));
  std::string text;
  if (part || options.group) {
    view::GroupOptions group;
    group.by = options.group.value_or(view::GroupBy::function);
    group.window = part ? &*window : nullptr;
    group.limit = options.text.limit;
    group.min_percent = options.text.min_percent;
    group.color = options.text.color;
    text = view::group_text(profile, group);
  }
  if (options.timeline) {
    if (!text.empty()) text += '\n';
    const std::string timeline = view::timeline_text(
        profile, *window,
        {.functions = 10, .color = options.text.color, .ascii = needs_ascii(stdout)});
    text += timeline.empty() ? "no samples\n" : timeline;
  }
  return write_result(text);
}

Result<void> run(ReportOptions options) {
  auto recording = store::load(options.file);
  if (!recording) return tl::unexpected(recording.error());
  warn_unfinished(options.file, *recording);
  if (options.time.any() && options.wants_stacks()) {
    if (auto done = cut(recording->profile, options.time); !done) return done;
    options.time = {};
  }
  const profile::Profile& profile = recording->profile;
  if (options.files.any()) return write_files(*recording, options.files);
  if (options.folded) return write_folded(profile);
  if (options.csv) return write_result(view::csv_report(profile));
  options.text.color = wants_color(stdout);
  if (options.group || options.timeline || options.time.any()) {
    return write_window(profile, options);
  }
  if (!options.callers.empty()) {
    return write_tree(profile, options.callers, view::TreeKind::callers, options);
  }
  if (!options.callees.empty()) {
    return write_tree(profile, options.callees, view::TreeKind::callees, options);
  }
  if (options.json) {
    return write_result(
        view::json_report(profile, {.offsets = options.offsets, .one_line = false}));
  }

  std::string spills;
  if (!options.spill_log.empty()) {
    const auto log = isa::read_spill_log(options.spill_log);
    if (!log) return tl::unexpected(log.error());
    spills = spill_text(*recording, *log, options.text.limit);
  }
  options.text.recording = options.file;
  return write_result(view::text_report(profile, options.text) + spills);
}

// `stacks`: results that may be of a part of the run. `others`: those that know no time.
void add_part_options(CLI::App& command, ReportOptions& options,
                      const std::vector<CLI::Option*>& stacks,
                      const std::vector<CLI::Option*>& others, CLI::Option* json) {
  static const std::vector<std::pair<std::string, view::GroupBy>> groups = {
      {"class", view::GroupBy::cls},
      {"function", view::GroupBy::function},
      {"image", view::GroupBy::image},
      {"thread", view::GroupBy::thread},
      {"stack", view::GroupBy::stack}};
  add_time_options(command, options.time);
  CLI::Option* from = command.get_option("--from");
  CLI::Option* to = command.get_option("--to");
  CLI::Option* timeline =
      command.add_flag("--timeline", options.timeline, "Show which functions were busy, and when");
  CLI::Option* group =
      command
          .add_option("--group", options.group, "One table: class, function, image, thread, stack")
          ->transform(CLI::CheckedTransformer(groups))
          ->type_name("GROUP")
          ->option_text("GROUP");
  for (CLI::Option* other : others) {
    for (CLI::Option* option : {from, to, timeline, group}) option->excludes(other);
  }
  for (CLI::Option* other : stacks) {
    for (CLI::Option* option : {timeline, group}) option->excludes(other);
  }
  timeline->excludes(json);
  group->excludes(json);
}

}  // namespace

void add_report(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("report", "Show a recording as a table, JSON or stacks");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("FILE", options->file, "A recording made by `aotscope record`")->required();

  // One kind of result at a time.
  CLI::Option* json = command->add_flag("--json", options->json, "Write JSON (schema 1)");
  CLI::Option* folded =
      command->add_flag("--folded", options->folded, "Write folded stacks, for flame graphs");
  CLI::Option* callers =
      command
          ->add_option("--callers", options->callers, "Show who calls FUNC, as a tree with shares")
          ->type_name("FUNC");
  CLI::Option* callees =
      command
          ->add_option("--callees", options->callees, "Show what FUNC calls, as a tree with shares")
          ->type_name("FUNC");
  folded->excludes(json);
  callers->excludes(json)->excludes(folded);
  callees->excludes(json)->excludes(folded)->excludes(callers);
  CLI::Option* csv = command->add_flag("--csv", options->csv, "Write CSV, a column for each class");
  csv->excludes(json)->excludes(folded)->excludes(callers)->excludes(callees);
  CLI::Option* offsets =
      command->add_flag("--offsets", options->offsets, "With --json: samples of each instruction");
  offsets->needs(json);

  add_part_options(*command, *options, {folded, callers, callees}, {csv, offsets}, json);
  add_file_options(*command, options->files);

  command->add_option("--core", options->core, "The core that FUNC is in, of a component")
      ->type_name("N");
  command->add_option("--limit", options->text.limit, "Rows of the table, 0 for all")
      ->type_name("N")
      ->capture_default_str();
  static const std::vector<std::pair<std::string, view::SortBy>> orders = {
      {"self", view::SortBy::self},
      {"total", view::SortBy::total},
      {"kernel", view::SortBy::kernel},
      {"name", view::SortBy::name}};
  command->add_option("--sort", options->text.sort, "Order of the table: self, total, kernel, name")
      ->transform(CLI::CheckedTransformer(orders))
      ->type_name("ORDER")
      ->option_text("ORDER [self]");
  command
      ->add_option("--min-percent", options->text.min_percent,
                   "Leave out functions, or branches of a tree, below P % of the samples")
      ->type_name("P")
      ->check(CLI::Range(0.0, 100.0));
  command
      ->add_option("--spill-log", options->spill_log,
                   "stderr of wamrc with WAMR_AOT_SPILL_METRIC=1: which spills really cost")
      ->type_name("LOG")
      ->excludes(json)
      ->excludes(folded)
      ->excludes(callers)
      ->excludes(callees);
  command->callback([options, &exit_code] {
    if (options->time.any() && options->group == view::GroupBy::thread) {
      throw CLI::ValidationError(
          "--from and --to: a recording knows threads of the whole run only");
    }
    if (options->time.any() && !options->files.html.empty()) {
      throw CLI::ValidationError("--html shows the whole run");
    }
    const Result<void> result = run(*options);
    exit_code = result ? 0 : print_error(result.error());
  });
}

}  // namespace aotscope::cli
