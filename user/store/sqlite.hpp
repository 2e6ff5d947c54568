// SQLite behind RAII. The first failure of a connection sticks: later calls do nothing, so that
// a transaction of many statements is checked once, before its commit.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace aotscope::store {

// A longer text is cut when it is written and refused when it is read.
inline constexpr std::size_t max_text_bytes = 1U << 20;

class Db {
 public:
  Db() = default;
  Db(const Db&) = delete;
  Db& operator=(const Db&) = delete;

  // `flags` as of sqlite3_open_v2; `name` is a path, or a URI with SQLITE_OPEN_URI.
  bool open(const std::string& name, int flags);
  void close() { handle_.reset(); }
  bool exec(const char* sql);

  bool ok() const { return !failure_.has_value(); }
  // The first failure's result code without its extension, 0 for none, and what it says.
  int code() const { return failure_ ? failure_->code & 0xff : SQLITE_OK; }
  int extended_code() const { return failure_ ? failure_->code : SQLITE_OK; }
  std::string reason() const;
  void forgive() { failure_.reset(); }

  sqlite3* handle() const { return handle_.get(); }
  // Notes a failure of this connection; false, to return it at once.
  bool failed(int code);

 private:
  struct Failure {
    int code = 0;
    int system = 0;  // errno, where the system refused
    std::string message;
  };
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
  std::optional<Failure> failure_;
};

// Prepared when first run. The connection has to outlive it.
class Statement {
 public:
  explicit Statement(const char* sql) : sql_(sql) {}

  // Binds all parameters in order and runs to the end: for statements without a result.
  template <typename... Values>
  bool run(Db& db, const Values&... values) {
    if (!prepare(db)) return false;
    int at = 0;
    (bind(db, ++at, values), ...);
    return finish(db);
  }

  // For a query: true while there is a row.
  bool next(Db& db);
  // The first row for these parameters, if there is one.
  template <typename... Values>
  bool next_for(Db& db, const Values&... values) {
    if (!prepare(db)) return false;
    sqlite3_reset(handle_.get());
    int at = 0;
    (bind(db, ++at, values), ...);
    return next(db);
  }

  // The row's columns. A value of the wrong type, or out of range, makes bad() true.
  std::uint64_t count(int column);                                 // 0 .. 2^63 - 1
  std::uint64_t bits(int column);                                  // any 64 bits
  std::uint32_t number(int column);                                // 0 .. 2^32 - 1
  double real(int column);                                         // finite
  bool flag(int column);                                           // 0 or 1
  std::string text(int column, std::size_t max = max_text_bytes);  // any bytes
  std::span<const std::uint8_t> blob(int column);                  // until the next next()
  bool null(int column) const;
  bool bad() const { return bad_; }
  sqlite3_stmt* handle() const { return handle_.get(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  bool prepare(Db& db);
  bool finish(Db& db);
  void bind(Db& db, int at, std::int64_t value);
  void bind(Db& db, int at, std::uint64_t value) { bind(db, at, static_cast<std::int64_t>(value)); }
  void bind(Db& db, int at, std::uint32_t value) { bind(db, at, std::int64_t{value}); }
  void bind(Db& db, int at, int value) { bind(db, at, std::int64_t{value}); }
  void bind(Db& db, int at, bool value) { bind(db, at, std::int64_t{value ? 1 : 0}); }
  void bind(Db& db, int at, double value);
  void bind(Db& db, int at, std::string_view value);
  void bind(Db& db, int at, const std::string& value) { bind(db, at, std::string_view(value)); }
  void bind(Db& db, int at, std::span<const std::uint8_t> value);
  void bind(Db& db, int at, const std::optional<int>& value);

  const char* sql_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  bool bad_ = false;
};

}  // namespace aotscope::store
