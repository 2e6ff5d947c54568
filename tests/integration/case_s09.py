"""S9: kernel time belongs to the function that caused it."""
import lib
from case_lib import MODES, Loader, Recording, images, show

lib.need_root()
for mode in MODES:
    loader = Loader(images() / "stores.cwasm")
    recording = Recording("-F", "999", "-p", loader.pid, *mode)
    loader.load("M", images() / "stores.cwasm")
    loader.do("run", "M", "quiet", 0.05)
    loader.do("store", "M", "stores", 1.5)
    loader.end()
    recording.wait()
    data = recording.report()
    show(data)
    shares = lib.shares(data)
    lib.check(shares.get("stores", 0) >= 90, f"stores has {shares.get('stores', 0):.1f} %")
    function = next(f for f in data["functions"] if f["name"] == "stores")
    lib.say(f"  kernel {function['kernel']} of {function['self']}")
    lib.check(2 * function["kernel"] > function["self"], "most of them must be kernel time")
    lib.check(sum(function["classes"].values()) == function["self"], "classes do not add up")
    # Its kernel time is not host code's: what is left is madvise and clock reads.
    lib.check(data["samples"]["wasm"] > 0.7 * data["samples"]["total"],
              "page faults were not charged to the function that stores")
    # The store itself, not what stands around it: it begins 17 bytes into the function.
    on_store = sum(entry["count"] for entry in data["offsets"]
                   if entry["local_func"] == function["local_func"] and entry["offset"] == 17)
    lib.check(on_store >= 0.95 * function["kernel"],
              f"only {on_store} of {function['kernel']} kernel samples are on the store")
