"""What the tests on the real runtime share: runs that last a given CPU time, and the sums and
offsets that must hold in every report."""
import json
import os
import re
import signal
import subprocess
import time

import lib
import wamr_image
from lib import check, near, say

# The least that attribution must reach, and how far the number of samples may be off.
MIN_WASM = 99.5
MAX_OFF_RATE = 5.0


def start_ready(image, *arguments):
    """A wamr whose first text is mapped and runs. Returns the process and where texts are."""
    target = lib.start_wamr(image, *arguments)
    cores = wamr_image.cores(image)
    hot = [core for core in cores if core.text_size]

    def mapped():
        check(target.poll() is None, f"wamr ended with {target.returncode}")
        texts = wamr_image.find_texts(target.pid, cores)
        return texts if len({number for _, number in texts}) >= len(hot) else None
    return target, lib.wait_for(mapped, "the texts to be mapped")


class Recorder:
    """`aotscope record` in the background, once it samples. stop() ends it by a signal."""

    def __init__(self, *arguments, sampling=True, prefix=()):
        self.output = lib.folder() / f"run-{len(os.listdir(lib.folder()))}.db"
        self.log = self.output.with_suffix(".log")
        with open(self.log, "w") as log:
            self.process = lib.start([*prefix, lib.AOTSCOPE, "record", "-o", self.output,
                                      "--force", *arguments], stderr=log,
                                     stdout=subprocess.DEVNULL)
        if sampling:
            lib.wait_for(lambda: "sampling pid" in self.stderr or self.process.poll() is not None,
                         "the line that says that it samples")
            check(self.process.poll() is None, f"record ended: {self.stderr}")

    @property
    def stderr(self):
        return self.log.read_text()

    def stop(self, number=signal.SIGINT, expect=0):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.wait(expect)

    def wait(self, expect=0, timeout=120):
        code = self.process.wait(timeout)
        check(code == expect, f"record: exit {code}, not {expect}: {self.stderr}")
        return self.output


def wait_cpu(pid, seconds, limit=120):
    """Until a process has used so much more CPU time; returns how much it was. Tests run on
    machines that are busy with other things: samples come with CPU time, not with time."""
    first = lib.cpu_seconds(pid)
    end = time.monotonic() + limit
    while time.monotonic() < end:
        used = lib.cpu_seconds(pid) - first
        if used >= seconds:
            return used
        time.sleep(0.05)
    check(False, f"pid {pid} did not get {seconds} s of CPU time in {limit} s")


def record_pid(pid, cpu_seconds, *arguments):
    """Records a running process until it has used so much CPU time. Returns the report; between
    which bounds the CPU time of the recording was, by /proc, is in its key `cpu_bounds`."""
    before = lib.cpu_seconds(pid)
    recorder = Recorder("-p", pid, *arguments)
    start = lib.cpu_seconds(pid)
    wait_cpu(pid, cpu_seconds)
    end = lib.cpu_seconds(pid)
    recording = recorder.stop()
    after = lib.cpu_seconds(pid)
    data = lib.report(recording)
    data["cpu_bounds"] = end - start, after - before
    data["recording"] = recording
    data["stderr"] = recorder.stderr
    return data


def start_stopped(*command):
    """A process that stands still before it execs `command`; SIGCONT lets it go."""
    process = lib.start(["sh", "-c", 'kill -STOP $$; exec "$@"', "sh", *command],
                        stdout=subprocess.DEVNULL)

    def stopped():
        with open(f"/proc/{process.pid}/stat", "rb") as stat:
            return stat.read().rsplit(b")", 1)[1].split()[0] == b"T"
    lib.wait_for(stopped, "the process to stop before its exec")
    return process


def attributed(data):
    """Per cent of the samples in user space that a wasm function got."""
    samples = data["samples"]
    return 100.0 * samples["wasm"] / max(1, samples["total"])


def check_rate(data, least_cpu, most_cpu=None):
    """Received samples against frequency x CPU seconds, which /proc knows between two bounds when
    a recording has begun or ended at a moment that is not known exactly."""
    samples = data["samples"]
    received = samples["total"] + samples["lost"]
    off = [100.0 * (received / (data["frequency_hz"] * cpu) - 1)
           for cpu in (most_cpu or least_cpu, least_cpu)]
    say(f"samples: {received} in {least_cpu:.3f} s of CPU time: {off[1]:+.2f} %")
    check(off[0] <= MAX_OFF_RATE and off[1] >= -MAX_OFF_RATE,
          f"samples are between {off[0]:+.2f} % and {off[1]:+.2f} % off frequency x CPU seconds")
    return off[1]


