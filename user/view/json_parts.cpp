#include "view/json_parts.hpp"

namespace aotscope::view {

nlohmann::ordered_json image_json(const profile::ImageEntry& image) {
  nlohmann::ordered_json out = {{"image", image.id},
                                {"path", image.path},
                                {"core", image.core},
                                {"format", image.format},
                                {"version", image.version},
                                {"arch", image.arch},
                                {"text_size", image.text_size},
                                {"functions", image.functions.size()}};
  // Not computed for static use.
  if (!image.hash.empty()) out["hash"] = image.hash;
  return out;
}

std::string json_text(const nlohmann::ordered_json& value, bool one_line) {
  using nlohmann::ordered_json;
  return value.dump(one_line ? -1 : 1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace aotscope::view
