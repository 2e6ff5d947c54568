"""The exports in what they are for: speedscope, Firefox Profiler's own reader, FlameGraph's
flamegraph.pl and a browser open them. Each must show every function's samples as the report does,
also of functions whose names mean harm."""
import base64
import json
import os
import re
import xml.etree.ElementTree
from pathlib import Path

import browser
import lib
from case_lib import hostile_recording
from lib import aotscope, check, folder, run, say

FLAMEGRAPH = Path("/usr/share/perl5/Devel/NYTProf/flamegraph.pl")
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ("a;b 7", "</text>&", r"esc\x1b[31mred\x1b]0;title\x07", r"bad\xff\xfe\xc3(", "n" * 1000,
           r"new\x0aline")  # by local function, with escapes for what is no text


def short(name):
    return name[:60]  # of a name of 1 MiB the exports show the beginning


def number(text):
    return int(text.replace(",", ""))


def add(shown, name, self, total):
    before = shown.get(short(name), (0, 0))
    shown[short(name)] = before[0] + self, before[1] + total


class Exported:
    """A recording, its exports and what each consumer must show: (self, total) by name."""

    def __init__(self, recording, names=None):
        data = lib.report(recording)
        self.total = data["samples"]["total"]
        self.folded = folder() / f"{recording.stem}.folded"
        self.folded.write_text(aotscope("report", recording, "--folded").stdout)
        self.speedscope = folder() / f"{recording.stem}.speedscope.json"
        self.firefox = folder() / f"{recording.stem}.firefox.json"
        self.svg = folder() / f"{recording.stem}.svg"
        aotscope("report", recording, "--speedscope", self.speedscope, "--firefox", self.firefox,
                 "--svg", self.svg)
        self.functions = {names[f["local_func"]] if names else f["name"]: (f["self"], f["total"])
                          for f in data["functions"] if f["total"]}
        hottest = sorted(self.functions.items(), key=lambda item: -item[1][0])[:3]
        say(f"{self.total} samples, {len(self.functions)} functions, "
            f"{', '.join(f'{short(name)} {self_total[0]}' for name, self_total in hottest)}")

    def compare(self, what, shown, as_written=lambda name: name):
        """`shown`: (self, total) by name. Host frames are there beside the functions."""
        for name, wanted in self.functions.items():
            name = short(as_written(name))
            check(shown.get(name) == wanted,
                  f"{what}: {name} has {shown.get(name)}, not {wanted} of {sorted(shown)}")
        total = sum(self_total[0] for self_total in shown.values())
        check(total == self.total, f"{what}: {total} samples, not {self.total}")
        say(f"  {what}: {len(shown)} names, {total} samples")


def folded_name(name):
    return re.sub(r" (\d+)$", r"\\x20\1", name.replace(";", r"\x3b"))


def in_flamegraph(path):
    """Boxes of flamegraph.pl's picture; a box's own samples are those that none above it has."""
    result = run(["perl", FLAMEGRAPH, "--width", "4000", "--minwidth", "0", path])
    check(result.returncode == 0 and not result.stderr, f"flamegraph.pl: {result.stderr}")
    rows, shown = {}, {}
    for box in xml.etree.ElementTree.fromstring(result.stdout).iter(f"{SVG}g"):
        title, rect = box.find(f"{SVG}title").text, box.find(f"{SVG}rect").attrib
        match = re.fullmatch(r"(.*) \(([\d,]+) samples, [\d.]+%\)", title)
        check(match, f"flamegraph.pl: a box is called {title!r}")
        rows.setdefault(float(rect["y"]), []).append(
            (match[1], number(match[2]), float(rect["x"]), float(rect["width"])))
    lowest = max(rows)
    for y, boxes in rows.items():
        for name, count, x, width in boxes:
            above = sum(other[1] for other in rows.get(y - 16, ())
                        if x <= other[2] + other[3] / 2 <= x + width)
            if y < lowest:  # the lowest is "all"
                add(shown, name, count - above, count)
    return shown


