"""Call stacks through AOT code: for programs whose call tree is known, the folded stacks hold
exactly the true chains and nothing else, down to the outermost wasm function; a cut is marked; the
sums are the samples. The caller that a sample in a prologue or on a `ret` loses is put back."""
import re

import lib
from lib import check, near, say
from wamr_common import check_sums, folded, record_pid, start_ready

# What stands outside of main, from the outermost in.
ENTRY = ["[host]", "_start.command_export", "_start", "__original_main", "__main_void", "main"]
MIN_OUTERMOST = 99.9
MAX_MISSING = 0.1
DEPTH = 127  # frames of a stack that is kept whole


def reaches(stacks):
    """Per cent of the samples in wasm whose stack reaches the outermost wasm function."""
    wasm = sum(count for _, count in stacks)
    whole = sum(count for chain, count in stacks if chain[:2] == ENTRY[:2])
    return 100.0 * whole / wasm


def run_tree(mode, *arguments, cpu=1.5, options=()):
    target, _ = start_ready(lib.inputs("tree"), mode, 0, *arguments)
    data = record_pid(target.pid, cpu, *options)
    target.kill()
    target.wait()
    check_sums(data)
    stacks = folded(data["recording"])
    check(sum(count for _, count in stacks) == data["samples"]["total"],
          "the folded stacks do not sum to the samples")
    check(sum(f["self"] for f in data["functions"]) + sum(h["self"] for h in data["host"]) +
          data["samples"]["unknown"] == data["samples"]["total"], "self does not sum to the samples")
    # What perf's own users call the total: each sample once, recursion included.
    totals = {}
    for chain, count in stacks:
        for name in set(chain):
            totals[name] = totals.get(name, 0) + count
    for function in data["functions"]:
        check(function["total"] == totals.get(function["name"], 0),
              f"total of {function['name']}: {function['total']}, not {totals}")
    return data, stacks


def true_chains(mode, depth):
    """Every chain that the program can be in, without the host's side; see tests/data/tree.c."""
    def prefixes(chain):
        return [chain[:i] for i in range(len(chain) + 1)]
    return {"recurse": lambda: prefixes(["recurse"] * depth + ["leaf"]),
            "mutual": lambda: prefixes((["even", "odd"] * depth)[:depth] + ["leaf"]),
            "indirect": lambda: prefixes(["outer", "middle", "inner", "leaf"]),
            "fan": lambda: prefixes(["left", "leaf"]) + prefixes(["right", "leaf"]),
            "tiny": lambda: prefixes(["loop", "tiny"])}[mode]()


def foreign(mode, depth, stacks):
    """The chains that the program cannot be in. Entering or leaving a function at the end of a
    chain it may be in any of its prefixes."""
    wanted = {tuple(ENTRY + chain) for chain in true_chains(mode, depth)}
    # Kernel and runtime start and end a program, and nothing else is outside of main.
    wanted |= {tuple(ENTRY[:i]) for i in range(1, len(ENTRY))}
    return [(chain, count) for chain, count in stacks if tuple(chain) not in wanted]


def check_true(mode, depth, stacks, leaf):
    wrong = foreign(mode, depth, stacks)
    say(f"{mode}: {sum(c for _, c in stacks)} samples in {len(stacks)} stacks, "
        f"{sum(c for _, c in wrong)} in chains that cannot be")
    check(not wrong, f"{mode}: {[(';'.join(chain)[-300:], count) for chain, count in wrong[:5]]}")
    hot = sum(count for chain, count in stacks if chain[-1] == leaf)
    total = sum(count for _, count in stacks)
    check(hot >= 0.9 * total or mode == "tiny", f"{mode}: {leaf} has {hot} of {total}")
    check(reaches(stacks) >= MIN_OUTERMOST, f"{mode}: only {reaches(stacks):.2f} % reach the "
          "outermost wasm function")


def measure_missing(*options, cpu=4):
    """Of the samples in `tiny`: per cent whose caller is not `loop`, and how many samples."""
    target, _ = start_ready(lib.inputs("tiny"), 0)
    data = record_pid(target.pid, cpu, *options)
    target.kill()
    target.wait()
    check_sums(data)
    stacks = folded(data["recording"])
    leaf = [(chain, count) for chain, count in stacks if chain[-1] == "tiny"]
    samples = sum(count for _, count in leaf)
    missing = sum(count for chain, count in leaf if chain != ENTRY + ["loop", "tiny"])
    return 100.0 * missing / samples, samples, reaches(stacks)


