"""A recording of mix in the tools that people have: each is opened by the real consumer where it
is at hand, and each export's total is the recording's."""
import csv
import json
import re
import shutil
import xml.etree.ElementTree

import lib
from lib import aotscope, check, folder, run, say

lib.need_root()
recording = lib.record("-d", "3", "-p", lib.start_wamr(lib.inputs("mix"), 0).pid)
data = lib.report(recording)
total = data["samples"]["total"]
selves = {f["name"]: f["self"] for f in data["functions"] if f["self"]}
check(total > 300, f"samples: {total}")
out = {name: folder() / f"mix.{name}" for name in ("pb.gz", "speedscope", "firefox", "svg")}
aotscope("report", recording, "--pprof", out["pb.gz"], "--speedscope", out["speedscope"],
         "--firefox", out["firefox"], "--svg", out["svg"])

say("-- folded")
counts = [int(line.rpartition(" ")[2]) for line in
          aotscope("report", recording, "--folded").stdout.splitlines()]
check(sum(counts) == total, f"folded: {sum(counts)} of {total}")

say("-- csv")
rows = list(csv.DictReader(aotscope("report", recording, "--csv").stdout.splitlines()))
check(sum(int(row["self"]) for row in rows) == total, "csv does not add up")
for row in rows:
    if row["kind"] == "wasm":
        check(int(row["self"]) == selves.get(row["name"], 0), f"csv: {row}")

say("-- speedscope, by its documented schema")
speedscope = json.loads(out["speedscope"].read_text())
check(speedscope["$schema"] == "https://www.speedscope.app/file-format-schema.json", "schema")
(profile,) = speedscope["profiles"]
check(profile["type"] == "sampled" and profile["unit"] == "none", "kind of profile")
check(sum(profile["weights"]) == profile["endValue"] - profile["startValue"] == total, "weights")
leaves = {}
for stack, weight in zip(profile["samples"], profile["weights"], strict=True):
    name = speedscope["shared"]["frames"][stack[-1]]["name"]
    leaves[name] = leaves.get(name, 0) + weight
check(all(leaves.get(name) == self for name, self in selves.items()), f"{leaves}")

say("-- firefox, by its documented tables")
firefox = json.loads(out["firefox"].read_text())
check(firefox["meta"]["preprocessedProfileVersion"] == 48, "version")
(thread,) = firefox["threads"]
check(sum(thread["samples"]["weight"]) == total, "weights")
leaves = {}
for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"], strict=True):
    func = thread["frameTable"]["func"][thread["stackTable"]["frame"][stack]]
    name = thread["stringArray"][thread["funcTable"]["name"][func]]
    leaves[name] = leaves.get(name, 0) + weight
check(all(leaves.get(name) == self for name, self in selves.items()), f"{leaves}")

say("-- svg")
svg = xml.etree.ElementTree.parse(out["svg"]).getroot()
titles = [t.text for t in svg.iter("{http://www.w3.org/2000/svg}title")]
check(any(t.startswith(f"all\n{total:,} samples") for t in titles), "the root's samples")
check(any(t.startswith("fp ") for t in titles), "fp is there")

say("-- in time, by groups")
whole = json.loads(aotscope("report", recording, "--from", "0", "--json").stdout)
check(whole["samples"]["total"] == total, "the whole run as a window")
timeline = aotscope("report", recording, "--timeline").stdout
check(re.search(r"^\S+ +[0-9.]+  all", timeline, re.M) and "  fp" in timeline, timeline)
for group in ("class", "function", "image", "thread", "stack"):
    text = aotscope("report", recording, "--group", group, "--limit", "0").stdout
    numbers = [int(line.split()[1].replace(",", "")) for line in text.splitlines()[1:]]
    check(sum(numbers) == total, f"--group {group}: {sum(numbers)} of {total}")
check(aotscope("report", recording, "--svg", recording, expect=1).stderr.count("error") == 1,
      "a recording was overwritten")

say("-- go tool pprof")
if shutil.which("go") is None:
    lib.skip("everything but pprof passed; go (Debian's golang-go) is not installed")


def pprof(*arguments):
    result = run(["go", "tool", "pprof", "-sample_index=samples", *arguments, out["pb.gz"]])
    check(result.returncode == 0, f"pprof: {result.stderr}")
    return result.stdout


top = pprof("-top", "-nodefraction=0", "-nodecount=1000")
check(f"of {total} total" in top, top[:400])
shown = {}
for line in top.split("flat%", 1)[1].splitlines()[1:]:
    flat, share, _, _, _, name = line.split(None, 5)
    shown[name] = (int(flat), float(share.rstrip("%")))
for name, self in selves.items():
    check(name in shown and shown[name][0] == self, f"{name}: {self}, pprof has {shown.get(name)}")
    check(abs(shown[name][1] - 100 * self / total) < 0.01, f"{name}: {shown[name]}")
say(f"{len(selves)} functions with the same samples and shares")
tags = pprof("-tags")
for cls, count in {k: v for f in data["functions"] for k, v in f["classes"].items()}.items():
    check(re.search(rf"^ +[0-9]+ .*: {cls}$", tags, re.M), f"label class={cls} is not there:\n{tags}")
check("image: Total" in tags and "mix.cwasm" in tags, tags)
only = pprof("-top", "-nodefraction=0", "-tagfocus=class=^dispatch$")
wanted = sum(f["classes"].get("dispatch", 0) for f in data["functions"])
check(f"Showing nodes accounting for {wanted}," in only, f"dispatch is {wanted}: {only[:400]}")
