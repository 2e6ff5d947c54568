"""record -- COMMAND: a program, a shell that runs several, and a chain of children; the status that
the command ends with is record's, a signal as 128 + its number."""
import os
import signal
import subprocess
import time

import lib
from lib import check, say
from wamr_common import (MIN_WASM, Recorder, attributed, check_offsets, check_rate, check_sums,
                         check_split)

lib.need_root()
wamr = lib.wamr()
split, mix = lib.inputs("split"), lib.inputs("mix")


def launch(*command, expect=0, arguments=()):
    recording = lib.record(*arguments, "--", *command, expect=expect, stdin=subprocess.DEVNULL)
    data = lib.report(recording)
    check_sums(data)
    return data


say("-- a program: its whole life, and its output is its own")
output = lib.folder() / "out.db"
result = lib.aotscope("record", "-o", output, "--", wamr, "run", split, "200")
check(result.stdout.strip().isdigit(), f"stdout is not the program's: {result.stdout}")
data = lib.report(output)
check(attributed(data) >= MIN_WASM, f"only {attributed(data):.2f} % have names")
check_offsets(data, split)
check_split(data, "one", "two", 100 / 3)
check(data["targets"][0]["exited"] and data["targets"][0].get("exit_status") == 0,
      f"targets: {data['targets']}")

say("-- a shell that runs two programs, one behind the other")
data = launch("sh", "-c", f"'{wamr}' run '{split}' 60 && '{wamr}' run '{mix}' 5; exit 7", expect=7)
check({os.path.basename(i["path"]) for i in data["images"]} == {"split.cwasm", "mix.cwasm"},
      f"images: {data['images']}")
shares = lib.shares(data)
check(shares.get("two", 0) > 5 and shares.get("fp", 0) > 5, f"{shares}")
check(data["samples"]["unknown"] <= 0.005 * data["samples"]["total"], f"{data['samples']}")
cpu = sum(t["cpu_s"] for t in data["targets"])
check_rate(data, cpu)

say("-- children of children, two at once")
script = f"('{wamr}' run '{split}' 100 & '{wamr}' run '{split}' 100 & wait) & wait"
data = launch("sh", "-c", f"sh -c \"{script}\"; true")
pids = {r["pid"] for r in data["regions"]}
check(len(pids) == 2, f"the text was seen in {len(pids)} processes, not 2")
check(len(data["images"]) == 1, f"one file, {len(data['images'])} images")
check(attributed(data) >= 95, f"only {attributed(data):.2f} % have names")
check_split(data, "one", "two", 100 / 3)

say("-- wamrc compiles and starts the runtime as its child")
source = lib.folder() / "split.wasm"
lib.shutil.copy(split.with_suffix(".wasm"), source)
data = launch(wamr.with_name("wamrc"), "run", source)
check([os.path.basename(i["path"]) for i in data["images"]] == ["split.cwasm"], f"{data['images']}")
check_offsets(data, source.with_suffix(".cwasm"))
check_split(data, "one", "two", 100 / 3, at_least=700)  # the rounds that it does by itself
# The compiler is handed a module that is not compiled: that is its work, no mistake of the user.
check(not data["warnings"], f"{data['warnings']}")

say("-- short lives: whatever the moment at which it is looked at, nothing wrong is said")
for _ in range(15):
    lib.record("--", wamr, "run", split, "3", stdin=subprocess.DEVNULL)
    check("warning" not in lib.record.stderr, lib.record.stderr)

say("-- the status")
for command, status in ((["sh", "-c", "exit 3"], 3), (["false"], 1),
                        (["sh", "-c", "kill -TERM $$"], 128 + signal.SIGTERM),
                        (["sh", "-c", "kill -KILL $$"], 128 + signal.SIGKILL),
                        ([wamr, "run", lib.folder() / "none.cwasm"], None)):
    output = lib.folder() / "status.db"
    result = lib.aotscope("record", "-o", output, "--force", "--", *command, expect=status)
    plain = lib.run(command).returncode
    wanted = plain if plain >= 0 else 128 - plain
    check(result.returncode == wanted, f"{command}: exit {result.returncode}, not {wanted}")
    check(output.exists(), f"{command}: no recording")
result = lib.aotscope("record", "-o", lib.folder() / "none.db", "--", "/no/such/program", expect=1)
check("error: " in result.stderr and "/no/such/program" in result.stderr, result.stderr)
check(not (lib.folder() / "none.db").exists(), "a recording of a program that never started")

say("-- the duration ends the recording, not the command")
start = time.monotonic()
result = lib.aotscope("record", "-d", "0.5", "-o", lib.folder() / "short.db", "--", "sh", "-c",
                      f"'{wamr}' run '{split}' 60; exit 5", expect=5)
data = lib.report(lib.folder() / "short.db")
check(data["duration_s"] < 2, f"recorded {data['duration_s']} s, not 0.5")

say("-- a signal goes to the command too, and the recording is complete")
recorder = Recorder("--", wamr, "run", split, "0")
time.sleep(1)
recorder.stop(signal.SIGTERM, expect=128 + signal.SIGTERM)
data = lib.report(recorder.output)
check(data["samples"]["total"] > 0, "no samples")
