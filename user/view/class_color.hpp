// One colour for each class, in pictures: kindred classes have kindred hues, and every one is
// light enough for black text.
#pragma once

#include <string_view>

#include <aotscope/isa.hpp>

namespace aotscope::view {

inline constexpr isa::PerClass<std::string_view> class_colors = {
    "#f2777a", "#e05561", "#f2a97f", "#e58a5a",  // spill-load, spill-store, local-load, -store
    "#b9a3e3", "#9f87d7", "#d3c6f0", "#8fb8de",  // zero-extend, move, const, alu
    "#5f9bd1", "#6fc3c9", "#4aa9b8", "#f7d774",  // mul-div, float, simd, bounds-check
    "#b5d99c", "#8cc76f", "#6fae55", "#98c7a0",  // mem-address, -load, -store, -bulk
    "#e3a0c4", "#d6c29a", "#c9cf6a", "#f0b93f",  // atomic, context, branch, dispatch
    "#e0cf52", "#cfa07a", "#b08d74", "#b8b8b8",  // call, frame, trap, other
};
inline constexpr std::string_view host_color = "#c4c4c4";
inline constexpr std::string_view unknown_color = "#9a9a9a";

}  // namespace aotscope::view
