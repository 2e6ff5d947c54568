// What can be asked of a core once it is read. The reading itself is in core_reader.cpp.
#include <xxhash.h>

#include <algorithm>

#include <fmt/format.h>
#include <aotscope/image.hpp>

#include "image/mapped_file.hpp"

namespace aotscope::image {

std::string_view arch_name(Arch arch) {
  switch (arch) {
    case Arch::x86_64:
      return "x86-64";
    case Arch::aarch64:
      return "aarch64";
    case Arch::unknown:
      break;
  }
  return "unknown";
}

Core::Core() = default;
Core::~Core() = default;

// Versions 6 to 11 are those that wamrc's AOT emitter has had.
bool Core::version_is_known() const { return version_ >= 6 && version_ <= 11; }

bool Core::truncated() const { return mapping_ != nullptr && mapping_->truncated(); }

void Core::release(std::span<const std::uint8_t> part) const {
  if (mapping_ != nullptr) mapping_->release(part);
}

const Function* Core::function_at(std::uint64_t text_offset) const {
  if (text_offset >= text_.size()) return nullptr;
  const auto next = std::upper_bound(by_offset_.begin(), by_offset_.end(), text_offset,
                                     [this](std::uint64_t offset, std::uint32_t local) {
                                       return offset < functions_[local].offset;
                                     });
  return next == by_offset_.begin() ? nullptr : &functions_[*std::prev(next)];
}

std::string Core::display_name(const Function& function) {
  return function.name.empty() ? fmt::format("func[{}]", function.index)
                               : std::string(function.name);
}

const std::string& Core::hash() const {
  std::call_once(hash_once_, [this] {
    constexpr std::size_t kChunk = 1 << 20;  // bounds what is resident at one time
    XXH3_state_t* state = XXH3_createState();
    XXH3_128bits_reset(state);
    for (std::size_t at = 0; at < file_.size(); at += kChunk) {
      const auto part = file_.subspan(at, std::min(kChunk, file_.size() - at));
      XXH3_128bits_update(state, part.data(), part.size());
      release(part);
    }
    const XXH128_hash_t digest = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    hash_ = fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
  });
  return hash_;
}

}  // namespace aotscope::image
