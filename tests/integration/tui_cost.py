"""What the full screen costs at one refresh a second on the big JavaScript component: under 2 % of
a CPU in each screen and in the first ten seconds once it is there; and the figure it shows about
itself is the one that /proc has. By tools/acceptance, or by hand: tui_cost.py [SECONDS]."""
import os
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



def age(pid):
    """Seconds since a process was started."""
    with open(f"/proc/{pid}/stat", "rb") as stat:
        start = int(stat.read().rsplit(b")", 1)[1].split()[19])
    return time.clock_gettime(time.CLOCK_BOOTTIME) - start / os.sysconf("SC_CLK_TCK")


target = lib.start_wamr(lib.inputs("js"), "0")
# Ahead of whatever else this machine is doing: the cost at the target's full load is asked for.
os.setpriority(os.PRIO_PROCESS, target.pid, -15)
lib.wait_for(lambda: cpu_seconds(target.pid) > 1, "the component's work", 60)
tmux = Tmux([lib.AOTSCOPE, "top", "-p", target.pid], columns=160, rows=50)
costs = {}
try:
    def top():
        return [int(p) for p in
                lib.run(["pgrep", "-f", f"{lib.AOTSCOPE} top -p {target.pid}"]).stdout.split()
                if open(f"/proc/{p}/comm").read().strip() == "aotscope"]
    pid = lib.wait_for(top, "its start")[0]
    tmux.wait(lambda p: "TOP CLASS" in p and re.search(r"up 00:00:0\d", p), "the table", 60)
    say(f"start: {cpu_seconds(pid):.2f} s of CPU time in {age(pid):.2f} s until the table is there")

    def measure(what, seconds):
        """Per cent of a CPU by /proc, and the mean of what the header said meanwhile."""
        shown = []
        begin, used, load = time.monotonic(), cpu_seconds(pid), cpu_seconds(target.pid)
        while time.monotonic() < begin + seconds:
            time.sleep(1)
            figure = re.search(r"self +([\d.]+)%", tmux.pane())
            if figure:
                shown.append(float(figure.group(1)))
        cost = 100 * (cpu_seconds(pid) - used) / (time.monotonic() - begin)
        load = 100 * (cpu_seconds(target.pid) - load) / (time.monotonic() - begin)
        shown = shown[4:] or shown  # it is a mean over 4 s: the first ones lie before
        said = sum(shown) / len(shown)
        say(f"{what}: {cost:.2f} % of a CPU by /proc, {said:.2f} % by its own header, with the "
            f"target at {load:.0f} %")
        costs[what] = cost
        check(abs(cost - said) < 0.5 + 0.2 * cost, f"{what}: /proc says {cost}, the header {said}")

    measure("first ten seconds", 10 - age(pid))
    say(f"with the start: {cpu_seconds(pid):.2f} s of CPU time in {age(pid):.2f} s")
    measure("main screen", SECONDS)
    tmux.keys("Enter")
    tmux.wait(lambda p: "HOTTEST" in p, "the function screen")
    measure("function screen", SECONDS)
    tmux.keys("Enter")
    tmux.wait(lambda p: "INSTRUCTION" in p, "the listing")
    measure("annotate screen", SECONDS)
    say(tmux.pane().splitlines()[1])
    check(target.poll() is None, "the component ended while it was measured")
    for what, cost in costs.items():
        check(cost < 2, f"{what}: {cost:.2f} % of a CPU")
finally:
    tmux.end()
