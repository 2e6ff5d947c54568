"""S13: a recording is complete after SIGTERM, and readable up to the last flush after SIGKILL."""
import signal
import time

import lib
from case_lib import MODES, Loader, Recording, images, show

lib.need_root()
FLUSH = 1.0  # seconds between flushes of a recording
loader = Loader(images() / "a.cwasm")
loader.load("A", images() / "a.cwasm")
loader.do("thread", "t")


def samples_after(end_signal, mode):
    recording = Recording("-p", loader.pid, *mode)
    before = lib.cpu_seconds(loader.pid)
    loader.do("@t", "run", "A", "alpha", 1.2)
    loader.do("join", "t")
    used = lib.cpu_seconds(loader.pid) - before
    if end_signal == signal.SIGKILL:
        time.sleep(FLUSH + 0.7)  # all of it is older than a flush, and the next is under way
    recording.stop(end_signal, expect=0 if end_signal != signal.SIGKILL else -signal.SIGKILL)
    data = recording.report()
    show(data)
    wanted = used * data["frequency_hz"]
    lib.near(data["samples"]["total"] + data["samples"]["lost"], wanted, 0.05 * wanted,
             f"samples after {end_signal.name}")
    lib.check(lib.shares(data).get("alpha", 0) > 99, "its functions are named")
    text = lib.aotscope("report", recording.path).stdout
    lib.check("alpha" in text, f"the text report does not name alpha:\n{text}")


for mode in MODES:
    for end_signal in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        samples_after(end_signal, mode)
# Nothing of the killed tool is left in the kernel: a new one attaches and the target runs on.
loader.do("run", "A", "alpha", 0.05)
loader.end()
