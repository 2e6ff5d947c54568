// What the views of a diff for people share.
#pragma once

#include <string_view>
#include <vector>

#include <aotscope/diff.hpp>

namespace aotscope::view {

// "new", "vanished", "by index", "by its code"; empty for what was matched by its name.
std::string_view matched_text(const profile::DiffRow& row);

// The classes that carry a function's change, in the unit of the diff: the largest first, at most
// three.
struct ClassChange {
  isa::InstrClass cls;
  double change = 0;
};
std::vector<ClassChange> class_changes(const profile::DiffRow& row);

}  // namespace aotscope::view
