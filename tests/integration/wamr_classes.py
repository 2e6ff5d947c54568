"""What kind of instruction each function of mix.c burns its time on is what its source says; the
annotated listing agrees with the counts and, instruction by instruction, with objdump."""
import re

import lib
import wamr_image
from lib import check, say
from wamr_common import check_sums, record_pid, start_ready

lib.need_root()
image = lib.inputs("mix")
core = wamr_image.Core(image)
target, _ = start_ready(image, 0)
data = record_pid(target.pid, 6)
target.kill()
recording = data["recording"]
check_sums(data)
functions = {function["name"]: function for function in data["functions"]}


def share(name, kind, *classes):
    function = functions[name]
    value = 100.0 * sum(function[kind].get(c, 0) for c in classes) / function["self"]
    say(f"{name}: {kind} {' '.join(classes)} {value:.1f} % of {function['self']}")
    return value


def figures():
    """What the source says, as (what, value, least)."""
    fp_moves = share("fp", "classes", "move", "zero-extend")
    return [("interp: dispatch", share("interp", "classes", "dispatch"), 5),
            ("many: spills", share("many", "classes", "spill-load", "spill-store"), 20),
            ("fp: waits for float", share("fp", "waits", "float"), 75),
            ("fp: lands on moves", fp_moves, 50),
            ("memsum: bounds-check", share("memsum", "classes", "bounds-check"), 1),
            ("memsum: memory", share("memsum", "classes", "mem-load", "mem-store", "mem-address",
                                     "mem-bulk"), 1),
            ("dispatch: dispatch", share("dispatch", "classes", "dispatch"), 5)]


for what, value, least in figures():
    check(value >= least, f"{what} has {value:.1f} %, not {least}")
check(share("fp", "classes", "float") < 50, "fp lands on float itself: nothing to show of waits")
check("other" not in data["classes"] or data["classes"]["other"] <= 0.005 * data["samples"]["wasm"],
      f"class other: {data['classes']}")

say("-- the table")
text = lib.aotscope("report", recording).stdout
(fp_line,) = [line for line in text.splitlines() if re.search(r" fp  ", line)]
check("move" in fp_line and "waits: float" in fp_line, fp_line)
for word in ("by class", "moves", "spill", "dispatch", "bounds", "memory"):
    check(word in text, f"the summary lacks {word}:\n{text}")

ROW = re.compile(r"^ *(?:([0-9.]+) +([0-9,]+))? +0x([0-9a-f]+) +\+0x([0-9a-f]+)  ([a-z-]+) ")


def listing(text):
    """Rows of the whole listing: text offset -> (samples, class, rest)."""
    parts = re.split(r"\n *%? *(?:samples)? *offset .*\n", text)
    rows = {}
    for line in parts[-1].splitlines():
        if match := ROW.match(line):
            rows[int(match[3], 16)] = (int((match[2] or "0").replace(",", "")), match[5],
                                       line[match.end():])
    return rows


def boundaries(local):
    """Offsets at which objdump sees instructions in a function."""
    start, end = core.extent(local)
    binary = lib.folder() / "function.bin"
    binary.write_bytes(core.text[start:end])
    text = lib.run(["objdump", "-D", "-b", "binary", "-m", "i386:x86-64", binary]).stdout
    rows = re.findall(r"^ *([0-9a-f]+):\t(?:[0-9a-f]{2} )+ *\t(\S+)", text, re.M)
    return {start + int(offset, 16): mnemonic for offset, mnemonic in rows}


say("-- annotate, from the recording")
for name in ("interp", "many", "fp", "memsum", "dispatch"):
    function = functions[name]
    local = function["local_func"]
    text = lib.aotscope("annotate", recording, "--func", name).stdout
    check("\x1b" not in text, "colour on a pipe")
    start, end = core.extent(local)
    for word in (name, f"func[{function['func_index']}]", f"{start:#x}", f"{end:#x}",
                 "about to run", "hottest instructions", "hottest block", "called by"):
        check(word in text, f"annotate {name} lacks '{word}':\n{text[:1500]}")
    rows = listing(text)
    counted = {}
    for row in data["offsets"]:
        if row["local_func"] == local:
            counted[row["offset"]] = row
    check({offset: row["count"] for offset, row in counted.items()} ==
          {offset: count for offset, (count, _, _) in rows.items() if count},
          f"the counts of {name}'s listing are not those of --offsets")
    for offset, row in counted.items():
        check(rows[offset][1] == row["class"], f"{name} {offset:#x}: {rows[offset]} {row}")
    check(sum(count for count, _, _ in rows.values()) == function["self"], f"{name}: sum")
    hot = re.search(r"the (\d+) hottest instructions\n.*\n((?:.*\n)+?)\n", text)
    check(hot and int(hot[1]) == min(20, len(counted)) == len(hot[2].splitlines()),
          f"{name}: the hottest:\n{text[:3000]}")
    if name != "interp":  # its jump table is data, which objdump decodes
        theirs = boundaries(local)
        check(set(rows) == set(theirs),
              f"{name}: other boundaries than objdump's at "
              f"{sorted(set(rows) ^ set(theirs))[:5]}")
        for offset, mnemonic in theirs.items():
            check(mnemonic[:2] in rows[offset][2], f"{name} {offset:#x}: {mnemonic} {rows[offset]}")
    else:
        table = re.search(r"table of (\d+) at", text)
        check(table and 2 <= int(table[1]) <= 9, "interp has no jump table")
        labels = set(re.findall(r"→ (L\d+)", text))
        check(labels and all(f"{label}:" in text for label in labels), f"labels {labels}")
    if name == "fp":
        check("← +0x" in text, "fp: no producer is named")
    say(f"{name}: {len(rows)} instructions, {function['self']} samples")

say("-- annotate, from the image")
text = lib.aotscope("annotate", image, "--func", "main").stdout
for callee in ("dispatch", "interp", "memsum", "fp", "many"):
    check(re.search(rf"call +{callee}\b", text), f"main's call of {callee} has no name")
check("samples" not in text.split("\n\n")[0], "a static listing speaks of samples")
by_index = f"func[{functions['many']['func_index']}]"
texts = {lib.aotscope("annotate", image, "--func", f).stdout
         for f in ("many", str(functions["many"]["local_func"]), by_index)}
check(len(texts) == 1, "a name, a local index and func[INDEX] are three things")
text = lib.aotscope("annotate", image, "--func", "many", "--spill-log",
                    image.with_suffix(".spill.log")).stdout
check("as in the code" in text, f"spill log:\n{text[:800]}")

say("-- ambiguous and unknown names")
component = lib.inputs("component")
for arguments, words in (([component, "--func", "spin"], ["--core 0 --func 1", "--core 1"]),
                         ([image, "--func", "inter"], ["interp"]),
                         ([image, "--func", "nothing_like_it"], ["nothing_like_it"]),
                         ([recording, "--func", "f_"], ["f_add", "f_xor", "f_mul"]),
                         ([component, "--func", "spin", "--core", "9"], ["core"])):
    result = lib.aotscope("annotate", *arguments, expect=1)
    check(result.stderr.startswith("aotscope: error: ") and not result.stdout, result.stderr)
    for word in words:
        check(word in result.stderr, f"no {word}: {result.stderr}")
lib.aotscope("annotate", component, "--func", "spin", "--core", "1")
