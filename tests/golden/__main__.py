"""`python -m tests.golden`: write the rules of every case anew; `git diff tests/golden` shows what a change did."""

from __future__ import annotations

from tests.golden.cases import CASES, FOLDER

for path in FOLDER.glob("*.txt"):
    path.unlink()
for name, make in CASES.items():
    (FOLDER / f"{name}.txt").write_text(make().dump(), encoding="utf-8")
print(f"{len(CASES)} files in {FOLDER}")
