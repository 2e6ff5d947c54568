"""top in its plain and its JSON form: a table or a line for each interval, sums that grow, an end
by count, duration, signal or the target's end, and nothing left behind."""
import json
import signal
import subprocess
import time

import lib
from lib import check, say
from wamr_common import (check_offsets, check_split, check_sums, loaded_programs, our_programs,
                         start_ready, start_stopped)

lib.need_root()
image = lib.inputs("split")
target, _ = start_ready(image, 0)

say("-- plain")
result = lib.aotscope("top", "-p", target.pid, "--plain", "-n", "3", "--interval", "0.5")
tables = [line for line in result.stdout.splitlines() if "cpu-clock" in line and "Hz" in line]
check(len(tables) == 3, f"{len(tables)} tables, not 3:\n{result.stdout}")
check(result.stdout.count(" two ") >= 3, result.stdout)
check("\x1b" not in result.stdout, "escape sequences on a pipe")
check(result.stderr == "", f"stderr: {result.stderr}")

say("-- not a terminal: plain by itself")
result = lib.aotscope("top", "-p", target.pid, "-n", "1")
check("two" in result.stdout and "\x1b" not in result.stdout, result.stdout)

say("-- JSON")
result = lib.aotscope("top", "-p", target.pid, "--json", "--offsets", "-n", "4", "--interval", "1")
lines = result.stdout.splitlines()
check(len(lines) == 4, f"{len(lines)} lines, not 4")
KEYS = {"schema", "event", "frequency_hz", "duration_s", "samples", "images", "regions",
        "functions", "host"}
FUNCTION = {"image", "local_func", "func_index", "name", "self", "total", "kernel", "classes",
            "waits"}
before = -1
for line in lines:
    data = json.loads(line)
    check(data["schema"] == 1 and KEYS <= set(data), f"keys: {sorted(data)}")
    check({"total", "wasm", "host", "kernel", "unknown", "lost"} == set(data["samples"]),
          f"{data['samples']}")
    for function in data["functions"]:
        check(FUNCTION <= set(function), f"{function}")
    check({"image", "path", "core", "format", "version", "arch", "text_size", "functions"} <=
          set(data["images"][0]), f"{data['images']}")
    check({"pid", "image", "start", "size", "first_s", "last_s"} <= set(data["regions"][0]),
          f"{data['regions']}")
    check_sums(data)
    check_offsets(data, image)
    check(data["samples"]["total"] > before, "the counts do not grow")
    before = data["samples"]["total"]
if data["samples"]["total"] >= 1500:
    check_split(data, "one", "two", 100 / 3)
check("frequency_hz" in data and data["frequency_hz"] == 999, f"{data['frequency_hz']}")

say("-- signals")
for number in (signal.SIGINT, signal.SIGTERM):
    with open(lib.folder() / "out", "w") as out:
        top = lib.start([lib.AOTSCOPE, "top", "-p", target.pid, "--json", "--interval", "0.3"],
                        stdout=out, stderr=subprocess.PIPE, text=True)
    lib.wait_for(lambda: (lib.folder() / "out").read_text().count("\n") >= 2, "two lines")
    ours = our_programs(top.pid)
    top.send_signal(number)
    start = time.monotonic()
    _, stderr = top.communicate(timeout=10)
    check(top.returncode == 0 and stderr == "", f"{number}: {top.returncode} {stderr}")
    for line in (lib.folder() / "out").read_text().splitlines():
        json.loads(line)  # the last one is whole too
    check(ours and not ours & loaded_programs(), "programs are still loaded")

say("-- nobody reads any more")
result = lib.run(["bash", "-c", f"'{lib.AOTSCOPE}' top -p {target.pid} --plain --interval 0.2 | "
                  "head -n 1; echo ${PIPESTATUS[0]}"], timeout=20)
check(result.stdout.splitlines()[-1] == "0", f"{result.stdout} {result.stderr}")

say("-- the duration, and the target's end")
result = lib.aotscope("top", "-p", target.pid, "--json", "-d", "1", "--interval", "0.4")
check(2 <= len(result.stdout.splitlines()) <= 4, f"{len(result.stdout.splitlines())} lines")
short = start_stopped(lib.wamr(), "run", image, 40)
with open(lib.folder() / "out", "w") as out:
    top = lib.start([lib.AOTSCOPE, "top", "-p", short.pid, "--json", "--interval", "0.3"],
                    stdout=out, stderr=subprocess.PIPE, text=True)
lib.wait_for(lambda: (lib.folder() / "out").read_text(), "the first line")
short.send_signal(signal.SIGCONT)
_, stderr = top.communicate(timeout=30)
check(top.returncode == 0 and f"pid {short.pid} exited" in stderr, f"{top.returncode} {stderr}")
data = json.loads((lib.folder() / "out").read_text().splitlines()[-1])
check(data["samples"]["wasm"] > 0 and data["targets"][0]["exited"], f"{data['samples']}")
target.kill()
