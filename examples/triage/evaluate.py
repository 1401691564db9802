"""triage: held-out inputs → results.json, results.md, results.png."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from evaluation import main

if __name__ == "__main__":
    main(Path(__file__).resolve().parent, ("triage",))
