"""Case S8: whatever ends or stops the full screen, the terminal is as it was before."""
import json
import os
import re
import signal
import time

import lib
from lib import check, say
from tui_lib import Pty, text_environment

lib.need_root()
BPFTOOL = "/usr/sbin/bpftool" if os.path.exists("/usr/sbin/bpftool") else "bpftool"


def programs_of(pid):
    """Ids of BPF programs that a process holds."""
    result = lib.run([BPFTOOL, "-j", "prog", "show"])
    if result.returncode != 0:
        return None
    return {p["id"] for p in json.loads(result.stdout)
            if any(holder["pid"] == pid for holder in p.get("pids", []))}


def all_programs():
    result = lib.run([BPFTOOL, "-j", "prog", "show"])
    return {p["id"] for p in json.loads(result.stdout)} if result.returncode == 0 else set()


target = lib.start_wamr(lib.inputs("mix"), "0")
FLAGS = ["top", "-p", target.pid, "--interval", "0.2"]


def started(*more, **options):
    terminal = Pty([*FLAGS, *more], **options)
    terminal.wait_text(b"aotscope")
    terminal.wait_text(b"Enter")
    return terminal


def ends(what, how, exits):
    terminal = started()
    held = programs_of(terminal.pid)
    how(terminal)
    status = terminal.wait_exit()
    check(status in exits, f"{what}: exit {status}, not {exits}")
    terminal.check_restored(what)
    if held:
        # Programs are freed after a grace period.
        lib.wait_for(lambda: not held & all_programs(), f"{what}: no BPF program left", 10)
    terminal.close()


ends("q", lambda t: t.send("q"), [0])
ends("Ctrl-C", lambda t: t.send("\x03"), [0])
ends("SIGTERM", lambda t: t.signal(signal.SIGTERM), [0, 143])
ends("SIGHUP", lambda t: t.signal(signal.SIGHUP), [0, 129])
ends("a crash", lambda t: t.signal(signal.SIGSEGV), [139])
ends("an abort", lambda t: t.signal(signal.SIGABRT), [134])
ends("q in the help", lambda t: t.send("?q"), [0])
ends("Esc, then q", lambda t: (t.send("\x1b"), time.sleep(0.3), t.send("q")), [0])

# -n ends by itself.
terminal = Pty([*FLAGS, "-n", "3"])
check(terminal.wait_exit() == 0, "-n 3 ends with 0")
terminal.check_restored("-n 3")
terminal.close()

# Ctrl-Z gives the terminal back, fg takes it again.
terminal = started()
terminal.send("\x1a")
lib.wait_for(lambda: terminal.state() == "T", "the stop by Ctrl-Z")
terminal.read()
terminal.check_restored("Ctrl-Z")
terminal.signal(signal.SIGCONT)
begin = time.monotonic()
terminal.wait_text(b"\x1b[?1049h", 5)
terminal.wait_text(b"mix.cwasm", 5)
say(f"drawn {time.monotonic() - begin:.2f} s after fg")
# SIGSTOP cannot be caught: what a shell did to the terminal meanwhile does not matter.
terminal.signal(signal.SIGSTOP)
lib.wait_for(lambda: terminal.state() == "T", "the stop by SIGSTOP")
terminal.signal(signal.SIGCONT)
terminal.wait_text(b"mix.cwasm", 5)
terminal.send("q")
check(terminal.wait_exit() == 0, "q after stops")
terminal.check_restored("q after stops")
terminal.close()

# Sizes: of nothing, of one cell, and many in a row.
for columns, rows in ((0, 0), (1, 1), (60, 10), (59, 9), (300, 100), (2000, 3)):
    terminal = Pty(FLAGS, columns=columns, rows=rows)
    time.sleep(0.7)
    terminal.read()
    terminal.resize(100, 30)
    begin = time.monotonic()
    terminal.wait_text(b"dispatch", 5)
    took = time.monotonic() - begin
    check(took < 1, f"{columns}x{rows}, then 100x30: drawn after {took:.2f} s")
    terminal.send("q")
    check(terminal.wait_exit() == 0, f"started at {columns}x{rows}")
    terminal.check_restored(f"started at {columns}x{rows}")
    terminal.close()

terminal = started()
for i in range(400):
    terminal.resize((i * 37) % 200, (i * 13) % 70)
    if i % 20 == 0:
        terminal.read(0.01)
terminal.resize(90, 25)
terminal.read(0.3)
terminal.send("?")
terminal.wait_text(b"keys and columns", 1)
terminal.send("q")
check(terminal.wait_exit() == 0, "after a storm of resizes")
terminal.check_restored("a storm of resizes")
terminal.close()

# A terminal that goes away ends it.
terminal = started()
os.close(terminal.master)
end = time.monotonic() + 10
while time.monotonic() < end and os.waitpid(terminal.leader, os.WNOHANG)[0] == 0:
    time.sleep(0.05)
check(time.monotonic() < end, "aotscope lives on without its terminal")
os.close(terminal.slave)
say("a terminal that goes away: ended")

# Plain where a screen makes no sense: no escapes.
plain = lib.run([lib.AOTSCOPE, *FLAGS, "-n", "2"], env=text_environment())
check(plain.returncode == 0 and "\x1b" not in plain.stdout + plain.stderr, "a pipe")
check("fp" in plain.stdout, "a pipe shows the table")
for name, environment in (("TERM=dumb", {"TERM": "dumb"}), ("TERM unknown", {"TERM": "no-such"})):
    terminal = Pty([*FLAGS, "-n", "2"], **environment)
    check(terminal.wait_exit() == 0, name)
    check(b"\x1b" not in terminal.output, f"{name}: escapes in {terminal.output[:300]!r}")
    check(b"fp" in terminal.output, f"{name} shows the table")
    terminal.close()

# SGR sequences other than reset, bold, dim and reverse are colours.
COLOR = re.compile(rb"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;\d+)*m")
for name, environment, wants in (("NO_COLOR", {"NO_COLOR": "1"}, False),
                                 ("colours", {}, True),
                                 ("NO_COLOR empty", {"NO_COLOR": ""}, True),
                                 ("vt100", {"TERM": "vt100"}, False)):
    terminal = started(**environment)
    terminal.wait_text(b"dispatch")
    terminal.send("q")
    terminal.wait_exit()
    check(bool(COLOR.search(terminal.output)) == wants, f"{name}: colours should be {wants}")
    terminal.close()

terminal = started(LC_ALL="C")
terminal.wait_text(b"dispatch")
terminal.send("cbt?")
terminal.read(0.5)
terminal.send("q")
terminal.wait_exit()
check(all(byte < 0x80 for byte in terminal.output), "LC_ALL=C is ASCII only")
# A run of a letter, written out or as xterm's "repeat it".
check(re.search(rb"([WVLA])(\1\1|\x1b\[\d+b)", terminal.output), "LC_ALL=C has ASCII bars")
terminal.check_restored("LC_ALL=C")
terminal.close()

# The target ends: the last state stays, marked, until a key.
victim = lib.start_wamr(lib.inputs("mix"), "0")
terminal = Pty(["top", "-p", victim.pid, "--interval", "0.2"])
terminal.wait_text(b"dispatch")
victim.kill()
victim.wait()
terminal.wait_text(b"EXITED", 5)
terminal.read(1)
check(terminal.status is None and terminal.state() != "Z", "the last state stays")
terminal.send("x")
check(terminal.wait_exit() == 0, "a key ends it")
terminal.check_restored("the target's end")
terminal.close()
