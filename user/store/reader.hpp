// Reads table after table of a file that may hold anything. The first row that cannot be ends it.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include <aotscope/store.hpp>

#include "sqlite.hpp"

namespace aotscope::store {

class Reader {
 public:
  explicit Reader(Db& db) : db_(db) {}

  // Calls row(statement) for each row; it returns false for one that cannot be. Columns of the
  // wrong type and more rows than `limit` are found here.
  template <typename Row>
  bool each(const char* table, const char* sql, std::uint64_t limit, Row row) {
    if (!ok()) return false;
    Statement statement(sql);
    std::uint64_t rows = 0;
    while (statement.next(db_)) {
      ++rows;
      if (rows > limit) return problem(fmt::format("table {} has too many rows", table));
      if (!row(statement) || statement.bad())
        return problem(fmt::format("row {} of table {} cannot be", rows, table));
    }
    return db_.ok() || problem(fmt::format("table {}: {}", table, db_.reason()));
  }

  bool ok() const { return problem_.empty(); }
  bool problem(std::string what) {
    if (problem_.empty()) problem_ = std::move(what);
    return false;
  }
  const std::string& what() const { return problem_; }

 private:
  Db& db_;
  std::string problem_;
};

// What meta says of the counts to come.
struct Widths {
  std::uint64_t samples = 0;
  std::uint64_t bucket_s = 0;
  std::uint64_t detail_s = 0;
};

// In this order.
void read_run(Reader& reader, Recording& recording, Widths& widths);
void read_counts(Reader& reader, Recording& recording, const Widths& widths);

}  // namespace aotscope::store
