"""A terminal for the tests: aotscope under a pty, or in a tmux window of its own."""
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

import lib
from lib import check, run


def text_environment(**changes):
    env = {k: v for k, v in os.environ.items()
           if k not in ("NO_COLOR", "LC_ALL", "LANG", "LC_CTYPE", "LINES", "COLUMNS")}
    env.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
    env.update(changes)
    return env


class Pty:
    """aotscope in a process group of its own in the foreground of a terminal, as a shell starts
    it: only then SIGTSTP stops it."""

    def __init__(self, arguments, columns=100, rows=30, **environment):
        self.master, self.slave = pty.openpty()
        self.resize(columns, rows, tell=False)
        self.before = termios.tcgetattr(self.slave)
        self.output = b""
        self.at = 0
        lib.folder()  # before the fork, so that both sides have the same
        leader = os.fork()
        if leader == 0:
            try:
                os.close(self.master)
                os.setsid()
                fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
                signal.signal(signal.SIGTTOU, signal.SIG_IGN)
                # Signals that this side ignores would be ignored by the child, too.
                signal.signal(signal.SIGHUP, signal.SIG_DFL)
                reader, writer = os.pipe()
                child = os.fork()
                if child == 0:
                    os.setpgid(0, 0)
                    os.tcsetpgrp(self.slave, os.getpgid(0))
                    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
                    for fd in (0, 1, 2):
                        os.dup2(self.slave, fd)
                    os.execve(lib.AOTSCOPE, [lib.AOTSCOPE, *map(str, arguments)],
                              text_environment(**environment))
                with open(self.pid_file(os.getpid()), "w") as file:
                    file.write(str(child))
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
                while True:
                    _, status = os.waitpid(child, os.WUNTRACED)
                    if not os.WIFSTOPPED(status):
                        code = os.waitstatus_to_exitcode(status)
                        os._exit(code if code >= 0 else 128 - code)
            except BaseException:  # noqa: B902  (a fork: nothing may get out of here)
                os._exit(99)
        self.leader = leader
        self.status = None
        lib.wait_for(lambda: os.path.exists(self.pid_file(leader))
                     and os.path.getsize(self.pid_file(leader)) > 0, "aotscope's start")
        self.pid = int(open(self.pid_file(leader)).read())

    @staticmethod
    def pid_file(leader):
        return lib.folder() / f"pid-{leader}"

    def resize(self, columns, rows, tell=True):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if tell:
            self.at = len(self.output)
            os.kill(self.pid, signal.SIGWINCH)

    def read(self, seconds=0.2):
        """What came meanwhile."""
        fresh = b""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            ready, _, _ = select.select([self.master], [], [], left)
            if not ready:
                break
            try:
                part = os.read(self.master, 65536)
            except OSError:
                break
            if not part:
                break
            fresh += part
        self.output += fresh
        return fresh

    def wait_text(self, text, seconds=15):
        """Behind what was waited for before, or sent."""
        end = time.monotonic() + seconds
        while (found := self.output.find(text, self.at)) < 0:
            if time.monotonic() >= end:
                check(False, f"waited {seconds} s in vain for {text!r} in\n"
                             f"{self.output[self.at:][-1500:]!r}")
            self.read(0.1)
        self.at = found + len(text)

    def send(self, text):
        self.at = len(self.output)
        os.write(self.master, text.encode())

    def signal(self, number):
        self.at = len(self.output)
        os.kill(self.pid, number)

    def state(self):
        with open(f"/proc/{self.pid}/stat", "rb") as stat:
            return stat.read().rsplit(b")", 1)[1].split()[0].decode()

    def wait_exit(self, seconds=15):
        end = time.monotonic() + seconds
        while self.status is None and time.monotonic() < end:
            self.read(0.05)
            done, status = os.waitpid(self.leader, os.WNOHANG)
            if done:
                self.status = os.waitstatus_to_exitcode(status)
        check(self.status is not None, f"aotscope did not end within {seconds} s")
        self.read(0.1)
        return self.status

    def check_restored(self, what):
        after = termios.tcgetattr(self.slave)
        check(after == self.before, f"{what}: terminal settings differ\n{self.before}\n{after}")
        out = self.output
        check(out.rfind(b"\x1b[?1049l") > out.rfind(b"\x1b[?1049h") >= 0,
              f"{what}: the alternate screen was not left: {out[-400:]!r}")
        check(out.rfind(b"\x1b[?25h") > out.rfind(b"\x1b[?25l"),
              f"{what}: the cursor is hidden: {out[-400:]!r}")
        for mode in (b"1000", b"1006"):
            check(out.rfind(b"\x1b[?%sl" % mode) >= out.rfind(b"\x1b[?%sh" % mode),
                  f"{what}: the mouse still reports")
        lib.say(f"{what}: restored, exit {self.status}")

    def close(self):
        for fd in (self.master, self.slave):
            os.close(fd)


class Tmux:
    """A tmux server of its own with one window."""

    def __init__(self, command, columns=140, rows=40, **environment):
        self.name = f"aotscope-test-{os.getpid()}"
        env = text_environment(**environment)
        env.pop("TMUX", None)
        settings = [f"{key}={env[key]}" for key in ("LC_ALL", "NO_COLOR") if key in env]
        inner = " ".join(["env", "TERM=tmux-256color", *settings, *map(str, command)])
        result = run(["tmux", "-L", self.name, "-f", "/dev/null", "new-session", "-d",
                      "-x", columns, "-y", rows, f"{inner}; echo ended with $?; sleep 600"],
                     env=env)
        check(result.returncode == 0, f"tmux: {result.stderr}")

    def command(self, *arguments):
        return run(["tmux", "-L", self.name, *arguments]).stdout

    def pane(self, *flags):
        return self.command("capture-pane", "-p", *flags)

    def keys(self, *keys):
        self.command("send-keys", *keys)

    def resize(self, columns, rows):
        self.command("resize-window", "-x", str(columns), "-y", str(rows))

    def wait(self, condition, what, seconds=15):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pane = self.pane()
            if condition(pane):
                return pane
            time.sleep(0.1)
        check(False, f"waited {seconds} s in vain for {what}; the pane shows\n{self.pane()}")

    def end(self):
        self.command("kill-server")
