// The image room: what an ahead-of-time compiled wasm file says about its code.
// No privileges, no process, no kernel: only bytes. Everything here comes from outside and is
// checked before it is believed. Formats: the Zig port of WAMR writes `\0aot` version 11 (6, 7
// seen); sections are described beside their readers in user/image/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <aotscope/result.hpp>

namespace aotscope::image {

class MappedFile;

// ELF e_machine numbers, as the target section stores them.
enum class Arch : std::uint16_t { unknown = 0, x86_64 = 62, aarch64 = 183 };
std::string_view arch_name(Arch arch);

// One local function of a core module.
struct Function {
  std::uint32_t local = 0;   // wamrc's local_func: its place in the function section
  std::uint32_t index = 0;   // wasm function index: local + number of imported functions
  std::uint32_t type = 0;    // index into the type section
  std::uint64_t offset = 0;  // bytes from the start of the text
  std::uint64_t size = 0;    // bytes to the next higher offset, or to the end of the text
  std::string_view name;     // raw bytes from the file (hostile), empty when it has none
};

// One core module's AOT file, mapped read-only. Views point into the mapping and live as long
// as the Core. Not copyable; shared by pointer.
class Core {
 public:
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  ~Core();

  // Maps and reads a .cwasm. Errors name the path, the section and the offset. Refuses what is
  // not a regular file; of the text it touches nothing. If the file is cut short while it is
  // mapped, the lost bytes read as zeros (see truncated()), they do not kill the reader.
  static Result<std::shared_ptr<const Core>> open(const std::filesystem::path& path);
  // Reads bytes in memory (tests, fuzzing). `path` is only for messages. Copies nothing: `bytes`
  // must outlive the Core.
  static Result<std::shared_ptr<const Core>> from_bytes(std::span<const std::uint8_t> bytes,
                                                        const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::uint32_t version() const { return version_; }
  // False for a version never seen: its sections parsed, but say so to the user.
  bool version_is_known() const;
  std::string_view format() const { return "wamr-zig"; }
  Arch arch() const { return arch_; }
  std::span<const std::uint8_t> text() const { return text_; }
  // True once a read met a part that the file on disk no longer has.
  bool truncated() const;
  // Gives `part` of the file's bytes back to the kernel after a long read, so that a large text
  // does not stay in this process's resident set. A hint: the bytes can be read again.
  void release(std::span<const std::uint8_t> part) const;

  // In the order of the function section: functions()[N].local == N.
  std::span<const Function> functions() const { return functions_; }
  std::uint32_t imported_functions() const { return imported_functions_; }

  // The function whose [offset, offset + size) holds `text_offset`; of several that share one
  // offset the first that has a name, else the lowest local index. Null for padding before the
  // first function and for anything outside the text. O(log n).
  const Function* function_at(std::uint64_t text_offset) const;

  // "hot" or "func[6]": the name section's name, else the first export's, else the index.
  // Raw bytes: view/ makes them safe to show.
  static std::string display_name(const Function& function);

  // 128-bit XXH3 of the whole file in hex: tells two builds apart. Computed on first use.
  const std::string& hash() const;

 private:
  friend class CoreReader;
  Core();

  std::filesystem::path path_;
  std::uint32_t version_ = 0;
  Arch arch_ = Arch::unknown;
  std::uint32_t imported_functions_ = 0;
  std::span<const std::uint8_t> file_;
  std::span<const std::uint8_t> text_;
  std::vector<Function> functions_;
  std::vector<std::uint32_t> by_offset_;  // one local index for each distinct offset, ascending
  std::unique_ptr<const MappedFile> mapping_;  // null for from_bytes
  mutable std::once_flag hash_once_;
  mutable std::string hash_;
};

// What a user means by IMAGE: one core module, or a component's cores in the manifest's order.
struct Program {
  std::filesystem::path path;  // the file that named it: .cwasm, .cwasm.json or component .wasm
  std::vector<std::shared_ptr<const Core>> cores;  // place in here is the core's number
  std::string build_id;                            // the manifest's wamr_build_id, or empty
  std::vector<std::string> warnings;               // each one line for stderr
};

enum class Verify {
  none,    // live attach: the bytes in the target's memory decide anyway
  sha256,  // static use: check the manifest's sha256 of each core
};

// Opens IMAGE in any of its forms, told apart by content, not by name. A component .wasm is
// looked up beside itself: app.wasm -> app.cwasm.json. A plain core .wasm is an error whose hint
// says how to compile it. The paths in a manifest are relative to its folder and may not leave it.
Result<Program> open_program(const std::filesystem::path& path, Verify verify = Verify::none);

// An executable anonymous range of a target, [start, end), page-aligned.
struct Range {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

// Reads the target's memory; `read` fills all of `out` from `address` or returns false.
class MemoryReader {
 public:
  virtual ~MemoryReader() = default;
  virtual bool read(std::uint64_t address, std::span<std::uint8_t> out) = 0;
  // Reads the first `each` bytes at every one of `addresses` into `out` (addresses.size() * each
  // bytes), zero-filling what cannot be read. The default calls read() for each.
  virtual void read_many(std::span<const std::uint64_t> addresses, std::size_t each,
                         std::span<std::uint8_t> out);
};

// A core's text found in memory. `cores` has more than one entry when several cores' texts are
// byte for byte the same (one core file listed twice, or equal files): which one of them it is
// cannot be told from the bytes, and the caller says so rather than guess.
struct Placement {
  std::uint64_t base = 0;
  std::uint64_t size = 0;          // text size in bytes, not rounded
  std::vector<std::size_t> cores;  // ascending indices into the `cores` that were asked about
};

// Finds each core's text at page boundaries inside `ranges` by its bytes. Several instances of
// one core give several placements; a text of size 0 gives none; overlapping matches keep the
// longest. Reads the whole of a text only where its beginning matched. Result is sorted by base.
std::vector<Placement> match_texts(std::span<const std::shared_ptr<const Core>> cores,
                                   std::span<const Range> ranges, MemoryReader& memory);

// Samples of a region's bytes that the kernel side takes when the region becomes executable, for
// one that is gone before it can be read: window i holds the 64 bytes at
// window_offset(length, i) of a region of `length` bytes, a multiple of the page size.
struct Fingerprint {
  static constexpr std::size_t kWindows = 16;
  static constexpr std::size_t kWindowSize = 64;
  static constexpr std::uint64_t window_offset(std::uint64_t length, std::size_t window) {
    const std::uint64_t offset = (window * (length / kWindows)) & ~std::uint64_t{7};
    return offset + kWindowSize <= length ? offset : length - kWindowSize;
  }

