"""S7: a kernel that gives little, and a user who may do little."""
import os
import shutil
from pathlib import Path

import lib
from case_lib import Loader, Recording, images, one_error_line, show
from lib import check, say

lib.need_root()
loader = Loader(images() / "a.cwasm")
loader.load("A", images() / "a.cwasm")
loader.do("thread", "t")


def works(recording_file, what, least=50):
    data = lib.report(recording_file)
    show(data)
    check(lib.shares(data).get("alpha", 0) > 99, f"{what}: alpha is not what it saw")
    check(data["samples"]["wasm"] >= least, f"{what}: only {data['samples']}")
    return data


def recorded(*arguments, prefix=(), seconds=0.6, expect=0, tool=None):
    """A recording of alpha for so long; the command's result and its file."""
    output = lib.folder() / f"run-{len(os.listdir(lib.folder()))}.db"
    loader.do("@t", "spin", "A", "alpha", seconds + 0.5)
    result = lib.run([*prefix, tool or lib.AOTSCOPE, "record", "-p", loader.pid, "-d", seconds,
                      "-o", output, *arguments])
    loader.do("join", "t")
    if expect is not None:
        check(result.returncode == expect, f"{arguments}: {result.stderr}")
    return result, output


def works_or_says(result, output, what, *missing):
    """Works, or one error that names the missing thing, with its cure."""
    if result.returncode == 0:
        say(f"  {what}: works")
        works(output, what)
        return
    error = one_error_line(result, what)
    say(f"  {what}: {error}")
    check(any(word in error for word in missing), f"{what}: names none of {missing}: {error}")
    check("\nhint: " in "\n" + result.stderr, f"{what}: no cure: {result.stderr}")
    check(not output.exists(), f"{what}: a recording is left although nothing was sampled")


say("(a) no PMU")
has_pmu = any(Path("/sys/bus/event_source/devices").glob("cpu*"))
result, output = recorded()
event = works(output, "default event")["event"]
say(f"  PMU: {has_pmu}, event {event}")
check(event in result.stderr, f"it does not say which event: {result.stderr}")
if not has_pmu:
    check(event == "cpu-clock", f"event {event} without a PMU")
    result, output = recorded("-e", "cycles", expect=1)
    check("cycles" in one_error_line(result, "-e cycles") and "cpu-clock" in result.stderr,
          f"-e cycles: {result.stderr}")

say("(b) 200000 Hz asked")
limit = int(Path("/proc/sys/kernel/perf_event_max_sample_rate").read_text())
before = lib.cpu_seconds(loader.pid)
result, output = recorded("-F", "200000")
data = works(output, "200000 Hz")
granted = data["frequency_hz"]
check(granted == min(200000, limit), f"granted {granted}, the kernel's limit is {limit}")
text = lib.aotscope("report", output).stdout
say(text.splitlines()[0])
if granted != 200000:
    check("200000" in result.stderr and str(granted) in result.stderr, f"said: {result.stderr}")
    check("200000" in text and "asked" in text, f"the report does not say what was asked:\n{text}")
check(str(granted) in text, f"the report does not say what was granted:\n{text}")
achieved = (data["samples"]["total"] + data["samples"]["lost"]) / data["duration_s"]
check("achieved" in text or achieved > 0.9 * granted,
      f"the report does not say what was achieved ({achieved:.0f} Hz of wall time):\n{text}")

