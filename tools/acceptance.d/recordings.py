"""Recordings: how large they are, what a long one holds in memory."""
import os
import signal
import statistics
import subprocess
import time
from pathlib import Path
from random import Random

import attach
import export_totals
import lib
import wamr_common as common
from checks import Short, anonymous, check, kill, once

FREQUENCY = 999
LONG = 600  # seconds of the long recording
KILLS = 50
FLUSH = 1.0  # seconds between two flushes of a recording
COMMIT = 0.3  # how long one may take: reading what the kernel side has, and the commit


def same_run(target, seconds):
    """aotscope's and perf's recordings with stacks of the same seconds: their sizes in bytes, the
    report, and (seconds, MiB of RssAnon) of `record` as time went on."""
    perf_data = lib.folder() / "long.perf"
    perf = lib.start(["perf", "record", "-q", "-g", "-e", "cpu-clock", "-F", FREQUENCY,
                      "-p", target.pid, "-o", perf_data], stderr=subprocess.DEVNULL)
    lib.wait_for(lambda: perf_data.exists() or perf.poll() is not None, "perf's file")
    recorder = common.Recorder("-p", target.pid, "-F", FREQUENCY)
    start, memory = time.monotonic(), []
    while (now := time.monotonic() - start) < seconds:
        memory.append((now, anonymous(recorder.process.pid)))
        time.sleep(1)
    if recorder.process.poll() is not None or target.poll() is not None:
        raise Short(f"did not last {seconds} s: {recorder.stderr}")
    memory.append((seconds, anonymous(recorder.process.pid)))
    # Those samples that only one of the two has are of less than a second.
    perf.send_signal(signal.SIGINT)
    recording = recorder.stop()
    perf.wait(120)
    data = lib.report(recording)
    sizes = os.path.getsize(recording), os.path.getsize(perf_data)
    perf_data.unlink()
    recording.unlink()
    return data, sizes, memory


@once
def long_run():
    target, _ = common.start_ready(lib.inputs("mix"), 0)
    # Ahead of whatever else this machine is doing: samples come with the target's CPU time.
    os.setpriority(os.PRIO_PROCESS, target.pid, -15)
    result = same_run(target, LONG)
    kill(target)
    return result


@check("size", "a recording with stacks of 10 minutes of mix.c at 999 Hz is less than a twentieth "
       "of perf record -g -F 999's file of the same run")
def size():
    data, (ours, theirs), _ = long_run()
    return (f"{ours / 1e6:.3f} MB and {theirs / 1e6:.3f} MB: 1/{theirs / ours:.0f}, of "
            f"{data['samples']['total']:,} samples in {data['duration_s']:.0f} s",
            data["stacks"] and ours < theirs / 20)


@check("flat-memory", "record's private memory at the end of those 10 minutes is within 1 MiB of "
       "that after one minute")
def flat_memory():
    _, _, memory = long_run()
    first = next(mib for seconds, mib in memory if seconds >= 60)
    last, most = memory[-1][1], max(mib for _, mib in memory)
    return (f"RssAnon {first:.2f} MiB after a minute, {last:.2f} MiB at the end "
            f"({last - first:+.2f}), {most:.2f} MiB at most", abs(last - first) <= 1)


@check("week", "a simulated week stays under 200 MB and report on it answers in under 2 s")
def week():
    recording = lib.folder() / "week.db"
    start = time.monotonic()
    made = lib.run([Path(lib.AOTSCOPE).parent / "make_week", recording], timeout=1800)
    if made.returncode != 0:
        raise Short(f"make_week: exit {made.returncode}: {made.stderr}")
    took = time.monotonic() - start
    megabytes = os.path.getsize(recording) / 1e6
    times = []
    for _ in range(5):
        # Ahead of whatever else this machine is doing: its queue is not report's time.
        start = time.monotonic()
        lib.run(["nice", "-n", "-20", lib.AOTSCOPE, "report", recording], check=True)
        times.append(time.monotonic() - start)
    data = lib.report(recording)
    common.check_sums(data)
    recording.unlink()
    fed = int(made.stdout.split()[0])
    return [(f"{megabytes:.1f} MB of {made.stdout.strip()} (made in {took:.0f} s)", megabytes < 200),
            (f"report takes {statistics.median(times):.2f} s (median of {len(times)}; "
             f"{min(times):.2f} to {max(times):.2f}; load average {os.getloadavg()[0]:.1f})",
             statistics.median(times) < 2),
            (f"{data['samples']['total']:,} samples are in it, and all sums are exact",
             data["samples"]["total"] == fed)]


