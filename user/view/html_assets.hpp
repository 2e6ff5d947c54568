// The files of user/view/html/, compiled in.
#pragma once

#include <string_view>

namespace aotscope::view {

// What every page has; the HTML has {{title}}, {{style}}, {{body}}, {{data}} and {{script}}.
extern const std::string_view page_html;
extern const std::string_view page_css;
extern const std::string_view page_js;

// What one kind of page adds.
struct PageFiles {
  std::string_view html;
  std::string_view css;
  std::string_view js;
};
extern const PageFiles report_files;
extern const PageFiles diff_files;

}  // namespace aotscope::view
