"""`python -m tests.hostile.child TITLE` → one line of JSON: what the case of that title took, measured here."""

from __future__ import annotations

import sys

from .every import CASES
from .measure import described, measured

if __name__ == "__main__":
    print(described(measured(next(case for case in CASES if case.title == sys.argv[1]))))
