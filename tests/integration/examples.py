"""Every example in the README and in the commands' help is run as it stands there.

PID becomes a running wamr's, and the files that the examples name are the real ones.
"""
import re
import shlex

from lib import (AOTSCOPE, ROOT, aotscope, check, folder, inputs, need_root, run, say, start_wamr,
                 wamr)

need_root()
image = inputs("mix")
target = start_wamr(image, 0)
here = folder()
for name, path in (("mix.cwasm", image), ("app.cwasm", image), ("mix-O0.cwasm", inputs("mix-O0")),
                   ("mix.spill.log", image.with_name("mix.spill.log"))):
    (here / name).symlink_to(path)


several = len(aotscope("ps").stdout.splitlines()) > 2


def readme_examples():
    text = (ROOT / "README.md").read_text()
    for block in re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S):
        for line in block.splitlines():
            if line.startswith("aotscope "):
                yield line


def help_examples():
    commands = re.findall(r"^  ([a-z]+) ", aotscope("--help").stdout.split("Subcommands:")[1], re.M)
    check(len(commands) >= 7, f"the help lists its commands: {commands}")
    for command in commands:
        text = aotscope(command, "--help").stdout
        for line in text.split("Example", 1)[-1].splitlines() if "Example" in text else []:
            if line.strip().startswith("aotscope "):
                yield line.strip()


def try_example(line):
    words = shlex.split(line.replace("PID", str(target.pid)).replace("4121", str(target.pid)))
    if words[1:2] == ["record"] and "--append" not in words:
        words.insert(2, "--force")
        if "-d" not in words and "--" not in words:
            words[3:3] = ["-d", "1"]
    if words[1:2] == ["top"] and "-n" not in words:
        words += ["--plain", "-n", "2"]
    if words[1:2] == ["top"] and "-p" not in words and several:
        words += ["-p", str(target.pid)]  # whoever else uses this machine runs some too
    words[0] = AOTSCOPE
    words = [str(wamr()) if w == "wamr" else w for w in words]
    if words[-2:] == ["run", "app.cwasm"]:
        words.append("5")
    result = run(words, cwd=here, timeout=120)
    check(result.returncode == 0, f"{line}: exit {result.returncode}\n{result.stderr[-1500:]}")
    check(result.stdout.strip() or words[1] == "record", f"{line}: prints nothing")
    say(f"ok  {line}")
    return result


examples = list(readme_examples())
check(len(examples) >= 15, f"the README's examples are found: {len(examples)}")
for example in examples:
    try_example(example)
for example in help_examples():
    # What the help calls run.db is the README's recording of the same name.
    try_example(example)

# The README's queries work in the sqlite3 shell.
queries = re.findall(r"^```sql\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)
statements = [s for s in "".join(queries).split(";") if "SELECT" in s]
check(len(statements) == 3, f"three queries: {len(statements)}")
for statement in statements:
    result = run(["sqlite3", here / "run.db"], input=statement + ";")
    check(result.returncode == 0 and result.stdout.strip(),
          f"{statement}: {result.stderr or 'no row'}")
    say(f"ok  {statement.strip().splitlines()[0]}")
