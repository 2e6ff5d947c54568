"""Figures side by side: the best of several rounds by turns, and their ratio."""
import os
import signal
import subprocess
import sys
import time

import lib
import checks
import classes
import cost
import wamr_common as common

ROUNDS = 5
MIX_ROUNDS = 40  # about 4 s of CPU time


def row(what, ours, other, theirs, ratio, unit):
    print(f"{what:44} {ours:>10} {theirs:>10} {unit:8} {ratio:>7}  {other}", flush=True)


def compare(what, ours, other, theirs, unit, form="{:.2f}"):
    row(what, form.format(ours), other, form.format(theirs),
        f"{ours / theirs:.3f}" if theirs else "-", unit)


def run_mix(tool):
    """One life of mix under a tool: CPU seconds of the target, and of the tool with its RSS in MiB."""
    target = common.start_stopped(lib.wamr(), "run", lib.inputs("mix"), MIX_ROUNDS)
    watcher = None
    output = lib.folder() / "watched"
    if tool:
        words = {"aotscope": [lib.AOTSCOPE, "record", "-q", "--force"],
                 "aotscope --no-stacks": [lib.AOTSCOPE, "record", "-q", "--force", "--no-stacks"],
                 "perf": ["perf", "record", "-q", "-e", "cpu-clock", "-F", "999"],
                 "perf -g": ["perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-g"]}[tool]
        watcher = lib.start([*words, "-p", target.pid, "-o", output], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
        time.sleep(1.5)
    os.kill(target.pid, signal.SIGCONT)
    _, _, usage = os.wait4(target.pid, 0)
    target.returncode = 0
    cpu = usage.ru_utime + usage.ru_stime
    if not watcher:
        return {"target": cpu}
    _, _, own = os.wait4(watcher.pid, 0)
    watcher.returncode = 0
    return {"target": cpu, "tool": own.ru_utime + own.ru_stime, "rss": own.ru_maxrss / 1024,
            "bytes": os.path.getsize(output)}


def target_figures():
    best = {}
    tools = (None, "aotscope", "aotscope --no-stacks", "perf", "perf -g")
    for _ in range(ROUNDS):
        for tool in tools:
            run = run_mix(tool)
            known = best.setdefault(tool, run)
            best[tool] = {key: min(value, known[key]) for key, value in run.items()}
    bare = best[None]["target"]
    for ours, theirs in (("aotscope", "perf -g"), ("aotscope --no-stacks", "perf")):
        a, b = best[ours], best[theirs]
        title = "with stacks" if theirs == "perf -g" else "without stacks"
        compare(f"target's CPU time, {title}", a["target"] / bare, f"{theirs}; 1 is without either",
                b["target"] / bare, "x bare", "{:.4f}")
        compare(f"tool's CPU, {title}", 100 * a["tool"] / a["target"], theirs,
                100 * b["tool"] / b["target"], "% of one")
        compare(f"tool's largest RSS, {title}", a["rss"], theirs, b["rss"], "MiB", "{:.1f}")
        compare(f"recording, {title}", a["bytes"] / 1024, theirs, b["bytes"] / 1024, "KiB",
                "{:.0f}")


def bpf_figures():
    target, _ = common.start_ready(lib.inputs("mix"), 0)
    best = cost.compare(target.pid)
    checks.kill(target)
    compare("BPF run time for a sample, with stacks", best["stacks"], "bpftrace @[ustack]",
            best["bpftrace ustack"], "ns", "{:.0f}")
    compare("BPF run time for a sample, without stacks", best["lean"], "bpftrace @[reg(\"ip\")]",
            best["bpftrace ip"], "ns", "{:.0f}")


def inspect_figures():
    ours, theirs, memory = classes.inspect_and_objdump()
    compare("static counts of 58 MB of text", min(ours), "objdump -D", min(theirs), "s")
    row("their private memory (RssAnon)", f"{memory:.1f}", "", "-", "-", "MiB")


lib.need_root()
checks.install()
print(f"{'':44} {'aotscope':>10} {'other':>10} {'':8} {'ratio':>7}  other")
for name, figures in (("target", target_figures), ("bpf", bpf_figures),
                      ("inspect", inspect_figures)):
    if sys.argv[1] in ("all", name):
        figures()
print(f"best of several rounds by turns; load average {os.getloadavg()[0]:.1f} on "
      f"{os.cpu_count()} CPUs")
