"""Held-out combinations → examples/*/heldout.jsonl, the inputs that every evaluation uses."""

from __future__ import annotations

import json
from pathlib import Path

from data import evaluation

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
COUNT = 200
SEED = 2

if __name__ == "__main__":
    for name in ("triage", "tutor", "orders", "agent"):
        lines = [
            json.dumps({"input": found.text, "answer": found.answer}, ensure_ascii=False)
            for found in evaluation(name, COUNT, SEED)
        ]
        (EXAMPLES / name / "heldout.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
