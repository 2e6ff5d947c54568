// The target's memory. process_vm_readv needs the right to ptrace the target, stops nothing.
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include <aotscope/process.hpp>

namespace aotscope::process {
namespace {

constexpr std::size_t batch = 512;  // below IOV_MAX

}  // namespace

Memory::Memory(pid_t pid) : tid_(pid) {
  // A leader that called pthread_exit has no memory of its own any more; its threads have.
  std::uint8_t byte = 0;
  const iovec local{&byte, 1};
  const iovec remote{nullptr, 1};
  const auto has_memory = [&](pid_t tid) {
    // Address 0 is never mapped: EFAULT says that there is an address space, ESRCH none.
    return ::process_vm_readv(tid, &local, 1, &remote, 1, 0) >= 0 || errno == EFAULT;
  };
  if (has_memory(pid)) return;
  for (const pid_t tid : threads(pid)) {
    if (has_memory(tid)) {
      tid_ = tid;
      return;
    }
  }
}

bool Memory::read(std::uint64_t address, std::span<std::uint8_t> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const iovec local{out.data() + done, out.size() - done};
    const iovec remote{reinterpret_cast<void*>(address + done), out.size() - done};
    const ssize_t got = ::process_vm_readv(tid_, &local, 1, &remote, 1, 0);
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

void Memory::read_many(std::span<const std::uint64_t> addresses, std::size_t each,
                       std::span<std::uint8_t> out) {
  std::vector<iovec> remote;
  for (std::size_t first = 0; first < addresses.size(); first += batch) {
    const std::size_t count = std::min(batch, addresses.size() - first);
    std::size_t done = 0;  // a page that cannot be read ends a call: skip it and go on
    while (done < count) {
      remote.clear();
      for (std::size_t i = done; i < count; ++i) {
        remote.push_back({reinterpret_cast<void*>(addresses[first + i]), each});
      }
      auto into = out.subspan((first + done) * each, (count - done) * each);
      const iovec local{into.data(), into.size()};
      const ssize_t got = ::process_vm_readv(tid_, &local, 1, remote.data(), remote.size(), 0);
      const std::size_t whole = got > 0 ? static_cast<std::size_t>(got) / each : 0;
      if (whole < count - done) {
        std::fill_n(into.begin() + static_cast<std::ptrdiff_t>(whole * each), each,
                    std::uint8_t{0});
        if (got < 0 && errno != EFAULT) {
          std::fill(into.begin(), into.end(), std::uint8_t{0});
          done = count;
          break;
        }
        done += whole + 1;
      } else {
        done = count;
      }
    }
  }
}

}  // namespace aotscope::process
