"""What the BPF programs cost: their run time for each sample of the target, beside bpftrace's."""
import os
import re
import signal
import subprocess
import time

import lib
import wamr_common as common
from checks import Short, check, kill, once

STATS = "/proc/sys/kernel/bpf_stats_enabled"
ROUNDS = 6
CPU = 2.0  # seconds of the target's in each round


def program_times(pid):
    """Run time in ns and runs of each BPF program that a process holds, by its id."""
    times = {}
    for entry in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            with open(f"/proc/{pid}/fdinfo/{entry}") as info:
                fields = dict(line.split(":\t", 1) for line in info if ":\t" in line)
        except FileNotFoundError:
            continue
        if "prog_id" in fields:
            times[int(fields["prog_id"])] = (int(fields.get("run_time_ns", 0)),
                                             int(fields.get("run_cnt", 0)))
    return times


class Stats:
    """kernel.bpf_stats_enabled, as it was at the end."""

    def __enter__(self):
        with open(STATS) as stats:
            self.before = stats.read()
        with open(STATS, "w") as stats:
            stats.write("1")

    def __exit__(self, *_):
        with open(STATS, "w") as stats:
            stats.write(self.before)


def of_aotscope(pid, *arguments):
    """ns of BPF run time for each sample, over all programs of one recording."""
    recorder = common.Recorder("-p", pid, *arguments)
    common.wait_cpu(pid, CPU)
    os.kill(pid, signal.SIGSTOP)  # no sample comes any more: time and samples are of one moment
    time.sleep(0.05)
    total = sum(ns for ns, _ in program_times(recorder.process.pid).values())
    data = lib.report(recorder.stop())
    os.kill(pid, signal.SIGCONT)
    samples = data["samples"]["total"] + data["samples"]["lost"]
    if samples < 1000:
        raise Short(f"only {samples} samples")
    return total / samples


def of_bpftrace(pid, action):
    """The same of bpftrace, whose program runs on every CPU and filters."""
    script = f"profile:hz:999 /pid == {pid}/ {{ {action} }}"
    out = open(lib.folder() / "bpftrace.out", "w+")
    tracer = lib.start(["bpftrace", "-e", script], stdout=out, stderr=subprocess.DEVNULL)

    def attached():
        if tracer.poll() is not None:
            raise Short(f"bpftrace ended with {tracer.returncode}")
        return any(runs for _, runs in program_times(tracer.pid).values())
    lib.wait_for(attached, "bpftrace to sample", 30)
    common.wait_cpu(pid, CPU)
    os.kill(pid, signal.SIGSTOP)
    time.sleep(0.05)
    total = sum(ns for ns, _ in program_times(tracer.pid).values())
    tracer.send_signal(signal.SIGINT)
    tracer.wait(60)
    os.kill(pid, signal.SIGCONT)
    out.seek(0)
    samples = sum(int(n) for n in re.findall(r"\]?: (\d+)$", out.read(), re.M))
    out.close()
    if samples < 1000:
        raise Short(f"only {samples} samples by bpftrace")
    return total / samples


def compare(pid, rounds=ROUNDS):
    """The best of several rounds by turns: single ones scatter by half of their value."""
    best = {}
    with Stats():
        for _ in range(rounds):
            for name, cost in (
                    ("stacks", lambda: of_aotscope(pid)),
                    ("bpftrace ustack", lambda: of_bpftrace(pid, "@[ustack] = count();")),
                    ("lean", lambda: of_aotscope(pid, "--no-stacks")),
                    ("bpftrace ip", lambda: of_bpftrace(pid, '@[reg("ip")] = count();'))):
                value = cost()
                best[name] = min(value, best.get(name, value))
    return best


@once
def costs(name):
    target, _ = common.start_ready(lib.inputs(name), 0)
    best = compare(target.pid)
    kill(target)
    return best


@check("cost-stacks", "BPF run time for each sample of the target, with stacks: at most that of "
       "bpftrace's @[ustack] = count()")
def cost_stacks():
    best = costs("mix")
    ratio = best["stacks"] / best["bpftrace ustack"]
    return (f"{best['stacks']:.0f} ns and {best['bpftrace ustack']:.0f} ns: {ratio:.2f} (best of "
            f"{ROUNDS} rounds by turns)", ratio <= 1)


@check("cost-lean", "the same without stacks: at most 0.8 of @[reg(\"ip\")] = count()")
def cost_lean():
    best = costs("mix")
    ratio = best["lean"] / best["bpftrace ip"]
    return f"{best['lean']:.0f} ns and {best['bpftrace ip']:.0f} ns: {ratio:.2f}", ratio <= 0.8
