// A folder of one's own, and whether two profiles are the same in every field.
#pragma once

#include <sqlite3.h>
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <aotscope/store.hpp>

#include "unit/profile/random_run.hpp"

namespace aotscope::test {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "store-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) FAIL("no temporary folder");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
}

// Runs SQL on a file, as a person with the sqlite3 shell would.
inline void sql(const std::filesystem::path& path, const std::string& text) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  char* message = nullptr;
  const int code = sqlite3_exec(db, text.c_str(), nullptr, nullptr, &message);
  INFO(text << ": " << (message != nullptr ? message : ""));
  sqlite3_free(message);
  sqlite3_close(db);
  REQUIRE(code == SQLITE_OK);
}

template <typename T>
T value(Result<T> result) {
  if (!result) FAIL(result.error().message);
  return std::move(*result);
}

inline void succeed(const Result<void>& result) {
  if (!result) FAIL(result.error().message);
}

// Details by what their ids mean: the numbers of instructions are in the order of their first
// samples while recording, and in the order of the file afterwards.
inline auto details_of(const Profile& profile) {
  using Row = std::tuple<std::uint64_t, FrameKey, std::uint64_t>;  // start, function, offset
  std::map<Row, std::uint64_t> offsets;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> stacks;
  for (const auto& [start, detail] : profile.details()) {
    for (const auto& [id, count] : detail.stacks.rows()) stacks[{start, id}] = count;
    for (const auto& [id, count] : detail.offsets.rows()) {
      const auto& [key, offset] = profile.offset_keys()[id];
      offsets[{start, key, offset}] = count;
    }
  }
  return std::pair(offsets, stacks);
}

inline void check_same(const Profile& a, const Profile& b) {
  CHECK(a.info == b.info);
  CHECK(a.regions == b.regions);
  CHECK(a.images() == b.images());
  CHECK(a.hosts() == b.hosts());
  CHECK(a.unknowns() == b.unknowns());
  CHECK(a.threads() == b.threads());
  CHECK((a.functions() == b.functions()));
  CHECK((a.stacks() == b.stacks()));
  CHECK((a.buckets() == b.buckets()));
  CHECK(a.bucket_seconds() == b.bucket_seconds());
  CHECK((details_of(a) == details_of(b)));
  CHECK(a.detail_seconds() == b.detail_seconds());
  CHECK(a.totals() == b.totals());
}

// Bytes that tell the function, and a count of how often it was asked.
class MadeCode : public store::CodeSource {
 public:
  std::vector<std::uint8_t> code(FrameKey function) override {
    ++asked;
    return {static_cast<std::uint8_t>(function.image), static_cast<std::uint8_t>(function.id), 0,
            0xc3};
  }
  int asked = 0;
};

// A recording with some of everything.
inline void write_recording(const std::filesystem::path& path, std::uint64_t seed = 1,
                            std::size_t samples = 500) {
  Profile profile;
  describe_run(profile);
  profile.regions.push_back({7, 1, 0x7f0000000000, 4096, 0, 9});
  profile.info.targets.push_back({7, "wamr", "wamr app.cwasm", "wamr", 3.5, true, 3});
  profile.info.lost.push_back({"map-full", "--map-size", 4});
  profile.info.warnings.push_back("a warning");
  RandomRun run(seed, 60);
  run.feed(profile, samples);
  MadeCode code;
  auto writer = value(store::Writer::create(path, false));
  succeed(writer->finish(profile, &code));
}

}  // namespace aotscope::test
