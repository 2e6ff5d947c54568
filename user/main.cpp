// aotscope: which wasm function of a live AOT process burns the CPU, and on what instructions.
#include <signal.h>

#include <algorithm>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/commands.hpp"

int main(int argc, char** argv) {
  ::signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error like a full disk, not the end
  std::vector<std::string> arguments(argv + 1, argv + argc);
  std::vector<std::string> command;
  // A command to start stands behind `--`.
  if (const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
      dashes != arguments.end() && !arguments.empty() && arguments.front() == "record") {
    command.assign(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
  }

  int exit_code = 0;
  CLI::App app{
      "Samples ahead-of-time compiled WebAssembly by eBPF: which function is hot, and "
      "what kind of instruction it burns its time on.",
      "aotscope"};
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("aotscope ") + AOTSCOPE_VERSION);
  app.get_formatter()->column_width(32);
  using namespace aotscope::cli;
  add_top(app, exit_code);
  add_record(app, exit_code, command);
  add_report(app, exit_code);
  add_annotate(app, exit_code);
  add_diff(app, exit_code);
  add_inspect(app, exit_code);
  add_perfmap(app, exit_code);
  add_ps(app, exit_code);
  add_doctor(app, exit_code);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return exit_code;
}