  std::uint64_t length = 0;
  std::array<std::array<std::uint8_t, kWindowSize>, kWindows> windows{};
};

// The cores whose text, rounded up to pages with zeros, has this length and these bytes, ascending.
// Two builds that differ only between the windows both answer: more than one is ambiguous.
std::vector<std::size_t> match_fingerprint(std::span<const std::shared_ptr<const Core>> cores,
                                           const Fingerprint& fingerprint);

// Pages of memory that are pages of a text, though its whole text is not there: made executable
// piece by piece, or overlaid in part by another mapping.
struct Part {
  struct Origin {
    std::size_t core = 0;
    std::uint64_t text_offset = 0;  // of the part's first byte; a multiple of the page size
  };
  std::uint64_t start = 0;  // [start, end), page-aligned
  std::uint64_t end = 0;
  std::vector<Origin> origins;  // several when the bytes do not tell: equal cores, repeated pages
};

// Finds parts of the cores' texts page by page, by a 64-bit hash of each page. Made once for a set
// of cores, which it keeps; the texts are read when the first search needs them.
class PartMatcher {
 public:
  explicit PartMatcher(std::span<const std::shared_ptr<const Core>> cores);
  ~PartMatcher();

  // Each page belongs to at most one part; the longest runs of pages win. Sorted by start.
  std::vector<Part> match(std::span<const Range> ranges, MemoryReader& memory);

 private:
  struct Index;
  std::vector<std::shared_ptr<const Core>> cores_;
  std::unique_ptr<Index> index_;
};

}  // namespace aotscope::image
