"""The folder of real tokenizers and schemas, which is no part of the repository."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def data_dir() -> Path:
    """The folder named by FRISKET_DATA, or ../shared/data beside the repository; without it the test is skipped."""
    found = find_data_dir()
    if found is None:
        import pytest  # who reads this module outside of a test may have none

        pytest.skip("no data: set FRISKET_DATA to the folder with tokenizers/ and maskbench/")
    return found


def find_data_dir() -> Path | None:
    """As `data_dir`, None where a test would be skipped."""
    folder = Path(os.environ.get("FRISKET_DATA") or ROOT.parent / "shared" / "data")
    return folder if (folder / "tokenizers").is_dir() else None


def required_data_dir() -> Path:
    """As `data_dir`, for a command: without it the command ends."""
    return find_data_dir() or sys.exit("no data: set FRISKET_DATA to the folder with tokenizers/ and maskbench/")


def maskbench(folder: Path) -> Iterator[dict[str, Any]]:
    """Every entry of MaskBench: `id`, `schema`, and `tests` with `valid` and `data`."""
    with gzip.open(folder / "maskbench" / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


@cache
def llama3_tokens(folder: Path) -> list[bytes | None]:
    """The bytes of Llama 3's ordinary tokens by id, read without frisket's own reader: GPT-2's letters for bytes."""
    tokenizer = json.loads((folder / "tokenizers" / "llama3" / "tokenizer.json").read_text(encoding="utf-8"))
    letters = _letters()
    by_id = {
        token_id: bytes(letters[letter] for letter in text) for text, token_id in tokenizer["model"]["vocab"].items()
    }
    added = {entry["id"] for entry in tokenizer.get("added_tokens", ())}
    size = max([*by_id, *added]) + 1
    return [None if token_id in added else by_id.get(token_id) for token_id in range(size)]


def _letters() -> dict[str, int]:
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [value for value in range(256) if value not in printable]
    return {chr(value): value for value in printable} | {chr(256 + n): value for n, value in enumerate(others)}
