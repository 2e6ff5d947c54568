"""The register of checks, and what they share."""
import functools
import subprocess
import sys
import time

import lib

ALL = {}


def check(name, promise):
    """Registers a check. It returns (figure, good), or a list of them; `promise` is what must hold."""
    def add(function):
        ALL[name] = promise, function
        return function
    return add


# Several checks read one run: made once.
once = functools.lru_cache(maxsize=None)


class Short(Exception):
    """A check of the tests' own library failed on the way."""


def _raise(condition, message):
    if not condition:
        raise Short(message)


# The integration tests' helpers end their process at the first failure; here the others go on.
def install():
    for module in list(sys.modules.values()):
        if getattr(module, "check", None) is lib.check:
            module.check = _raise
    lib.check = _raise


def anonymous(pid):
    """RssAnon of a process in MiB, None when it is gone."""
    try:
        with open(f"/proc/{pid}/status") as status:
            for line in status:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) / 1024
    except (FileNotFoundError, ProcessLookupError):
        pass
    return None


def run_watched(command, **options):
    """Runs a command; its wall time in seconds and the largest RssAnon in MiB that was seen."""
    start = time.monotonic()
    process = lib.start(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    most = 0.0
    while process.poll() is None:
        most = max(most, anonymous(process.pid) or 0)
        time.sleep(0.01)
    if process.returncode != 0:
        raise Short(f"{command[0]} ended with {process.returncode}")
    return time.monotonic() - start, most


def kill(process):
    process.kill()
    process.wait()
