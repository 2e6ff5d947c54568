"""What the integration tests share: run aotscope on real processes and read what it says.

A test is a script: it returns by falling off its end (passed), by check() (failed, exit 1) or by
skip() (exit 77, with the reason). AOTSCOPE, LOADER, IMAGES and BUILD_ROOT come from ctest.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

AOTSCOPE = os.environ.get("AOTSCOPE", "")
ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("AOTSCOPE_BUILD", ROOT / "build"))
OFFLINE = 75  # what tools/inputs and tools/consumers return when no registry answers

_started = []
_folder = None


def say(text):
    print(text, flush=True)


def check(condition, message):
    """Fails the test, naming what is wrong."""
    if not condition:
        say(f"FAILED: {message}")
        stop_all()
        sys.exit(1)


def near(value, wanted, tolerance, what):
    say(f"{what}: {value:.2f} (wanted {wanted} +- {tolerance})")
    check(abs(value - wanted) <= tolerance, f"{what} is {value:.2f}, not {wanted} +- {tolerance}")


def skip(reason):
    say(f"SKIPPED: {reason}")
    stop_all()
    sys.exit(77)


def folder():
    """A scratch folder of this test, removed at its end."""
    global _folder
    if _folder is None:
        _folder = Path(tempfile.mkdtemp(prefix="aotscope-test-"))
    return _folder


def stop_all():
    for process in _started:
        if process.poll() is None:
            process.kill()
            process.wait()
    if _folder is not None:
        shutil.rmtree(_folder, ignore_errors=True)


def start(command, **options):
    """A process that is ended with the test, if not before."""
    process = subprocess.Popen([str(c) for c in command], **options)
    _started.append(process)
    return process


def run(command, timeout=120, **options):
    """Runs to the end; stdout and stderr as text."""
    return subprocess.run([str(c) for c in command], capture_output=True, text=True,
                          errors="replace", timeout=timeout, **options)


def aotscope(*arguments, timeout=120, expect=0, **options):
    result = run([AOTSCOPE, *arguments], timeout=timeout, **options)
    if expect is not None:
        check(result.returncode == expect,
              f"aotscope {' '.join(map(str, arguments))}: exit {result.returncode}, not {expect}\n"
              f"{result.stdout[-2000:]}{result.stderr[-2000:]}")
    return result


def record(*arguments, output=None, timeout=120, expect=0, **options):
    """aotscope record into a fresh file; returns its path. Its stderr is in record.stderr."""
    output = output or folder() / f"run-{len(os.listdir(folder()))}.db"
    front, back = list(arguments), []
    if "--" in front:
        at = front.index("--")
        front, back = front[:at], front[at:]
    result = aotscope("record", *front, "-o", output, "--force", *back, timeout=timeout,
                      expect=expect, **options)
    record.stderr = result.stderr
    return output


def report(recording, *arguments):
    """The report as parsed JSON, with offsets."""
    return json.loads(aotscope("report", recording, "--json", "--offsets", *arguments).stdout)


def shares(data):
    """Per cent of the wasm samples by function name; names that occur twice are summed."""
    total = max(1, data["samples"]["wasm"])
    result = {}
    for function in data["functions"]:
        name = function["name"]
        result[name] = result.get(name, 0) + 100.0 * function["self"] / total
    return result


def _made(tool, name):
    result = run([ROOT / "tools" / tool, name], timeout=900)
    if result.returncode == OFFLINE:
        skip(f"no package registry answers, and {name} of tools/{tool} is not there yet")
    check(result.returncode == 0, f"tools/{tool} {name}:\n{result.stdout}{result.stderr}")
    return Path(result.stdout.strip().splitlines()[-1])


def inputs(name):
    """Makes one of tools/inputs' programs; the path of its .cwasm or component .wasm."""
    return _made("inputs", name)


def consumer(name):
    """Fetches one of tools/consumers' programs, which open exports; its path."""
    return _made("consumers", name)


def wamr():
    """The real runtime, fetched by package name at set-up."""
    executable = BUILD / "runtime" / "bin" / "wamr"
    if not executable.exists():
        inputs("mix")
    check(executable.exists(), "the runtime is not there although its registry answered")
    return executable


def start_wamr(image, *arguments, **options):
    options.setdefault("stdout", subprocess.DEVNULL)
    return start([wamr(), "run", image, *arguments], **options)


def cpu_seconds(pid):
    """CPU time of a process so far."""
    with open(f"/proc/{pid}/stat", "rb") as stat:
        fields = stat.read().rsplit(b")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for(condition, what, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    check(False, f"waited {seconds} s in vain for {what}")


def need_root():
    if os.geteuid() != 0:
        skip("needs root: BPF programs are loaded")


import atexit  # noqa: E402  (last, so that stop_all is known)
atexit.register(stop_all)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
