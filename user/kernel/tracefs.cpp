// Tracepoint numbers are read from tracefs, which need not be mounted anywhere: a detached mount
// (fsopen and fsmount, Linux 5.2) serves as well and leaves no trace in any namespace.
#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <aotscope/kernel.hpp>

#include "util/fd.hpp"

namespace aotscope::kernel {

Result<int> open_tracefs() {
  for (const char* path : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    util::UniqueFd root(::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (root && ::faccessat(root.get(), "events/syscalls", R_OK | X_OK, AT_EACCESS) == 0) {
      return root.release();
    }
  }
  const util::UniqueFd context(::fsopen("tracefs", FSOPEN_CLOEXEC));
  if (context && ::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) == 0) {
    util::UniqueFd mount(::fsmount(context.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID));
    if (mount) return mount.release();
  }
  return fail(
      fmt::format("cannot reach tracefs, which numbers the tracepoints: {}", std::strerror(errno)),
      "mount it: mount -t tracefs tracefs /sys/kernel/tracing; or run as root");
}

}  // namespace aotscope::kernel
