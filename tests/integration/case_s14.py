"""S14: a target that sleeps."""
import lib
from case_lib import MODES, Loader, images

lib.need_root()
loader = Loader(images() / "a.cwasm")
loader.load("A", images() / "a.cwasm")
loader.do("thread", "t")
for mode in MODES:
    loader.do("@t", "sleep", 2)
    recording = lib.record("-p", loader.pid, "-d", "1", *mode)
    loader.do("join", "t")
    lib.check("no samples" in lib.record.stderr, f"said: {lib.record.stderr}")
    data = lib.report(recording)
    lib.check(data["samples"]["total"] == 0, f"samples of a sleeper: {data['samples']}")
    text = lib.aotscope("report", recording).stdout
    lib.say(text)
    lib.check("no samples" in text.lower(), f"the report does not say it in words:\n{text}")
    lines = lib.aotscope("top", "--plain", "-n", "1", "--interval", "0.3", "-p", loader.pid).stdout
    lib.check("no samples" in lines.lower(), f"top does not say it in words:\n{lines}")
loader.end()
