"""libfrisket × a program of C → the masks of the Python package, and no crash.

FRISKET_LIBRARY is the folder of the built library: `cargo build --profile source -p frisket-ffi` makes target/source.
"""

from __future__ import annotations

import functools
import json
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from frisket import Grammar
from frisket.errors import FrisketError
from tests.data import ROOT, data_dir, maskbench
from tests.docs.document import blocks
from tests.ffi.program import REQUIREMENTS, linked, tokenizer, vocabulary, walked

HERE = Path(__file__).parent
#: One schema of so many is walked.
EVERY = 60
GRAMMARS = {
    1: ['root ::= "a" [0-9]+ | item*\nitem ::= "[" root "]"', 'root ::= "\\u00e9"{2,3} [^a-z]'],
    2: ['start: "x" INT\nINT: /[0-9]+/\n%ignore " "'],
}

pytestmark = REQUIREMENTS


def built(source: Path, program: Path, *flags: str) -> Path:
    """A program of C, linked with libfrisket."""
    return linked(source, program, "frisket", ROOT / "crates" / "ffi" / "include", *flags)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(HERE / "client.c", tmp_path_factory.mktemp("ffi") / "client", "-D_GNU_SOURCE")


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with every access to its memory checked, and every freed handle counted."""
    flags = ("-D_GNU_SOURCE", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    return built(HERE / "client.c", tmp_path_factory.mktemp("ffi") / "sanitized", *flags)


@pytest.mark.parametrize("mode", ["basic", "threads"])
def test_the_functions_do_what_the_header_says(client: Path, sanitized: Path, mode: str) -> None:
    for program in (client, sanitized):
        subprocess.run([program, mode], check=True)


@pytest.mark.parametrize("seed", range(6))
def test_calls_in_any_order_never_crash(sanitized: Path, seed: int) -> None:
    subprocess.run([sanitized, "fuzz", str(seed), "20000"], check=True)


def cases() -> Iterator[tuple[int, str, list[int]]]:
    """The kind of a grammar, its text, and tokens that may come one after the other."""
    longest = max(len(vocabulary().token(token) or b"") for token in range(1_000))
    for row in list(maskbench(data_dir()))[::EVERY]:
        text = json.dumps(row["schema"])
        valid = [test["data"] for test in row["tests"] if test["valid"]]
        yield (
            0,
            text,
            walked(functools.partial(Grammar.from_json_schema, text), json.dumps(valid[0]) if valid else "", longest),
        )
    for kind, texts in GRAMMARS.items():
        read = Grammar.from_gbnf if kind == 1 else functools.partial(Grammar.from_lark, dialect="llguidance")
        for text in texts:
            yield kind, text, walked(functools.partial(read, text), "a123" if kind == 1 else "x1 ", longest)


@pytest.mark.data
def test_masks_are_those_of_the_python_package(client: Path) -> None:
    listed = list(cases())
    sent = b"".join(
        struct.pack("=3I", len(tokens), kind, len(text.encode()))
        + text.encode()
        + struct.pack(f"={len(tokens)}I", *tokens)
        for kind, text, tokens in listed
    )
    answer = subprocess.run([client, "masks", tokenizer()], input=sent, stdout=subprocess.PIPE, check=True).stdout
    words, at, compared = vocabulary().mask_words, 0, 0
    for kind, text, tokens in listed:
        code, at = struct.unpack_from("=I", answer, at)[0], at + 4
        read = {
            0: Grammar.from_json_schema,
            1: Grammar.from_gbnf,
            2: functools.partial(Grammar.from_lark, dialect="llguidance"),
        }[kind]
        try:
            matcher = read(text).compile(vocabulary()).matcher()
        except FrisketError:
            assert code, text
            continue
        assert code == 0, text
        for token in [*tokens, None]:
            mask = np.frombuffer(answer, np.uint32, words, at)
            assert np.array_equal(mask, matcher.mask()), f"{text} after {matcher.text!r}"
            at, compared = at + 4 * words, compared + 1
            if token is not None:
                matcher.advance(token)
    assert at == len(answer) and compared > 500


def test_the_page_shows_what_its_program_prints(tmp_path: Path) -> None:
    page = list(blocks(ROOT / "docs" / "how-to" / "from-c.md"))
    source = tmp_path / "page.c"
    source.write_text(next(block.text for block in page if block.language == "c"), encoding="utf-8")
    program = built(source, tmp_path / "page")
    printed = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert printed.strip() == next(block.text for block in page if block.language == "text").strip()
