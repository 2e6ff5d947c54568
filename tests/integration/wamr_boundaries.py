"""Instruction boundaries over whole images: Capstone sees the same ones, and every direct jump and
call leads to one. tools/acceptance does the same for the big component."""
import lib
from lib import check, say


def count(image, timeout=120):
    """What wamr_targets counts."""
    tool = lib.Path(lib.AOTSCOPE).with_name("wamr_targets")
    result = lib.run([tool, image], timeout=timeout)
    counts = {name: int(value) for name, value in
              (line.split() for line in result.stdout.splitlines())}
    check(counts, f"{image}: {result.stderr}")
    counts["complaints"] = result.stderr
    return counts


if __name__ == "__main__":
    for name in ("mix", "mix-O0", "tree", "locals", "hash", "fft", "component"):
        counts = count(lib.inputs(name))
        say(f"{name}: {counts}")
        check(counts["targets"] > 100 or name == "component", f"{name}: {counts}")
        for wrong in ("bad_targets", "other_lengths", "undecoded_bytes"):
            check(counts[wrong] == 0, f"{name}: {counts}")
