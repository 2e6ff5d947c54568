"""S12: an address space of 50,000 mappings that changes all the time."""
import time

import lib
from case_lib import Loader, Recording, images

lib.need_root()
SECONDS = 2.5
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
rates = {False: [], True: []}
shares = []
for _ in range(3):  # by turns, so that a machine that speeds up or slows down harms neither
    rates[False].append(rate(loader))
    recording = Recording("-F", "199", "-p", loader.pid, "--no-stacks")
    used = lib.cpu_seconds(recording.process.pid)
    begin = time.monotonic()
    rates[True].append(rate(loader))
    shares.append((lib.cpu_seconds(recording.process.pid) - used) / (time.monotonic() - begin))
    recording.stop()
loader.do("run", "A", "alpha", 0.1)
loader.end()
lib.say(f"rounds/s without {rates[False]}, with {rates[True]}; the tool's CPU {shares}")
ratio = max(rates[True]) / max(rates[False])
lib.say(f"{mappings} mappings, target's speed with the tool: {100 * ratio:.1f} %")
lib.check(min(shares) < 0.05, f"the tool uses {100 * min(shares):.1f} % of a CPU")
lib.check(ratio > 0.7, f"the target runs at {100 * ratio:.1f} % of its speed")
