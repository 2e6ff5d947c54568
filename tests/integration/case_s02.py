"""S2: pages of one text that become executable in steps, are overlaid, and go to RW and back."""
import lib
from case_lib import MODES, Loader, Recording, images, only, show, unknown_percent

lib.need_root()
SECONDS = 1
for mode in MODES:
    loader = Loader()
    recording = Recording("-F", "999", "-p", loader.pid, *mode, images() / "four.cwasm",
                          images() / "q.cwasm")
    loader.do("load", "M", images() / "four.cwasm")
    loader.do("protect", "M", 0, 2, "rx")
    loader.do("fail")
    loader.do("run", "M", "p0", SECONDS)
    loader.do("run", "M", "p1", SECONDS)
    loader.do("protect", "M", 2, 2, "rx")
    loader.do("fail")
    loader.do("run", "M", "p2", SECONDS)
    loader.do("run", "M", "p3", SECONDS)
    loader.do("overlay", "Q", images() / "q.cwasm", "M", 1)
    loader.do("fail")
    loader.do("run", "Q", "q", SECONDS)
    loader.do("protect", "M", 2, 1, "rw")
    loader.do("fail")
    loader.do("protect", "M", 2, 1, "rx")
    loader.do("run", "M", "p2", SECONDS)
    loader.end()
    recording.wait()
    data = recording.report()
    show(data)
    shares = lib.shares(data)
    for name in ("p0", "p1", "p3", "q"):
        lib.near(shares.get(name, 0), 100 / 6, 3, name)
    lib.near(shares.get("p2", 0), 100 / 3, 4, "p2")
    only(data, {"p0", "p1", "p2", "p3", "q"})
    lib.check(unknown_percent(data) <= 1, f"unknown: {unknown_percent(data):.2f} %")
    # A failed call creates nothing: one place of each text, and neither counted twice.
    places = sorted((region["image"], region["start"]) for region in data["regions"])
    lib.check(len(set(places)) == 2, f"more than two places: {data['regions']}")

# An mprotect that fails half-way has made something executable all the same.
loader = Loader()
recording = Recording("-F", "999", "-p", loader.pid, images() / "four.cwasm")
loader.do("load", "M", images() / "four.cwasm")
loader.do("half", "M")
loader.do("run", "M", "p0", SECONDS)
loader.end()
recording.wait()
data = recording.report()
show(data)
lib.check(lib.shares(data).get("p0", 0) > 99 and unknown_percent(data) <= 1,
          "what a half-done mprotect made executable is not seen")
