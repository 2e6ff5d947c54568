"""Attached before the text is mapped: to a process that stands still before its exec, to one that
is stopped while it loads, and to one that record starts. The names are the same as after a late
attach, and the number of samples is exactly that of the whole life."""
import os
import signal
import subprocess

import lib
import wamr_image
from lib import check, near, say
from wamr_common import (MIN_WASM, Recorder, attributed, check_offsets, check_rate, check_split,
                         check_sums, start_stopped, wait_cpu)

lib.need_root()
image = lib.inputs("split")
SPLIT = "one", "two", 100 / 3


def check_run(recording, images=1):
    data = lib.report(recording)
    check_sums(data)
    check(attributed(data) >= MIN_WASM, f"only {attributed(data):.2f} % have names")
    check_offsets(data, image)
    check_split(data, *SPLIT)
    check(len(data["regions"]) == images, f"regions: {data['regions']}")
    return data


say("-- before the exec, by its pid; it ends by itself")
target = start_stopped(lib.wamr(), "run", image, 350)
recorder = Recorder("-p", target.pid)
os.kill(target.pid, signal.SIGCONT)
_, status, usage = os.wait4(target.pid, 0)
target.returncode = os.waitstatus_to_exitcode(status)
check(target.returncode == 0, f"wamr: {target.returncode}")
data = check_run(recorder.wait())
check_rate(data, usage.ru_utime + usage.ru_stime)
check(f"pid {target.pid} exited" in recorder.stderr, recorder.stderr)
check(data["targets"][0]["exited"], f"{data['targets']}")

say("-- stopped while it loads")
os.setpriority(os.PRIO_PROCESS, 0, -15)  # on a busy machine too we come before it
for _ in range(100):
    target = lib.start_wamr(image, 0,
                            preexec_fn=lambda: os.setpriority(os.PRIO_PROCESS, 0, 19))
    # From here until its text is there it has some milliseconds.
    while lib.Path(f"/proc/{target.pid}/comm").read_text() != "wamr\n":
        pass
    os.kill(target.pid, signal.SIGSTOP)
    if not wamr_image.find_texts(target.pid, wamr_image.cores(image)):
        break
    target.kill()
    target.wait()
else:
    check(False, "wamr had always mapped its text before it could be stopped")
for process in (0, target.pid):
    os.setpriority(os.PRIO_PROCESS, process, 0)
recorder = Recorder("-p", target.pid)
os.kill(target.pid, signal.SIGCONT)
wait_cpu(target.pid, 2)
check_run(recorder.stop())
target.kill()

say("-- started by record")
recording = lib.record("--", lib.wamr(), "run", image, 200, stdin=subprocess.DEVNULL)
data = check_run(recording)
near(data["targets"][0]["cpu_s"] * 999 / data["samples"]["total"], 1, 0.05,
     "frequency x CPU seconds by samples")
