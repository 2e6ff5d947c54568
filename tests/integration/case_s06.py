"""S6: files that are not what they claim, and names that mean harm."""
import json
import os
import re
import time
from collections import Counter

import lib
from case_lib import Loader, Recording, images, one_error_line, only, show
from lib import check, say

lib.need_root()
BAD = images() / "bad"
loader = Loader(images() / "a.cwasm")
loader.load("A", images() / "a.cwasm")


def measured(command, what):
    """Runs it; checks that no signal ends it, that it takes < 2 s and < 64 MiB."""
    out, err = lib.folder() / "out", lib.folder() / "err"
    begin = time.monotonic()
    with open(out, "wb") as stdout, open(err, "wb") as stderr:
        process = lib.start(command, stdout=stdout, stderr=stderr)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    check(process.returncode >= 0, f"{what}: ended by signal {-process.returncode}")
    check(seconds < 2, f"{what}: {seconds:.2f} s")
    check(usage.ru_maxrss < 64 * 1024, f"{what}: {usage.ru_maxrss / 1024:.0f} MiB")
    process.stdout = safe(out.read_bytes(), what)
    process.stderr = safe(err.read_bytes(), what)
    return process


def safe(data, what):
    """As text; nothing in it can steer a terminal, and it is UTF-8."""
    text = data.decode("utf-8")
    bad = re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", text)
    check(not bad, f"{what}: control characters reach the terminal: {sorted(set(bad))}")
    return text


def refused(path, *wanted, commands=("inspect", "record")):
    for command in commands:
        where = ["-p", loader.pid, "-d", "0.2", "-o", lib.folder() / "bad.db"]
        arguments = ["inspect", path] if command == "inspect" else ["record", *where, path]
        result = measured([lib.AOTSCOPE, *arguments], f"{command} {path.name}")
        error = one_error_line(result, f"{command} {path.name}")
        say(f"  {error[:150]}")
        for word in (path.name, *wanted):
            check(word in error, f"{command} {path.name}: the error does not name {word}: {error}")
        check(not (lib.folder() / "bad.db").exists(), f"{command} {path.name} left a recording")


def sparse(name, head=b""):
    path = BAD / name
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(4 << 30)
    return path


refused(BAD / "empty.cwasm", "empty")
refused(BAD / "seven.cwasm", "offset 0x0")
for name, *wanted in (("cut.cwasm", "section", "offset"),
                      ("section-size.cwasm", "section 0 (target)", "offset 0x8"),
                      ("name-length.cwasm", "section 7 (name)", "offset"),
                      ("export-length.cwasm", "section 4 (export)", "offset"),
                      ("function-count.cwasm", "section 3 (function)", "offset", "536870912"),
                      ("offset-past-text.cwasm", "section 3 (function)", "0x7fff0000"),
                      ("no-text.cwasm", "section 2 (text)")):
    refused(BAD / name, *wanted)
refused(BAD / "plain.wasm", "not compiled")
elf = BAD / "elf.cwasm"
elf.write_bytes(open("/bin/true", "rb").read())
refused(elf, "ELF")
(BAD / "directory.cwasm").mkdir()
refused(BAD / "directory.cwasm", "directory")
os.mkfifo(BAD / "fifo.cwasm")
refused(BAD / "fifo.cwasm")
refused(sparse("sparse.cwasm"))
refused(sparse("sparse-header.cwasm", b"\0aot\x0b\0\0\0"))
# A text of nearly 4 GiB: nothing forbids it, so it may be read, but not at any cost.
huge = sparse("huge-text.cwasm", b"\0aot\x0b\0\0\0\x02\0\0\0" + ((4 << 30) - 16).to_bytes(4, "little"))
measured([lib.AOTSCOPE, "inspect", huge], "inspect of a huge text")
refused(BAD / "not-there.cwasm")

say("versions")
for version in (6, 7, 11, 12, 0xffffffff):
    result = measured([lib.AOTSCOPE, "inspect", BAD / f"version-{version}.cwasm"], f"version {version}")
    check(result.returncode == 0 and "busy" in result.stdout, f"version {version}: {result.stderr}")
    said = str(version) in result.stderr + result.stdout and "not known" in result.stderr + result.stdout
    check(said == (version > 11), f"version {version}: said to be unknown: {said}\n{result.stderr}")

say("manifests")


def manifest(name, text):
    path = BAD / f"{name}.cwasm.json"
    path.write_text(text)
    return path


def modules(path, sha256="0" * 64):
    return json.dumps({"version": 1, "modules": [{"idx": 0, "path": path, "sha256": sha256}]})


