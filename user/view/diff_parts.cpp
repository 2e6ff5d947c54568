#include "view/diff_parts.hpp"

#include <algorithm>
#include <cmath>

namespace aotscope::view {

std::string_view matched_text(const profile::DiffRow& row) {
  if (!row.old_key) return "new";
  if (!row.new_key) return "vanished";
  switch (row.matched) {
    case profile::Matched::index:
      return "by index";
    case profile::Matched::fingerprint:
      return "by its code";
    default:
      return {};
  }
}

std::vector<ClassChange> class_changes(const profile::DiffRow& row) {
  constexpr std::size_t most = 3;
  // A class's part of the function's value on each side.
  const auto part = [](std::uint64_t count, std::uint64_t self, double value) {
    return self == 0 ? 0.0 : value * static_cast<double>(count) / static_cast<double>(self);
  };
  std::vector<ClassChange> parts;
  double largest = 0;
  for (std::size_t i = 0; i < row.old_classes.size(); ++i) {
    const double by = part(row.new_classes[i], row.self.new_samples, row.self.new_value) -
                      part(row.old_classes[i], row.self.old_samples, row.self.old_value);
    parts.push_back({static_cast<isa::InstrClass>(i), by});
    largest = std::max(largest, std::abs(by));
  }
  std::stable_sort(parts.begin(), parts.end(), [](const ClassChange& a, const ClassChange& b) {
    return std::abs(a.change) > std::abs(b.change);
  });
  parts.resize(most);
  std::erase_if(parts, [&](const ClassChange& part) {
    return std::abs(part.change) < std::max(0.05, largest / 5);
  });
  return parts;
}

}  // namespace aotscope::view
