"""The full screen driven in tmux on the real runtime: what each key leads to is on the pane."""
import os
import re
import shutil
import time

import lib
from lib import check, say
from tui_lib import Tmux

lib.need_root()
if not shutil.which("tmux"):
    lib.skip("tmux is not installed")

SAVE = os.environ.get("AOTSCOPE_SCREENS")  # a file for the captures, for the README
target = lib.start_wamr(lib.inputs("mix"), "0")
os.chdir(lib.folder())
tmux = Tmux([lib.AOTSCOPE, "top", "-p", target.pid, "--interval", "0.5"], NO_COLOR="1")


def keep(name, pane):
    if SAVE:
        with open(SAVE, "a") as file:
            file.write(f"## {name}\n\n{pane.rstrip()}\n\n")


def functions(pane):
    """Names of the table's rows, from above: behind four figures."""
    return re.findall(r"^[▸ ] *(?:[\d.]+|·) +(?:[\d.]+|·) +(?:[\d.]+|·) +(?:[\d.]+|·) (\S+)", pane,
                      re.MULTILINE)


def shares(pane):
    """(now, self) of each function of the table."""
    return {name: float(value) for value, name in re.findall(
        r"^[▸ ] *(?:[\d.]+|·) +([\d.]+) +(?:[\d.]+|·) +(?:[\d.]+|·) (\S+)", pane, re.MULTILINE)}


def chosen_row(pane, name):
    return re.search(rf"^▸.* {re.escape(name)} ", pane, re.MULTILINE)


def listed(pane):
    """Of the listing's lines, from above."""
    return [int(offset, 16) for offset in
            re.findall(r"^[▸ ][^+]*\+(0x\w+)  [a-z]", pane, re.MULTILINE)]


def chosen_offset(pane):
    found = re.search(r"^▸[^+]*\+(0x\w+)  [a-z]", pane, re.MULTILINE)
    return int(found.group(1), 16) if found else None


def mouse(button, column, row):
    """As this TERM reports it."""
    tmux.keys("-l", f"\x1b[M{chr(32 + button)}{chr(32 + column)}{chr(32 + row + 1)}")


def wheel(direction, times):
    for _ in range(times):
        mouse({"up": 64, "down": 65}[direction], 20, 8)


