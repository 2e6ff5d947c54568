"""Recordings of long runs on the real runtime: gone on with, in a row of files, by thread, by the
clock."""
import datetime
import re
import sqlite3
import time

from lib import (AOTSCOPE, aotscope, check, folder, inputs, near, need_root, report, say, start,
                 start_wamr, wait_for)

need_root()
target = start_wamr(inputs("mix"), 0)
here = folder()


def record(path, *arguments, expect=0):
    result = aotscope("record", "-p", target.pid, "-o", path, *arguments, expect=expect)
    if expect:
        lines = result.stderr.splitlines()
        check(len([line for line in lines if "error:" in line]) == 1, result.stderr)
    return result


def within(data, seconds, what):
    """The samples are what this much CPU time gives."""
    got = data["samples"]["total"] + data["samples"]["lost"]
    wanted = seconds * data["frequency_hz"]
    near(got, wanted, 0.06 * wanted + 20, what)


say("-- append")
run = here / "run.db"
record(run, "-d", "2", "--append")  # there is none yet: it begins one
first = report(run)
within(first, first["target_cpu_s"], "samples of the first part")
time.sleep(2)
record(run, "-d", "2", "--append")
both = report(run)
check(len(both["parts"]) == 2, f"parts: {both['parts']}")
check(len(both["targets"]) == 1 and len(both["images"]) == 1, f"one process, one image: {both}")
gap = both["parts"][1]["start_s"] - both["parts"][0]["duration_s"]
check(1.9 < gap < 30, f"{gap:.2f} s between the parts")
check(both["samples"]["total"] > first["samples"]["total"] + 200, "the second part adds to it")
within(both, both["target_cpu_s"], "samples of both parts")
near(both["duration_s"], both["parts"][1]["start_s"] + both["parts"][1]["duration_s"], 0.01, "span")
text = aotscope("report", run).stdout
check(re.search(r" in 2 runs  ", text.splitlines()[0]), text.splitlines()[0])
error = record(run, "-d", "1", "--append", "-F", "99", expect=1).stderr
check("999 Hz" in error and "99 Hz" in error, error)
check(report(run)["samples"] == both["samples"], "a refused run changes nothing")
check([p.name for p in here.iterdir()] == ["run.db"], f"files: {list(here.iterdir())}")
not_one = here / "not.db"
not_one.write_text("hello")
record(not_one, "-d", "1", "--append", expect=1)
check(not_one.read_text() == "hello", "what is no recording stays")
not_one.unlink()

say("-- append to what a killed recorder left")
killed = here / "killed.db"
recorder = start([AOTSCOPE, "record", "-q", "-p", target.pid, "-o", killed])
wait_for(lambda: killed.exists() and report(killed)["samples"]["total"] > 300, "some flushes")
recorder.kill()  # what follows must not need to wait until the kernel has put it away
record(killed, "-d", "1", "--append")
recorder.wait()
data = report(killed)
check(len(data["parts"]) == 2 and len(data["targets"]) == 1, f"{data['parts']} {data['targets']}")
check(data["samples"]["total"] > 600, f"{data['samples']}")
check(len(list(here.glob("killed.db*"))) == 1, "its log is no more")

say("-- by the clock, in parts")
total = both["samples"]["total"]
with sqlite3.connect(run) as db:
    buckets = dict(db.execute("SELECT start_s, samples FROM bucket_totals").fetchall())
    started = db.execute("SELECT value FROM meta WHERE key = 'started_unix_s'").fetchone()[0]
check(sum(buckets.values()) == total, f"{buckets}")


def folded(*arguments):
    lines = aotscope("report", run, "--folded", *arguments).stdout.splitlines()
    return sum(int(line.rpartition(" ")[2]) for line in lines)


check(folded("--from", "0") == total, "all of it")
for start in buckets:
    for text in (str(start), f"@{started + start}"):
        if text == "0":
            continue
        rest = sum(count for at, count in buckets.items() if at >= start)
        check(folded("--from", text) == rest, f"--from {text}: {folded('--from', text)}, not {rest}")
