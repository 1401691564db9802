"""Programs of C that are linked with a built library, and the tokens that they are sent."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from frisket import Vocabulary
from frisket.errors import FrisketError
from tests.data import data_dir

HERE = Path(__file__).parent
LIBRARY = os.environ.get("FRISKET_LIBRARY")
#: Tokens of an instance that are walked.
MOST_TOKENS = 60

REQUIREMENTS = [
    pytest.mark.skipif(LIBRARY is None, reason="set FRISKET_LIBRARY to the folder of libfrisket"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
]


def linked(source: Path, program: Path, library: str, include: Path, *flags: str) -> Path:
    """A program of C, linked with a library."""
    assert LIBRARY is not None
    folder = Path(LIBRARY).resolve()
    link = [f"-L{folder}", f"-l{library}", f"-Wl,-rpath,{folder}", "-lpthread"]
    headers = [f"-I{include}", f"-I{HERE}"]
    command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", *flags, *headers, str(source), *link]
    subprocess.run([*command, "-o", str(program)], check=True)
    return program


@functools.cache
def tokenizer() -> Path:
    return data_dir() / "tokenizers" / "llama3" / "tokenizer.json"


@functools.cache
def vocabulary() -> Vocabulary:
    """Without the files beside the tokenizer, which may name other ends: the library is given its text alone."""
    with tempfile.TemporaryDirectory() as folder:
        return Vocabulary.from_huggingface(shutil.copy(tokenizer(), folder))


def walked(make: object, text: str, longest: int) -> list[int]:
    """Tokens that spell the beginning of a text, the longest that may come each time."""
    try:
        matcher = make().compile(vocabulary()).matcher()  # type: ignore[operator]
    except FrisketError:
        return []
    known = {vocabulary().token(token): token for token in range(1_000)}
    found: list[int] = []
    rest = text.encode()
    while rest and len(found) < MOST_TOKENS:
        lengths = (length for length in range(longest, 0, -1) if rest[:length] in known)
        token = next((known[rest[:length]] for length in lengths if matcher.validate([known[rest[:length]]])), None)
        if token is None:
            break
        matcher.advance(token)
        found.append(token)
        rest = rest[len(vocabulary().token(token) or b"") :]
    return found
