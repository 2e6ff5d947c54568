"""Attaching to a running wamr and saying where its CPU time goes."""
import contextlib
import os
import signal
import statistics
import time

import lib
import wamr_common as common
import wamr_image
from checks import Short, anonymous, check, kill, once


@once
def mix_run():
    """The whole life of one run of mix.c: its report, and the CPU time that wait4 gives."""
    image = lib.inputs("mix")
    target = common.start_stopped(lib.wamr(), "run", image, 80)
    recorder = common.Recorder("-p", target.pid)
    os.kill(target.pid, signal.SIGCONT)
    _, status, usage = os.wait4(target.pid, 0)
    target.returncode = os.waitstatus_to_exitcode(status)
    if target.returncode != 0:
        raise Short(f"wamr ended with {target.returncode}")
    return lib.report(recorder.wait()), usage.ru_utime + usage.ru_stime, image


@check("attributed", "of a mix.c run, >= 99.5 % of the samples in user space are attributed")
def attributed():
    data, _, _ = mix_run()
    samples = data["samples"]
    share = 100 * (samples["total"] - samples["unknown"]) / samples["total"]
    wasm = common.attributed(data)
    return (f"{share:.3f} % attributed, {wasm:.3f} % to wasm functions, of {samples['total']}",
            share >= 99.5 and wasm >= 99.5)


@check("offsets", "every offset of --offsets lies in the function named, by the file's own table")
def offsets():
    data, _, image = mix_run()
    return f"{common.check_offsets(data, image)} offsets, all inside", True


@check("rate", "received samples are within 5 % of frequency x CPU seconds")
def rate():
    data, cpu, _ = mix_run()
    received = data["samples"]["total"] + data["samples"]["lost"]
    off = 100 * (received / (data["frequency_hz"] * cpu) - 1)
    return f"{received} samples in {cpu:.3f} s of CPU time: {off:+.2f} %", abs(off) <= 5


@once
def _js_target():
    return common.start_ready(lib.inputs("js"), 0)


@contextlib.contextmanager
def js_target():
    """The big component, running; all its texts are mapped. It stands still between its checks,
    which leaves the machine to the others."""
    target, texts = _js_target()
    os.kill(target.pid, signal.SIGCONT)
    try:
        yield target, texts
    finally:
        os.kill(target.pid, signal.SIGSTOP)


def one_start(pid):
    """Of one attach: seconds until it says so and until its programs are loaded, and the samples and
    the CPU time from then on: the line is no empty word."""
    start, clock = time.monotonic(), time.time()
    # Ahead of whatever else this machine is doing: its queue is not record's time.
    recorder = common.Recorder("-p", pid, sampling=False, prefix=["nice", "-n", "-20"])
    while "sampling pid" not in recorder.stderr:
        if recorder.process.poll() is not None:
            raise Short(recorder.stderr)
        time.sleep(0.002)
    said, first = time.monotonic() - start, lib.cpu_seconds(pid)
    common.wait_cpu(pid, 0.5)
    used = lib.cpu_seconds(pid) - first
    data = lib.report(recorder.stop())
    return said, data["started_unix_s"] - clock, data["samples"]["total"], used, \
        data["frequency_hz"]


@check("js-start", "record is sampling within 0.3 s of starting, on the big component")
def js_start():
    with js_target() as (target, _):
        starts = [one_start(target.pid) for _ in range(9)]
    times, loaded, samples, cpu, frequency = zip(*starts)
    # Summed up, as /proc counts in 10 ms.
    samples, cpu = sum(samples), sum(cpu)
    middle = statistics.median(times)
    return [(f"{middle:.3f} s until it says so (median of {len(times)}; {min(times):.3f} to "
             f"{max(times):.3f}; its programs are loaded at {statistics.median(loaded):.3f}; load "
             f"average {os.getloadavg()[0]:.1f})", middle <= 0.3),
            (f"{samples} samples in {cpu:.2f} s of CPU time from then on",
             samples >= 0.95 * frequency[0] * cpu)]


@once
def js_run():
    """A recording of the big component, with perf beside it, and what was seen meanwhile."""
    with js_target() as (target, texts):
        return js_run_of(target, texts)


def js_run_of(target, texts):
    data_file = lib.folder() / "js.perf"
    perf = lib.start(["perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-p", target.pid,
                      "-o", data_file])
    recorder = common.Recorder("-p", target.pid)
    most, first = 0.0, lib.cpu_seconds(target.pid)
    while lib.cpu_seconds(target.pid) - first < 15:
        most = max(most, anonymous(recorder.process.pid) or 0)
        time.sleep(0.02)
    recording = recorder.stop()
    perf.send_signal(signal.SIGINT)
    perf.wait(60)
    return lib.report(recording), common.perf_ips(data_file), texts, most


@check("js-memory", "record holds less than 64 MiB of private memory on the big component")
def js_memory():
    data, _, _, most = js_run()
    return (f"RssAnon {most:.1f} MiB at most, {data['samples']['total']} samples with stacks",
            0 < most < 64)


@check("js-cores", "record names the right core for each function of the big component")
def js_cores():
    data, ips, texts, _ = js_run()
    common.check_sums(data)
    image = lib.inputs("js")
    count = common.check_offsets(data, image)
    cores = wamr_image.cores(image)
    number = {entry["image"]: entry["core"] for entry in data["images"]}
    placed = sorted((int(r["start"], 16), number[r["image"]]) for r in data["regions"])
    theirs, total = {}, 0
    for ip in ips:
        for base, core in texts:
            if 0 <= ip - base < cores[core].text_size:
                key = core, min(cores[core].name_at(ip - base))
                theirs[key] = theirs.get(key, 0) + 1
                total += 1
    ours = {}
    for function in data["functions"]:
        start, _ = cores[number[function["image"]]].extent(function["local_func"])
        key = number[function["image"]], min(cores[number[function["image"]]].name_at(start))
        ours[key] = ours.get(key, 0) + function["self"]
    wasm = data["samples"]["wasm"]
    worst = max(abs(100 * ours.get(key, 0) / wasm - 100 * theirs.get(key, 0) / total)
                for key in set(ours) | set(theirs))
    unknown = 100 * data["samples"]["unknown"] / data["samples"]["total"]
    by_core = {core: sum(v for (c, _), v in ours.items() if c == core) for core in range(len(cores))}
    return [(f"texts at {', '.join(f'{b:#x} core {c}' for b, c in placed)}: where our own search "
             "finds them", placed == sorted(texts)),
            (f"{count} offsets in {len(ours)} functions, all inside; samples by core {by_core}",
             True),
            (f"shares of {len(set(ours) | set(theirs))} functions against perf's {total} samples: "
             f"{worst:.2f} points apart at most", worst <= 4),
            (f"{unknown:.3f} % of the samples are unknown", unknown <= 0.5)]
