"""The same run under `perf record -e cpu-clock` at the same time: perf sees bare addresses, which
this test puts into functions by itself; the shares must be the same within 4 points."""
import signal
import subprocess

import lib
import wamr_image
from lib import check, near, say
from wamr_common import (Recorder, check_split, perf_ips, start_ready, wait_cpu)

lib.need_root()
if lib.shutil.which("perf") is None:
    lib.skip("perf (Debian's linux-perf) is not installed")


def perf_shares(ips, texts, cores):
    """Per cent of the samples in wasm functions by name."""
    counts = {}
    for ip in ips:
        for base, number in texts:
            if 0 <= ip - base < cores[number].text_size:
                # Several functions may share one body: any of their names will do.
                name = min(cores[number].name_at(ip - base))
                counts[name] = counts.get(name, 0) + 1
    total = sum(counts.values())
    check(total >= 2000, f"perf has only {total} samples in wasm")
    return {name: 100.0 * count / total for name, count in counts.items()}


for program in ("mix", "split"):
    image = lib.inputs(program)
    target, texts = start_ready(image, 0)
    data_file = lib.folder() / f"{program}.perf"
    perf = lib.start(["perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-p", target.pid,
                      "-o", data_file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    recorder = Recorder("-p", target.pid)
    wait_cpu(target.pid, 3)
    recording = recorder.stop()
    perf.send_signal(signal.SIGINT)
    perf.wait(30)
    target.kill()

    data = lib.report(recording)
    ours = lib.shares(data)
    theirs = perf_shares(perf_ips(data_file), texts, wamr_image.cores(image))
    say(f"-- {program}: per cent of the samples in wasm, aotscope and perf")
    for name in sorted(set(ours) | set(theirs), key=lambda n: -theirs.get(n, 0)):
        if max(ours.get(name, 0), theirs.get(name, 0)) >= 0.5:
            say(f"{name:24} {ours.get(name, 0):6.2f} {theirs.get(name, 0):6.2f}")
        check(abs(ours.get(name, 0) - theirs.get(name, 0)) <= 4,
              f"{name}: {ours.get(name, 0):.2f} %, by perf {theirs.get(name, 0):.2f} %")
    if program == "split":
        check_split(data, "one", "two", 100 / 3)
        near(100 * theirs["one"] / (theirs["one"] + theirs["two"]), 100 / 3, 3, "the same by perf")
