// A recording's tables: version 2. Stable: scripts read them with the sqlite3 shell.
//
// The file is a plain SQLite database with application_id "aots" (0x616f7473) and user_version =
// the schema version. A reader refuses a newer one, and one of its own version whose tables are
// not exactly these.
//
// Counts are samples; times are seconds since the start of the recording, starts and widths of
// buckets are whole seconds. Addresses are 64-bit and stored as SQLite's signed integer. Names
// are the raw bytes of the image: they may hold anything, invalid UTF-8 too.
//
// Three questions, as the README has them (tests/unit/store/queries_test.cpp runs them):
//
//   -- The hottest functions.
//   SELECT f.name, t.self, round(100.0 * t.self / (SELECT value FROM meta WHERE key = 'samples'),
//          1) AS percent
//   FROM function_totals t JOIN functions f USING (image, local_func)
//   ORDER BY t.self DESC LIMIT 10;
//
//   -- What kind of instruction one of them burns its time on.
//   SELECT c.name AS class, sum(o.count) AS samples
//   FROM offsets o JOIN classes c ON c.id = o.class
//   JOIN functions f USING (image, local_func)
//   WHERE f.name = 'dispatch' GROUP BY c.id ORDER BY samples DESC;
//
//   -- When it was busy: each bucket's share of the samples that one busy CPU gives.
//   SELECT time(r.value + b.start_s, 'unixepoch') AS at, b.samples,
//          printf('%.1f %%', 100.0 * b.samples / (b.width_s * f.value)) AS busy
//   FROM bucket_totals b, meta r, meta f
//   WHERE r.key = 'started_unix_s' AND f.key = 'frequency_hz' ORDER BY b.start_s;
#pragma once

#include <cstdint>

