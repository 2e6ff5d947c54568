"""Instruction classes, and the compiler's spill metric."""
import json
import time

import lib
import wamr_common as common
import wamr_image
import wamr_inspect
import wamr_boundaries
from attach import mix_run
from checks import check, once, run_watched

PROGRAMS = ("mix", "mix-O0", "locals", "hash", "fft", "split", "tree")


@once
def js_inspect():
    image = lib.inputs("js")
    return wamr_inspect.agrees(image, image.with_suffix(".spill.log"))


@check("js-spills", "inspect agrees with wamrc's spill metric in every function of the big "
       "component (> 8,600), and claims no spills elsewhere")
def js_spills():
    count, data = js_inspect()
    return f"{count} functions of the log agree, of {len(data['functions'])}", count > 8600


@check("spills", "the same over mix.c and at least four more programs")
def spills():
    figures = []
    for name in PROGRAMS:
        image = lib.inputs(name)
        count, data = wamr_inspect.agrees(image, image.with_suffix(".spill.log"))
        figures.append((f"{name}: {count} functions of the log agree, of "
                        f"{len(data['functions'])}", True))
    return figures


@check("js-other", "class other <= 0.5 % and no undecoded byte over the big component")
def js_other():
    _, data = js_inspect()
    total = sum(f["instructions"] for f in data["functions"])
    other = sum(f["classes"].get("other", 0) for f in data["functions"])
    undecoded = sum(f["undecoded_bytes"] for f in data["functions"])
    return (f"{100 * other / total:.4f} % of {total:,} instructions, {undecoded} bytes undecoded",
            other <= 0.005 * total and undecoded == 0)


@check("js-targets", "every direct branch and call target of the big component is an instruction "
       "boundary of the sweep")
def js_targets():
    counts = wamr_boundaries.count(lib.inputs("js"), timeout=600)
    return (f"{counts['targets']:,} targets, {counts['bad_targets']} of them off; "
            f"{counts['instructions']:,} instructions, {counts['other_lengths']} of another length "
            "than Capstone's",
            counts["targets"] > 500000 and counts["bad_targets"] == counts["other_lengths"] == 0)


@once
def inspect_and_objdump(rounds=3):
    """Wall times of both over the same bytes, by turns, and inspect's memory."""
    image = lib.inputs("js")
    text = lib.folder() / "js.text"
    text.write_bytes(b"".join(core.text for core in wamr_image.cores(image)))
    ours, theirs, memory = [], [], []
    for _ in range(rounds):
        seconds, most = run_watched([lib.AOTSCOPE, "inspect", image, "--limit", "20"])
        ours.append(seconds)
        memory.append(most)
        seconds, _ = run_watched(["objdump", "-D", "-b", "binary", "-m", "i386:x86-64", text])
        theirs.append(seconds)
    text.unlink()
    return ours, theirs, max(memory)


@check("inspect-time", "inspect takes less than a fifth of objdump -D's time on the same bytes")
def inspect_time():
    ours, theirs, _ = inspect_and_objdump()
    ratio = min(ours) / min(theirs)
    return f"{min(ours):.2f} s and {min(theirs):.2f} s: {ratio:.3f}", ratio < 0.2


@check("inspect-memory", "inspect of the big component holds less than 400 MiB of RssAnon")
def inspect_memory():
    memory = inspect_and_objdump()[2]
    json_memory = run_watched([lib.AOTSCOPE, "inspect", lib.inputs("js"), "--json", "--spill-log",
                               lib.inputs("js").with_suffix(".spill.log")])[1]
    return [(f"{memory:.1f} MiB at most", 0 < memory < 400),
            (f"{json_memory:.1f} MiB at most with --json and --spill-log", json_memory < 400)]


@check("mix-classes", "the table of one mix.c run shows what its source says")
def mix_classes():
    data, _, _ = mix_run()
    functions = {function["name"]: function for function in data["functions"]}

    def share(name, kind, *classes):
        function = functions[name]
        return 100 * sum(function[kind].get(c, 0) for c in classes) / function["self"]
    figures = []
    for what, value, least in (
            ("interp: dispatch", share("interp", "classes", "dispatch"), 5),
            ("many: spills", share("many", "classes", "spill-load", "spill-store"), 20),
            ("fp: waits for float", share("fp", "waits", "float"), 75),
            ("fp: lands on moves", share("fp", "classes", "move", "zero-extend"), 50),
            ("memsum: bounds-check", share("memsum", "classes", "bounds-check"), 1),
            ("memsum: memory", share("memsum", "classes", "mem-load", "mem-store", "mem-address",
                                     "mem-bulk"), 1)):
        figures.append((f"{what} {value:.1f} % (at least {least})", value >= least))
    return figures


@check("mix-sums", "all sums are exact: classes, waits, offsets, functions, threads")
def mix_sums():
    data, _, _ = mix_run()
    common.check_sums(data)
    return f"of {data['samples']['total']} samples in {len(data['functions'])} functions", True
