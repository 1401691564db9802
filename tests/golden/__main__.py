"""`python -m tests.golden`: write the rules of every case anew; `git diff tests/golden` shows what a change did."""

from __future__ import annotations

from tests.golden.cases import CASES, FOLDER
from tests.golden.fingerprints import FINGERPRINTS, lines
from tests.golden.outcomes import FILES, OUTCOMES

for path in FOLDER.glob("*.txt"):
    path.unlink()
for name, make in CASES.items():
    (FOLDER / f"{name}.txt").write_text(make().dump(), encoding="utf-8")
OUTCOMES.mkdir(exist_ok=True)
for path in OUTCOMES.glob("*.txt"):
    path.unlink()
for name, write in FILES.items():
    (OUTCOMES / f"{name}.txt").write_text(write(), encoding="utf-8")
FINGERPRINTS.write_text("\n".join(lines()) + "\n", encoding="utf-8")
print(f"{len(CASES) + len(FILES) + 1} files in {FOLDER}")