try:
    # The right function first, by what a recording of the same time says.
    pane = tmux.wait(lambda p: re.search(r"up 00:00:0[5-9]", p) and "dispatch" in p, "the table")
    recording = lib.record("-p", target.pid, "-d", "4")
    expected = lib.shares(lib.report(recording))
    pane = tmux.pane()
    first = functions(pane)[0]
    top = max(expected.values())
    check(expected[first] > top - 4, f"{first} is first, but the report says {expected}\n{pane}")
    for name, share in shares(pane).items():
        if expected.get(name, 0) > 3:
            lib.near(share, expected[name], 5, f"self of {name}")
    check(f"pid {target.pid}" in pane and "cpu-clock" in pane and "lost 0" in pane, pane)
    check(re.search(r"wasm (9\d|100)\.\d", pane), f"wasm has nearly all samples\n{pane}")
    check(re.search(r"target\s+\d+% CPU", pane) and re.search(r"self \d\.\d%", pane), pane)
    check("moves" in pane and "dispatch" in pane and "VVVV" in pane, "classes are there")
    keep("main screen", pane)

    # Sort by self and by name, reverse.
    tmux.keys("s")
    tmux.wait(lambda p: "▼SELF%" in p, "sorting by SELF%")
    tmux.keys("s", "s", "s")
    pane = tmux.wait(lambda p: "FUNCTION▼" in p, "sorting by name")
    names = functions(pane)
    check(names == sorted(names), f"names ascend: {names}")
    tmux.keys("r")
    pane = tmux.wait(lambda p: "FUNCTION▲" in p, "the reverse")
    check(functions(pane) == sorted(names, reverse=True), "names descend")
    tmux.keys("r", "Left", "Left", "Left", "Left")
    tmux.wait(lambda p: "▼NOW%" in p, "sorting by NOW% again")

    # Filter.
    tmux.keys("/", "f", "_")
    pane = tmux.wait(lambda p: set(functions(p)) == {"f_add", "f_xor", "f_mul"}, "the filter")
    check("/f_" in pane, "what is typed is shown")
    tmux.keys("Enter")
    tmux.wait(lambda p: "filter f_" in p, "a filter that stays")
    tmux.keys("Escape")
    tmux.wait(lambda p: "fp" in functions(p), "no filter")

    # Down to the listing of fp.
    tmux.keys("/", "f", "p", "Enter")
    tmux.wait(lambda p: functions(p) == ["fp"], "fp alone")
    tmux.keys("Enter")
    pane = tmux.wait(lambda p: "HOTTEST INSTRUCTIONS" in p and "movq" in p, "the function screen")
    check("CALLERS%" in pane and re.search(r"100\.0 main", pane), f"main calls fp\n{pane}")
    check(re.search(r"WAITS%", pane) and re.search(r"float +[\d.]+ +[\d.]+ +[89]\d\.", pane),
          f"fp waits for floating point\n{pane}")
    keep("function screen", pane)
    tmux.keys("Enter")
    pane = tmux.wait(lambda p: "INSTRUCTION" in p and "◀" in p, "the annotated listing")
    hottest = re.search(r"^▸.*◀.*", pane, re.MULTILINE)
    check(hottest and "←" in hottest.group(), f"the hottest line is in view, chosen\n{pane}")
    check("offsets from 0x" in pane and "hottest block" not in hottest.group(), pane)
    keep("annotate screen", pane)
    # Shares move while it is read, the lines do not.
    lines = [line[10:] for line in pane.splitlines()[4:30]]
    before = [line[:16] for line in pane.splitlines()[4:30]]
    tmux.wait(lambda p: [line[:16] for line in p.splitlines()[4:30]] != before, "new shares")
    offsets = re.findall(r"\+0x\w+(?=  \w)", "\n".join(lines))
    now = re.findall(r"\+0x\w+(?=  \w)", "\n".join(x[10:] for x in tmux.pane().splitlines()[4:30]))
    check(offsets == now, "the listing stays in place")
    chosen = re.search(r"^▸.*?(\+0x\w+)", pane, re.MULTILINE).group(1)
    tmux.keys("n")
    tmux.wait(lambda p: re.search(r"^▸.*?(\+0x\w+)", p, re.MULTILINE).group(1) != chosen,
              "the next hot spot")
    tmux.keys("p")
    tmux.wait(lambda p: re.search(r"^▸.*?(\+0x\w+)", p, re.MULTILINE).group(1) == chosen,
              "the hot spot before")
    tmux.keys("e")
    pane = tmux.wait(lambda p: "wrote aotscope-" in p, "the export")
    exported = (lib.folder() / f"aotscope-{target.pid}-annotate.txt").read_text()
    check(exported.count("+0x") > 200 and "divsd" in exported, "the whole listing is exported")
    tmux.keys("Escape")
    tmux.wait(lambda p: "HOTTEST INSTRUCTIONS" in p, "back at the function")
    tmux.keys("Escape", "Escape")
    tmux.wait(lambda p: "many" in functions(p), "back at the table")

    # Pause: the figures stand still, sampling goes on.
    tmux.keys("Space")
    paused = tmux.wait(lambda p: "PAUSED" in p, "the pause")
    table = [line for line in paused.splitlines() if "dispatch" in line]
    time.sleep(1.6)
    check([line for line in tmux.pane().splitlines() if "dispatch" in line] == table,
          "a paused table stands still")
    tmux.keys("Space")
    tmux.wait(lambda p: "PAUSED" not in p, "going on")

    # Classes, waits, threads, help.
    tmux.keys("c")
    pane = tmux.wait(lambda p: "spill-load" in p and "many" in p, "the classes")
    check(re.search(r"of spill-load, in", pane), pane)
    keep("classes screen", pane)
    tmux.keys("Escape")
    tmux.wait(lambda p: "dispatch" in functions(p), "the table")
    tmux.keys("b")
    pane = tmux.wait(lambda p: "WAITS FOR" in p, "waits")
    check(re.search(r"fp .*float +[89]\d", pane), f"fp waits for floating point\n{pane}")
    tmux.keys("b", "t")
    pane = tmux.wait(lambda p: "THREAD" in p and str(target.pid) in p, "threads")
    keep("threads screen", pane)
    tmux.keys("Escape", "?")
    pane = tmux.wait(lambda p: "keys and columns" in p, "help")
    keep("help screen", pane)
    tmux.keys("Escape")

    # A recording out of the session.
    tmux.wait(lambda p: "dispatch" in functions(p), "the table")
    tmux.keys("w")
    tmux.wait(lambda p: f"wrote aotscope-{target.pid}.db" in p, "the recording")
    written = lib.report(lib.folder() / f"aotscope-{target.pid}.db")
    check(written["samples"]["wasm"] > 1000, "the recording has the session's samples")

    # Zero.
    tmux.keys("z")
    tmux.wait(lambda p: re.search(r"up 00:00:0[0-3]", p), "zero")

    # Sizes.
    for columns, rows in ((60, 10), (80, 24), (200, 60), (59, 12), (140, 40)):
        tmux.resize(columns, rows)
        if columns < 60:
            tmux.wait(lambda p: "too small" in p, "a word about the size")
        else:
            pane = tmux.wait(lambda p: "q quit" in p.splitlines()[rows - 1]
                             if len(p.splitlines()) >= rows else False, f"{columns}x{rows}")
            check(all(len(line) <= columns for line in pane.splitlines()), "no line is too long")
            check("NOW%" in pane and "FUNCTION" in pane, pane)

    # The wheel over the table and over a listing, longer than the window: three rows each.
    tmux.resize(140, 16)
    tmux.keys("Space", "g")
    pane = tmux.wait(lambda p: "PAUSED" in p and p.count("\n") <= 16 and len(functions(p)) > 3 and
                     chosen_row(p, functions(p)[0]), "a short table that stands still")
    names = functions(pane)
    wheel("down", 1)
    tmux.wait(lambda p: chosen_row(p, names[3]), "three rows down")
    wheel("down", 4)
    pane = tmux.wait(lambda p: functions(p) and names[0] not in functions(p), "a scrolled table")
    check(re.search(r"^▸", pane, re.MULTILINE), f"a row is chosen\n{pane}")
    wheel("up", 9)
    tmux.wait(lambda p: functions(p) == names and chosen_row(p, names[0]), "its begin again")
    tmux.keys("Space", "/", "f", "p", "Enter")
    tmux.wait(lambda p: functions(p) == ["fp"], "fp alone")
    tmux.keys("a")
    pane = tmux.wait(lambda p: "INSTRUCTION" in p and listed(p), "the listing of fp")
    tmux.keys("g")
    pane = tmux.wait(lambda p: listed(p)[:1] == [0] and chosen_offset(p) == 0, "its first line")
    first = listed(pane)
    wheel("down", 1)
    tmux.wait(lambda p: chosen_offset(p) == first[3], "three instructions down")
    wheel("down", 12)
    tmux.wait(lambda p: listed(p)[0] > first[-1] and chosen_offset(p) in listed(p),
              "a scrolled listing")
    wheel("up", 20)
    tmux.wait(lambda p: listed(p) == first and chosen_offset(p) == 0, "its first line again")
    tmux.keys("Escape", "Escape")
    tmux.resize(140, 40)

    # The mouse: a click, and off.
    tmux.wait(lambda p: "dispatch" in functions(p), "the table")
    row = next(i for i, line in enumerate(tmux.pane().splitlines()) if " many " in line)
    mouse(0, 20, row)
    tmux.wait(lambda p: chosen_row(p, "many"), "the clicked row")
    tmux.keys("m")
    tmux.wait(lambda p: "the mouse is the terminal's" in p, "no mouse")

    tmux.keys("q")
    tmux.wait(lambda p: "ended with 0" in p, "the end")
finally:
    tmux.end()

# Without -p and with two targets: the chooser.
other = lib.start_wamr(lib.inputs("fft"), "0")
tmux = Tmux([lib.AOTSCOPE, "top", "--interval", "0.5"], NO_COLOR="1")
try:
    pane = tmux.wait(lambda p: str(target.pid) in p and str(other.pid) in p, "both targets")
    check("which process?" in pane, pane)
    keep("target chooser", pane)
    for _ in range(20):
        if re.search(rf"^▸ +{target.pid} ", tmux.pane(), re.MULTILINE):
            break
        tmux.keys("Down")
        time.sleep(0.2)
    tmux.keys("Enter")
    tmux.wait(lambda p: "dispatch" in functions(p), "the table of the chosen target")
    tmux.keys("q")
    tmux.wait(lambda p: "ended with 0" in p, "the end")
finally:
    tmux.end()
say("driven in tmux: all there")
