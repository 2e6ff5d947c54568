"""Runs the checks named on the command line, all by default, and says what each measured."""
import sys
import time

import lib
import checks
import attach
import classes
import stacks
import cost
import recordings
import top
import differences

del attach, classes, stacks, cost, recordings, top, differences  # they register their checks


def main(names):
    if names == ["list"]:
        for name, (promise, _) in checks.ALL.items():
            print(f"{name:18} {promise}")
        return 0
    names = list(checks.ALL) if names in ([], ["all"]) else names
    unknown = [name for name in names if name not in checks.ALL]
    if unknown:
        print(f"acceptance: error: no check {', '.join(unknown)}\nhint: tools/acceptance list",
              file=sys.stderr)
        return 2
    lib.need_root()
    checks.install()
    failed = 0
    for name in names:
        promise, function = checks.ALL[name]
        start = time.monotonic()
        try:
            results = function()
        except checks.Short as short:
            results = [(str(short), False)]
        except SystemExit as ended:  # an input could not be made
            results = [(f"not measured (exit {ended.code})", False)]
        if isinstance(results, tuple):
            results = [results]
        good = all(ok for _, ok in results)
        failed += not good
        print(f"{'ok    ' if good else 'FAILED'} {name}: {promise}", flush=True)
        for figure, ok in results:
            print(f"         {figure}{'' if ok else '   <- short'}", flush=True)
        print(f"         ({time.monotonic() - start:.0f} s)", flush=True)
    print(f"\n{len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main(sys.argv[1:]))
