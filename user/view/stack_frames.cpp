#include "view/stack_frames.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <aotscope/view.hpp>

#include "view/format.hpp"

namespace aotscope::view {

using profile::FrameKey;
using profile::FrameKind;
using profile::Profile;

FrameTable::FrameTable(const Profile& profile) {
  const auto& nodes = profile.stacks();
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const auto next = static_cast<std::uint32_t>(frames_.size());
    if (numbers_.try_emplace(nodes[i].frame, next).second) frames_.push_back(nodes[i].frame);
  }
}

std::string frame_file(const Profile& profile, FrameKey frame) {
  if (frame.kind == FrameKind::wasm && frame.image < profile.images().size()) {
    return base_name(profile.images()[frame.image].path);
  }
  if (frame.kind == FrameKind::host && frame.id < profile.hosts().size()) {
    return base_name(profile.hosts()[frame.id].module);
  }
  return {};
}

std::string frame_label(const Profile& profile, FrameKey frame) {
  std::string label = function_label(profile, frame);
  return label.empty() ? "[unnamed]" : label;
}

ClassDealer::ClassDealer(const Profile& profile) {
  for (const auto& [key, count] : profile.functions()) left_[key] = count.classes;
}

isa::PerClass<std::uint64_t> ClassDealer::deal(FrameKey leaf, std::uint64_t count) {
  isa::PerClass<std::uint64_t> dealt{};
  isa::PerClass<std::uint64_t>& left = left_[leaf];
  const std::uint64_t whole = std::accumulate(left.begin(), left.end(), std::uint64_t{0});
  if (whole < count) {  // more samples than the function has: a profile whose sums do not hold
    dealt[static_cast<std::size_t>(isa::InstrClass::other)] = count;
    return dealt;
  }
  if (count == 0) return dealt;
  // Rounded down, then one more for the largest remainders. A class with a remainder has at least
  // one left, so none is overdrawn.
  isa::PerClass<std::uint64_t> remainder{};
  std::uint64_t given = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    // Counts go up to 2^53, so the product needs more than 64 bits.
    const auto product = static_cast<unsigned __int128>(left[i]) * count;
    dealt[i] = static_cast<std::uint64_t>(product / whole);
    remainder[i] = static_cast<std::uint64_t>(product % whole);
    given += dealt[i];
  }
  std::array<std::size_t, isa::class_count> order{};
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
  for (std::size_t i = 0; given < count; ++i, ++given) ++dealt[order[i]];
  for (std::size_t i = 0; i < left.size(); ++i) left[i] -= dealt[i];
  return dealt;
}

}  // namespace aotscope::view
