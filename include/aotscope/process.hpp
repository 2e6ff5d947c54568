// The process room: who a pid is, what is mapped in it in each epoch, where its image file is,
// and the names of host code. Reads /proc and the target's memory; believes neither.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include <aotscope/abi.h>
#include <aotscope/image.hpp>
#include <aotscope/result.hpp>

namespace aotscope::process {

// ---- identity -------------------------------------------------------------------------------

struct Identity {
  pid_t pid = 0;
  std::string comm;                    // raw
  std::vector<std::string> arguments;  // argv
  std::string exe;                     // as its own mount namespace names it, "" if unreadable
  std::string command() const;         // argv joined by spaces, or [comm]
};
// Error when there is no such process, with a hint when the number may be of another namespace.
Result<Identity> identify(pid_t pid);
std::vector<pid_t> threads(pid_t pid);
std::string thread_name(pid_t pid, pid_t tid);  // "" when it is gone
// CPU seconds used so far by all threads, ended ones too; nullopt when it is gone.
std::optional<double> cpu_seconds(pid_t pid);
// /proc/PID/ENTRY, or /proc/PID/task/TID/ENTRY when the leader has ended and TID lives on: a
// leader that called pthread_exit has no maps, cwd, root or command line any more.
std::string proc_path(pid_t pid, std::string_view entry);
pid_t living_thread(pid_t pid);  // 0: none
// True while the process has a thread that runs or may run (not a zombie).
bool alive(pid_t pid);

// ---- mappings -------------------------------------------------------------------------------

// One executable mapping.
struct Mapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t file_offset = 0;
  bool writable = false;
  std::string path;  // "" for anonymous, "[vdso]", or a file
  bool anonymous() const { return path.empty() || path.starts_with("[anon:"); }
};
// Executable mappings by start. Works when the leader has ended but other threads run (then
// /proc/PID/maps is empty and a thread's is not).
Result<std::vector<Mapping>> executable_mappings(pid_t pid);
bool may_read(pid_t pid);  // its maps can be opened
std::vector<Mapping> parse_executable_mappings(std::string_view maps);

// The target's memory by process_vm_readv(2).
class Memory : public image::MemoryReader {
 public:
  explicit Memory(pid_t pid);
  bool read(std::uint64_t address, std::span<std::uint8_t> out) override;
  void read_many(std::span<const std::uint64_t> addresses, std::size_t each,
                 std::span<std::uint8_t> out) override;

 private:
  pid_t tid_;  // a living thread: the leader's memory may be gone
};

// What is at an address in some epoch. `text` is a session-wide number of a core's placement.
struct Region {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint32_t first_epoch = 0;  // holds for first_epoch <= epoch < end_epoch
  std::uint32_t end_epoch = UINT32_MAX;
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;  // 0 while it is mapped
  std::uint64_t file_offset = 0;
  std::string path;  // file-backed, "[vdso]"; "" anonymous
  bool writable = false;
  int text = -1;          // placement, see TextPlacement; -1: none known
  bool resolved = false;  // matching was tried
  bool open() const { return end_epoch == UINT32_MAX; }
};

// One core's text at one place for some time. It outlives the regions that show parts of it.
struct TextPlacement {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  std::uint32_t image = 0;  // session's image number
  std::uint64_t first_ns = 0;
  std::uint64_t last_ns = 0;  // 0 while any part of it is mapped
};

// The executable address space of one target, for every epoch that samples may still carry.
class AddressSpace {
 public:
  // A scan of /proc/PID/maps: what is not known yet is added, as having been there since
  // `epoch`; an address that an earlier region holds is left alone.
  void scan(const std::vector<Mapping>& mappings, std::uint32_t epoch, std::uint64_t now_ns);
  // A scan that is the truth, because events were missed: what it does not show ended by `epoch`.
  void reconcile(const std::vector<Mapping>& mappings, std::uint32_t epoch, std::uint64_t now_ns);
  // Applies one event of this target.
  void apply(const aot_region_event& event);
  void close_all(std::uint32_t epoch, std::uint64_t now_ns);  // exec, exit
  // A forked child begins with its parent's regions.
  AddressSpace fork(std::uint32_t epoch, std::uint64_t now_ns) const;

  const Region* find(std::uint32_t epoch, std::uint64_t address) const;
  // Executable anonymous regions whose code has not been looked for.
  std::vector<Region*> unresolved();
  // `region` holds `placement` from `base` on: cuts the region so that the text is a region of
  // its own, and notes the placement.
  void place(const Region& region, const TextPlacement& placement);
  // By number, see Region::text. Of those that ended long ago only the last max_placements stay.
  const std::map<int, TextPlacement>& placements() const { return placements_; }
  static constexpr std::size_t max_placements = 10'000;
  // A placement whose bytes were here before, e.g. a page that went to RW and back.
  const TextPlacement* former_placement(std::uint64_t start, std::uint64_t end) const;
  std::vector<aot_range> known_ranges() const;  // for Sampler::set_known_ranges
  void forget_before(std::uint32_t epoch);      // no sample carries those any more
  bool changed() const { return changed_; }
  void clear_changed() { changed_ = false; }
  std::vector<const Region*> open_regions() const;

 private:
  void remove(std::uint64_t start, std::uint64_t end, std::uint32_t epoch, std::uint64_t now_ns);
  void add(Region region);
  void update_placement_ends(std::uint64_t now_ns);

  std::map<std::uint64_t, Region> open_;  // by start, never overlapping
  std::vector<Region> closed_;            // newest last
  std::map<int, TextPlacement> placements_;
  std::set<int> live_placements_;  // those with last_ns 0
  int next_placement_ = 0;
  bool changed_ = false;
};

// ---- image discovery ------------------------------------------------------------------------

// The image that a process's command line names, opened through its cwd and root. nullopt when
// it names none; an Error when what it names cannot be read.
struct FoundImage {
  std::string shown;  // as the command line names it
  image::Program program;
};
Result<std::optional<FoundImage>> find_image(const Identity& identity);
// Processes whose executable is wamr, or that name an AOT image and have executable anonymous
// memory. For ps, and to pick the target when -p is not given.
std::vector<Identity> find_aot_processes();
// "wamr 3.0.0-dev.14": the runtime's name and, where its executable holds one, its version.
std::string runtime_name(const Identity& identity);

// ---- host code ------------------------------------------------------------------------------

// Function symbols of the ELF files that a target maps, read when first asked for.
class Symbols {
 public:
  // `file`: how to open it (through /proc/PID/root); `file_address`: offset in the file.
  // "" when the file has no symbol there.
  std::string lookup(const std::string& file, std::uint64_t file_offset);

 private:
  struct Table;
  std::map<std::string, std::shared_ptr<const Table>> tables_;
};

}  // namespace aotscope::process
