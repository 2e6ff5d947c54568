// What a flush writes, table by table: the rows that differ from what was written last. Each
// class remembers that; what it writes in a transaction counts as written after commit() only, so
// a flush that failed is written again in full by the next one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <aotscope/profile.hpp>
#include <aotscope/store.hpp>

#include "sqlite.hpp"

namespace aotscope::store {

using profile::FrameKey;
using profile::Profile;

// Counters that change with nearly every flush are noted one by one. Their slots stay where they
// are from set() to commit().
template <typename Slot>
class Ledger {
 public:
  void set(Slot& slot, Slot value) { pending_.emplace_back(&slot, std::move(value)); }
  void commit() {
    for (auto& [slot, value] : pending_) *slot = std::move(value);
    pending_.clear();
  }
  void discard() { pending_.clear(); }

 private:
  std::vector<std::pair<Slot*, Slot>> pending_;
};

// No count: this row is not in the file yet.
inline constexpr std::uint64_t never = UINT64_MAX;

// meta, parts, targets, regions, lost, warnings: short lists, compared as a whole.
class RunRows {
 public:
  void write(Db& db, const Profile& profile, bool complete);
  void commit() { written_ = std::move(next_); }
  void discard() {}
  void forget() { written_ = {}; }

 private:
  using Value = std::variant<std::int64_t, double, std::string>;
  struct State {
    std::map<std::string, Value> meta;
    std::vector<profile::RunPart> parts;
    std::vector<profile::TargetEntry> targets;
    std::vector<profile::RegionEntry> regions;
    std::vector<profile::LostCause> lost;
    std::vector<std::string> warnings;
  };
  void write_meta(Db& db);
  void write_targets(Db& db);
  void write_regions(Db& db);
  void write_lines(Db& db);

  State written_, next_;
  Statement meta_{
      "INSERT INTO meta(key, value) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET "
      "value = excluded.value"};
  Statement part_{"INSERT INTO parts(id, start_s, duration_s, command_line) VALUES(?, ?, ?, ?)"};
  Statement target_{
      "INSERT INTO targets(id, pid, comm, command, runtime, cpu_s, exited, exit_status) "
      "VALUES(?, ?, ?, ?, ?, ?, ?, ?)"};
  Statement region_{
      "INSERT INTO regions(id, pid, image, start, size, first_s, last_s) "
      "VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET pid = excluded.pid, "
      "image = excluded.image, start = excluded.start, size = excluded.size, "
      "first_s = excluded.first_s, last_s = excluded.last_s"};
  Statement drop_regions_{"DELETE FROM regions WHERE id >= ?"};
  Statement lost_{"INSERT INTO lost(cause, hint, count) VALUES(?, ?, ?)"};
  Statement warning_{"INSERT INTO warnings(id, text) VALUES(?, ?)"};
};

// images and functions: an image never changes once it is known.
class ImageRows {
 public:
  void write(Db& db, const Profile& profile);
  void commit() { written_ = next_; }
  void discard() {}
  void forget() { written_ = 0; }

 private:
  std::size_t written_ = 0, next_ = 0;
  Statement image_{
      "INSERT OR REPLACE INTO images(id, path, core, format, version, arch, text_size, hash) "
      "VALUES(?, ?, ?, ?, ?, ?, ?, ?)"};
  Statement function_{
      "INSERT OR REPLACE INTO functions(image, local_func, func_index, offset, size, name) "
      "VALUES(?, ?, ?, ?, ?, ?)"};
};

// function_totals, offsets, code, hosts, unknowns, unknown_addresses, threads, stacks.
class CountRows {
 public:
  void write(Db& db, const Profile& profile, CodeSource* code);
  void commit();
  void discard();
  void forget();

 private:
  struct FunctionSlot {
    std::uint64_t self = 0;
    std::uint64_t total = 0;
    std::uint64_t code = 0;                                    // 1: asked for and written
    std::unordered_map<std::uint64_t, std::uint64_t> offsets;  // count by text offset
  };
  struct HostSlot {
    std::uint64_t self = never;
    std::uint64_t total = never;
  };
  struct ThreadSlot {
    std::uint64_t self = never;
    std::string comm;
  };
  void write_functions(Db& db, const Profile& profile, CodeSource* code);
  void write_hosts(Db& db, const Profile& profile);
  void write_unknowns(Db& db, const Profile& profile);
  void write_threads(Db& db, const Profile& profile);
  void write_stacks(Db& db, const Profile& profile);

