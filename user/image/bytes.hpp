// A bounds-checked little-endian cursor over one part of a file, and the words for messages about
// it. Every count and length in a .cwasm is a claim: nothing is allocated or read before the claim
// has been compared with the bytes that are left.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace aotscope::image {

class Cursor {
 public:
  // `start` is where `bytes` begins in the file, so that offset() is a file offset.
  Cursor(std::span<const std::uint8_t> bytes, std::uint64_t start) : bytes_(bytes), start_(start) {}

  std::uint64_t offset() const { return start_ + at_; }
  std::size_t left() const { return bytes_.size() - at_; }

  // Each returns false, and moves nothing, when the bytes are not there.
  bool u8(std::uint8_t& value) {
    if (left() < 1) return false;
    value = bytes_[at_++];
    return true;
  }
  bool u16(std::uint16_t& value) {
    if (left() < 2) return false;
    value = static_cast<std::uint16_t>(bytes_[at_] | (bytes_[at_ + 1] << 8));
    at_ += 2;
    return true;
  }
  bool u32(std::uint32_t& value) {
    if (left() < 4) return false;
    value = static_cast<std::uint32_t>(bytes_[at_]) |
            (static_cast<std::uint32_t>(bytes_[at_ + 1]) << 8) |
            (static_cast<std::uint32_t>(bytes_[at_ + 2]) << 16) |
            (static_cast<std::uint32_t>(bytes_[at_ + 3]) << 24);
    at_ += 4;
    return true;
  }
  bool take(std::size_t size, std::span<const std::uint8_t>& part) {
    if (left() < size) return false;
    part = bytes_.subspan(at_, size);
    at_ += size;
    return true;
  }
  bool skip(std::size_t size) {
    std::span<const std::uint8_t> ignored;
    return take(size, ignored);
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::uint64_t start_ = 0;
  std::size_t at_ = 0;
};

inline std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A path or a piece of a hostile file, fit for a one-line message: control bytes and bytes that a
// terminal may act on become '?', and a long text is cut.
inline std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 512;
  std::string out(text.substr(0, kLongest));
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = '?';
  }
  // C1 controls come as 0xc2 0x80..0x9f in UTF-8 and are acted on by some terminals.
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    const auto next = static_cast<unsigned char>(out[i + 1]);
    if (out[i] == '\xc2' && next >= 0x80 && next < 0xa0) out[i] = out[i + 1] = '?';
  }
  if (text.size() > kLongest) out += "...";
  return out;
}
// A template, so that a string is never taken for a path.
template <std::same_as<std::filesystem::path> Path>
std::string printable(const Path& path) {
  return printable(std::string_view(path.native()));
}

}  // namespace aotscope::image
