// What `report` writes into files: one option for each format, any number of them at once.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include <aotscope/result.hpp>
#include <aotscope/store.hpp>

namespace aotscope::cli {

struct ReportFiles {
  std::string pprof;
  std::string speedscope;
  std::string firefox;
  std::string svg;
  std::string html;
  bool any() const { return !(pprof + speedscope + firefox + svg + html).empty(); }
};

void add_file_options(CLI::App& command, ReportFiles& files);
// Writes what is asked for, and a line about each to stdout.
Result<void> write_files(const store::Recording& recording, const ReportFiles& files);

}  // namespace aotscope::cli
