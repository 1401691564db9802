"""MaskBench × a tokenizer → the schemas and token sequences that every engine gets."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Tokenizer:
    """A byte-level Hugging Face tokenizer: its folder, and the bytes of each id (None: special, unused)."""

    folder: Path
    tokens: tuple[bytes | None, ...]
    eos: int

    @property
    def size(self) -> int:
        return len(self.tokens)

    @property
    def mask_words(self) -> int:
        return (self.size + 31) // 32


@dataclass(frozen=True)
class Instance:
    valid: bool
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class Case:
    """One schema and its instances."""

    name: str
    schema: dict[str, Any]
    text: str
    instances: tuple[Instance, ...]


def data_dir() -> Path:
    """Where the benchmark's data lies: `FRISKET_DATA`, or `../shared/data` beside the checkout."""
    folder = Path(os.environ.get("FRISKET_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        raise SystemExit(f"no benchmark data at {folder}: set FRISKET_DATA")
    return folder


def load_tokenizer(name: str) -> Tokenizer:
    """The tokenizer `name` of the data folder, or of any folder with a byte-level `tokenizer.json`."""
    folder = Path(name) if Path(name).is_dir() else data_dir() / "tokenizers" / name
    document = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    byte_of = {char: byte for byte, char in _byte_level_alphabet().items()}
    added = {token["id"]: token["content"] for token in document["added_tokens"]}
    vocabulary: dict[str, int] = document["model"]["vocab"]
    tokens: list[bytes | None] = [None] * (max([*vocabulary.values(), *added]) + 1)
    for token, index in vocabulary.items():
        if index not in added:
            tokens[index] = bytes(byte_of[char] for char in token)
    eos = config["eos_token"]
    eos = eos["content"] if isinstance(eos, dict) else eos
    return Tokenizer(folder, tuple(tokens), next(index for index, content in added.items() if content == eos))


def cases(tokenizer: Tokenizer, corpus: Path, *, count: int, seed: int) -> list[Case]:
    """A seeded sample of a corpus's distinct schemas, instances written by `json.dumps` as MaskBench writes them.

    A corpus is a file of lines `{"id": …, "schema": …, "tests": [{"valid": …, "data": …}]}`, gzipped or not.
    """
    import tokenizers

    encoder = tokenizers.Tokenizer.from_file(str(tokenizer.folder / "tokenizer.json"))
    distinct = {json.dumps(row["schema"]): row for row in _rows(corpus)}
    chosen = sorted(distinct)
    if count < len(chosen):
        chosen = random.Random(seed).sample(chosen, count)
    found = []
    for text in chosen:
        row = distinct[text]
        instances = tuple(
            Instance(test["valid"], tuple(encoder.encode(_write(test["data"]), add_special_tokens=False).ids))
            for test in row["tests"]
        )
        found.append(Case(row["id"], row["schema"], text, instances))
    return found


def maskbench() -> Path:
    return data_dir() / "maskbench" / "dev.jsonl.gz"


def _rows(corpus: Path) -> Iterator[dict[str, Any]]:
    with (gzip.open if corpus.suffix == ".gz" else open)(corpus, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if isinstance(row["schema"], dict):
                yield row


def _write(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def _byte_level_alphabet() -> dict[int, str]:
    """GPT-2's printable stand-in for every byte: itself if it prints, else the next unused character from 256 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    hidden = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + place) for place, byte in enumerate(hidden)}
