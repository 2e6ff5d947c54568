#include "image/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>

#include <fmt/format.h>

#include "image/bytes.hpp"

namespace aotscope::image {
namespace {

// What the signal handler may look at: lock-free, of fixed size, never freed.
struct Slot {
  std::atomic<std::uintptr_t> start{0};  // 0: free
  std::atomic<std::size_t> size{0};
  std::atomic<bool> truncated{false};
};
constexpr std::size_t kSlots = 1024;  // mapped images at one time; a component has a handful
std::array<Slot, kSlots> slots;
std::mutex slots_mutex;  // for those who take a slot, not for the handler
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);

struct sigaction previous_action;

std::uintptr_t page_size() {
  static const auto size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

// SIGBUS: when the address is in one of our mappings, puts a page of zeros there and returns, so
// that the faulting read succeeds. mmap is not on POSIX's list of async-signal-safe functions, but
// on Linux it is a plain system call; systemd and libwayland do the same.
void on_sigbus(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Slot& slot : slots) {
    const std::uintptr_t start = slot.start.load(std::memory_order_acquire);
    const std::size_t size = slot.size.load(std::memory_order_acquire);
    if (start == 0 || address < start || address - start >= size) continue;
    slot.truncated.store(true, std::memory_order_relaxed);
    void* page = static_cast<char*>(info->si_addr) - (address & (page_size() - 1));
    if (::mmap(page, page_size(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
        MAP_FAILED) {
      break;
    }
    errno = saved_errno;
    return;
  }
  // Not ours: what would have happened without us.
  if ((previous_action.sa_flags & SA_SIGINFO) != 0 && previous_action.sa_sigaction != nullptr) {
    previous_action.sa_sigaction(signal, info, context);
    return;
  }
  if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(signal);
    return;
  }
  ::signal(signal, SIG_DFL);  // the instruction faults again on return, with the default action
}

void install_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    page_size();  // computed here, not first inside the handler
    struct sigaction action {};
    action.sa_sigaction = on_sigbus;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &previous_action);
  });
}

std::size_t take_slot(void* start, std::size_t size) {
  const std::lock_guard lock(slots_mutex);
  for (std::size_t i = 0; i < kSlots; ++i) {
    if (slots[i].start.load(std::memory_order_relaxed) != 0) continue;
    slots[i].truncated.store(false, std::memory_order_relaxed);
    slots[i].size.store(size, std::memory_order_relaxed);
    slots[i].start.store(reinterpret_cast<std::uintptr_t>(start), std::memory_order_release);
    return i;
  }
  return kSlots;
}

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

Result<std::unique_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO for reading must not wait for a writer.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)};
  if (file.fd < 0) return fail(fmt::format("{}: {}", printable(path), std::strerror(errno)));
  struct stat status {};
  if (::fstat(file.fd, &status) != 0) {
    return fail(fmt::format("{}: {}", printable(path), std::strerror(errno)));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(fmt::format("{}: {}, not a file to read", printable(path), kind_of(status.st_mode)),
                "name a .cwasm, a .cwasm.json, or a component .wasm with its manifest beside it");
  }
  auto mapped = std::unique_ptr<MappedFile>(new MappedFile());
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return mapped;

  install_handler();
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (start == MAP_FAILED) {
    return fail(
        fmt::format("{}: cannot map {} bytes: {}", printable(path), size, std::strerror(errno)));
  }
  mapped->bytes_ = {static_cast<const std::uint8_t*>(start), size};
  // The last page counts whole: a read behind the end of the file but inside its page is no fault.
  mapped->slot_ = take_slot(start, size);
  if (mapped->slot_ == kSlots) {
    return fail(fmt::format("{}: {} images are open already", printable(path), kSlots));
  }
  return mapped;
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  if (slot_ < kSlots) slots[slot_].start.store(0, std::memory_order_release);
  ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

bool MappedFile::truncated() const {
  return !bytes_.empty() && slots[slot_].truncated.load(std::memory_order_relaxed);
}

void MappedFile::release(std::span<const std::uint8_t> part) const {
  const std::uintptr_t mask = page_size() - 1;
  const auto begin = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t first = (begin + mask) & ~mask;
  const std::uintptr_t last = (begin + part.size()) & ~mask;
  // A private file mapping that was only read: dropping its pages loses nothing.
  if (first >= last) return;
  ::madvise(const_cast<std::uint8_t*>(part.data()) + (first - begin), last - first, MADV_DONTNEED);
}

}  // namespace aotscope::image
