// `aotscope inspect`: static counts of every function of an image. Needs no privileges.
#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

#include <aotscope/image.hpp>
#include <aotscope/isa.hpp>
#include <aotscope/view.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace aotscope::cli {
namespace {

struct InspectCommand {
  std::string image;
  std::optional<std::uint32_t> core;
  std::string sort;
  std::size_t limit = 30;
  bool json = false;
  std::string spill_log;
};

// A bar on stderr, from one second on and only for a terminal; gone when the work is done.
class ProgressBar {
 public:
  explicit ProgressBar(std::size_t total)
      : total_(total), enabled_(isatty(STDERR_FILENO) == 1 && total != 0) {}
  ~ProgressBar() {
    if (shown_) fmt::print(stderr, "\r{:{}}\r", "", line_columns);
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::size_t done) {
    using namespace std::chrono_literals;
    if (!enabled_ || std::chrono::steady_clock::now() - start_ < 1s) return;
    shown_ = true;
    const std::size_t filled = bar_columns * done / total_;
    fmt::print(stderr, "\r[{:=<{}}{:{}}] {:3} % of {} functions", "", filled, "",
               bar_columns - filled, 100 * done / total_, total_);
    std::fflush(stderr);
  }

 private:
  static constexpr std::size_t bar_columns = 30;
  static constexpr std::size_t line_columns = 79;
  std::size_t total_;
  bool enabled_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Result<std::vector<std::uint32_t>> wanted_cores(const image::Program& program,
                                                std::optional<std::uint32_t> core) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < program.cores.size(); ++i) {
    if (!core || *core == i) out.push_back(i);
  }
  if (out.empty() && core) {
    return fail(fmt::format("{}: there is no core {}", program.path.string(), *core),
                fmt::format("it has {} core{}, numbered from 0", program.cores.size(),
                            program.cores.size() == 1 ? "" : "s"));
  }
  return out;
}

Result<void> run(const InspectCommand& command) {
  std::optional<isa::SpillLog> log;
  if (!command.spill_log.empty()) {
    auto read = isa::read_spill_log(command.spill_log);
    if (!read) return tl::unexpected(read.error());
    log = std::move(*read);
  }
  const auto program = image::open_program(command.image, image::Verify::sha256);
  if (!program) return tl::unexpected(program.error());
  print_warnings(program->warnings);
  const auto wanted = wanted_cores(*program, command.core);
  if (!wanted) return tl::unexpected(wanted.error());

  std::vector<profile::ImageEntry> images;
  std::size_t total = 0;
  for (const std::uint32_t number : *wanted) {
    images.push_back(view::image_entry(*program->cores[number], number));
    total += images.back().functions.size();
  }
  std::vector<view::InspectedCore> cores;
  {
    ProgressBar progress(total);
    std::size_t before = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
      const image::Core& core = *program->cores[(*wanted)[i]];
      cores.push_back({&images[i], isa::inspect_core(core, 0, [&](std::size_t done) {
                         progress.show(before + done);
                       })});
      before += images[i].functions.size();
      if (core.truncated()) return fail(core.path().string() + ": was cut short while it was read");
    }
  }

  std::vector<view::SpillCheck> checks;
  if (log) {
    for (const view::InspectedCore& core : cores) {
      if (!isa::knows_spills(view::arch_of(*core.image))) {
        print_warnings(
            {fmt::format("{}: spills are not told from other frame slots in {} code "
                         "yet; the spill log is not compared",
                         core.image->path, core.image->arch)});
        log.reset();
        break;
      }
      checks.push_back({core.image, isa::compare(*log, core.image->core, core.functions)});
    }
  }
  if (command.json) {
    return write_result(view::inspect_json(cores, log ? &*log : nullptr, checks));
  }
  view::InspectOptions options;
  options.limit = command.limit;
  options.color = wants_color(stdout);
  options.sort = !command.sort.empty() ? command.sort : log ? "spills" : "size";
  std::string text = view::inspect_text(cores, options);
  if (log) text += "\n" + view::spill_check_text(*log, checks);
  return write_result(text);
}

}  // namespace

void add_inspect(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "inspect", "Count instructions, classes and spills of an image's functions");
  auto options = std::make_shared<InspectCommand>();
  command->add_option("IMAGE", options->image, "A .cwasm, .cwasm.json or component .wasm file")
      ->required();
  command->add_option("--core", options->core, "Only this core of a component")->type_name("N");
  command
      ->add_option("--sort", options->sort,
                   "size, instructions, spills, spill-ld, spill-st, frame-size, undecoded, name, "
                   "local, index, offset, or a class such as move [size; spills with --spill-log]")
      ->check(CLI::IsMember(view::inspect_columns()).description(""))
      ->type_name("COLUMN");
  command->add_option("--limit", options->limit, "Rows of the table, 0 for all")
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Write JSON (schema 1), all functions");
  command
      ->add_option("--spill-log", options->spill_log,
                   "stderr of wamrc with WAMR_AOT_SPILL_METRIC=1, to compare with")
      ->type_name("LOG");
  command->callback([options, &exit_code] {
    const Result<void> result = run(*options);
    exit_code = result ? 0 : print_error(result.error());
  });
}

}  // namespace aotscope::cli
