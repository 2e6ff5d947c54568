"""How a recording begins and ends: what cannot be recorded is said in one line with a cure, and
every way of ending leaves a complete recording and nothing in the kernel."""
import os
import signal
import subprocess
import time

import lib
from lib import check, say
from wamr_common import (Recorder, attributed, check_sums, loaded_programs, our_programs,
                         start_ready, start_stopped)

lib.need_root()
image = lib.inputs("split")


def refused(*arguments, words, **options):
    """Exit 1, one error line with `words`, a hint where there is a cure, no file left behind."""
    output = lib.folder() / "refused.db"
    result = lib.aotscope(*arguments, "-o", output, expect=1, **options)
    lines = result.stderr.splitlines()
    check(lines[0].startswith("aotscope: error: "), f"no error line: {result.stderr}")
    check(len(lines) == 1 or (len(lines) == 2 and lines[1].startswith("hint: ")),
          f"more than an error and a hint: {result.stderr}")
    for word in words:
        check(word in result.stderr, f"{arguments}: nothing about {word}: {result.stderr}")
    check(not result.stdout and not output.exists(), "an error left output behind")
    say(result.stderr.strip())
    return lines


say("-- a pid of nobody")
dead = lib.start(["true"])
dead.wait()
refused("record", "-p", dead.pid, words=[f"pid {dead.pid}"])
refused("record", "-p", 999999999, words=["999999999"])

say("-- a zombie")
zombie = lib.start(["true"])
time.sleep(0.3)
refused("record", "-p", zombie.pid, words=[f"pid {zombie.pid}"])

say("-- as nobody: someone else's process")
target, _ = start_ready(image, 0)
# The build folder may be closed to others.
copy = lib.folder() / "aotscope"
lib.shutil.copy(lib.AOTSCOPE, copy)
os.chmod(lib.folder(), 0o777)
lines = refused("record", "-p", target.pid, words=["hint: "], user="nobody", group="nogroup",
                extra_groups=[], executable=str(copy))
check(any(word in lines[1] for word in ("root", "setcap", "sudo")), f"no cure: {lines}")
result = lib.run([copy, "ps"], user="nobody", group="nogroup", extra_groups=[])
check(result.returncode == 0, f"ps as nobody: {result.returncode} {result.stderr}")

say("-- a program without wasm code")
plain = lib.start(["sh", "-c", "while :; do :; done"])
recording = lib.record("-p", plain.pid, "-d", "1")
plain.kill()
data = lib.report(recording)
check_sums(data)
check(data["samples"]["wasm"] == 0 and data["samples"]["host"] > 0, f"{data['samples']}")
check("no image" in lib.record.stderr, f"nothing says that there is no wasm code: "
      f"{lib.record.stderr}")
check("wasm" in lib.aotscope("report", recording).stdout, "the report is silent about wasm")

say("-- the target exits")
stopped = start_stopped(lib.wamr(), "run", image, 100)
recorder = Recorder("-p", stopped.pid)
os.kill(stopped.pid, signal.SIGCONT)
stopped.wait()
ended = time.monotonic()
recorder.wait(timeout=10)
say(f"record ended {time.monotonic() - ended:.2f} s behind its target")
check(time.monotonic() - ended < 3, "record went on after its last target ended")
check(f"pid {stopped.pid} exited" in recorder.stderr, recorder.stderr)
data = lib.report(recorder.output)
check_sums(data)
check(attributed(data) >= 99 and data["targets"][0]["exited"], f"{data['targets']}")

say("-- killed while it is recorded")
victim, _ = start_ready(image, 0)
recorder = Recorder("-p", victim.pid)
time.sleep(0.5)
victim.kill()
victim.wait()
recorder.wait(timeout=10)
check(lib.report(recorder.output)["samples"]["wasm"] > 0, "nothing of what it did before")

say("-- signals, and the duration")
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, None):
    before = time.monotonic()
    recorder = Recorder("-p", target.pid, *([] if number else ["-d", "1"]))
    ours = our_programs(recorder.process.pid)
    check(ours, "record holds no BPF program")
    if number:
        time.sleep(0.5)
        recorder.stop(number)
    else:
        recorder.wait(timeout=10)
    check(not ours & loaded_programs(), "programs are still loaded")
    data = lib.report(recorder.output)  # exit 0 and no warning: the recording is complete
    check_sums(data)
    check("wrote " in recorder.stderr, recorder.stderr)
    check(lib.aotscope("report", recorder.output).stderr == "", "the recording is not complete")
    check(data["targets"][0]["exited"] is False, f"{data['targets']}")
check(1 <= data["duration_s"] < 1.5, f"-d 1 lasted {data['duration_s']} s")

say("-- an existing file is kept")
kept = recorder.output.read_bytes()
result = lib.aotscope("record", "-p", target.pid, "-d", "1", "-o", recorder.output, expect=1)
check("--force" in result.stderr and recorder.output.read_bytes() == kept, result.stderr)

say("-- without -p, and without -o")
result = lib.aotscope("record", "-d", "0.3", cwd=lib.folder(), expect=None)
others = [line for line in lib.aotscope("ps").stdout.splitlines()[1:]]
check(any(line.split()[0] == str(target.pid) and "split.cwasm" in line for line in others),
      f"ps does not list it: {others}")
if len(others) == 1:
    check(result.returncode == 0, result.stderr)
    check((lib.folder() / f"aotscope-{target.pid}.db").exists(), result.stderr)
    check(f"aotscope-{target.pid}.db" in result.stderr, result.stderr)
else:  # someone else's runs here too
    check(result.returncode == 1 and str(target.pid) in result.stderr, result.stderr)

say("-- bad usage")
for arguments in (["record", "--no-such-option"], ["record", "-d", "soon", "-p", target.pid],
                  ["nothing"], []):
    result = lib.aotscope(*arguments, expect=None)
    check(result.returncode in (1, 2) and result.stderr, f"{arguments}: {result.returncode}")
    say(f"{arguments}: exit {result.returncode}")
target.kill()
