"""Components of several cores: each sample goes to the right core, whatever the kernel made of
their mappings. Sizes that are equal, one core at two places, ranges merged into one line."""
import lib
import wamr_image
from lib import check, near, say
from wamr_common import (check_offsets, check_split, check_sums, folded, record_pid, self_of,
                         start_ready)

lib.need_root()


def merged(pid, texts, cores):
    """Lines of the maps that hold more than one text."""
    lines = [(start, end) for start, end, writable in wamr_image.executable_ranges(pid)
             if not writable]
    held = [sum(start <= base < end for base, _ in texts) for start, end in lines]
    say(f"{len(texts)} texts in {len(lines)} lines of the maps: {held}")
    check(sum(held) == len(texts), "a text is in no line")
    return max(held) > 1


def profile(name, texts_wanted, merge_wanted):
    image = lib.inputs(name)
    cores = wamr_image.cores(image)
    say(f"-- {name}: texts of {[core.text_size for core in cores]} bytes")
    target, _ = start_ready(image, 0)
    # The hot loop has begun when all are there, the second copy of a core too.
    texts = lib.wait_for(
        lambda: (found := wamr_image.find_texts(target.pid, cores)) and len(found) >= texts_wanted
        and found, f"{texts_wanted} texts in memory")
    if merge_wanted:
        check(merged(target.pid, texts, cores), "nothing was merged: this run shows nothing")
    data = record_pid(target.pid, 2.5)
    target.kill()
    check_sums(data)
    # A call from core to core goes through the runtime, whose own samples are not wasm's.
    check(data["samples"]["unknown"] <= 0.005 * data["samples"]["total"], f"{data['samples']}")
    check(data["samples"]["host"] <= 0.05 * data["samples"]["total"], f"{data['samples']}")
    check_offsets(data, image)
    number = {entry["image"]: entry["core"] for entry in data["images"]}
    placed = sorted((int(r["start"], 16), number[r["image"]], r["size"]) for r in data["regions"])
    wanted = sorted((base, core, cores[core].text_size) for base, core in texts)
    check(placed == wanted, f"regions are {placed}, not {wanted}")
    return data, number


data, number = profile("component", 4, True)
check_split(data, "work_one", "work_two", 25)
for function in data["functions"]:
    core = {"work_one": 0, "spin": 0, "work_two": 1, "run": 3}
    if function["name"] in ("work_one", "work_two", "run"):
        check(number[function["image"]] == core[function["name"]], f"wrong core: {function}")

# From core to core by way of the runtime: a trampoline makes no frame, and yet its caller is there.
chains = {}
for chain, count in folded(data["recording"]):
    if chain[-1] in ("work_one", "work_two"):
        wasm = tuple(frame for frame in chain if not frame.startswith("["))
        chains[wasm] = chains.get(wasm, 0) + count
say(f"chains: {chains}")
true = sum(chains.get(("run", "spin", leaf), 0) for leaf in ("work_one", "work_two"))
check(true >= 0.999 * sum(chains.values()), f"chains that cannot be: {chains}")

data, number = profile("equal", 4, True)
check_split(data, "spin_one", "spin_two", 25)
for function in data["functions"]:
    if function["name"] in ("spin_one", "spin_two"):
        check(number[function["image"]] == (function["name"] == "spin_two"), f"wrong: {function}")

# Two copies of one text: one function with the samples of both, and both are listed.
data, number = profile("twice", 4, False)
(both,) = self_of(data, "spin_both")
check(both >= 0.97 * data["samples"]["wasm"],
      f"spin_both has {both} of {data['samples']['wasm']} samples")
copies = [r for r in data["regions"] if number[r["image"]] == 0]
check(len(copies) == 2, f"core 0 is at {len(copies)} places")
text = lib.aotscope("report", data["recording"]).stdout
check("spin_both" in text, text)
