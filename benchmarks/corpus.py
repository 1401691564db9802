"""MaskBench × a tokenizer → the schemas and token sequences that every engine gets."""

from __future__ import annotations

import base64
import gzip
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.data import required_data_dir


@dataclass(frozen=True)
class Tokenizer:
    """A byte-level tokenizer: its folder or file, and the bytes of each id (None: special, unused)."""

    folder: Path
    tokens: tuple[bytes | None, ...]
    eos: int

    @property
    def name(self) -> str:
        return self.folder.name.partition(".")[0]

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
    """One schema, or one grammar in a notation of rules, and its instances."""

    name: str
    schema: dict[str, Any]
    text: str
    instances: tuple[Instance, ...]
    #: The grammar in each notation that it has; then there is no schema.
    rules: dict[str, str] | None = None


def load_tokenizer(name: str) -> Tokenizer:
    """`llama3`, `qwen`, `o200k`, `tekken`; or a folder with tokenizer.json, a .tiktoken file, a tekken*.json file.

    Engines of others read tokenizer.json only.
    """
    if name == "o200k":
        return _o200k(required_data_dir() / "tokenizers" / "o200k_base.tiktoken")
    if name == "tekken":
        import mistral_common

        return _tekken(sorted((Path(mistral_common.__file__).parent / "data").glob("tekken_*.json"))[-1])
    path = Path(name) if Path(name).exists() else required_data_dir() / "tokenizers" / name
    if path.suffix == ".tiktoken":
        return _o200k(path)
    return _tekken(path) if path.name.startswith("tekken") else _huggingface(path)


def encoder(tokenizer: Tokenizer) -> Callable[[str], Sequence[int]]:
    """The tokenizer's own way to cut a text."""
    if tokenizer.folder.is_dir():
        import tokenizers

        own = tokenizers.Tokenizer.from_file(str(tokenizer.folder / "tokenizer.json"))
        return lambda text: own.encode(text, add_special_tokens=False).ids
    import tiktoken

    ranks: dict[bytes, int] = {}
    first = next(index for index, token in enumerate(tokenizer.tokens) if token is not None)
    for index, token in enumerate(tokenizer.tokens):
        if token is not None:
            ranks[token] = index - first
    pattern = O200K if tokenizer.folder.suffix == ".tiktoken" else _document(tokenizer.folder)["config"]["pattern"]
    encoding = tiktoken.Encoding(tokenizer.name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return lambda text: [first + rank for rank in encoding.encode_ordinary(text)]


#: How OpenAI's o200k cuts a text before it merges; its rank file does not say.
O200K = "|".join(
    [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)


def _o200k(path: Path) -> Tokenizer:
    ranks = [line.split() for line in path.read_bytes().splitlines() if line]
    tokens: list[bytes | None] = [None] * (max(int(rank) for _, rank in ranks) + 1)
    for token, rank in ranks:
        tokens[int(rank)] = base64.b64decode(token)
    return Tokenizer(path, (*tokens, None), len(tokens))


def _tekken(path: Path) -> Tokenizer:
    config = _document(path)["config"]
    special, size = config["default_num_special_tokens"], config["default_vocab_size"]
    rows = _document(path)["vocab"][: size - special]
    return Tokenizer(path, (*[None] * special, *(base64.b64decode(row["token_bytes"]) for row in rows)), 2)


@cache
def _document(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _huggingface(folder: Path) -> Tokenizer:
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


def cases(tokenizer: Tokenizer, corpus: Path, *, count: int | None = None, seed: int = 1, every: int = 1) -> list[Case]:
    """A seeded sample of a corpus's distinct schemas, instances written by `json.dumps` as MaskBench writes them.

    The sample is taken of every `every`-th schema; without `count` it is all of these.

    A corpus is a file of lines `{"id": …, "schema": …, "tests": [{"valid": …, "data": …}]}`, gzipped or not.
    """
    encode = encoder(tokenizer)
    distinct = {json.dumps(row["schema"]): row for row in _rows(corpus)}
    chosen = sorted(distinct)[::every]
    if count is not None and count < len(chosen):
        chosen = random.Random(seed).sample(chosen, count)
    found = []
    for text in chosen:
        row = distinct[text]
        instances = tuple(Instance(test["valid"], tuple(encode(_write(test["data"])))) for test in row["tests"])
        found.append(Case(row["id"], row["schema"], text, instances))
    return found


def maskbench() -> Path:
    return required_data_dir() / "maskbench" / "dev.jsonl.gz"


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
