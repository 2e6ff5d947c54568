#include "sqlite.hpp"

#include <cmath>
#include <cstring>

namespace aotscope::store {

bool Db::open(const std::string& name, int flags) {
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &db, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(db);
  if (code != SQLITE_OK) return failed(code);
  sqlite3_extended_result_codes(db, 1);
  return true;
}

bool Db::failed(int code) {
  if (failure_) return false;
  failure_.emplace();
  failure_->code = code;
  if (handle_) {
    failure_->code = sqlite3_extended_errcode(handle_.get());
    if ((failure_->code & 0xff) != (code & 0xff)) failure_->code = code;
    failure_->system = sqlite3_system_errno(handle_.get());
  }
  failure_->message = sqlite3_errstr(code);
  return false;
}

std::string Db::reason() const {
  if (!failure_) return {};
  std::string text = failure_->message;
  const int primary = failure_->code & 0xff;
  if ((primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN) && failure_->system != 0)
    text += std::string(" (") + std::strerror(failure_->system) + ")";
  return text;
}

bool Db::exec(const char* sql) {
  if (!ok()) return false;
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK || failed(code);
}

bool Statement::prepare(Db& db) {
  if (!db.ok()) return false;
  if (handle_) return true;
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(db.handle(), sql_, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  handle_.reset(statement);
  return code == SQLITE_OK || db.failed(code);
}

bool Statement::finish(Db& db) {
  if (!db.ok()) return false;
  const int code = sqlite3_step(handle_.get());
  if (code != SQLITE_DONE && code != SQLITE_ROW) db.failed(code);
  sqlite3_reset(handle_.get());
  return db.ok();
}

bool Statement::next(Db& db) {
  if (!prepare(db)) return false;
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) db.failed(code);
  sqlite3_reset(handle_.get());
  return false;
}

// Bound by reference: every run() steps before its arguments go away.
void Statement::bind(Db& db, int at, std::int64_t value) {
  const int code = sqlite3_bind_int64(handle_.get(), at, value);
  if (code != SQLITE_OK) db.failed(code);
}

// SQLite turns a NaN into NULL, which no reader expects.
void Statement::bind(Db& db, int at, double value) {
  const int code = sqlite3_bind_double(handle_.get(), at, std::isfinite(value) ? value : 0);
  if (code != SQLITE_OK) db.failed(code);
}

void Statement::bind(Db& db, int at, std::string_view value) {
  value = value.substr(0, max_text_bytes);
  const int code = sqlite3_bind_text64(handle_.get(), at, value.empty() ? "" : value.data(),
                                       value.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) db.failed(code);
}

void Statement::bind(Db& db, int at, std::span<const std::uint8_t> value) {
  const int code = value.empty() ? sqlite3_bind_zeroblob(handle_.get(), at, 0)
                                 : sqlite3_bind_blob64(handle_.get(), at, value.data(),
                                                       value.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) db.failed(code);
}

void Statement::bind(Db& db, int at, const std::optional<int>& value) {
  const int code =
      value ? sqlite3_bind_int(handle_.get(), at, *value) : sqlite3_bind_null(handle_.get(), at);
  if (code != SQLITE_OK) db.failed(code);
}

std::uint64_t Statement::bits(int column) {
  if (sqlite3_column_type(handle_.get(), column) != SQLITE_INTEGER) bad_ = true;
  return static_cast<std::uint64_t>(sqlite3_column_int64(handle_.get(), column));
}

std::uint64_t Statement::count(int column) {
  const std::uint64_t value = bits(column);
  if (value > INT64_MAX) bad_ = true;
  return value;
}

std::uint32_t Statement::number(int column) {
  const std::uint64_t value = bits(column);
  if (value > UINT32_MAX) bad_ = true;
  return static_cast<std::uint32_t>(value);
}

bool Statement::flag(int column) {
  const std::uint64_t value = bits(column);
  if (value > 1) bad_ = true;
  return value == 1;
}

double Statement::real(int column) {
  const int type = sqlite3_column_type(handle_.get(), column);
  const double value = sqlite3_column_double(handle_.get(), column);
  if ((type != SQLITE_FLOAT && type != SQLITE_INTEGER) || !std::isfinite(value)) bad_ = true;
  return value;
}

std::string Statement::text(int column, std::size_t max) {
  if (sqlite3_column_type(handle_.get(), column) != SQLITE_TEXT) {
    bad_ = true;
    return {};
  }
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  if (bytes == nullptr || size > max) {
    bad_ = true;
    return {};
  }
  return {bytes, size};
}

std::span<const std::uint8_t> Statement::blob(int column) {
  if (sqlite3_column_type(handle_.get(), column) != SQLITE_BLOB) bad_ = true;
  const auto* bytes = static_cast<const std::uint8_t*>(sqlite3_column_blob(handle_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  return bytes == nullptr ? std::span<const std::uint8_t>() : std::span(bytes, size);
}

bool Statement::null(int column) const {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

}  // namespace aotscope::store
