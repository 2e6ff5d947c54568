// What the HTML pages share: the files of html/ around a page's data.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include <aotscope/profile.hpp>

#include "view/html_assets.hpp"

namespace aotscope::view {

// [{id, color}, …] by class number.
nlohmann::ordered_json class_table();
// A run in figures: [[label, value], …], always the same labels.
nlohmann::ordered_json figures(const profile::Profile& profile);
// What was lost and warned of, a line each.
nlohmann::ordered_json warnings(const profile::Profile& profile);

// One page that needs nothing else. `title` is text; `data` becomes the pages' `data`.
std::string make_page(std::string_view title, const PageFiles& files,
                      const nlohmann::ordered_json& data);

}  // namespace aotscope::view
