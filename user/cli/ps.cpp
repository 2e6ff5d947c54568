// aotscope ps: running AOT processes and the images they run.
#include <cstdio>

#include <fmt/format.h>

#include <aotscope/process.hpp>
#include <aotscope/view.hpp>

#include "cli/commands.hpp"

namespace aotscope::cli {
namespace {

// What of the process's image is mapped: "2 of 4 cores", "not mapped yet", "another build".
std::string mapped_state(const process::Identity& identity, const image::Program& program) {
  const auto mappings = process::executable_mappings(identity.pid);
  if (!mappings) return "not permitted";
  std::vector<image::Range> ranges;
  bool code = false;
  for (const process::Mapping& mapping : *mappings) {
    if (!mapping.anonymous()) continue;
    ranges.push_back({mapping.start, mapping.end});
    code |= !mapping.writable;
  }
  if (!code) return "not mapped";
  process::Memory memory(identity.pid);
  const auto placements = image::match_texts(program.cores, ranges, memory);
  if (placements.empty()) return "another build";
  std::size_t with_text = 0;
  for (const auto& core : program.cores) with_text += core->text().empty() ? 0 : 1;
  if (program.cores.size() == 1) return "mapped";
  return fmt::format("{} texts, {} cores", placements.size(), with_text);
}

void print_row(std::string_view pid, std::string_view cpu, std::string_view runtime,
               std::string_view image, std::string_view state, std::string_view command) {
  fmt::print("{} {} {} {} {} {}\n", view::pad_left(pid, 8), view::pad_left(cpu, 9),
             view::pad_right(runtime, 18), view::pad_right(image, 24), view::pad_right(state, 18),
             command);
}

}  // namespace

void add_ps(CLI::App& app, int& exit_code) {
  CLI::App* sub = app.add_subcommand("ps", "list running AOT processes and their images");
  sub->footer("Example:\n  aotscope ps");
  sub->callback([&exit_code] {
    const auto found = process::find_aot_processes();
    if (found.empty()) fmt::print(stderr, "aotscope: no process runs AOT code here\n");
    if (!found.empty()) print_row("PID", "CPU(s)", "RUNTIME", "IMAGE", "TEXT", "COMMAND");
    for (const process::Identity& identity : found) {
      std::string image = "-", state = "-";
      auto program = process::find_image(identity);
      if (!program) {
        image = "unreadable";
        state = program.error().message;
      } else if (*program) {
        image = (*program)->shown;
        state = mapped_state(identity, (*program)->program);
      }
      print_row(fmt::to_string(identity.pid),
                fmt::format("{:.2f}", process::cpu_seconds(identity.pid).value_or(0)),
                view::safe_text(process::runtime_name(identity), 40), view::safe_text(image, 200),
                view::safe_text(state, 200), view::safe_text(identity.command(), 200));
    }
    exit_code = 0;
  });
}

}  // namespace aotscope::cli
