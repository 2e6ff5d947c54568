// What the JSON views share. Keys of schema 1 keep their names and meaning.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <aotscope/profile.hpp>

namespace aotscope::view {

// {"move": 40, "float": 20}: classes without a count are left out.
template <typename Count>
nlohmann::ordered_json class_counts(const isa::PerClass<Count>& counts) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    out[std::string(isa::class_id(static_cast<isa::InstrClass>(i)))] = counts[i];
  }
  return out;
}

nlohmann::ordered_json image_json(const profile::ImageEntry& image);

// With a newline at the end. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::ordered_json& value, bool one_line);

}  // namespace aotscope::view
