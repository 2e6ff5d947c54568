"""The image on disk is no longer what runs: a warning names both sides, and no sample gets a name
from the wrong file. --base is believed, whatever the bytes say."""
import os
import shutil

import lib
import wamr_image
from lib import check, say
from wamr_common import attributed, check_sums, record_pid, self_of, start_ready

lib.need_root()
image, other = lib.inputs("split"), lib.inputs("mix")
names = {name for core in wamr_image.cores(image) + wamr_image.cores(other) for name in core.names}

say("-- replaced by another build after the start")
app = lib.folder() / "app.cwasm"
shutil.copy(image, app)
target, texts = start_ready(app, 0)
base = texts[0][0]
# As a compiler replaces it: the name leads to a new file.
new = lib.folder() / "new.cwasm"
shutil.copy(other, new)
os.replace(new, app)
data = record_pid(target.pid, 1.5)
check_sums(data)
say(data["stderr"].strip())
warnings = [line for line in data["stderr"].splitlines() if "warning: " in line]
check(len(warnings) == 1, f"not one warning: {data['stderr']}")
for word in ("app.cwasm", f"{base:#x}", str(target.pid)):
    check(word in warnings[0], f"the warning does not name {word}: {warnings[0]}")
check(data["samples"]["wasm"] == 0, f"{data['samples']['wasm']} samples have names of a wrong file")
check(data["samples"]["unknown"] >= 0.98 * data["samples"]["total"], f"{data['samples']}")
check(not data["functions"] and not data["regions"], f"{data['functions']} {data['regions']}")
(region,) = [u for u in data["unknown"] if int(u["region"], 16) == base]
check(sum(a["count"] for a in region["addresses"]) == region["self"], "addresses do not sum")
check(all(base <= int(a["address"], 16) < base + 131072 for a in region["addresses"]),
      "an address is outside the code")
text = lib.aotscope("report", data["recording"]).stdout
check(f"{base:#x}" in text and "warning" in text, f"the table hides it:\n{text}")
check(not any(f" {name} " in text for name in names), f"a name of a wrong file:\n{text}")
ps = [line for line in lib.aotscope("ps").stdout.splitlines() if line.split()[0] == str(target.pid)]
check(len(ps) == 1 and "another build" in ps[0], f"ps: {ps}")

say("-- the file that does run, as an argument")
data = record_pid(target.pid, 1.5, image)
check(attributed(data) >= 99.5, f"only {attributed(data):.2f} % have names")
one, two = self_of(data, "one", "two")
check(two > one > 0, f"one {one}, two {two}")
check("warning" not in data["stderr"], data["stderr"])

say("-- the same again, with an address")
data = record_pid(target.pid, 1.5, image, "--base", f"{base:#x}")
check(attributed(data) >= 99.5 and self_of(data, "two")[0] > 0, f"{data['samples']}")
check([int(r["start"], 16) for r in data["regions"]] == [base], f"{data['regions']}")

say("-- an address is believed, even for a file that does not run there")
data = record_pid(target.pid, 1, other, "--base", f"{base:#x}=0")
check_sums(data)
check([int(r["start"], 16) for r in data["regions"]] == [base], f"{data['regions']}")
check(data["samples"]["wasm"] > 0, f"{data['samples']}")
result = lib.aotscope("record", "-p", target.pid, "--base", "0x1001", "-d", "1", "-o",
                      lib.folder() / "bad.db", expect=None)
check(result.returncode in (1, 2) and "0x1001" in result.stderr, result.stderr)
target.kill()



def warned_of(name):
    """One warning, and it names the file; the line about the command does so anyway."""
    warnings = [line for line in data["stderr"].splitlines() if "warning: " in line]
    check(len(warnings) == 1 and name in warnings[0], data["stderr"])


say("-- deleted after the start, and cut short")
gone = lib.folder() / "gone.cwasm"
shutil.copy(image, gone)
target, _ = start_ready(gone, 0)
gone.unlink()
data = record_pid(target.pid, 1)
check_sums(data)
check(data["samples"]["wasm"] == 0 and data["samples"]["total"] > 0, f"{data['samples']}")
warned_of(gone.name)
gone.write_bytes(image.read_bytes()[:50000])
data = record_pid(target.pid, 1)
check(data["samples"]["wasm"] == 0, f"{data['samples']}")
warned_of(gone.name)
target.kill()

say("-- two builds of equal size that differ in one byte of the text")
core = wamr_image.Core(image)
patched = lib.folder() / "patched.cwasm"
shutil.copy(image, patched)
target, _ = start_ready(patched, 0)
content = bytearray(image.read_bytes())
content[core.text_at + core.text_size - 20] ^= 0xFF
new.write_bytes(content)
os.replace(new, patched)
data = record_pid(target.pid, 1)
check(data["samples"]["wasm"] == 0 and "another build" in data["stderr"],
      f"{data['samples']} {data['stderr']}")
target.kill()
