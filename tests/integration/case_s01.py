"""S1: an address used again by another module of the same size."""
import lib
from case_lib import MODES, Loader, Recording, images, only, show, unknown_percent

lib.need_root()
SECONDS = 1.5
for mode in MODES:
    loader = Loader()
    recording = Recording("-F", "999", "-p", loader.pid, *mode, images() / "a.cwasm",
                          images() / "b.cwasm")
    loader.load("A", images() / "a.cwasm")
    where = loader.do("address", "A")
    loader.do("run", "A", "alpha", SECONDS)
    loader.do("unload", "A")
    loader.load("B", images() / "b.cwasm")
    lib.check(loader.do("address", "B") == where, "the case needs the same address, and has not")
    loader.do("run", "B", "beta", SECONDS)
    loader.do("unload", "B")
    loader.end()
    recording.wait()
    data = recording.report()
    show(data)
    shares = lib.shares(data)
    lib.near(shares.get("alpha", 0), 50, 4, "alpha")
    lib.near(shares.get("beta", 0), 50, 4, "beta")
    only(data, {"alpha", "beta"})
    lib.check(unknown_percent(data) <= 1, f"unknown: {unknown_percent(data):.2f} %")
    regions = sorted(data["regions"], key=lambda region: region["first_s"])
    lib.check(len(regions) == 2, f"not two regions: {regions}")
    lib.check([region["start"] for region in regions] == [where, where], f"regions: {regions}")
    lib.check(regions[0]["last_s"] <= regions[1]["first_s"], f"times overlap: {regions}")
    lib.check(regions[0]["image"] != regions[1]["image"], f"one image for both: {regions}")
