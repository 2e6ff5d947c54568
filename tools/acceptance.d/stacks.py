"""Call stacks through AOT code."""
import lib
import wamr_common as common
import wamr_stacks
from checks import check, kill, once

MODES = (("recurse", 100), ("mutual", 101), ("indirect", 0), ("fan", 0), ("tiny", 0))


@once
def tree(mode, depth):
    return wamr_stacks.run_tree(mode, *([depth] if depth else []), cpu=3)


@check("chains", "the folded stacks of a known call tree hold exactly the true chains")
def chains():
    figures = []
    for mode, depth in MODES:
        _, stacks = tree(mode, depth)
        wrong = sum(count for _, count in wamr_stacks.foreign(mode, depth, stacks))
        total = sum(count for _, count in stacks)
        figures.append((f"{mode} {depth or ''}: {wrong} of {total} samples in chains that cannot be",
                        wrong == 0))
    return figures


@check("chains-host", "a call through a host import that calls back: the same")
def chains_host():
    # A component's call from core to core goes through the runtime: run -> spin -> work.
    target, _ = common.start_ready(lib.inputs("component"), 0)
    data = common.record_pid(target.pid, 3)
    kill(target)
    common.check_sums(data)
    good = bad = 0
    example = ""
    for chain, count in common.folded(data["recording"]):
        if chain[-1] not in ("work_one", "work_two"):
            continue
        wasm = [frame for frame in chain if not frame.startswith("[")]
        if wasm == ["run", "spin", chain[-1]]:
            good += count
        else:
            bad, example = bad + count, ";".join(chain)
    return (f"{bad} of {good + bad} samples lack a caller {example}", bad <= 0.001 * (good + bad))


@check("cut", "recursion 400 deep is cut, and the cut is marked")
def cut():
    data, stacks = tree("recurse", 400)
    marked = sum(count for chain, count in stacks if chain[0] == "[truncated]")
    deep = sum(count for chain, count in stacks if chain[0] == "[truncated]" or
               chain.count("recurse") > wamr_stacks.DEPTH)
    total = data["samples"]["total"]
    return (f"{marked} of {total} samples are marked, {deep - marked} of the deep ones are not",
            marked == deep and marked >= 0.95 * total)


@check("outermost", ">= 99.9 % of the samples in wasm reach the outermost wasm function")
def outermost():
    whole = total = 0
    for mode, depth in MODES:
        _, stacks = tree(mode, depth)
        count = sum(c for _, c in stacks)
        total += count
        whole += wamr_stacks.reaches(stacks) * count / 100
    return f"{100 * whole / total:.3f} % of {total}", whole >= 0.999 * total


@check("repair", "after the prologue repair < 0.1 % of the samples lack a caller")
def repair():
    repaired, samples, reach = wamr_stacks.measure_missing(cpu=12)
    bare, bare_samples, _ = wamr_stacks.measure_missing("--no-repair", cpu=4)
    return [(f"{repaired:.3f} % of {samples} samples in a tiny function", repaired < 0.1),
            (f"without the repair {bare:.1f} % of {bare_samples}", bare > 10),
            (f"{reach:.3f} % reach the outermost wasm function", reach >= 99.9)]


@check("self-sum", "the sum of self over all functions is the number of samples")
def self_sum():
    figures = []
    for mode, depth in MODES + (("recurse", 400),):
        data, _ = tree(mode, depth)
        total = sum(f["self"] for f in data["functions"]) + sum(h["self"] for h in data["host"]) + \
            data["samples"]["unknown"]
        figures.append((f"{mode} {depth or ''}: {total} of {data['samples']['total']}",
                        total == data["samples"]["total"]))
    return figures
