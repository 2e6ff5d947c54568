"""S11: attaching at random moments around the load of a text.

ATTACHES says how often: the full case is 200. Without it a test run takes as many, up to 60, as fit
in 40 seconds.
"""
import os
import random
import time

import lib
from case_lib import MODES, Loader, Recording, images

lib.need_root()
ATTACHES = int(os.environ.get("ATTACHES", "60"))
LIMIT = 40 if "ATTACHES" not in os.environ else 3600  # seconds
seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
lib.say(f"SEED={seed}, ATTACHES={ATTACHES}")
random.seed(seed)

loader = Loader()
loader.load("B", images() / "b.cwasm")
start_seconds = 0.3  # when the load comes: about as often before record samples as afterwards
attaches, most_unknown, with_beta, without_beta = 0, 0, 0, 0
begun = time.monotonic()
while attaches < ATTACHES and time.monotonic() - begun < LIMIT:
    attaches += 1
    recording = Recording("-F", "1999", "-p", loader.pid, *MODES[attaches % 2],
                          images() / "a.cwasm", images() / "b.cwasm", wait=False)
    # B runs where A will be, so that the wrong epoch shows as a function that nobody calls.
    loader.do("spin", "B", "beta", start_seconds * random.uniform(0.4, 1.6))
    loader.do("unload", "B")
    loader.load("A", images() / "a.cwasm")
    loader.do("spin", "A", "alpha", 0.03)
    recording.wait_sampling()
    loader.do("spin", "A", "alpha", 0.03)
    recording.stop()
    data = recording.report()
    shares = {name: share for name, share in lib.shares(data).items() if share > 0}
    lib.check(not set(shares) - {"alpha", "beta"}, f"attach {attaches}: misattributed: {shares}")
    lib.check("alpha" in shares, f"attach {attaches}: alpha ran under sampling, and is not there")
    unknown = data["samples"]["unknown"]
    most_unknown = max(most_unknown, unknown)
    lib.check(unknown <= 1, f"attach {attaches}: {unknown} unknown samples, {shares}, "
              f"{data['regions']}\n{recording.stderr}")
    with_beta += "beta" in shares
    without_beta += "beta" not in shares
    start_seconds *= 0.85 if "beta" in shares else 1 / 0.85
    loader.do("unload", "A")
    loader.load("B", images() / "b.cwasm")
loader.end()
lib.say(f"{attaches} attaches, {with_beta} before the load, {without_beta} after it began; "
        f"at most {most_unknown} unknown")
# Moments on both sides of the load, or the case has tried nothing.
lib.check(attaches >= 10 and min(with_beta, without_beta) >= attaches / 10,
          "the attaches all fell on one side of the load")
