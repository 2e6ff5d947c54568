"""S3: threads from before and after the attach, and a leader that ended before it."""
import time

import lib
from case_lib import MODES, Loader, Recording, images, only, show, unknown_percent

lib.need_root()
# CPU seconds of each thread; the first three start before the attach.
SECONDS = {"t1": 0.8, "t2": 0.4, "t3": 0.6, "t4": 0.2, "t5": 0.4}


def threads(mode, leader_ends):
    loader = Loader()
    loader.load("M", images() / "threads.cwasm")
    for name in ("t1", "t2", "t3"):
        loader.do("thread", name)
    if leader_ends:
        loader.do("exit_leader")
        with open(f"/proc/{loader.pid}/maps") as maps:
            lib.check(maps.read() == "", "the case needs an empty /proc/PID/maps, and has not")
    recording = Recording("-F", "999", "-p", loader.pid, *mode, images() / "threads.cwasm")
    for name in ("t1", "t2", "t3"):
        loader.do(f"@{name}", "run", "M", name, SECONDS[name])
    for name in ("t4", "t5"):
        loader.do("thread", name)
        loader.do(f"@{name}", "run", "M", name, SECONDS[name])
    for name in SECONDS:
        loader.do("join", name)
    time.sleep(0.3)
    lib.check(recording.process.poll() is None, "record ended before the last thread")
    loader.end()
    seconds = recording.wait()
    lib.check(seconds <= 1, f"record took {seconds:.2f} s to see the end")
    data = recording.report()
    show(data)
    shares = lib.shares(data)
    total = sum(SECONDS.values())
    for name, cpu in SECONDS.items():
        lib.near(shares.get(name, 0), 100 * cpu / total, 4, name)
    only(data, SECONDS)
    lib.check(unknown_percent(data) <= 1, f"unknown: {unknown_percent(data):.2f} %")


for mode in MODES:
    for leader_ends in (False, True):
        lib.say(f"{' '.join(mode) or 'stacks'}, leader {'ends' if leader_ends else 'stays'}")
        threads(mode, leader_ends)
