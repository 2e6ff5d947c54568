"""S4: a target in namespaces of its own, its image on a mount that only it sees."""
import subprocess
from pathlib import Path

import lib
from case_lib import LOADER, Loader, Recording, images, one_error_line, show

lib.need_root()
if lib.run(["unshare", "-mpf", "--mount-proc", "true"]).returncode != 0:
    lib.skip("no right to make namespaces")


def in_namespaces(number):
    """The loader with its image on a private tmpfs, and `number` as its inner pid."""
    private = lib.folder() / "private"
    private.mkdir(exist_ok=True)
    # The number that the next process gets is one above ns_last_pid.
    script = (f"mount -t tmpfs private {private} && cp {images() / 'a.cwasm'} {private} && "
              f"cd {private} && echo {number - 1} > /proc/sys/kernel/ns_last_pid && "
              f"{LOADER} ./a.cwasm; sleep 300")  # its end would end all of the namespace
    loader = Loader.__new__(Loader)
    loader.process = lib.start(["unshare", "-mpf", "--mount-proc", "--kill-child", "sh", "-c", script],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    loader.do("tid")  # it is there
    loader.pid = None
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            words = dict(line.split(":", 1) for line in status.read_text().splitlines())
        except OSError:
            continue
        numbers = words.get("NSpid", "").split()
        if words["Name"].strip() == "case_loader" and numbers[1:] == [str(number)]:
            loader.pid = int(numbers[0])
    lib.check(loader.pid, f"no loader has the inner pid {number}")
    return loader


# The inner number is, outside, that of a process of ours that runs no wasm code.
bystander = lib.start(["sleep", "300"])
inner = bystander.pid
loader = in_namespaces(inner)
loader.load("A", "./a.cwasm")


def named(data):
    show(data)
    lib.check(data["samples"]["wasm"] > 200, "too few samples to judge")
    share = 100 * sum(f["self"] for f in data["functions"] if f["name"] == "alpha")
    share /= max(1, data["samples"]["total"])
    lib.check(share >= 95, f"only {share:.1f} % named")


lib.say("(a) from outside, by the outer number")
recording = Recording("-F", "999", "-p", loader.pid)
loader.do("run", "A", "alpha", 1)
recording.stop()
named(recording.report())

lib.say("(b) from inside, by the inner number")
enter = ["nsenter", "-t", loader.pid, "-m", "-p"]
probe = lib.run([*enter, lib.AOTSCOPE, "--version"])
lib.check(probe.returncode == 0, f"the tool does not start in the namespaces: {probe.stderr}")
recording = Recording("-F", "999", "-p", inner, prefix=enter, wait=False)
recording._sampling.wait(30)
if recording.process.poll() in (None, 0):
    loader.do("run", "A", "alpha", 1)
    # A signal to nsenter does not reach the tool: it ends with its target.
    loader.do("unload", "A")
    loader.do("exit")
    recording.wait()
    named(recording.report())
else:
    recording._reader.join(5)
    lib.check("pid namespace" in recording.stderr.lower(),
              f"an error that does not name the PID namespace: {recording.stderr}")

lib.say("(c) the inner number, used outside")
recording = Recording("-d", "0.5", "-p", inner)
recording.wait()
lib.check(f"pid {inner} (sleep 300)" in recording.stderr,
          f"it does not say what it attached to: {recording.stderr}")
lib.check("no wasm code" in recording.stderr,
          f"it does not say that there is no wasm code: {recording.stderr}")
