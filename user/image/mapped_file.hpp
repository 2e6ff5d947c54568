// A regular file mapped read-only. A file can be cut short by anyone while it is mapped, and the
// next read of a lost page is then a SIGBUS; here such a page reads as zeros instead, and
// truncated() tells. So readers of a mapping need no special care: zeros fail their checks, or
// match nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include <aotscope/result.hpp>

namespace aotscope::image {

class MappedFile {
 public:
  // Never blocks (a FIFO), never reads a device; refuses what is not a regular file. An empty file
  // gives an empty span.
  static Result<std::unique_ptr<const MappedFile>> open(const std::filesystem::path& path);

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::uint8_t> bytes() const { return bytes_; }
  // True once a read has met a page that the file no longer has.
  bool truncated() const;
  // Gives the pages that lie wholly inside `part` back to the kernel: they leave this process's
  // resident set, stay in the page cache, and come back when read again.
  void release(std::span<const std::uint8_t> part) const;

 private:
  MappedFile() = default;

  std::span<const std::uint8_t> bytes_;
  std::size_t slot_ = 0;  // place in the table that the signal handler looks into
};

}  // namespace aotscope::image
