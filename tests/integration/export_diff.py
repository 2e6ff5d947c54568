"""diff: two runs of the same thing show nothing, another build of it shows what changed."""
import json

import lib
from lib import aotscope, check, say

lib.need_root()
ROUNDS = 40
TRIES = 4


def recorded(image):
    return lib.record("-q", "--", lib.wamr(), "run", image, ROUNDS)


def compared(old, new, *arguments):
    return json.loads(aotscope("diff", old, new, "--json", *arguments).stdout)


image = lib.inputs("mix")
runs = [recorded(image) for _ in range(TRIES + 1)]
wrong = 0
for old, new in zip(runs, runs[1:]):
    found = [f["name"] for f in compared(old, new)["functions"] if f["significant"]]
    say(f"same build: {found or 'nothing'}")
    wrong += bool(found)
# One in twenty may; with four tries two are less likely than one in a hundred.
check(wrong <= 1, f"{wrong} of {TRIES} comparisons of the same thing show a change")

slow = recorded(lib.inputs("mix-O0"))
data = compared(runs[0], slow, "--work")
check(data["unit"] == "cpu-seconds", data["unit"])
check(all(f["matched_by"] == "name" for f in data["functions"]), "names match")
# Without register allocation there is nothing to spill: every local lives in its own slot.
classes = {c["class"]: c for c in data["classes"]}
for name in ("spill-load", "local-load"):
    say(f"-O0: {name} {classes[name]['change']:+.2f} s, {classes[name]['low']:+.2f} to "
        f"{classes[name]['high']:+.2f}")
    check(classes[name]["significant"], f"{name} did not change")
check(classes["spill-load"]["change"] < 0 < classes["local-load"]["change"], "spills became locals")
order = [f["significant"] for f in data["functions"]]
check(order == sorted(order, reverse=True), "what may be noise comes last")
old_total = lib.report(runs[0])["samples"]["total"]
check(data["old"]["samples"] == old_total, "samples")
parts = sum(data[kind]["old_samples"] for kind in ("wasm", "host", "unknown"))
check(parts == old_total, f"{parts} of {old_total}")
text = aotscope("diff", runs[0], slow).stdout
check("dispatch" in text and "spill-load" in text, text)