  std::map<FrameKey, FunctionSlot> functions_;
  std::vector<HostSlot> hosts_;
  std::vector<std::uint64_t> unknowns_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, ThreadSlot> threads_;
  std::vector<std::uint64_t> nodes_;
  Ledger<std::uint64_t> counts_;
  Ledger<HostSlot> host_slots_;
  Ledger<ThreadSlot> thread_slots_;

  Statement total_{
      "INSERT INTO function_totals(image, local_func, self, total, kernel) VALUES(?, ?, ?, ?, ?) "
      "ON CONFLICT(image, local_func) DO UPDATE SET self = excluded.self, total = excluded.total, "
      "kernel = excluded.kernel"};
  Statement offset_{
      "INSERT INTO offsets(image, local_func, offset, class, waits, count, kernel) "
      "VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT(image, local_func, offset) DO UPDATE SET "
      "count = excluded.count, kernel = excluded.kernel"};
  Statement code_{"INSERT OR REPLACE INTO code(image, local_func, bytes) VALUES(?, ?, ?)"};
  Statement host_{
      "INSERT INTO hosts(id, module, symbol, self, total, kernel) VALUES(?, ?, ?, ?, ?, ?) "
      "ON CONFLICT(id) DO UPDATE SET self = excluded.self, total = excluded.total, "
      "kernel = excluded.kernel"};
  Statement unknown_{
      "INSERT INTO unknowns(id, region, self, kernel) VALUES(?, ?, ?, ?) "
      "ON CONFLICT(id) DO UPDATE SET self = excluded.self, kernel = excluded.kernel"};
  Statement address_{
      "INSERT INTO unknown_addresses(unknown, address, count) VALUES(?, ?, ?) "
      "ON CONFLICT(unknown, address) DO UPDATE SET count = excluded.count"};
  Statement thread_{
      "INSERT INTO threads(pid, tid, comm, self, kernel) VALUES(?, ?, ?, ?, ?) "
      "ON CONFLICT(pid, tid) DO UPDATE SET comm = excluded.comm, self = excluded.self, "
      "kernel = excluded.kernel"};
  Statement node_{
      "INSERT INTO stacks(id, parent, kind, image, frame, self, kernel) "
      "VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET self = excluded.self, "
      "kernel = excluded.kernel"};
};

// What is written of a table of samples in time.
template <typename Part>
struct WrittenInTime {
  std::uint64_t width = 0;
  std::map<std::uint64_t, std::uint64_t> samples;  // by start
  std::uint64_t recent_start = 0;
  Part recent;  // the newest one, which grows: only its changes are written
};

// buckets and bucket_totals, rolled up as in the profile.
class BucketRows {
 public:
  void write(Db& db, const Profile& profile);
  void commit() { written_ = std::move(next_); }
  void discard() {}
  void forget() { written_ = {}; }

 private:
  WrittenInTime<profile::Bucket> written_, next_;
  Statement count_{
      "INSERT INTO buckets(start_s, image, local_func, class, count) VALUES(?, ?, ?, ?, ?) "
      "ON CONFLICT(start_s, image, local_func, class) DO UPDATE SET count = excluded.count"};
  Statement total_{
      "INSERT INTO bucket_totals(start_s, width_s, samples, host, unknown) VALUES(?, ?, ?, ?, ?) "
      "ON CONFLICT(start_s) DO UPDATE SET samples = excluded.samples, host = excluded.host, "
      "unknown = excluded.unknown"};
};

// stack_buckets and offset_buckets, rolled up as in the profile.
class DetailRows {
 public:
  void write(Db& db, const Profile& profile);
  void commit() { written_ = std::move(next_); }
  void discard() {}
  void forget() { written_ = {}; }

 private:
  WrittenInTime<profile::Detail> written_, next_;
  Statement clear_stacks_{"DELETE FROM stack_buckets WHERE start_s = ?"};
  Statement clear_offsets_{"DELETE FROM offset_buckets WHERE start_s = ?"};
  Statement stack_{
      "INSERT INTO stack_buckets(start_s, stack, count) VALUES(?, ?, ?) "
      "ON CONFLICT(start_s, stack) DO UPDATE SET count = excluded.count"};
  Statement offset_{
      "INSERT INTO offset_buckets(start_s, image, local_func, offset, count) "
      "VALUES(?, ?, ?, ?, ?) ON CONFLICT(start_s, image, local_func, offset) DO UPDATE SET "
      "count = excluded.count"};
};

}  // namespace aotscope::store
