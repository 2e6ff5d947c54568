// `aotscope annotate`: one function, instruction by instruction, from a recording or an image.
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>

#include <aotscope/image.hpp>
#include <aotscope/store.hpp>
#include <aotscope/view.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/run_time.hpp"

namespace aotscope::cli {
namespace {

struct AnnotateCommand {
  std::string file;
  std::string function;
  std::optional<std::uint32_t> core;
  std::string spill_log;
  TimeOptions time;
};

// Told apart by content. What cannot be read is left to the image reader, which says why.
bool is_recording(const std::string& path) {
  constexpr std::string_view sqlite = "SQLite format 3";  // 16 bytes with its final zero
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::array<char, sqlite.size()> head{};
  file.read(head.data(), head.size());
  return file && std::memcmp(head.data(), sqlite.data(), head.size()) == 0;
}

view::AnnotateOptions annotate_options() { return {.color = wants_color(stdout), .hottest = 20}; }

Result<void> from_recording(const AnnotateCommand& command, const isa::SpillLog* log) {
  auto recording = store::load(command.file);
  if (!recording) return tl::unexpected(recording.error());
  warn_unfinished(command.file, *recording);
  if (auto done = cut(recording->profile, command.time); !done) return done;
  const profile::Profile& profile = recording->profile;
  const auto key =
      view::choose_function(profile.images(), command.function, command.core, &profile);
  if (!key) return tl::unexpected(key.error());
  const profile::ImageEntry& image = profile.images()[key->image];
  const auto code = recording->code.find(*key);
  if (code == recording->code.end() || code->second.empty()) {
    return fail(
        fmt::format(
            "{}: no code of {} was recorded: only functions with samples have theirs stored",
            command.file, view::safe_text(profile.frame_name(*key), 120)),
        fmt::format("its code is in the image: aotscope annotate {} --func {}",
                    view::safe_text(image.path), key->id));
  }
  view::Listing listing;
  listing.image = &image;
  listing.local = key->id;
  listing.code = code->second;
  listing.profile = &profile;
  listing.spill_log = log;
  return write_result(view::annotate_text(listing, annotate_options()));
}

Result<void> from_image(const AnnotateCommand& command, const isa::SpillLog* log) {
  if (command.time.any()) return fail("--from and --to are for recordings");
  const auto program = image::open_program(command.file, image::Verify::sha256);
  if (!program) return tl::unexpected(program.error());
  print_warnings(program->warnings);
  std::vector<profile::ImageEntry> images;
  for (std::uint32_t i = 0; i < program->cores.size(); ++i) {
    images.push_back(view::image_entry(*program->cores[i], i));
  }
  const auto key = view::choose_function(images, command.function, command.core, nullptr);
  if (!key) return tl::unexpected(key.error());
  const image::Core& core = *program->cores[key->image];
  const image::Function& function = core.functions()[key->id];
  view::Listing listing;
  listing.image = &images[key->image];
  listing.local = key->id;
  listing.code = core.text().subspan(function.offset, function.size);
  listing.spill_log = log;
  const std::string text = view::annotate_text(listing, annotate_options());
  if (core.truncated()) return fail(core.path().string() + ": was cut short while it was read");
  return write_result(text);
}

Result<void> run(const AnnotateCommand& command) {
  isa::SpillLog log;
  if (!command.spill_log.empty()) {
    auto read = isa::read_spill_log(command.spill_log);
    if (!read) return tl::unexpected(read.error());
    log = std::move(*read);
  }
  const isa::SpillLog* given = command.spill_log.empty() ? nullptr : &log;
  return is_recording(command.file) ? from_recording(command, given) : from_image(command, given);
}

}  // namespace

void add_annotate(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("annotate", "Show one function's instructions, classes and samples");
  auto options = std::make_shared<AnnotateCommand>();
  command
      ->add_option("FILE", options->file,
                   "A recording, or an image: .cwasm, .cwasm.json or component .wasm")
      ->required();
  command->add_option("--func", options->function, "A name, a local index N, or func[INDEX]")
      ->type_name("FUNC")
      ->required();
  command->add_option("--core", options->core, "The core that it is in, of a component")
      ->type_name("N");
  command
      ->add_option("--spill-log", options->spill_log,
                   "stderr of wamrc with WAMR_AOT_SPILL_METRIC=1, to compare with")
      ->type_name("LOG");
  add_time_options(*command, options->time);
  command->callback([options, &exit_code] {
    const Result<void> result = run(*options);
    exit_code = result ? 0 : print_error(result.error());
  });
}

}  // namespace aotscope::cli
