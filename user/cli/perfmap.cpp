// `aotscope perfmap`: /tmp/perf-PID.map, so that `perf report` shows the names of wasm functions.
// The format is perf's: one line "START SIZE name" in hex for each function (linux,
// tools/perf/Documentation/jit-interface.txt).
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <aotscope/process.hpp>
#include <aotscope/view.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/write_file.hpp"

namespace aotscope::cli {
namespace {

struct PerfmapCommand {
  std::vector<pid_t> pids;
  std::string image;
  std::string output;
};

Result<image::Program> program_of(const process::Identity& identity, const std::string& image) {
  if (!image.empty()) return image::open_program(image);
  auto found = process::find_image(identity);
  if (!found) return tl::unexpected(found.error());
  if (!*found) {
    return fail(fmt::format("the command line of pid {} names no image", identity.pid),
                "name it: aotscope perfmap -p PID IMAGE");
  }
  return std::move((*found)->program);
}

Result<std::vector<image::Placement>> placements_of(pid_t pid, const image::Program& program) {
  const auto mappings = process::executable_mappings(pid);
  if (!mappings) return tl::unexpected(mappings.error());
  std::vector<image::Range> ranges;
  for (const process::Mapping& mapping : *mappings) {
    if (mapping.anonymous()) ranges.push_back({mapping.start, mapping.end});
  }
  process::Memory memory(pid);
  auto placements = image::match_texts(program.cores, ranges, memory);
  if (placements.empty()) {
    return fail(fmt::format("pid {} runs no code of {}", pid, program.path.string()),
                "it may not have mapped it yet, or run another build; aotscope ps tells");
  }
  return placements;
}

// A name runs to the end of its line there, so safe text is all it takes; but perf (6.1) skips
// lines whose name has less than three characters, so such a name gets spaces behind it.
std::string map_text(const image::Program& program,
                     const std::vector<image::Placement>& placements) {
  std::string out;
  for (const image::Placement& placement : placements) {
    // Of equal cores any one gives the same names.
    const image::Core& core = *program.cores[placement.cores.front()];
    for (const image::Function& function : core.functions()) {
      if (function.size == 0) continue;
      fmt::format_to(std::back_inserter(out), "{:x} {:x} {:<3}\n", placement.base + function.offset,
                     function.size, view::safe_text(image::Core::display_name(function)));
    }
  }
  return out;
}

Result<void> run(const PerfmapCommand& command) {
  SamplingFlags flags;
  flags.pids = command.pids;
  const auto pids = choose_pids(flags);
  if (!pids) return tl::unexpected(pids.error());
  const pid_t pid = pids->front();
  const auto identity = process::identify(pid);
  if (!identity) return tl::unexpected(identity.error());
  const auto program = program_of(*identity, command.image);
  if (!program) return tl::unexpected(program.error());
  print_warnings(program->warnings);
  const auto placements = placements_of(pid, *program);
  if (!placements) return tl::unexpected(placements.error());
  const std::string text = map_text(*program, *placements);
  const std::string path =
      command.output.empty() ? fmt::format("/tmp/perf-{}.map", pid) : command.output;
  if (const auto written = write_file(path, text); !written) return written;
  if (path == "/dev/stdout") return {};
  return write_result(
      fmt::format("{}: {} functions\n", path, std::count(text.begin(), text.end(), '\n')));
}

}  // namespace

void add_perfmap(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "perfmap", "Write /tmp/perf-PID.map, so that perf report names a process's functions");
  auto options = std::make_shared<PerfmapCommand>();
  command->add_option("-p,--pid", options->pids, "The process; the only AOT process when left out")
      ->type_name("PID")
      ->expected(1);
  command->add_option("IMAGE", options->image,
                      "What it runs; found from its command line when left out");
  command->add_option("-o,--output", options->output, "Another file; perf finds only the usual one")
      ->type_name("OUT");
  command->callback([options, &exit_code] {
    const Result<void> result = run(*options);
    exit_code = result ? 0 : print_error(result.error());
  });
}

}  // namespace aotscope::cli
