#include <linux/capability.h>

#include <charconv>

#include <aotscope/kernel.hpp>

#include "util/files.hpp"

namespace aotscope::kernel {

std::vector<std::string> missing_capabilities() {
  std::uint64_t effective = 0;
  if (const auto status = util::read_small_file("/proc/self/status")) {
    const std::size_t at = status->find("CapEff:\t");
    if (at != std::string::npos) {
      const char* first = status->data() + at + 8;
      std::from_chars(first, status->data() + status->size(), effective, 16);
    }
  }
  const auto has = [&](int cap) { return (effective >> cap & 1) != 0; };
  std::vector<std::string> missing;
  if (has(CAP_SYS_ADMIN)) {
    // It stands in for the two below on every kernel.
  } else {
    if (!has(CAP_BPF)) missing.emplace_back("CAP_BPF");
    if (!has(CAP_PERFMON)) missing.emplace_back("CAP_PERFMON");
  }
  if (!has(CAP_SYS_PTRACE)) missing.emplace_back("CAP_SYS_PTRACE");
  return missing;
}

}  // namespace aotscope::kernel
