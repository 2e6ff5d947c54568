// The example queries of schema.hpp, with the answers they should give.
#include <sstream>

#include "unit/store/support.hpp"

using namespace aotscope;
using namespace aotscope::test;

namespace {

// The SQL between "//   " of the schema's comment, one text for each query.
std::vector<std::string> examples() {
  std::istringstream in(read_file(AOTSCOPE_SCHEMA_HEADER));
  std::vector<std::string> queries(1);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("//   ", 0) != 0) continue;
    queries.back() += line.substr(5) + "\n";
    if (line.back() == ';') queries.emplace_back();
  }
  queries.pop_back();
  return queries;
}

// As the shell prints it: columns by |, rows by newline.
std::string ask(const std::filesystem::path& path, const std::string& query) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  std::string out;
  char* message = nullptr;
  const int code = sqlite3_exec(
      db, query.c_str(),
      [](void* to, int columns, char** values, char**) {
        auto& text = *static_cast<std::string*>(to);
        for (int i = 0; i < columns; ++i)
          text += (i == 0 ? "" : "|") + std::string(values[i] != nullptr ? values[i] : "NULL");
        text += "\n";
        return 0;
      },
      &out, &message);
  INFO(query << (message != nullptr ? message : ""));
  sqlite3_free(message);
  sqlite3_close(db);
  REQUIRE(code == SQLITE_OK);
  return out;
}

void record(const std::filesystem::path& path) {
  Profile profile;
  profile::ImageEntry image;
  image.functions = {{0, 2, 0, 64, "main"}, {1, 3, 64, 64, "dispatch"}};
  profile.add_image(std::move(image));
  profile.info.frequency_hz = 100;
  profile.info.started_unix_s = 1700000000;
  const auto add = [&](std::uint32_t function, std::uint64_t offset, profile::InstrClass cls,
                       double time, std::uint64_t count) {
    Sample sample;
    sample.leaf = {FrameKind::wasm, 0, function};
    sample.text_offset = offset;
    sample.cls = cls;
    sample.time_s = time;
    sample.count = count;
    profile.add(sample);
  };
  using enum profile::InstrClass;
  add(0, 4, alu, 1, 100);
  add(1, 64, spill_load, 1, 500);
  add(1, 68, spill_load, 12, 100);
  add(1, 72, move, 12, 300);
  auto writer = value(store::Writer::create(path, false));
  succeed(writer->finish(profile, nullptr));
}

}  // namespace

TEST_CASE("the schema's example queries answer") {
  Folder folder;
  record(folder / "a.db");
  const std::vector<std::string> queries = examples();
  REQUIRE(queries.size() == 3);
  CHECK(ask(folder / "a.db", queries[0]) == "dispatch|900|90.0\nmain|100|10.0\n");
  CHECK(ask(folder / "a.db", queries[1]) == "spill-load|600\nmove|300\n");
  CHECK(ask(folder / "a.db", queries[2]) == "22:13:20|600|60.0 %\n22:13:30|400|40.0 %\n");
}

TEST_CASE("the example queries run in the sqlite3 shell") {
  Folder folder;
  record(folder / "a.db");
  std::string all;
  for (const std::string& query : examples()) all += query;
  write_file(folder / "q.sql", all);
  if (std::system("sqlite3 -version >/dev/null 2>&1") != 0) {
    WARN("skipped: no sqlite3 shell");
    return;
  }
  const std::string run = "sqlite3 '" + (folder / "a.db").string() + "' <'" +
                          (folder / "q.sql").string() + "' >'" + (folder / "out").string() + "'";
  REQUIRE(std::system(run.c_str()) == 0);
  CHECK(read_file(folder / "out").rfind("dispatch|900|90.0\nmain|100|10.0\n", 0) == 0);
}
