"""What the cases share: the loader that does what a wasm runtime does, and a recording beside it."""
import os
import re
import subprocess
import threading
import time
from pathlib import Path

import lib
from lib import check, folder, say

BIN = Path(os.environ.get("AOTSCOPE_BIN_DIR") or Path(lib.AOTSCOPE).parent)
LOADER = BIN / "case_loader"
_images = None

# Stacks go through a ring, addresses through maps: the cases about addresses run in both.
MODES = [[], ["--no-stacks"]]


def images():
    """The folder of the cases' .cwasm files, written once for each test."""
    global _images
    if _images is None:
        _images = folder() / "images"
        subprocess.run([BIN / "case_images", _images], check=True)
    return _images


class Loader:
    """The process under test. Each call of do() is one command, done when it returns."""

    def __init__(self, *arguments, prefix=(), **options):
        self.process = lib.start([*prefix, LOADER, *arguments], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True, **options)
        self.pid = self.process.pid

    def send(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def answer(self):
        line = self.process.stdout.readline().strip()
        check(line == "ok" or line.startswith("ok "), f"the loader says: {line or 'nothing'}")
        return line[3:]

    def do(self, *words):
        self.send(*words)
        return self.answer()

    def load(self, name, image, protection="rx"):
        self.do("load", name, image)
        self.do("protect", name, 0, 0, protection)

    def end(self):
        """Ends and is reaped."""
        if self.process.poll() is None:
            self.do("exit")
            self.process.wait(timeout=20)


class Recording:
    """aotscope record in the background; made when it samples."""

    def __init__(self, *arguments, wait=True, prefix=(), output=None, **options):
        self.path = output or folder() / f"recording-{len(os.listdir(folder()))}.db"
        self.lines = []
        self._sampling = threading.Event()
        command = [*prefix, lib.AOTSCOPE, "record", *arguments, "-o", self.path, "--force"]
        self.process = lib.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 text=True, errors="replace", **options)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if wait:
            self.wait_sampling()

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))
            if line.startswith("aotscope: sampling pid"):
                self._sampling.set()
        self._sampling.set()

    def wait_sampling(self):
        check(self._sampling.wait(30), "record does not begin to sample within 30 s")
        check(self.process.poll() in (None, 0), "record failed:\n" + self.stderr)

    @property
    def stderr(self):
        return "\n".join(self.lines)

    def wait(self, timeout=30, expect=0):
        """Until it ends by itself; returns the seconds that took."""
        begin = time.monotonic()
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            check(False, f"record still runs after {timeout} s:\n{self.stderr}")
        seconds = time.monotonic() - begin
        self._reader.join(5)
        check(self.process.returncode == expect,
              f"record: exit {self.process.returncode}, not {expect}:\n{self.stderr}")
        return seconds

    def stop(self, signal=15, expect=0):
        self.process.send_signal(signal)
        return self.wait(expect=expect)

    def report(self):
        return lib.report(self.path)


def hostile_recording():
    """The path of a recording whose functions have names that mean harm."""
    loader = Loader(images() / "hostile.cwasm")
    loader.load("H", images() / "hostile.cwasm")
    record = Recording("-p", loader.pid)
    loader.do("rounds", "H", 1)
    loader.end()
    record.wait()
    return record.path


def unknown_percent(data):
    """Of all samples outside host code: nothing of the loader's own work is wasm."""
    samples = data["samples"]
    return 100.0 * samples["unknown"] / max(1, samples["wasm"] + samples["unknown"])


def show(data):
    """The answer in the test's log."""
    say(f"  samples {data['samples']}")
    for name, share in sorted(lib.shares(data).items(), key=lambda item: -item[1])[:12]:
        if share > 0:
            say(f"  {share:6.2f} %  {name[:60]}")


def only(data, names):
    """No function but these has a sample."""
    others = {name: share for name, share in lib.shares(data).items()
              if share > 0 and name not in names}
    check(not others, f"samples in functions that never ran: {others}")


def one_error_line(result, what):
    """A failure: exit 1, one error line, perhaps a hint, nothing else; returns the error."""
    check(result.returncode == 1, f"{what}: exit {result.returncode}, not 1: {result.stderr[-500:]}")
    lines = [line for line in result.stderr.splitlines() if line]
    errors = [line for line in lines if line.startswith("aotscope: error: ")]
    check(len(errors) == 1, f"{what}: not one error line: {result.stderr[-500:]!r}")
    rest = [line for line in lines if line not in errors]
    check(all(re.match(r"hint: ", line) for line in rest) and len(rest) <= 1,
          f"{what}: more than an error and a hint: {result.stderr[-500:]!r}")
    return errors[0]
