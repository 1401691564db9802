"""`python -m experiments [NAME …]` → every experiment's page, one after the other; those named, or all.

Exits with 1 if one of them did.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from experiments.index import document

INDEX = Path(__file__).parents[1] / "docs" / "experiments.md"
FOLDERS = sorted(path.parent.name for path in Path(__file__).parent.glob("*/__main__.py"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m experiments", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FOLDERS)}")
    parser.add_argument("--list", action="store_true", help="print the names")
    parser.add_argument("--index", action="store_true", help="write docs/experiments.md from the pages that are there")
    options = parser.parse_args()
    if options.index:
        INDEX.write_text(document(), encoding="utf-8")
        return 0
    if unknown := [name for name in options.names if name not in FOLDERS]:
        parser.error(f"no experiment is called {', '.join(unknown)}: there are {', '.join(FOLDERS)}")
    if options.list:
        print(*FOLDERS, sep="\n")
        return 0
    names, failed = options.names or FOLDERS, []
    for place, name in enumerate(names, 1):
        began = time.perf_counter()
        print(f"[{place}/{len(names)}] {name}", file=sys.stderr, flush=True)
        # The page is on disk, too: here it would bury the progress.
        done = subprocess.run([sys.executable, "-m", f"experiments.{name}"], stdout=subprocess.DEVNULL)
        verdict = "done" if done.returncode == 0 else f"exit {done.returncode}"
        print(f"[{place}/{len(names)}] {name}: {verdict}, {time.perf_counter() - began:.0f} s", file=sys.stderr)
        if done.returncode:
            failed.append(name)
    if failed:
        print(f"not as claimed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
