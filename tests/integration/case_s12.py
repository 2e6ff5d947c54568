"""S12: an address space of 50,000 mappings that changes all the time."""
import time

import lib
from case_lib import Loader, Recording, images

lib.need_root()
SECONDS = 2
with open("/proc/sys/vm/max_map_count") as limit:
    mappings = min(50_000, int(limit.read()) - 2000)


def rate(loader):
    """Rounds of mmap and munmap for each CPU second: what others do on the machine costs nothing."""
    before = lib.cpu_seconds(loader.pid)
    count = int(loader.do("churn", SECONDS))
    return count / (lib.cpu_seconds(loader.pid) - before)


loader = Loader(images() / "a.cwasm")
loader.do("mappings", mappings)
loader.load("A", images() / "a.cwasm")
other = Loader(images() / "a.cwasm")  # small and asleep
rates = {"no tool": [], "tool on another": [], "tool": []}
shares = []
for _ in range(3):  # by turns, so that a machine that speeds up or slows down harms none
    rates["no tool"].append(rate(loader))
    for who, target in (("tool on another", other), ("tool", loader)):
        recording = Recording("-F", "199", "-p", target.pid, "--no-stacks")
        used = lib.cpu_seconds(recording.process.pid)
        begin = time.monotonic()
        rates[who].append(rate(loader))
        if who == "tool":
            used = lib.cpu_seconds(recording.process.pid) - used
            shares.append(used / (time.monotonic() - begin))
        recording.stop()
loader.end()
other.end()
for who, values in rates.items():
    lib.say(f"{who}: {', '.join(f'{value:.0f}' for value in values)} rounds/s of CPU time")
lib.say(f"{mappings} mappings, the tool's CPU: {', '.join(f'{100 * s:.1f} %' for s in shares)}")
best = {who: max(values) for who, values in rates.items()}
lib.check(min(shares) < 0.05, f"the tool uses {100 * min(shares):.1f} % of a CPU")
# Tracepoints slow the calls of every process a little; looking at 50,000 mappings must not add
# to that.
lib.check(best["tool"] > 0.85 * best["tool on another"], "scans slow the target")
lib.check(best["tool"] > 0.7 * best["no tool"], "the tool slows the target")
