"""diff: nothing where nothing changed, and what did."""
import json

import lib
from checks import Short, check, once

TRIES = 20
MIX_ROUNDS = 40        # some 4 s of CPU time
PLANTED_ROUNDS = 5000  # some 50 s
MODES = ((), ("--work",))


def recorded(*images, rounds):
    """Whole runs of programs at the same time, so that what else the machine does slows all of
    them: their recordings, and what they printed."""
    runs = []
    for image in images:
        output = lib.folder() / f"{image.stem}-{len(runs)}.db"
        said = output.with_suffix(".out")
        with open(said, "w") as out:
            process = lib.start([lib.AOTSCOPE, "record", "-q", "--force", "-o", output, "--",
                                 lib.wamr(), "run", image, rounds], stdout=out)
        runs.append((output, said, process))
    for output, _, process in runs:
        if process.wait(500) != 0:
            raise Short(f"record of {output.stem}: exit {process.returncode}")
    return [(output, said.read_text()) for output, said, _ in runs]


def compared(old, new, mode):
    return json.loads(lib.aotscope("diff", old, new, "--json", *mode).stdout)


def title(mode):
    return mode[0] if mode else "shares"


@check("diff-noise", f"diff of two runs of the same thing calls no function significant in at least "
       f"{TRIES - 1} of {TRIES} tries")
def diff_noise():
    image = lib.inputs("mix")
    wrong = {mode: [] for mode in MODES}
    samples = 0
    for _ in range(TRIES):
        old, new = (recorded(image, rounds=MIX_ROUNDS)[0][0].rename(lib.folder() / name)
                    for name in ("old.db", "new.db"))
        for mode in MODES:
            data = compared(old, new, mode)
            samples += data["old"]["samples"] + data["new"]["samples"]
            names = [f"{f['name']} {f['self']['change']:+.2f}" for f in data["functions"]
                     if f["significant"]]
            if names:
                wrong[mode].append(" ".join(names))
    mean = samples / (2 * len(MODES) * TRIES)
    return [(f"{title(mode)}: nothing in {TRIES - len(found)} of {TRIES} tries, of {mean:,.0f} "
             f"samples on each side {'; '.join(found)}", len(found) <= 1)
            for mode, found in wrong.items()]


@once
def planted():
    """Recordings of both builds, and by how much `planted` is slower by the program's own clock."""
    (old, said), (new, said_new) = recorded(lib.inputs("planted"), lib.inputs("planted-slower"),
                                            rounds=PLANTED_ROUNDS)
    least = [dict(line.split() for line in text.splitlines()) for text in (said, said_new)]
    return old, new, int(least[1]["planted"]) / int(least[0]["planted"])


@check("diff-slowdown", "a slowdown of 10 % that is planted in one function is significant, with an "
       "interval that holds it, and no other function is")
def diff_slowdown():
    old, new, ratio = planted()
    figures = [(f"planted takes {100 * (ratio - 1):+.2f} % by the program's own clock, +10 % by its "
                "steps", 1.05 < ratio < 1.15)]
    for mode in MODES:
        data = compared(old, new, mode)
        (row,) = (f for f in data["functions"] if f["name"] == "planted")
        before = row["self"]["old"]

        def truth(slower):
            if mode:
                return before * (slower - 1)
            return before * slower / (1 + before / 100 * (slower - 1)) - before
        low, high, unit = row["self"]["low"], row["self"]["high"], " s" if mode else " points"
        others = [f"{f['name']} {f['self']['change']:+.2f}" for f in data["functions"]
                  if f["significant"] and f is not row]
        figures.append(
            (f"{title(mode)}: {before:.2f}{unit} {row['self']['change']:+.2f}, {low:+.2f} to "
             f"{high:+.2f}; true {truth(ratio):+.2f} by the clock, {truth(1.1):+.2f} by its steps; "
             f"{data['old']['samples']:,} and {data['new']['samples']:,} samples",
             row["significant"] and row["self"]["significant"] and low <= truth(ratio) <= high and
             low <= truth(1.1) <= high))
        figures.append((f"{title(mode)}: {len(others)} of {len(data['functions']) - 1} others "
                        f"significant {'; '.join(others)}", not others))
    return figures