def check_sums(data):
    """What must be exact in every report."""
    samples = data["samples"]
    check(samples["total"] == samples["wasm"] + samples["host"] + samples["unknown"],
          f"total is not wasm + host + unknown: {samples}")
    by_offset, whole = {}, {"classes": {}, "waits": {}}
    for row in data["offsets"]:
        key = row["image"], row["local_func"]
        by_offset[key] = by_offset.get(key, 0) + row["count"]
    for function in data["functions"]:
        key = function["image"], function["local_func"]
        for kind in ("classes", "waits"):
            check(sum(function[kind].values()) == function["self"],
                  f"{kind} of {function['name']} sum to {sum(function[kind].values())}, "
                  f"not {function['self']}")
            for name, count in function[kind].items():
                whole[kind][name] = whole[kind].get(name, 0) + count
        check(by_offset.get(key, 0) == function["self"],
              f"offsets of {function['name']} sum to {by_offset.get(key, 0)}, "
              f"not {function['self']}")
        check(function["total"] >= function["self"] or not data["stacks"],
              f"total of {function['name']} is below its self")
        check(function["kernel"] <= function["self"], f"kernel of {function['name']} exceeds self")
    for kind, counts in whole.items():
        given = {name: count for name, count in data[kind].items() if count}
        check(given == {name: count for name, count in counts.items() if count},
              f"{kind} of the whole: {given} is not the sum over the functions, {counts}")
    check(sum(f["self"] for f in data["functions"]) == samples["wasm"], "self does not sum to wasm")
    check(sum(h["self"] for h in data["host"]) == samples["host"], "host does not sum to its total")
    check(sum(u["self"] for u in data["unknown"]) == samples["unknown"], "unknown does not sum")
    check(sum(t["self"] for t in data["threads"]) == samples["total"] or not data["stacks"],
          "the threads do not sum to the total")


def check_offsets(data, image):
    """Every offset lies in the function named, by our own reading of the file; returns how many."""
    cores = wamr_image.cores(image)
    by_id = {entry["image"]: cores[entry["core"]] for entry in data["images"]}
    for row in data["offsets"]:
        core = by_id[row["image"]]
        start, end = core.extent(row["local_func"])
        check(start <= row["offset"] < end,
              f"{core.names[row['local_func']]}: offset {row['offset']:#x} is outside "
              f"[{start:#x}, {end:#x})")
    for function in data["functions"]:
        core = by_id[function["image"]]
        local = function["local_func"]
        check(function["name"] == core.names[local] and
              function["func_index"] == local + core.imports,
              f"local {local} is {core.names[local]}, not {function['name']}")
    return len(data["offsets"])


def self_of(data, *names):
    """Samples of the named functions, in this order."""
    counts = {}
    for function in data["functions"]:
        counts[function["name"]] = counts.get(function["name"], 0) + function["self"]
    return [counts.get(name, 0) for name in names]


def check_split(data, first, second, part, at_least=1500):
    """`first` has `part` per cent of the two's samples, within 3 points."""
    one, two = self_of(data, first, second)
    check(one + two >= at_least, f"only {one + two} samples in {first} and {second}")
    near(100.0 * one / (one + two), part, 3, f"{first} of {first} and {second}, %")


def folded(recording):
    """The folded stacks: a list of (frames from the outermost in, count)."""
    stacks = []
    for line in lib.aotscope("report", recording, "--folded").stdout.splitlines():
        check(re.fullmatch(r"[^;]+(;[^;]+)* [0-9]+", line), f"not a folded line: {line}")
        chain, count = line.rsplit(" ", 1)
        stacks.append((chain.split(";"), int(count)))
    return stacks


def perf_ips(path):
    """User addresses of perf's samples."""
    text = lib.run(["perf", "script", "-i", path, "-F", "ip"]).stdout
    ips = [int(word, 16) for word in text.split()]
    return [ip for ip in ips if ip < 1 << 47]


def our_programs(pid):
    """Ids of the BPF programs that a process holds, by its descriptors."""
    ids = set()
    for entry in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            with open(f"/proc/{pid}/fdinfo/{entry}") as info:
                ids.update(int(line.split()[1]) for line in info if line.startswith("prog_id:"))
        except FileNotFoundError:
            continue
    return ids


def loaded_programs():
    return {p["id"] for p in json.loads(lib.run(["bpftool", "-j", "prog", "show"]).stdout)}
