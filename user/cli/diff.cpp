// `aotscope diff`: what changed between two recordings of one program.
#include <memory>

#include <fmt/format.h>

#include <aotscope/exports.hpp>
#include <aotscope/isa.hpp>
#include <aotscope/store.hpp>
#include <aotscope/view.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/write_file.hpp"

namespace aotscope::cli {
namespace {

struct DiffCommand {
  std::string before;
  std::string after;
  bool work = false;
  bool json = false;
  std::string html;
  double confidence = 99;
  double machine = 4;
  view::DiffTextOptions text;
};

Result<store::Recording> load(const std::string& path) {
  auto recording = store::load(path);
  if (recording) warn_unfinished(path, *recording);
  return recording;
}

profile::DiffSide side_of(const store::Recording& recording) {
  profile::DiffSide side{&recording.profile, {}};
  const auto& images = recording.profile.images();
  for (const auto& [key, code] : recording.code) {
    if (key.image >= images.size() || code.empty()) continue;
    side.mixes[key] = isa::count(view::arch_of(images[key.image]), code, 0, code.size()).classes;
  }
  return side;
}

Result<void> write_page(const std::string& path, const std::string& page) {
  if (const auto written = write_file(path, page); !written) return written;
  if (path == "/dev/stdout") return {};
  return write_result(fmt::format("{}: {} bytes\n", path, page.size()));
}

Result<void> run(DiffCommand command) {
  const auto before = load(command.before);
  if (!before) return tl::unexpected(before.error());
  const auto after = load(command.after);
  if (!after) return tl::unexpected(after.error());
  if (command.work) {
    for (const auto& [path, recording] :
         {std::pair{&command.before, &*before}, std::pair{&command.after, &*after}}) {
      if (recording->profile.info.target_cpu_s > 0 || recording->profile.totals().total == 0) {
        continue;
      }
      return fail(*path + ": the recording does not say how much CPU time the target used",
                  "compare shares instead: leave --work out");
    }
  }
  const profile::Diff result = profile::diff(side_of(*before), side_of(*after),
                                             {.confidence = command.confidence / 100,
                                              .work = command.work,
                                              .machine = command.machine / 100});
  const view::DiffSource old_source{command.before, &before->profile};
  const view::DiffSource new_source{command.after, &after->profile};
  if (!command.html.empty()) {
    return write_page(command.html, view::diff_html(result, old_source, new_source));
  }
  if (command.json) return write_result(view::diff_json(result, old_source, new_source));
  command.text.color = wants_color(stdout);
  return write_result(view::diff_text(result, old_source, new_source, command.text));
}

}  // namespace

void add_diff(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("diff", "Show what changed between two recordings of one program");
  auto options = std::make_shared<DiffCommand>();
  command->add_option("OLD", options->before, "A recording, before the change")->required();
  command->add_option("NEW", options->after, "A recording, after it")->required();
  command->add_flag("--work", options->work,
                    "Both did the same work: compare CPU seconds instead of shares");
  CLI::Option* json = command->add_flag("--json", options->json, "Write JSON (schema 1)");
  command->add_option("--html", options->html, "A page for the browser that needs no network")
      ->type_name("OUT")
      ->excludes(json);
  command->add_option("--limit", options->text.limit, "Rows of the table, 0 for all")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--confidence", options->confidence,
                   "How sure to be that none of what is shown as a change is noise, in %")
      ->type_name("P")
      ->check(CLI::Range(50.0, 99.9999))
      ->capture_default_str();
  command
      ->add_option("--machine-noise", options->machine,
                   "With --work: how far the same work's CPU time differs from run to run, in %")
      ->type_name("P")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command->callback([options, &exit_code] {
    const Result<void> result = run(*options);
    exit_code = result ? 0 : print_error(result.error());
  });
}

}  // namespace aotscope::cli
