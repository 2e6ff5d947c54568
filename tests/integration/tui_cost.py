"""What the full screen costs at one refresh a second on the big JavaScript component: under 2 % of
a CPU, and the figure it shows about itself is the one that /proc has. Called by hand or by
tools/acceptance: tui_cost.py [SECONDS]."""
import re
import shutil
import sys
import time

import lib
from lib import check, cpu_seconds, say
from tui_lib import Tmux

lib.need_root()
if not shutil.which("tmux"):
    lib.skip("tmux is not installed")
SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 30

target = lib.start_wamr(lib.inputs("js"), "0")
lib.wait_for(lambda: cpu_seconds(target.pid) > 1, "the component's work", 60)
tmux = Tmux([lib.AOTSCOPE, "top", "-p", target.pid], columns=160, rows=50)
try:
    tmux.wait(lambda p: "TOP CLASS" in p and re.search(r"up 00:00:0[3-9]", p), "the table", 60)
    found = lib.run(["pgrep", "-f", f"{lib.AOTSCOPE} top -p {target.pid}"]).stdout.split()
    pid = next(int(p) for p in found
               if open(f"/proc/{p}/comm").read().strip() == "aotscope")

    def measure(what, seconds):
        """(per cent of a CPU by /proc, mean of what the header said meanwhile)."""
        shown = []
        begin, used = time.monotonic(), cpu_seconds(pid)
        while time.monotonic() < begin + seconds:
            time.sleep(1)
            figure = re.search(r"self +([\d.]+)%", tmux.pane())
            if figure:
                shown.append(float(figure.group(1)))
        cost = 100 * (cpu_seconds(pid) - used) / (time.monotonic() - begin)
        shown = shown[4:] or shown  # it is a mean over 4 s: the first ones lie before
        said = sum(shown) / len(shown)
        say(f"{what}: {cost:.2f} % of a CPU by /proc, {said:.2f} % by its own header")
        check(abs(cost - said) < 0.5 + 0.2 * cost, f"{what}: /proc says {cost}, the header {said}")
        return cost

    cost = measure("main screen", SECONDS)
    tmux.keys("Enter")
    tmux.wait(lambda p: "HOTTEST" in p, "the function screen")
    tmux.keys("Enter")
    tmux.wait(lambda p: "INSTRUCTION" in p, "the listing")
    listing = measure("annotate screen", SECONDS / 2)
    say(tmux.pane().splitlines()[1])
    check(target.poll() is None, "the component ended while it was measured")
    check(cost < 2, f"the main screen costs {cost:.2f} % of a CPU")
    check(listing < 2, f"the annotate screen costs {listing:.2f} % of a CPU")
finally:
    tmux.end()
