// The files of user/view/html/, compiled in.
#pragma once

#include <string_view>

namespace aotscope::view {

extern const std::string_view page_html;  // with {{title}}, {{style}}, {{data}} and {{script}}
extern const std::string_view page_css;
extern const std::string_view page_js;

}  // namespace aotscope::view
