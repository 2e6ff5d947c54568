// `aotscope report`: a recording as a table, as JSON, as folded stacks or as a call tree.
#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include <aotscope/isa.hpp>
#include <aotscope/store.hpp>
#include <aotscope/view.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace aotscope::cli {
namespace {

struct ReportOptions {
  std::string file;
  bool json = false;
  bool offsets = false;
  bool folded = false;
  std::string callers;
  std::string callees;
  std::optional<std::uint32_t> core;
  std::string spill_log;
  view::TextOptions text;
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

Result<void> run(ReportOptions options) {
  auto recording = store::load(options.file);
  if (!recording) return tl::unexpected(recording.error());
  if (!recording->complete) {
    print_warnings({options.file + ": the recorder is still writing, or was killed; this is what "
                                   "it had written"});
  }
  const profile::Profile& profile = recording->profile;
  if (options.folded) return write_folded(profile);
  options.text.color = wants_color(stdout);
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
  command->add_flag("--offsets", options->offsets, "With --json: samples of each instruction")
      ->needs(json);

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
    const Result<void> result = run(*options);
    exit_code = result ? 0 : print_error(result.error());
  });
}

}  // namespace aotscope::cli