def in_speedscope(tab, page, path):
    """The table of its sandwich view, after a load as by speedscope's own command."""
    script = folder() / "load.js"
    content = base64.b64encode(path.read_bytes()).decode()
    script.write_text(f"speedscope.loadFileFromBase64({json.dumps(path.name)}, '{content}')")
    tab.call("Page.navigate", url="about:blank")  # a new fragment alone loads nothing
    tab.open(page, f"localProfilePath={script}&view=sandwich")

    def table():
        text = tab.run("document.body.innerText")
        check(not tab.alerts and "Something went wrong" not in text,
              f"speedscope does not open {path.name}: {tab.alerts or text}")
        return tab.run("[...document.querySelectorAll('tr')].filter(r => r.querySelector('td'))"
                       ".map(r => [...r.cells].map(c => c.textContent))")

    shown = {}
    for total, self, name in lib.wait_for(table, f"speedscope of {path.name}"):
        add(shown, name, number(self.split()[0]), number(total.split()[0]))
    return tab.run("document.title"), shown


def in_firefox_profiler(command, path):
    def ask(*arguments):
        return run([command, *arguments],
                   env=dict(os.environ, PROFILER_CLI_SESSION_DIR=str(folder() / "sessions")))
    opened = ask("load", path)  # a process in the background serves it until stop
    listed = ask("thread", "functions", "--json", "--limit", "0", "--include-idle")
    ask("stop")
    check(opened.returncode == 0, f"profiler-cli: {opened.stdout}{opened.stderr}")
    check(listed.returncode == 0, f"profiler-cli: {listed.stdout}{listed.stderr}")
    shown = {}
    for function in json.loads(listed.stdout)["functions"]:
        add(shown, function["name"], function["selfSamples"], function["totalSamples"])
    return shown


def in_browser(tab, path):
    """(samples in all, samples by name) of the SVG's boxes that are really drawn."""
    tab.open(path)
    lib.wait_for(lambda: tab.run("document.title !== 'about:blank' && "
                                 "document.documentElement.localName === 'svg'"), "the SVG")
    check(tab.run("document.querySelector('parsererror') === null"), f"{path.name} is no XML")
    total, shown = 0, {}
    for title in tab.run("[...document.querySelectorAll('g')].filter(g => {"
                         "  const box = g.querySelector('rect').getBoundingClientRect();"
                         "  return box.width > 0 && box.height > 0 && box.right <= innerWidth"
                         "}).map(g => g.querySelector('title').textContent)"):
        name, figures = title.split("\n")[:2]
        count = number(figures.split()[0])
        if name == "all":
            total = count
        name = name.partition("  ")[0]
        shown[short(name)] = shown.get(short(name), 0) + count
    return total, shown


lib.need_root()
exported = {"mix": Exported(lib.record("-d", "2", "-p", lib.start_wamr(lib.inputs("mix"), 0).pid))}
exported["hostile"] = Exported(hostile_recording(), HOSTILE)
check(exported["mix"].total > 300, "too few samples")
check(len(exported["hostile"].functions) == len(HOSTILE), "functions are missing")

if not FLAMEGRAPH.exists():
    lib.skip("flamegraph.pl (Debian's libdevel-nytprof-perl) is not installed")
for what, run_of in exported.items():
    run_of.compare(f"flamegraph.pl, --folded of {what}", in_flamegraph(run_of.folded),
                   lambda name: folded_name(name).translate(str.maketrans("<>", "()")))

if browser.CHROMIUM is None:
    lib.skip("flamegraph.pl passed; chromium (Debian's package) is not installed")
tab = browser.Browser(height=2000)
for what, run_of in exported.items():
    total, shown = in_browser(tab, run_of.svg)
    check(total == run_of.total, f"--svg of {what}: {total} samples, not {run_of.total}")
    for name, wanted in run_of.functions.items():
        check(shown.get(short(name)) == wanted[1], f"--svg of {what}: {name}: {shown}")
    say(f"  chromium, --svg of {what}: {len(shown)} names, {total} samples")

page = lib.consumer("speedscope")
for what, run_of in exported.items():
    title, shown = in_speedscope(tab, page, run_of.speedscope)
    check(title == f"{what}.cwasm - speedscope", f"speedscope's title is {title}")
    run_of.compare(f"speedscope, --speedscope of {what}", shown)
    title, shown = in_speedscope(tab, page, run_of.folded)
    check(title == f"{run_of.folded.name} - speedscope", f"speedscope's title is {title}")
    run_of.compare(f"speedscope, --folded of {what}", shown, folded_name)

command = lib.consumer("profiler-cli")
for what, run_of in exported.items():
    run_of.compare(f"Firefox Profiler, --firefox of {what}",
                   in_firefox_profiler(command, run_of.firefox))
