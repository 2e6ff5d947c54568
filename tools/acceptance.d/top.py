"""The live view: the integration tests that drive it, and what it costs."""
import re
import sys

import lib
from checks import check


def script(name, *arguments):
    """Runs one of the integration tests; whether it passed, and what it said."""
    result = lib.run([sys.executable, lib.ROOT / "tests/integration" / f"{name}.py", *arguments],
                     timeout=600)
    return result.returncode == 0, result.stdout.splitlines()


@check("top-terminal", "case S8: the terminal is as it was on every way out of top")
def top_terminal():
    good, lines = script("tui_terminal")
    return lines[-1] if lines and not good else "every way out", good


@check("top-screens", "top driven in tmux on a real run: each key leads to what it should")
def top_screens():
    good, lines = script("tui_screens")
    near = [line for line in lines if "wanted" in line]
    figure = f"{len(near)} functions as a recording of the same time has them"
    return (figure if good else "\n         ".join(lines[-5:])), good


@check("top-cost", "at 1 Hz on the big component top uses < 2 % of a CPU, and says so of itself")
def top_cost():
    good, lines = script("tui_cost")
    figures = [(line, True) for line in lines if re.search("% of a CPU by /proc", line)]
    if not good:
        figures.append((lines[-1] if lines else "not measured", False))
    return figures
