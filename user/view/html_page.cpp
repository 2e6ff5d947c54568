#include "view/html_page.hpp"

#include <fmt/format.h>

#include <aotscope/view.hpp>

#include "view/class_color.hpp"
#include "view/format.hpp"
#include "view/json_parts.hpp"

namespace aotscope::view {
namespace {

using nlohmann::ordered_json;
using profile::Profile;

std::string replace(std::string_view text, std::string_view key, std::string_view value) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::string(text);
  return std::string(text.substr(0, at)) + std::string(value) +
         std::string(text.substr(at + key.size()));
}

// JSON inside a script element: `<` would let a name end the element, and stands in strings only.
std::string script_data(const ordered_json& value) {
  std::string out;
  for (const char c : json_text(value, true)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

ordered_json class_table() {
  ordered_json out = ordered_json::array();
  for (std::size_t i = 0; i < isa::class_count; ++i) {
    out.push_back(
        {{"id", isa::class_id(static_cast<isa::InstrClass>(i))}, {"color", class_colors[i]}});
  }
  return out;
}

ordered_json figures(const Profile& profile) {
  const profile::Totals totals = profile.totals();
  const auto share = [&](std::uint64_t part) {
    return fmt::format("{:.1f} %", percent(part, totals.total));
  };
  ordered_json out = ordered_json::array();
  out.push_back({"samples", grouped(totals.total)});
  out.push_back({"wasm", share(totals.wasm)});
  out.push_back({"host", share(totals.host)});
  out.push_back({"kernel", share(totals.kernel)});
  out.push_back({"unknown", share(totals.unknown)});
  out.push_back({"lost", grouped(totals.lost)});
  out.push_back({"recorded", duration_text(profile.info.sampled_s())});
  out.push_back({"CPU time", duration_text(profile.info.target_cpu_s)});
  return out;
}

ordered_json warnings(const Profile& profile) {
  ordered_json out = ordered_json::array();
  for (const profile::LostCause& lost : profile.info.lost) {
    if (lost.count == 0) continue;
    out.push_back(fmt::format("lost {}: {}{}{}", grouped(lost.count), safe_text(lost.cause, 80),
                              lost.hint.empty() ? "" : ", cured by ", safe_text(lost.hint, 160)));
  }
  for (const std::string& warning : profile.info.warnings) {
    out.push_back(safe_text(warning, 1024));
  }
  return out;
}

std::string make_page(std::string_view title, const PageFiles& files, const ordered_json& data) {
  std::string page =
      replace(page_html, "{{style}}", std::string(page_css) + std::string(files.css));
  page = replace(page, "{{body}}", files.html);
  page = replace(page, "{{script}}", std::string(page_js) + std::string(files.js));
  // What comes from outside goes in last: it may look like one of the keys.
  const std::size_t at = page.find("{{data}}");
  const std::string head =
      replace(std::string_view(page).substr(0, at), "{{title}}", markup(title));
  return head + script_data(data) + page.substr(at + std::string_view("{{data}}").size());
}

}  // namespace aotscope::view
