"""A recording of mix in the tools that people have: each is opened by the real consumer where it
is at hand, and each export's total is the recording's."""
import re

import export_totals as exports
import lib
from lib import aotscope, check, say

lib.need_root()
recording = lib.record("-d", "3", "-p", lib.start_wamr(lib.inputs("mix"), 0).pid)
data = lib.report(recording)
total = data["samples"]["total"]
selves = {f["name"]: f["self"] for f in data["functions"] if f["self"]}
check(total > 300, f"samples: {total}")

say("-- totals")
for what, count in exports.totals(recording):
    check(count == total, f"{what}: {count} of {total}")

say("-- each function")
out = exports.write_files(recording)
for row in exports.csv_rows(recording):
    if row["kind"] == "wasm":
        check(int(row["self"]) == selves.get(row["name"], 0), f"csv: {row}")
for leaves in (exports.speedscope(out["speedscope"]), exports.firefox(out["firefox"])):
    check(all(leaves.get(name) == self for name, self in selves.items()), f"{leaves}")
check(any(title.startswith("fp ") for title in exports.svg_titles(out["svg"])), "fp is there")
shown = {f["name"]: f["self"] for f in exports.html_data(out["html"])["functions"]}
check(all(shown.get(name) == self for name, self in selves.items()), f"html: {shown}")

say("-- in time")
timeline = aotscope("report", recording, "--timeline").stdout
check(re.search(r"^\S+ +[0-9.]+  all", timeline, re.M) and "  fp" in timeline, timeline)
check(aotscope("report", recording, "--svg", recording, expect=1).stderr.count("error") == 1,
      "a recording was overwritten")

say("-- go tool pprof")
if not exports.HAS_GO:
    lib.skip("everything but pprof passed; go (Debian's golang-go) is not installed")
top = exports.pprof(out["pprof"], "-top", "-nodefraction=0", "-nodecount=1000")
shown = {}
for line in top.split("flat%", 1)[1].splitlines()[1:]:
    flat, share, _, _, _, name = line.split(None, 5)
    shown[name] = (int(flat), float(share.rstrip("%")))
for name, self in selves.items():
    check(name in shown and shown[name][0] == self, f"{name}: {self}, pprof has {shown.get(name)}")
    check(abs(shown[name][1] - 100 * self / total) < 0.01, f"{name}: {shown[name]}")
say(f"{len(selves)} functions with the same samples and shares")
tags = exports.pprof(out["pprof"], "-tags")
for cls, count in {k: v for f in data["functions"] for k, v in f["classes"].items()}.items():
    check(re.search(rf"^ +[0-9]+ .*: {cls}$", tags, re.M), f"label class={cls} is not there:\n{tags}")
check("image: Total" in tags and "mix.cwasm" in tags, tags)
only = exports.pprof(out["pprof"], "-top", "-nodefraction=0", "-tagfocus=class=^dispatch$")
wanted = sum(f["classes"].get("dispatch", 0) for f in data["functions"])
check(f"Showing nodes accounting for {wanted}," in only, f"dispatch is {wanted}: {only[:400]}")