local = datetime.datetime.fromtimestamp(started)
for shape in ("%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M"):
    check(folded("--from", local.strftime(shape)) == total, shape)
later = datetime.datetime.fromtimestamp(started + 3600).strftime("%Y-%m-%d %H:%M")
check(folded("--from", later) == 0, "an hour later there is nothing")
check(folded("--to", later) == total, "an hour later all is over")
for bad in ("25:99", "yesterday", "@", "-", "2026-13-01 00:00"):
    result = aotscope("report", run, f"--from={bad}", "--folded", expect=1)
    check(result.stderr.count("\n") <= 2 and "not a time" in result.stderr, result.stderr)
tree = aotscope("report", run, "--from", "0", "--callers", "f_xor").stdout
check("dispatch" in tree, tree)
stacks = aotscope("report", run, "--from", "0", "--group", "stack", "--limit", "0").stdout
counts = [int(line.split()[1].replace(",", "")) for line in stacks.splitlines()[1:]]
check(sum(counts) == total, f"--group stack: {sum(counts)} of {total}")
listing = aotscope("annotate", run, "--func", "fp", "--from", "0", "--to", "10").stdout
check("divsd" in listing and "called by main" in listing, listing[:400])
check("for recordings" in aotscope("annotate", inputs("mix"), "--func", "fp", "--from", "0",
                                   expect=1).stderr, "an image has no time")
svg = here / "part.svg"
aotscope("report", run, "--from", "0", "--to", "10", "--svg", svg)
check(f"all\n{buckets[0]:,} samples" in svg.read_text(), "the flame graph of the first ten seconds")

say("-- rotate")
mine = here / "row.db"
result = record(mine, "-d", "7", "--rotate", "2s", "--keep", "3")
files = sorted(here.glob("row-*"))
check(all(re.fullmatch(r"row-\d{8}T\d{6}Z\.db", file.name) for file in files), f"{files}")
check(len(files) == 3, f"three of four files are kept: {files}")
check(not mine.exists(), "the name itself is no file")
wrote = [int(n.replace(",", "")) for n in re.findall(r"aotscope: ([\d,]+) samples; wrote", result.stderr)]
check(len(wrote) == 3, result.stderr)
kept = [report(file) for file in files]
check([data["samples"]["total"] for data in kept[:2]] == wrote[1:], f"{wrote}")
for data in kept[:2]:
    near(data["duration_s"], 2, 0.5, "length of a file")
    within(data, data["target_cpu_s"], "samples of a file")
    check(len(data["functions"]) > 5 and data["regions"], "each file stands alone")
for path, data, follower in zip(files, kept, kept[1:]):
    gap = follower["started_unix_s"] - data["started_unix_s"] - data["duration_s"]
    check(abs(gap) < 0.1, f"{gap:.3f} s between {path.name} and the next")
within(kept[2], kept[2]["target_cpu_s"], "samples of the last file")
stranger = here / "row-20000101T000000Z.db"
stranger.write_text("not a recording")
result = record(mine, "-d", "1", "--rotate", "1h", "--keep", "1")
check(stranger.exists() and "stays" in result.stderr, "what only has such a name stays")
check(len(list(here.glob("row-2026*"))) <= 2, "files of an earlier run count")

say("-- threads without stacks")
lean = here / "lean.db"
record(lean, "-d", "1", "--no-stacks", "--per-thread")
data = report(lean)
check([t["tid"] for t in data["threads"]] == [target.pid], f"{data['threads']}")
check(data["threads"][0]["self"] == data["samples"]["total"], "all samples have their thread")
check("wamr" in aotscope("report", lean, "--group", "thread").stdout, "by name")
record(lean, "-d", "1", "--no-stacks", "--force")
check(report(lean)["threads"] == [], "threads are not known without it")
