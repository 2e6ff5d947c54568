"""Static counts against the compiler's own spill metric, function by function, by a reader of the
log of this test's own; a log of another build is said; broken lines are survived."""
import json
import re

import lib
import wamr_image
from lib import check, say

METRIC = re.compile(r"\[aot-spill-metric\](.*)")


def spills_of(log):
    """(module, local) -> (loads, stores), from wamrc's lines."""
    spills = {}
    for match in METRIC.finditer(log.read_text(errors="replace")):
        fields = dict(re.findall(r"(\w+)=(\S+)", match[1]))
        if {"local_func", "spill_ld", "spill_st"} <= set(fields):
            spills[int(fields.get("mod", 0)), int(fields["local_func"])] = (
                int(fields["spill_ld"]), int(fields["spill_st"]))
    return spills


def agrees(image, log):
    """Holds the image against the log; returns the number of functions in the log, and what
    inspect says."""
    data = json.loads(lib.aotscope("inspect", image, "--json", "--spill-log", log,
                                   timeout=300).stdout)
    cores = wamr_image.cores(image)
    core_of = {entry["image"]: entry["core"] for entry in data["images"]}
    ours = {}
    for function in data["functions"]:
        core, local = core_of[function["image"]], function["local_func"]
        start, end = cores[core].extent(local)
        check((function["offset"], function["size"]) == (start, end - start),
              f"{function['name']} is at {function['offset']}, {function['size']} bytes, "
              f"not at {start}, {end - start}")
        check(sum(function["classes"].values()) == function["instructions"],
              f"{function['name']}: classes do not sum to its instructions")
        classes = function["classes"]
        if function["spill_loads"] or function["spill_stores"]:
            ours[core, local] = function["spill_loads"], function["spill_stores"]
            check(classes.get("spill-load", 0) + classes.get("spill-store", 0) > 0,
                  f"{function['name']} spills without a spill class")
    check(len(data["functions"]) == sum(len(core.offsets) for core in cores), "functions are missing")
    theirs = spills_of(log)
    check(ours == {key: value for key, value in theirs.items() if value != (0, 0)},
          f"{image.name}: others than the log's: {list(ours.items() ^ theirs.items())[:5]}")
    check(data["spill_log"]["agree"] == data["spill_log"]["compared"] and
          not data["spill_log"]["disagreements"] and not data["spill_log"]["other_build"],
          f"{data['spill_log']}")
    return len(theirs), data


if __name__ == "__main__":
    for name in ("mix", "locals", "hash", "fft", "mix-O0", "tree", "split", "component"):
        image = lib.inputs(name)
        log = image.with_suffix(".spill.log")
        count, data = agrees(image, log)
        total = sum(f["instructions"] for f in data["functions"])
        other = sum(f["classes"].get("other", 0) for f in data["functions"])
        undecoded = sum(f["undecoded_bytes"] for f in data["functions"])
        say(f"{name}: {count} functions of the log agree; {total} instructions, {other} other, "
            f"{undecoded} bytes undecoded")
        check(other <= 0.005 * total and undecoded == 0, f"{name}: {other} other, {undecoded} bytes")

    say("-- the table")
    image = lib.inputs("mix")
    log = image.with_suffix(".spill.log")
    text = lib.aotscope("inspect", image, "--spill-log", log, "--limit", "5").stdout
    check("22 of 22 functions agree" in text and "printf_core" in text, text)
    sizes = lib.aotscope("inspect", image, "--sort", "size", "--limit", "0").stdout
    names = [function["name"] for function in agrees(image, log)[1]["functions"]]
    check(all(name in sizes for name in names), "--limit 0 leaves functions out")

    say("-- a log of another build")
    other = lib.inputs("hash").with_suffix(".spill.log")
    text = lib.aotscope("inspect", image, "--spill-log", other).stdout
    check("another build" in text, text[-1500:])
    theirs, ours = spills_of(other), spills_of(log)
    for (_, local), counts in theirs.items():
        if ours.get((0, local)) != counts:
            check(re.search(rf"^ +0 +{local} +{counts[0]} ", text, re.M),
                  f"local {local} disagrees and is not listed")

    say("-- broken lines, other output in between")
    lines = log.read_text().splitlines()
    broken = lib.folder() / "broken.log"
    metric = [i for i, line in enumerate(lines) if METRIC.search(line)]
    lines[metric[0]] = lines[metric[0]][:60]
    lines.insert(metric[1], "Compiling… 12 %")
    broken.write_bytes("\r\n".join(lines).encode() + b"\n\xff\xfe garbage \0\n")
    text = lib.aotscope("inspect", image, "--spill-log", broken).stdout
    check("1 broken line" in text and "another build" not in text, text[-1000:])

    say("-- Arm")
    for name in ("aarch64", "simd"):
        arm = lib.inputs(name)
        data = json.loads(lib.aotscope("inspect", arm, "--json").stdout)
        check(data["images"][0]["arch"] == "aarch64", f"{data['images']}")
        for function in data["functions"]:
            check(4 * function["instructions"] + function["undecoded_bytes"] <= function["size"],
                  f"{function}")
            check(function["undecoded_bytes"] == 0, f"{function}")
        # Its spills cannot be told from other slots yet: no word of another build.
        text = lib.aotscope("inspect", arm, "--spill-log", arm.with_suffix(".spill.log"))
        check("another build" not in text.stdout + text.stderr, text.stdout[-800:])
