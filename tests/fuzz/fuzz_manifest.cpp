// The manifest reader on any bytes: an error of one line, or modules that each name a path.
#include <cstdlib>

#include "image/manifest.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto manifest = aotscope::image::parse_manifest(text, "fuzz.json");
  if (!manifest) {
    if (manifest.error().message.empty()) std::abort();
    for (const char c : manifest.error().message) {
      if (static_cast<unsigned char>(c) < 0x20) std::abort();
    }
    return 0;
  }
  for (const auto& module : manifest->modules) {
    if (module.path.empty()) std::abort();
  }
  return 0;
}
