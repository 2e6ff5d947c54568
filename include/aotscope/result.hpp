// What can fail returns Result<T>: a value, or an Error that a person can act on.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace aotscope {

// One line that says what is wrong, naming the file, section, offset, pid or capability it is
// about, and, where there is a cure, one line with the cure. Both are printed by main() as
// `aotscope: error: MESSAGE` and `hint: HINT`; neither ends in a full stop or holds a newline.
struct Error {
  std::string message;
  std::string hint;
};

template <typename T>
using Result = tl::expected<T, Error>;

// `return fail("...");` from any function that returns a Result.
inline tl::unexpected<Error> fail(std::string message, std::string hint = {}) {
  return tl::unexpected<Error>(Error{std::move(message), std::move(hint)});
}

}  // namespace aotscope