say("(c) more functions than fit")
many = Loader(images() / "many.cwasm")
many.load("M", images() / "many.cwasm")
many.do("thread", "t")
for arguments in (["--no-stacks", "--map-entries", "16"], ["--buffer", "4096"]):
    recording = Recording("-F", "999", "-p", many.pid, *arguments)
    before = lib.cpu_seconds(many.pid)
    many.do("rounds", "M", 2)
    used = lib.cpu_seconds(many.pid) - before
    recording.stop()
    data = recording.report()
    samples = data["samples"]
    wanted = data["frequency_hz"] * used
    say(f"  {arguments}: {samples}, wanted {wanted:.0f}")
    lib.near(samples["total"] + samples["lost"], wanted, 0.05 * wanted, "received + lost")
    check(samples["lost"] > 0, "the case needs losses, and has none")
    lost = str(samples["lost"])
    text = lib.aotscope("report", recording.path).stdout
    check(f"lost {lost}" in text.replace(",", ""), f"lost is not in the report:\n{text[:600]}")
    cure = arguments[-2]
    check(cure in text, f"the report does not name the cure, {cure}:\n{text[:600]}")
    check(f"lost {lost}" in recording.stderr, f"lost is not said at the end: {recording.stderr}")
    # What is there is right: every offset in its function.
    check(data["samples"]["unknown"] == 0, f"unknown samples: {samples}")
many.do("@t", "rounds", "M", 1.5)
live = lib.aotscope("top", "--plain", "-n", "1", "--interval", "0.7", "-p", many.pid, "--no-stacks",
                    "--map-entries", "16").stdout
many.do("join", "t")
many.end()
check("lost" in live and "lost 0" not in live, f"top does not show what was lost:\n{live[:400]}")

say("(d) tracefs and debugfs are not mounted")
mounts = Path("/proc/self/mounts")
unmount = "umount -l /sys/kernel/tracing /sys/kernel/debug 2>/dev/null; "
visible = "grep -cE ' (tracefs|debugfs) ' /proc/self/mounts; "
before = mounts.read_text()
result, output = recorded(prefix=["unshare", "-m", "sh", "-c",
                                  unmount + visible + "\"$@\"; status=$?; " + visible +
                                  "exit $status", "sh"])
works(output, "without tracefs")
counts = result.stdout.split()
check(counts[:1] == ["0"] and counts[-1:] == ["0"], f"tracefs was or is mounted: {counts}")
check(mounts.read_text() == before, "a mount is left behind")

say("(e) as nobody")
lib.folder().chmod(0o777)
tool = lib.folder() / "aotscope"
shutil.copy(lib.AOTSCOPE, tool)
nobody = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
for name in ("bad", "."):
    (images() / name).chmod(0o755)
own = Loader(images() / "a.cwasm", prefix=[*nobody])
own.load("A", images() / "a.cwasm")
output = lib.folder() / "nobody.db"
result = lib.run([*nobody, tool, "record", "-p", own.pid, "-d", "0.3", "-o", output])
works_or_says(result, output, "as nobody", "CAP_BPF", "CAP_PERFMON")
result = lib.run([*nobody, tool, "record", "-p", loader.pid, "-d", "0.3", "-o", output])
works_or_says(result, output, "as nobody, another's process", "CAP_BPF", "CAP_PERFMON", "permitted")
for command in ("ps", "doctor"):
    result = lib.run([*nobody, tool, command])
    check(result.returncode in (0, 1), f"{command} as nobody: {result.returncode} {result.stderr}")
own.end()

say("(f) memlock 0")
result, output = recorded(prefix=["prlimit", "--memlock=0:0"])
works(output, "memlock 0")
without = ["setpriv", "--bounding-set", "-ipc_lock,-sys_resource", "--inh-caps", "-all"]
result, output = recorded(prefix=["prlimit", "--memlock=0:0", *without], expect=None)
works_or_says(result, output, "memlock 0 without CAP_IPC_LOCK", "memlock", "MEMLOCK")

say("(g) empty BTF")
empty = lib.folder() / "empty"
empty.write_bytes(b"")
result, output = recorded(prefix=["unshare", "-m", "sh", "-c",
                                  f"mount --bind {empty} /sys/kernel/btf/vmlinux && exec \"$@\"",
                                  "sh"], expect=None)
works_or_says(result, output, "empty BTF", "/sys/kernel/btf/vmlinux")
loader.end()