namespace aotscope::store {

inline constexpr std::uint32_t application_id = 0x616f7473;  // "aots", big-endian in the header

struct Table {
  const char* name;
  const char* sql;
};

// Tables with a key of several columns are WITHOUT ROWID: a third of the size, and read in order.
inline constexpr Table tables[] = {
    // One value each: tool_version, host_name, kernel_release, command_line, event, precise,
    // frequency_asked, frequency_hz, started_unix_s, duration_s, stacks, target_cpu_s, samples
    // (wasm + host + unknown), bucket_s and detail_s (widths), complete (0: still being written,
    // or killed).
    {"meta", "CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID"},
    // Each `aotscope record` that wrote to the file, in their order.
    {"parts",
     "CREATE TABLE parts(id INTEGER PRIMARY KEY, start_s REAL NOT NULL, duration_s REAL NOT NULL, "
     "command_line TEXT NOT NULL)"},
    // What the small integers below mean.
    {"classes", "CREATE TABLE classes(id INTEGER PRIMARY KEY, name TEXT NOT NULL)"},
    {"frame_kinds", "CREATE TABLE frame_kinds(id INTEGER PRIMARY KEY, name TEXT NOT NULL)"},

    // Processes that were sampled. exit_status: of a launched command, else NULL.
    {"targets",
     "CREATE TABLE targets(id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, comm TEXT NOT NULL, "
     "command TEXT NOT NULL, runtime TEXT NOT NULL, cpu_s REAL NOT NULL, exited INTEGER NOT NULL, "
     "exit_status INTEGER)"},
    // Core modules, each with its whole function table.
    {"images",
     "CREATE TABLE images(id INTEGER PRIMARY KEY, path TEXT NOT NULL, core INTEGER NOT NULL, "
     "format TEXT NOT NULL, version INTEGER NOT NULL, arch TEXT NOT NULL, "
     "text_size INTEGER NOT NULL, hash TEXT NOT NULL)"},
    // offset, size: bytes, from the start of the text.
    {"functions",
     "CREATE TABLE functions(image INTEGER NOT NULL, local_func INTEGER NOT NULL, "
     "func_index INTEGER NOT NULL, offset INTEGER NOT NULL, size INTEGER NOT NULL, "
     "name TEXT NOT NULL, PRIMARY KEY(image, local_func)) WITHOUT ROWID"},
    // Where an image's text was mapped, and when.
    {"regions",
     "CREATE TABLE regions(id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, image INTEGER NOT NULL, "
     "start INTEGER NOT NULL, size INTEGER NOT NULL, first_s REAL NOT NULL, "
     "last_s REAL NOT NULL)"},
    // Code that is no wasm: by module and symbol.
    {"hosts",
     "CREATE TABLE hosts(id INTEGER PRIMARY KEY, module TEXT NOT NULL, symbol TEXT NOT NULL, "
     "self INTEGER NOT NULL, total INTEGER NOT NULL, kernel INTEGER NOT NULL)"},
    // Code that nothing matches: by the start of its mapping (0: no mapping), and its first 1024
    // addresses.
    {"unknowns",
     "CREATE TABLE unknowns(id INTEGER PRIMARY KEY, region INTEGER NOT NULL, "
     "self INTEGER NOT NULL, kernel INTEGER NOT NULL)"},
    {"unknown_addresses",
     "CREATE TABLE unknown_addresses(unknown INTEGER NOT NULL, address INTEGER NOT NULL, "
     "count INTEGER NOT NULL, PRIMARY KEY(unknown, address)) WITHOUT ROWID"},
    {"threads",
     "CREATE TABLE threads(pid INTEGER NOT NULL, tid INTEGER NOT NULL, comm TEXT NOT NULL, "
     "self INTEGER NOT NULL, kernel INTEGER NOT NULL, PRIMARY KEY(pid, tid)) WITHOUT ROWID"},

    // Sampled instructions by text offset. class: where the samples landed; waits: the class of
    // the slow instruction they waited for.
    {"offsets",
     "CREATE TABLE offsets(image INTEGER NOT NULL, local_func INTEGER NOT NULL, "
     "offset INTEGER NOT NULL, class INTEGER NOT NULL, waits INTEGER NOT NULL, "
     "count INTEGER NOT NULL, kernel INTEGER NOT NULL, "
     "PRIMARY KEY(image, local_func, offset)) WITHOUT ROWID"},
    // self and kernel are the sums of the function's offsets; total: anywhere on the stack.
    {"function_totals",
     "CREATE TABLE function_totals(image INTEGER NOT NULL, local_func INTEGER NOT NULL, "
     "self INTEGER NOT NULL, total INTEGER NOT NULL, kernel INTEGER NOT NULL, "
     "PRIMARY KEY(image, local_func)) WITHOUT ROWID"},
    // The calling context tree: ids from 1 without a gap, parent < id, parent 0 for an outermost
    // frame. frame: a local_func of `image`, or the id of a host or an unknown, by kind.
    {"stacks",
     "CREATE TABLE stacks(id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, kind INTEGER NOT NULL, "
     "image INTEGER NOT NULL, frame INTEGER NOT NULL, self INTEGER NOT NULL, "
     "kernel INTEGER NOT NULL)"},

    // Samples in time: function x class in each bucket, and each bucket's sums.
    {"buckets",
     "CREATE TABLE buckets(start_s INTEGER NOT NULL, image INTEGER NOT NULL, "
     "local_func INTEGER NOT NULL, class INTEGER NOT NULL, count INTEGER NOT NULL, "
     "PRIMARY KEY(start_s, image, local_func, class)) WITHOUT ROWID"},
    {"bucket_totals",
     "CREATE TABLE bucket_totals(start_s INTEGER PRIMARY KEY, width_s INTEGER NOT NULL, "
     "samples INTEGER NOT NULL, host INTEGER NOT NULL, unknown INTEGER NOT NULL)"},

    // Stacks and instructions in time, in intervals of detail_s seconds. stack: its innermost
    // frame.
    {"stack_buckets",
     "CREATE TABLE stack_buckets(start_s INTEGER NOT NULL, stack INTEGER NOT NULL, "
     "count INTEGER NOT NULL, PRIMARY KEY(start_s, stack)) WITHOUT ROWID"},
    {"offset_buckets",
     "CREATE TABLE offset_buckets(start_s INTEGER NOT NULL, image INTEGER NOT NULL, "
     "local_func INTEGER NOT NULL, offset INTEGER NOT NULL, count INTEGER NOT NULL, "
     "PRIMARY KEY(start_s, image, local_func, offset)) WITHOUT ROWID"},

    // Machine code of the functions that have samples of their own.
    {"code",
     "CREATE TABLE code(image INTEGER NOT NULL, local_func INTEGER NOT NULL, bytes BLOB NOT NULL, "
     "PRIMARY KEY(image, local_func)) WITHOUT ROWID"},
    // Samples that were lost, by cause, and the flag that cures it.
    {"lost",
     "CREATE TABLE lost(cause TEXT PRIMARY KEY, hint TEXT NOT NULL, count INTEGER NOT NULL) "
     "WITHOUT ROWID"},
    {"warnings", "CREATE TABLE warnings(id INTEGER PRIMARY KEY, text TEXT NOT NULL)"},
};

}  // namespace aotscope::store
