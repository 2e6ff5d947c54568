// Load: the counters, through the profile's own checks.
#include <optional>

#include "profile/loader.hpp"
#include "reader.hpp"

namespace aotscope::store {
namespace {

using profile::FrameKey;
using profile::FrameKind;
using profile::InstrClass;

constexpr std::uint64_t max_rows = 1U << 22;

// False for a number that is no class; the row is bad then.
bool to_class(std::uint32_t number, InstrClass& cls) {
  cls = static_cast<InstrClass>(number);
  return number < isa::class_count;
}

FrameKey wasm(std::uint32_t image, std::uint32_t local) { return {FrameKind::wasm, image, local}; }

void read_hosts_and_threads(Reader& reader, profile::Loader& loader) {
  std::uint32_t next = 0;
  reader.each("hosts", "SELECT id, module, symbol, self, total, kernel FROM hosts ORDER BY id",
              max_rows, [&](Statement& row) {
                const bool in_order = row.number(0) == next++;
                profile::HostEntry host;
                host.module = row.text(1);
                host.symbol = row.text(2);
                host.self = row.count(3);
                host.total = row.count(4);
                host.kernel = row.count(5);
                return in_order && loader.host(std::move(host));
              });
  next = 0;
  reader.each("unknowns", "SELECT id, region, self, kernel FROM unknowns ORDER BY id", max_rows,
              [&](Statement& row) {
                return row.number(0) == next++ &&
                       loader.unknown(row.bits(1), row.count(2), row.count(3));
              });
  reader.each("unknown_addresses",
              "SELECT unknown, address, count FROM unknown_addresses ORDER BY unknown, address",
              max_rows, [&](Statement& row) {
                return loader.unknown_address(row.number(0), row.bits(1), row.count(2));
              });
  reader.each("threads", "SELECT pid, tid, comm, self, kernel FROM threads ORDER BY pid, tid",
              max_rows, [&](Statement& row) {
                return loader.thread(
                    {row.number(0), row.number(1), row.text(2), row.count(3), row.count(4)});
              });
}

void read_functions(Reader& reader, profile::Loader& loader) {
  reader.each("offsets",
              "SELECT image, local_func, offset, class, waits, count, kernel FROM offsets "
              "ORDER BY image, local_func, offset",
              max_rows * 8, [&](Statement& row) {
                profile::OffsetCount count;
                count.count = row.count(5);
                count.kernel = row.count(6);
                return to_class(row.number(3), count.cls) && to_class(row.number(4), count.waits) &&
                       loader.offset(wasm(row.number(0), row.number(1)), row.bits(2), count);
              });
  reader.each("function_totals",
              "SELECT image, local_func, self, total, kernel FROM function_totals "
              "ORDER BY image, local_func",
              max_rows * 8, [&](Statement& row) {
                return loader.function_total(wasm(row.number(0), row.number(1)), row.count(2),
                                             row.count(3), row.count(4));
              });
}

void read_stacks(Reader& reader, profile::Loader& loader) {
  std::uint32_t next = 1;
  reader.each("stacks",
              "SELECT id, parent, kind, image, frame, self, kernel FROM stacks ORDER BY id",
              profile::Loader::max_nodes, [&](Statement& row) {
                const std::uint32_t kind = row.number(2);
                if (row.number(0) != next++ || kind > static_cast<std::uint32_t>(FrameKind::cut))
                  return false;
                const FrameKey frame{static_cast<FrameKind>(kind), row.number(3), row.number(4)};
                return loader.node({row.number(1), frame, row.count(5), row.count(6)});
              });
}

void read_buckets(Reader& reader, profile::Loader& loader, std::uint64_t width) {
  if (!loader.bucket_seconds(width)) {
    reader.problem("the buckets' width cannot be");
    return;
  }
  reader.each("bucket_totals",
              "SELECT start_s, width_s, samples, host, unknown FROM bucket_totals "
              "ORDER BY start_s",
              profile::Profile::max_buckets, [&](Statement& row) {
                return row.count(1) == width &&
                       loader.bucket(row.count(0), row.count(3), row.count(4), row.count(2));
              });
  reader.each("buckets",
              "SELECT start_s, image, local_func, class, count FROM buckets "
              "ORDER BY start_s, image, local_func, class",
              max_rows * 8, [&](Statement& row) {
                InstrClass cls{};
                return to_class(row.number(3), cls) &&
                       loader.bucket_count(row.count(0), wasm(row.number(1), row.number(2)), cls,
                                           row.count(4));
              });
}

void read_details(Reader& reader, profile::Loader& loader, std::uint64_t width) {
  if (!loader.detail_seconds(width)) {
    reader.problem("the width of stacks in time cannot be");
    return;
  }
  reader.each("stack_buckets",
              "SELECT start_s, stack, count FROM stack_buckets ORDER BY start_s, stack",
              max_rows * 8, [&](Statement& row) {
                return loader.detail_stack(row.count(0), row.number(1), row.count(2));
              });
  reader.each("offset_buckets",
              "SELECT start_s, image, local_func, offset, count FROM offset_buckets "
              "ORDER BY start_s, image, local_func, offset",
              max_rows * 8, [&](Statement& row) {
                return loader.detail_offset(row.count(0), wasm(row.number(1), row.number(2)),
                                            row.bits(3), row.count(4));
              });
}

}  // namespace

void read_counts(Reader& reader, Recording& recording, const Widths& widths) {
  const std::uint64_t samples = widths.samples;
  if (samples > profile::Loader::max_samples) {
    reader.problem("its number of samples cannot be");
    return;
  }
  profile::Loader loader(recording.profile, samples);
  read_hosts_and_threads(reader, loader);
  read_functions(reader, loader);
  read_stacks(reader, loader);
  if (reader.ok()) read_buckets(reader, loader, widths.bucket_s);
  if (reader.ok()) read_details(reader, loader, widths.detail_s);
  if (reader.ok())
    if (const char* problem = loader.finish()) reader.problem(problem);

  reader.each("code", "SELECT image, local_func, bytes FROM code ORDER BY image, local_func",
              max_rows, [&](Statement& row) {
                const FrameKey key = wasm(row.number(0), row.number(1));
                const std::span<const std::uint8_t> bytes = row.blob(2);
                if (recording.profile.function(key) == nullptr) return false;
                return recording.code.try_emplace(key, bytes.begin(), bytes.end()).second;
              });
}

}  // namespace aotscope::store
