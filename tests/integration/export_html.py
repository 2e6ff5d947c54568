"""The HTML page in a real browser: what it shows, what it says on its console, by mouse and keys.

SCREENSHOTS=FOLDER keeps the pictures, to be looked at."""
import os
from pathlib import Path

import browser
import lib
from lib import aotscope, check, folder, say

lib.need_root()
if browser.CHROMIUM is None:
    lib.skip("chromium (Debian's package) is not installed")
recording = lib.record("-d", "3", "-p", lib.start_wamr(lib.inputs("mix"), 0).pid)
data = lib.report(recording)
page = folder() / "mix.html"
aotscope("report", recording, "--html", page)
say(f"{page.stat().st_size} bytes")
hottest = max(data["functions"], key=lambda f: f["self"])
pictures = Path(os.environ.get("SCREENSHOTS", folder()))

tab = browser.Browser()
tab.dark(False)
tab.open(page)
check(tab.requests == [page.resolve().as_uri()] or
      all(url.startswith(("file:", "data:")) for url in tab.requests), f"asks for {tab.requests}")
check(tab.run("document.title").startswith("mix.cwasm"), "title")
check(f"{data['samples']['total']:,}" in tab.run("document.getElementById('figures').innerText"),
      "samples in the summary")

ROWS = "[...document.querySelectorAll('#functions tbody tr')]"
names = tab.run(f"{ROWS}.map(r => r.cells[3].innerText)")
check(len(names) == len(data["functions"]), f"{len(names)} rows, {len(data['functions'])} functions")
check(names[0] == hottest["name"], f"{names[0]} is first")
first = float(tab.run(f"{ROWS}[0].cells[0].innerText"))
check(abs(first - 100 * hottest["self"] / data["samples"]["total"]) < 0.01, f"self: {first}")
total = tab.run("data.flame.nodes.reduce((sum, node) => sum + node[3], 0)")
check(total == data["samples"]["total"], f"the flame graph holds {total}")
pictures.mkdir(exist_ok=True)
tab.screenshot(pictures / "light.png")

say("-- sort and search")
tab.run("document.querySelector('th[data-column=name] button').click()")
names = tab.run(f"{ROWS}.map(r => r.cells[3].innerText)")
check(names == sorted(names), f"sorted by name: {names}")
tab.key("/", "/")
for letter in "f_x":
    tab.key(letter, letter)
check(tab.run(f"{ROWS}.map(r => r.cells[3].innerText)") == ["f_xor"], "search for f_x")
check(tab.run("document.querySelectorAll('#flame .found').length") >= 1, "frames found")
tab.key("Escape")
check(tab.run(f"{ROWS}.length") == len(data["functions"]), "Esc ends the search")

say("-- flame graph by keys")
frames = tab.run("document.querySelectorAll('#flame button').length")
tab.run("document.querySelector('#flame [data-node=\"0\"]').focus()")
for _ in range(3):
    tab.key("ArrowDown")
focused = tab.run("document.activeElement.dataset.node")
check(focused not in (None, "0"), f"the focus moved to {focused}")
tab.run("document.activeElement.click()")
check(tab.run("root") == int(focused), "zoomed")
check(tab.run("document.querySelectorAll('#flame .faded').length") == 3, "the way back is shown")
check("samples" in tab.run("document.getElementById('flame-info').innerText"), "figures")
tab.key("Escape")
check(tab.run("root") == 0 and
      tab.run("document.querySelectorAll('#flame button').length") == frames, "Esc zooms out")

say("-- listing")
tab.run(f"{ROWS}.find(r => r.cells[3].innerText === 'dispatch').click()")
listed = tab.run("[...document.querySelectorAll('#listing tbody tr:not(.label)')]"
                 ".reduce((sum, row) => sum + Number(row.cells[1].innerText), 0)")
wanted = next(f["self"] for f in data["functions"] if f["name"] == "dispatch")
check(listed == wanted, f"samples in the listing: {listed}, not {wanted}")
tab.run("document.activeElement.blur()")
tab.key("n", "n")
check(tab.run("document.activeElement.closest('#listing') !== null"), "n goes to a hot spot")

say("-- dark")
tab.dark(True)
lib.wait_for(lambda: tab.run("document.documentElement.dataset.theme") == "dark",
             "the page to be dark as the system is")
tab.run("scrollTo(0, 0)")
tab.screenshot(pictures / "dark.png")
tab.key("d", "d")
check(tab.run("document.documentElement.dataset.theme") == "light", "d changes it")
check(not tab.errors, f"the console: {tab.errors}")

say("-- names that mean harm")
from case_lib import hostile_recording  # noqa: E402  (needs the cases' programs)
hostile = hostile_recording()
page = folder() / "hostile.html"
aotscope("report", hostile, "--html", page)
tab.open(page)
names = tab.run(f"{ROWS}.map(r => r.cells[3].innerText)")
check("</text>&" in names and "a;b 7" in names, f"{[n[:30] for n in names]}")
check(not tab.errors, f"the console: {tab.errors}")