def cpu_clock(pid):
    """CPU seconds of a process, to the nanosecond: /proc counts in hundredths."""
    return time.clock_gettime(~pid << 3 | 2)


def kill_one(target, after):
    """Kills a recorder so long after its start. Returns the recording, None where there was none
    yet, and which CPU time of the target is older than a flush: the least number of samples that
    must be there, in seconds; and all of it from the first sample on."""
    recorder = common.Recorder("-p", target.pid, "-F", FREQUENCY, sampling=False)
    start, said, clocks = time.monotonic(), None, []
    while (now := time.monotonic()) < start + after:
        clocks.append((now, cpu_clock(target.pid)))
        if said is None and "sampling pid" in recorder.stderr:
            said = clocks[-1][1]
        time.sleep(0.005)
    recorder.process.kill()
    end = time.monotonic()
    last = cpu_clock(target.pid)
    recorder.process.wait()
    if not recorder.output.exists():
        return None, 0, 0
    said = last if said is None else said
    flushed = max((cpu for at, cpu in clocks if at <= end - FLUSH - COMMIT), default=0)
    return recorder.output, max(0, flushed - said), last - said


@check("kill", f"kill -9 of record at {KILLS} random moments never yields an unreadable file nor "
       "loses more than a flush")
def kill_record():
    target, _ = common.start_ready(lib.inputs("mix"), 0)
    random = Random(1)
    files = samples = 0
    short, worst = [], 0.0
    for _ in range(KILLS):
        after = random.uniform(0.2, 4)
        recording, flushed, used = kill_one(target, after)
        if recording is None:
            if flushed:
                short.append(f"{after:.2f} s: no file")
            continue
        data = lib.report(recording)  # it can be read
        common.check_sums(data)
        files += 1
        have = data["samples"]["total"] + data["samples"]["lost"]
        samples += have
        # The timer's phase, and what a rate may be off.
        wanted = 0.95 * flushed * FREQUENCY - 3
        if have < wanted:
            short.append(f"{after:.2f} s: {have} of {wanted:.0f}")
        worst = max(worst, used - have / FREQUENCY)
        for path in (recording, *recording.parent.glob(recording.name + "-*")):
            path.unlink()
    kill(target)
    return [(f"{files} files of {KILLS} kills are there and read, with {samples:,} samples; sums are "
             "exact", files >= 0.9 * KILLS and samples > 0),
            (f"{len(short)} lost more than a flush {'; '.join(short[:5])}; at most {worst:.2f} s of "
             f"CPU time are missing", not short)]


def totals_of(recording, name):
    """What differs from the recording's total."""
    total = lib.report(recording)["samples"]["total"]
    found = export_totals.totals(recording)
    wrong = [f"{export} has {count:,}" for export, count in found if count != total]
    return (f"{name}: {len(found)} figures of {total:,} samples; {'; '.join(wrong) or 'all equal'}",
            not wrong and total > 1000 and export_totals.HAS_GO)


@check("export-totals", "every export's total equals the recording's")
def export_total():
    target, _ = common.start_ready(lib.inputs("mix"), 0)
    mix = common.record_pid(target.pid, 5)["recording"]
    kill(target)
    with attach.js_target() as (target, _):
        js = common.record_pid(target.pid, 15)["recording"]
    return [totals_of(mix, "mix"), totals_of(js, "the big component")]
