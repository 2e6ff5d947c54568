"""Each export of a recording, read back by what reads it: how many samples it holds."""
import csv
import json
import re
import shutil
import xml.etree.ElementTree

import lib
from lib import aotscope, check, folder, run

FILES = {"pprof": "pb.gz", "speedscope": "speedscope", "firefox": "firefox", "svg": "svg",
         "html": "html"}
GROUPS = ("class", "function", "image", "thread", "stack")
HAS_GO = shutil.which("go") is not None


def write_files(recording, *arguments):
    """All exports that are files, of one call: their paths by option. The page has no window."""
    out = {option: folder() / f"{recording.stem}.{end}" for option, end in FILES.items()
           if option != "html" or not arguments}
    aotscope("report", recording, *arguments, *(word for option, path in out.items()
                                                for word in (f"--{option}", path)))
    return out


def add(leaves, name, count):
    leaves[name] = leaves.get(name, 0) + count


def speedscope(path):
    """Samples by innermost frame, by the documented schema."""
    data = json.loads(path.read_text())
    check(data["$schema"] == "https://www.speedscope.app/file-format-schema.json", "schema")
    (profile,) = data["profiles"]
    check(profile["type"] == "sampled" and profile["unit"] == "none", "kind of profile")
    check(sum(profile["weights"]) == profile["endValue"] - profile["startValue"], "weights")
    leaves = {}
    for stack, weight in zip(profile["samples"], profile["weights"], strict=True):
        add(leaves, data["shared"]["frames"][stack[-1]]["name"], weight)
    return leaves


def firefox(path):
    """Samples by innermost frame, by the documented tables."""
    data = json.loads(path.read_text())
    check(data["meta"]["preprocessedProfileVersion"] == 48, "version")
    leaves = {}
    for thread in data["threads"]:
        samples = thread["samples"]
        for stack, weight in zip(samples["stack"], samples["weight"], strict=True):
            func = thread["frameTable"]["func"][thread["stackTable"]["frame"][stack]]
            add(leaves, thread["stringArray"][thread["funcTable"]["name"][func]], weight)
    return leaves


def svg_titles(path):
    svg = xml.etree.ElementTree.parse(path).getroot()
    return [title.text for title in svg.iter("{http://www.w3.org/2000/svg}title")]


def html_data(path):
    """What the page shows: its script has it as JSON."""
    text = path.read_text()
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text,
                                re.S).group(1))


def pprof(path, *arguments):
    result = run(["go", "tool", "pprof", "-sample_index=samples", *arguments, path])
    check(result.returncode == 0, f"pprof: {result.stderr}")
    return result.stdout


def csv_rows(recording):
    return list(csv.DictReader(aotscope("report", recording, "--csv").stdout.splitlines()))


def _number(text):
    return int(text.replace(",", ""))


def _of_json(data):
    """Of a window there is no list of host and unknown code, only their sums."""
    return sum(f["self"] for f in data["functions"]) + sum(
        sum(entry["self"] for entry in data[kind]) if kind in data else data["samples"][kind]
        for kind in ("host", "unknown"))


def _of_files(out):
    """(option, samples) of what write_files() made; removes them."""
    found = []
    if HAS_GO:
        top = pprof(out["pprof"], "-top", "-nodefraction=0", "-nodecount=0")
        flat = sum(int(line.split()[0]) for line in top.split("flat%", 1)[1].splitlines()[1:])
        found.append(("--pprof", int(re.search(r"of (\d+) total", top).group(1))))
        found.append(("--pprof, its functions", flat))
    found.append(("--speedscope", sum(speedscope(out["speedscope"]).values())))
    found.append(("--firefox", sum(firefox(out["firefox"]).values())))
    root = next(title for title in svg_titles(out["svg"]) if title.startswith("all\n"))
    found.append(("--svg", _number(re.match(r"all\n([\d,]+) samples", root).group(1))))
    if "html" in out:
        page = html_data(out["html"])
        found.append(("--html", page["total"]))
        found.append(("--html, its flame graph", sum(node[3] for node in page["flame"]["nodes"])))
    for path in out.values():
        path.unlink()
    return found


def totals(recording):
    """(export, samples in it) of every export, of the whole and of the window that is the whole;
    without go pprof is left out."""
    found = [("--csv", sum(int(row["self"]) for row in csv_rows(recording))),
             ("--json --offsets", _of_json(lib.report(recording)))]
    for window in ((), ("--from", "0")):
        def text(*arguments):
            return aotscope("report", recording, *arguments, *window).stdout
        whole = [("--json", _of_json(json.loads(text("--json")))),
                 ("--folded", sum(int(line.rpartition(" ")[2])
                                  for line in text("--folded").splitlines()))]
        for group in GROUPS:
            if window and group == "thread":
                continue  # threads are known of the whole run only
            table = text("--group", group, "--limit", "0").split("    samples ", 1)[1]
            whole.append((f"--group {group}", sum(_number(line.split()[1])
                                                  for line in table.splitlines()[1:])))
        whole += _of_files(write_files(recording, *window))
        found += [(" ".join((what, *window)), count) for what, count in whole]
    return found