def main():
    lib.need_root()
    for mode, depth, leaf in (("recurse", 100, "leaf"), ("mutual", 101, "leaf"),
                              ("indirect", 0, "leaf"), ("fan", 0, "leaf"), ("tiny", 0, "tiny")):
        data, stacks = run_tree(mode, *([depth] if depth else []))
        check_true(mode, depth, stacks, leaf)
        if mode == "recurse":
            (function,) = [f for f in data["functions"] if f["name"] == "recurse"]
            check(function["total"] <= data["samples"]["total"], "recursion counts more than once")
            callers = lib.aotscope("report", data["recording"], "--callers", "leaf").stdout
            check("recurse" in callers, callers)
        if mode == "fan":
            left, right = (sum(c for chain, c in stacks if chain[-2:] == [side, "leaf"])
                           for side in ("left", "right"))
            near(100 * left / (left + right), 25, 5, "left of left and right, %")
            callers = lib.aotscope("report", data["recording"], "--callers", "leaf").stdout
            callees = lib.aotscope("report", data["recording"], "--callees", "main").stdout
            for side, part in (("left", left), ("right", right)):
                for text, whole in ((callers, left + right), (callees, data["samples"]["total"])):
                    (line,) = [l for l in text.splitlines() if re.search(rf"\b{side}\b", l)]
                    shown = [float(x) for x in re.findall(r"[0-9]+\.[0-9]+", line)]
                    check(any(abs(x - 100 * part / whole) < 1 for x in shown),
                          f"{side}: {part} of {whole}, shown as: {line}")
            annotated = lib.aotscope("annotate", data["recording"], "--func", "leaf").stdout
            (line,) = [l for l in annotated.splitlines() if l.startswith("called by")]
            check(line.index("right") < line.index("left"), line)

    say("-- 400 deep: cut, and marked")
    data, stacks = run_tree("recurse", 400)
    cut = [(chain, count) for chain, count in stacks if "[truncated]" in chain]
    share = 100 * sum(c for _, c in cut) / data["samples"]["total"]
    check(share >= 95, f"only {share:.1f} % of the stacks are marked as cut")
    for chain, _ in cut:
        check(chain[0] == "[truncated]" and set(chain[1:-1]) == {"recurse"} and
              chain[-1] in ("recurse", "leaf") and DEPTH <= len(chain) - 1 <= DEPTH + 1,
              f"a cut chain of {len(chain)}: {chain[:3]} … {chain[-3:]}")
    whole = [(chain, count) for chain, count in stacks if "[truncated]" not in chain]
    check(not foreign("recurse", 400, whole), f"{whole}")
    say(f"{share:.2f} % of the stacks are cut after {DEPTH} frames")
    check("truncated" in lib.aotscope("report", data["recording"], "--callers", "leaf").stdout,
          "the tree of callers does not show the cut")

    say("-- 20 frames kept")
    data, stacks = run_tree("recurse", 100, cpu=0.5, options=["--max-frames", "20"])
    check(all(len(chain) <= 22 for chain, _ in stacks), "stacks are deeper than --max-frames")
    check(any(chain[0] == "[truncated]" for chain, _ in stacks), "no cut is marked")

    say("-- no stacks: no totals")
    target, _ = start_ready(lib.inputs("tree"), "fan", 0)
    data = record_pid(target.pid, 0.5, "--no-stacks")
    target.kill()
    check(data["stacks"] is False, "stacks without stacks")

    say("-- the caller that a prologue loses")
    repaired, samples, outermost = measure_missing()
    bare, bare_samples, _ = measure_missing("--no-repair")
    say(f"missing caller: {repaired:.3f} % of {samples} samples in tiny; without the repair "
        f"{bare:.1f} % of {bare_samples}")
    say(f"{outermost:.3f} % reach the outermost wasm function")
    check(repaired < MAX_MISSING, f"{repaired:.3f} % of the samples have lost a caller")
    check(outermost >= MIN_OUTERMOST, f"only {outermost:.3f} % reach the outermost function")
    check(bare > 10, f"without the repair only {bare:.1f} % lack a caller: this shows nothing")


if __name__ == "__main__":
    main()
