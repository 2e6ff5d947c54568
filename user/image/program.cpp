// IMAGE in any of its forms -> the cores it stands for.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <aotscope/image.hpp>

#include "image/bytes.hpp"
#include "image/manifest.hpp"
#include "image/mapped_file.hpp"
#include "image/sha256.hpp"
#include "image/sniff.hpp"

namespace aotscope::image {
namespace {

constexpr std::uint64_t kNewestManifest = 2;
constexpr std::string_view kCompileAgain =
    "the files are not from one run: wamrc compile-component app.wasm -o app.cwasm.json";

bool same_hex(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

void warn_of_version(const Core& core, std::vector<std::string>& warnings) {
  if (core.version_is_known()) return;
  warnings.push_back(fmt::format(
      "{}: format version {} is not known (6 to 11 are); its sections could be read, so it is used",
      printable(core.path()), core.version()));
}

Result<Program> one_core(const std::filesystem::path& path) {
  auto core = Core::open(path);
  if (!core) return tl::unexpected<Error>(core.error());
  Program program;
  program.path = path;
  warn_of_version(**core, program.warnings);
  program.cores.push_back(std::move(*core));
  return program;
}

Result<void> check_sha256(const std::filesystem::path& file, std::string_view wanted,
                          std::string_view manifest) {
  const auto mapped = MappedFile::open(file);
  if (!mapped) return tl::unexpected<Error>(mapped.error());
  const auto found = sha256_hex(**mapped);
  if (!found) return tl::unexpected<Error>(found.error());
  if (same_hex(*found, wanted)) return {};
  return fail(fmt::format("{}: its sha256 is {}, but {} says {}", printable(file), *found, manifest,
                          printable(wanted)),
              std::string(kCompileAgain));
}

// The file of one module. A manifest may come from anywhere: it does not get to make us open
// /dev/... or a file outside its own folder.
Result<std::filesystem::path> module_file(const ManifestModule& module, std::size_t number,
                                          const std::filesystem::path& manifest) {
  const std::filesystem::path relative(module.path);
  const bool climbs = std::any_of(relative.begin(), relative.end(),
                                  [](const std::filesystem::path& part) { return part == ".."; });
  if (relative.is_absolute() || climbs || module.path.find('\0') != std::string::npos) {
    return fail(
        fmt::format("{}: module {} has the path {}, which is not inside the manifest's folder",
                    printable(manifest), number, printable(relative)),
        "keep the cores beside their manifest");
  }
  return manifest.parent_path() / relative;
}

// `component` is the wasm file that led here, or empty.
Result<Program> from_manifest(const std::filesystem::path& path, Verify verify,
                              const std::filesystem::path& component) {
  const auto mapped = MappedFile::open(path);
  if (!mapped) return tl::unexpected<Error>(mapped.error());
  const auto manifest = parse_manifest(as_text((*mapped)->bytes()), path);
  if (!manifest) return tl::unexpected<Error>(manifest.error());

  const std::string name = printable(path);
  Program program;
  program.path = component.empty() ? path : component;
  program.build_id = manifest->build_id;
  if (manifest->version > kNewestManifest) {
    program.warnings.push_back(fmt::format(
        "{}: manifest version {} is not known (1 and 2 are); it could be read, so it is used", name,
        manifest->version));
  }
  if (!component.empty() && verify == Verify::sha256 && !manifest->component_sha256.empty()) {
    if (auto ok = check_sha256(component, manifest->component_sha256, name); !ok) {
      return tl::unexpected<Error>(ok.error());
    }
  }
  for (std::size_t i = 0; i < manifest->modules.size(); ++i) {
    const ManifestModule& module = manifest->modules[i];
    const auto file = module_file(module, i, path);
    if (!file) return tl::unexpected<Error>(file.error());
    auto core = Core::open(*file);
    if (!core) {
      Error error = std::move(core.error());
      error.message = fmt::format("{}: module {}: {}", name, i, error.message);
      if (error.hint.empty()) error.hint = "keep the cores beside their manifest";
      return tl::unexpected<Error>(std::move(error));
    }
    if (verify == Verify::sha256) {
      if (module.sha256.empty()) {
        program.warnings.push_back(
            fmt::format("{}: module {} has no sha256, its core is not checked", name, i));
      } else if (auto ok = check_sha256(*file, module.sha256, name); !ok) {
        return tl::unexpected<Error>(ok.error());
      }
    }
    warn_of_version(**core, program.warnings);
    program.cores.push_back(std::move(*core));
  }
  if (program.cores.empty()) {
    return fail(fmt::format("{}: the manifest names no modules", name), std::string(kCompileAgain));
  }
  return program;
}

// app.wasm -> app.cwasm.json in the same folder, where `wamr run` looks too.
Result<Program> from_component(const std::filesystem::path& path, Verify verify) {
  std::filesystem::path manifest = path;
  manifest.replace_extension(".cwasm.json");
  std::error_code ignored;
  if (!std::filesystem::exists(manifest, ignored)) {
    return fail(fmt::format("{}: a wasm component without {} beside it", printable(path),
                            printable(manifest.filename())),
                fmt::format("compile it: wamrc compile-component {} -o {}", printable(path),
                            printable(manifest)));
  }
  return from_manifest(manifest, verify, path);
}

}  // namespace

Result<Program> open_program(const std::filesystem::path& path, Verify verify) {
  FileKind kind = FileKind::other;
  std::size_t size = 0;
  {
    const auto mapped = MappedFile::open(path);
    if (!mapped) return tl::unexpected<Error>(mapped.error());
    size = (*mapped)->bytes().size();
    kind = sniff((*mapped)->bytes());
  }
  switch (kind) {
    case FileKind::aot:
      return one_core(path);
    case FileKind::json:
      return from_manifest(path, verify, {});
    case FileKind::component:
      return from_component(path, verify);
    default:
      return tl::unexpected<Error>(not_aot(kind, path, size));
  }
}

}  // namespace aotscope::image
