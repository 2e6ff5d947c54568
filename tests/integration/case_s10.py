"""S10: a target that lives 300 ms after the attach."""
import lib
from case_lib import MODES, Loader, Recording, images, show

lib.need_root()
for mode in MODES:
    for when in ("before", "after"):  # its text is mapped before the attach, or after
        loader = Loader(images() / "a.cwasm")
        if when == "before":
            loader.load("A", images() / "a.cwasm")
        recording = Recording("-p", loader.pid, *mode)
        if when == "after":
            loader.load("A", images() / "a.cwasm")
        loader.do("run", "A", "alpha", 0.3)
        loader.end()
        seconds = recording.wait()
        # The end itself is seen at once; the kernel takes its time over ten tracepoints.
        lib.check(seconds <= 2, f"record took {seconds:.2f} s to see the end")
        data = recording.report()
        show(data)
        lib.near(data["samples"]["wasm"], 300, 60, "samples in 0.3 s at 999 Hz")
        lib.check(set(n for n, s in lib.shares(data).items() if s > 0) == {"alpha"},
                  f"names: {lib.shares(data)}")
        function = next(f for f in data["functions"] if f["self"])
        loop = function["classes"].get("alu", 0) + function["classes"].get("branch", 0)
        lib.check(sum(function["classes"].values()) == function["self"] and
                  loop >= 0.95 * function["self"], f"classes: {function['classes']}")
        text = lib.aotscope("report", recording.path).stdout
        lib.check("alpha" in text, f"the text report does not name alpha:\n{text}")
        lib.check("exited" in text, f"the text report does not say that it exited:\n{text}")
        lib.check(f"pid {loader.pid} exited" in recording.stderr, recording.stderr)
