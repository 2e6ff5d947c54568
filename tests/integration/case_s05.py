"""S5: function indices with imports of several kinds, and offsets that are unsorted and doubled."""
import lib
from case_lib import Loader, Recording, images, only, show

lib.need_root()
loader = Loader(images() / "indices.cwasm")
recording = Recording("-F", "999", "-p", loader.pid)  # the image is found by its name
loader.load("M", images() / "indices.cwasm")
for local, seconds in ((1, 1.8), (4, 0.75), (0, 0.45)):
    loader.do("run", "M", f"#{local}", seconds)
loader.end()
recording.wait()
data = recording.report()
show(data)
shares = lib.shares(data)
lib.near(shares.get("hot", 0), 60, 4, "hot")
lib.near(shares.get("func[6]", 0), 25, 4, "func[6]")
lib.near(shares.get("func[2]", 0), 15, 4, "func[2]")
only(data, {"hot", "func[6]", "func[2]"})
lib.check(data["samples"]["unknown"] == 0, f"unknown: {data['samples']['unknown']}")
names = [f["name"] for f in data["functions"]]
lib.check(names.count("hot") == 1, f"hot occurs {names.count('hot')} times")
lib.check("mem" not in names and "hot2" not in names, f"names: {names}")
indices = {f["name"]: (f["local_func"], f["func_index"]) for f in data["functions"] if f["self"]}
lib.check(indices == {"hot": (1, 3), "func[6]": (4, 6), "func[2]": (0, 2)}, f"{indices}")
for entry in data["offsets"]:
    low = {0: 0x400, 1: 0, 4: 0x600}[entry["local_func"]]
    lib.check(low <= entry["offset"] < low + 0x200, f"an offset outside its function: {entry}")
