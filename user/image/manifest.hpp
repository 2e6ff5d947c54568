// A component's manifest as `wamrc compile-component` writes it beside the cores:
//   {"version":2,"wamr_build_id":"...","component_sha256":"HEX",
//    "modules":[{"idx":0,"path":"app.0.cwasm","sha256":"HEX","core_sha256":"HEX"}]}
// `path` is relative to the manifest's folder, `sha256` is that of the .cwasm, `core_sha256` that
// of the wasm module it was made from. `idx` is the module's place in the component that holds it,
// so in a component made of components it repeats.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <aotscope/result.hpp>

namespace aotscope::image {

struct ManifestModule {
  std::uint64_t idx = 0;
  std::string path;
  std::string sha256;
};

struct Manifest {
  std::uint64_t version = 0;
  std::string build_id;
  std::string component_sha256;
  std::vector<ManifestModule> modules;  // by idx where each has its own, else as in the file
};

// `path` is only for messages. Bounded in time, memory and nesting whatever `text` holds.
Result<Manifest> parse_manifest(std::string_view text, const std::filesystem::path& path);

}  // namespace aotscope::image
