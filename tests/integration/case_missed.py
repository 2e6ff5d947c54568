"""More changes of mappings than the tool can take, and among those it missed: other code at an old
address."""
import signal
import time

import lib
from case_lib import MODES, Loader, Recording, images, only, show, unknown_percent

lib.need_root()
for mode in MODES:
    loader = Loader()
    recording = Recording("-F", "999", "-p", loader.pid, *mode, images() / "a.cwasm",
                          images() / "b.cwasm")
    loader.load("A", images() / "a.cwasm")
    where = loader.do("address", "A")
    loader.do("run", "A", "alpha", 0.5)
    time.sleep(1)  # drained
    recording.process.send_signal(signal.SIGSTOP)
    loader.do("storm", 20_000)
    loader.do("unload", "A")
    loader.load("B", images() / "b.cwasm")
    lib.check(loader.do("address", "B") == where, "the case needs the same address, and has not")
    loader.do("run", "B", "beta", 0.5)
    recording.process.send_signal(signal.SIGCONT)
    loader.do("run", "B", "beta", 0.5)
    loader.end()
    recording.wait()
    data = recording.report()
    show(data)
    lib.near(lib.shares(data).get("beta", 0), 100 * 2 / 3, 4, "beta")
    lib.near(lib.shares(data).get("alpha", 0), 100 / 3, 4, "alpha")
    only(data, {"alpha", "beta"})
    lib.check(unknown_percent(data) <= 1, f"unknown: {unknown_percent(data):.2f} %")
    lib.check("missed" in recording.stderr, f"it does not say what it missed: {recording.stderr}")
    text = lib.aotscope("report", recording.path).stdout
    lib.check("missed" in text, f"the report does not say what was missed:\n{text}")
