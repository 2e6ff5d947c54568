#include "cli/report_files.hpp"

#include <fmt/format.h>

#include <aotscope/exports.hpp>

#include "cli/output.hpp"
#include "cli/write_file.hpp"

namespace aotscope::cli {

void add_file_options(CLI::App& command, ReportFiles& files) {
  const auto add = [&](const char* name, std::string& file, const char* help) {
    command.add_option(name, file, help)->type_name("OUT")->group("Files for other tools");
  };
  add("--pprof", files.pprof, "For go tool pprof; class, image and core are labels");
  add("--speedscope", files.speedscope, "JSON for speedscope");
  add("--firefox", files.firefox, "JSON for the Firefox Profiler (processed format)");
  add("--svg", files.svg, "A flame graph as a picture");
  add("--html", files.html, "A page for the browser that needs no network: tables, graphs, code");
}

Result<void> write_files(const store::Recording& recording, const ReportFiles& files) {
  const profile::Profile& profile = recording.profile;
  const auto write = [&](const std::string& path, auto make) -> Result<void> {
    if (path.empty()) return {};
    const Result<std::string> bytes = make(profile);
    if (!bytes) return tl::unexpected(bytes.error());
    if (const auto written = write_file(path, *bytes); !written) return written;
    if (path == "/dev/stdout") return {};
    return write_result(fmt::format("{}: {} samples\n", path, profile.totals().total));
  };
  const auto plain = [](auto make) {
    return [make](const profile::Profile& from) -> Result<std::string> { return make(from); };
  };
  Result<void> result = write(files.pprof, view::pprof_profile);
  if (result) result = write(files.speedscope, plain(view::speedscope_json));
  if (result) result = write(files.firefox, plain(view::firefox_json));
  if (result) result = write(files.svg, plain(view::flame_svg));
  if (result) {
    result = write(files.html, plain([&](const profile::Profile& from) {
                     return view::html_page(from, recording.code);
                   }));
  }
  return result;
}

}  // namespace aotscope::cli
