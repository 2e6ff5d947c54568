"""perfmap: `perf report` of a process shows the names of its wasm functions."""
import re
import shutil
from pathlib import Path

import lib
from lib import AOTSCOPE, aotscope, check, folder, run, say, start_wamr

lib.need_root()
if shutil.which("perf") is None:
    lib.skip("perf (Debian's linux-perf) is not installed")
image = lib.inputs("mix")
target = start_wamr(image, 0)
lib.wait_for(lambda: "mapped" in aotscope("ps").stdout.split(str(target.pid), 1)[-1].split("\n")[0],
             "mix to be mapped")
path = Path(f"/tmp/perf-{target.pid}.map")
# A link that somebody put there is replaced, not followed.
victim = folder() / "victim"
victim.write_text("untouched")
path.symlink_to(victim)
try:
    said = aotscope("perfmap", "-p", target.pid).stdout
    check(str(path) in said, said)
    check(victim.read_text() == "untouched" and not path.is_symlink(), "the link was followed")
    lines = path.read_text().splitlines()
    check(all(re.fullmatch(r"[0-9a-f]+ [0-9a-f]+ .{3,}", line) for line in lines), lines[:3])
    check({"fp", "dispatch", "interp"} <= {line.split(" ", 2)[2].strip() for line in lines}, "names")

    perf_data = folder() / "perf.data"
    recorder = lib.start([AOTSCOPE, "record", "-p", target.pid, "-d", "3", "-o",
                          folder() / "run.db", "-q"])
    perf = run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-p", target.pid, "-o",
                perf_data, "--", "sleep", "3"])
    check(perf.returncode == 0, perf.stderr)
    recorder.wait(20)
    shown = run(["perf", "report", "-i", perf_data, "--stdio", "--sort", "symbol"])
    check(shown.returncode == 0, shown.stderr)
    shares = {name: float(share) for share, name in
              re.findall(r"^ +([0-9.]+)% +\[\.\] (\S+)", shown.stdout, re.M)}
    for name, share in lib.shares(lib.report(folder() / "run.db")).items():
        if share < 3:
            continue
        say(f"{name}: {share:.1f} %, perf {shares.get(name, 0):.1f} %")
        check(abs(shares.get(name, 0) - share) < 4, f"{name}: {share:.1f} %, perf {shares}")
    check(aotscope("perfmap", "-p", target.pid, "-o", "/dev/stdout").stdout.splitlines() == lines,
          "to stdout")
finally:
    path.unlink(missing_ok=True)
