"""The HTML page of a diff in a real browser: mix at -O0 against wamrc's default.

SCREENSHOTS=FOLDER keeps the pictures, to be looked at."""
import json
import os
import time
from pathlib import Path

import browser
import lib
from lib import aotscope, check, folder, say

lib.need_root()
if browser.CHROMIUM is None:
    lib.skip("chromium (Debian's package) is not installed")
ROUNDS = 40


def recorded(name):
    return lib.record("-q", "--", lib.wamr(), "run", lib.inputs(name), ROUNDS,
                      output=folder() / f"{name}.db")


old, new = recorded("mix-O0"), recorded("mix")
wanted = json.loads(aotscope("diff", old, new, "--json").stdout)
functions = {f["name"]: f for f in wanted["functions"]}
page = folder() / "diff.html"
said = aotscope("diff", old, new, "--html", page).stdout
check(said == f"{page}: {page.stat().st_size} bytes\n", said)
pictures = Path(os.environ.get("SCREENSHOTS", folder()))
pictures.mkdir(exist_ok=True)

tab = browser.Browser()
tab.dark(False)
tab.open(page)
check(all(url.startswith(("file:", "data:")) for url in tab.requests), f"asks for {tab.requests}")
check(tab.run("document.title").startswith("mix-O0.db → mix.db"), "title")
sides = tab.run("document.getElementById('sides').innerText")
for side in ("old", "new"):
    check(f"{wanted[side]['samples']:,}" in sides and wanted[side]["file"] in sides, sides)

ROWS = "[...document.querySelectorAll('#functions tbody tr')]"
CLASSES = "[...document.querySelectorAll('#class-changes tbody tr')]"


def column(number, rows=ROWS):
    return tab.run(f"{rows}.map(r => r.cells[{number}].innerText)")


NAME, OLD, NEW, CHANGE, TOTAL_CHANGE = 1, 3, 4, 5, 10
check(column(NAME) == list(functions), f"{column(NAME)}, not {list(functions)}")
check(column(0) == ["✓" if f["significant"] else "~" for f in functions.values()], column(0))
for name, old_text, new_text, change, total in zip(*map(column, (NAME, OLD, NEW, CHANGE,
                                                                TOTAL_CHANGE))):
    f = functions[name]
    shown = [float(text) for text in (old_text, new_text, change, total)]
    true = [f["self"]["old"], f["self"]["new"], f["self"]["change"], f["total"]["change"]]
    check(all(abs(a - b) < 0.006 for a, b in zip(shown, true)), f"{name}: {shown}, not {true}")
classes = [c["class"] for c in wanted["classes"]]
check([text.strip() for text in column(1, CLASSES)][:len(classes)] == classes, column(1, CLASSES))
check("wasm" in column(1, CLASSES), "where the code is")
heads = tab.run("document.querySelectorAll('#functions tr:nth-child(2) th').length")
check(heads == tab.run(f"{ROWS}[0].cells.length"), f"{heads} heads")
bars = tab.run(f"{CLASSES}.map(r => r.querySelector('.change i').className)")
check(bars[classes.index("local-load")] == "less" and bars[classes.index("spill-load")] == "more",
      f"spills instead of locals: {bars}")
grey = tab.run("[...document.querySelectorAll('.noise .number')]"
               ".every(c => getComputedStyle(c).color === "
               "getComputedStyle(document.querySelector('footer')).color)")
check(grey, "what may be noise is grey")
wide = tab.run("document.documentElement.scrollWidth - innerWidth")
check(wide <= 0, f"the page is {wide} too wide")
tab.screenshot(pictures / "diff-light.png")

say("-- sort and search")


def sort_by(head):
    tab.run(f"document.querySelector('th[data-column={head}] button').click()")


sort_by("name")
check(column(NAME) == sorted(functions), f"sorted by name: {column(NAME)}")
sort_by("change")
changes = [functions[name]["self"]["change"] for name in column(NAME)]
check(changes == sorted(changes, reverse=True), f"sorted by change: {changes}")
sort_by("change")
changes = [functions[name]["self"]["change"] for name in column(NAME)]
check(changes == sorted(changes), f"sorted by change, upwards: {changes}")
check(tab.run("document.querySelector('th[data-column=change]').ariaSort") == "ascending", "aria")
sort_by("rank")
check(column(NAME) == list(functions), "the first order again")
tab.key("/", "/")
for letter in "f_x":
    tab.key(letter, letter)
check(column(NAME) == ["f_xor"], f"search for f_x: {column(NAME)}")
check(tab.run("document.getElementById('count').innerText") == "1 function", "count")
tab.key("Escape")
check(column(NAME) == list(functions), "Esc ends the search")
tab.run(f"{ROWS}[0].focus()")
tab.key("ArrowDown")
check(tab.run(f"document.activeElement === {ROWS}[1]"), "the next row")

say("-- dark")
tab.dark(True)
lib.wait_for(lambda: tab.run("document.documentElement.dataset.theme") == "dark",
             "the page to be dark as the system is")
tab.run("scrollTo(0, 0)")
tab.screenshot(pictures / "diff-dark.png")
tab.key("d", "d")
check(tab.run("document.documentElement.dataset.theme") == "light", "d changes it")

say("-- the same work; stdout; what is not overwritten")
page.write_text(aotscope("diff", old, new, "--work", "--html", "/dev/stdout").stdout)
tab.open(page)
check("CPU seconds" in tab.run("document.querySelector('.unit').innerText"), "unit")
seconds = [wanted[side]["target_cpu_s"] for side in ("old", "new")]
check("{:.2f} s → {:.2f} s".format(*seconds) in
      tab.run("document.getElementById('figures').innerText"), f"CPU time: {seconds}")
tab.screenshot(pictures / "diff-work.png")
refused = aotscope("diff", old, new, "--html", old, expect=1).stderr
check("is a recording" in refused, refused)

say("-- without stacks; without samples")
lean = lib.record("-q", "--no-stacks", "--", lib.wamr(), "run", lib.inputs("mix"), 5)
aotscope("diff", lean, new, "--html", page)
tab.open(page)
heads = tab.run("[...document.querySelectorAll('#functions tr:nth-child(2) th')]"
                ".filter(h => h.offsetParent !== null).length")
check(heads == tab.run(f"{ROWS}[0].cells.length") == 9, f"{heads} heads without totals")
sleeper = lib.start_wamr(lib.inputs("sleep"), 60)
time.sleep(1)  # until it sleeps
empty = lib.record("-q", "-d", "1", "-p", sleeper.pid)
check(lib.report(empty)["samples"]["total"] == 0, "who sleeps has no samples")
aotscope("diff", empty, new, "--html", page)
tab.open(page)
check("nothing to compare" in tab.run("document.getElementById('warnings').innerText"), "empty")
check(tab.run("document.getElementById('table').offsetParent === null"), "no empty tables")
tab.screenshot(pictures / "diff-empty.png")

say("-- names that mean harm")
from case_lib import hostile_recording  # noqa: E402  (needs the cases' programs)
hostile = hostile_recording()
aotscope("diff", hostile, hostile, "--html", page)
tab.open(page)
check("</text>&" in column(NAME) and "a;b 7" in column(NAME), f"{[n[:30] for n in column(NAME)]}")
aotscope("diff", new, hostile, "--html", page)
tab.open(page)
badges = tab.run("[...document.querySelectorAll('.badge')].map(b => b.innerText)")
check({"new", "vanished"} <= set(badges), f"another program: {badges}")
tab.screenshot(pictures / "diff-other.png")
check(not tab.errors, f"the console: {tab.errors}")