refused(manifest("missing", modules("not-there.cwasm")), commands=["inspect"])
refused(manifest("outside", modules("../a.cwasm")), "../a.cwasm")
refused(manifest("hidden", modules("x/../../a.cwasm")), "a.cwasm")
refused(manifest("absolute", modules(str(images() / "a.cwasm"))), "a.cwasm")
refused(manifest("sha256", modules("version-11.cwasm")), "sha256", commands=["inspect"])
refused(manifest("deep", "[" * 1_000_000))
refused(manifest("deeper", '{"modules":' + '{"a":' * 200_000))
refused(manifest("cut", '{"version":1,"modules":[{"idx":0,"pa'))
refused(manifest("wrong", '{"version":1,"modules":[7]}'))

say("a process that names a bad file")
for name in ("function-count.cwasm", "cut.cwasm"):
    other = Loader(BAD / name, "\x1b[31mred\x07")
    other.load("A", images() / "a.cwasm")
    listing = measured([lib.AOTSCOPE, "ps"], f"ps beside {name}")
    check(listing.returncode == 0, f"ps: {listing.stderr}")
    line = next((l for l in listing.stdout.splitlines() if l.split()[:1] == [str(other.pid)]), "")
    check("unreadable" in line and name in line, f"ps does not tell: {listing.stdout}")
    result = measured([lib.AOTSCOPE, "record", "-p", other.pid, "-d", "0.3", "-o",
                       lib.folder() / f"{name}.db"], f"record of a process that names {name}")
    check(result.returncode == 0 and name in result.stderr,
          f"record does not warn of the file: {result.stderr}")
    other.end()
loader.end()

say("names")
loader = Loader(images() / "hostile.cwasm")
loader.load("H", images() / "hostile.cwasm")
recording = Recording("-p", loader.pid)
loader.do("rounds", "H", 2)
top = measured([lib.AOTSCOPE, "top", "--plain", "-n", "1", "--interval", "0.2", "-p", loader.pid], "top")
loader.end()
recording.wait()
data = recording.report()
named = {f["local_func"]: f for f in data["functions"]}
check(set(named) == set(range(6)), f"functions: {sorted(named)}")
check(named[0]["name"] == "a;b 7" and named[1]["name"] == "</text>&", "plain names are kept in JSON")
for function in named.values():
    say(f"  {function['self']} {function['name'][:40]!r}")
    check(abs(100 * function["self"] / data["samples"]["wasm"] - 100 / 6) < 4, "a sixth each")

for arguments in (["report", recording.path], ["report", recording.path, "--limit", "0"],
                  ["report", recording.path, "--json"], ["report", recording.path, "--folded"],
                  ["inspect", images() / "hostile.cwasm"],
                  ["inspect", images() / "hostile.cwasm", "--json"],
                  ["annotate", recording.path, "--func", "2"],
                  ["annotate", images() / "hostile.cwasm", "--func", "5"]):
    result = measured([lib.AOTSCOPE, *arguments], " ".join(map(str, arguments)))
    check(result.returncode == 0, f"{arguments}: {result.stderr[-300:]}")
    if "--json" in arguments:
        json.loads(result.stdout)
    elif "report" in arguments and "--folded" not in arguments:
        # A name of 1 MiB does not push the figures off the screen.
        longest = max(map(len, result.stdout.splitlines()))
        check(longest < 1000, f"{arguments}: a line of {longest} characters")

lines = lib.aotscope("report", recording.path, "--folded").stdout.splitlines()
leaves, depths = Counter(), Counter()
for line in lines:
    check(re.fullmatch(r"[^;]+(;[^;]+)* [0-9]+", line), f"not a folded line: {line[:200]!r}")
    stack, _, count = line.rpartition(" ")
    frames = stack.split(";")
    leaves[frames[-1]] += int(count)
    depths[(frames[-1], len(frames))] += int(count)
check(sum(leaves.values()) == data["samples"]["total"], "folded counts do not add up")
selves = Counter(f["self"] for f in named.values())
check(not selves - Counter(leaves.values()), f"leaves {leaves.most_common(8)}, selves {selves}")
# All six are called from one place: a separator in a name must not add a frame.
usual = {}
for (leaf, depth), count in depths.items():
    if count > usual.get(leaf, (0, 0))[1]:
        usual[leaf] = (depth, count)
deep = {usual[leaf][0] for leaf, count in leaves.most_common(6)}
check(len(deep) == 1, f"frames of the six functions' stacks: {deep}")

offered = lib.aotscope("report", "--help").stdout
for option in ("--svg", "--html"):
    if option not in offered:
        continue
    path = lib.folder() / f"out.{option.strip('-')}"
    lib.aotscope("report", recording.path, option, path)
    text = safe(path.read_bytes(), option)
    check("</text>&<" not in text and "\x1b" not in text, f"{option}: a name is not escaped")
    if option == "--svg":
        import xml.etree.ElementTree
        xml.etree.ElementTree.fromstring(text)
