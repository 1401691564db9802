"""libfrisket_dropin × programs of C that call it as llama.cpp and Ollama do → the masks of the Python package.

FRISKET_LIBRARY is the folder of the library, target/source after `cargo build --profile source -p frisket-dropin`.
"""

from __future__ import annotations

import functools
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from frisket import Grammar, Vocabulary
from frisket.errors import FrisketError
from tests.data import ROOT
from tests.docs.document import blocks
from tests.ffi.program import HERE, LIBRARY, REQUIREMENTS, linked
from tests.runtimes.walks import schema_walks, vocabulary

INCLUDE = ROOT / "crates" / "dropin" / "include"
SANITIZED = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
#: One schema of so many is walked, and so many tokens of a document.
EVERY = 55
MOST_TOKENS = 60

pytestmark = REQUIREMENTS


def llama_cpp(program: Path, *flags: str) -> list[str]:
    assert LIBRARY is not None
    return [str(linked(HERE / "llama_cpp.c", program, "frisket_dropin", INCLUDE, LIBRARY, *flags))]


def ollama(program: Path, *flags: str) -> list[str]:
    assert LIBRARY is not None
    name = "libfrisket_dropin.dylib" if sys.platform == "darwin" else "libfrisket_dropin.so"
    return [str(linked(HERE / "ollama.c", program, "dl", INCLUDE, LIBRARY, *flags)), str(LIBRARY / name)]


@pytest.fixture(scope="module", params=[llama_cpp, ollama], ids=["llama.cpp", "ollama"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    command: list[str] = request.param(tmp_path_factory.mktemp("dropin") / "client")
    return command


@pytest.mark.parametrize("build", [llama_cpp, ollama], ids=["llama.cpp", "ollama"])
@pytest.mark.parametrize("flags", [(), SANITIZED], ids=["plain", "sanitized"])
def test_the_functions_do_what_the_engine_expects(tmp_path: Path, build: object, flags: Sequence[str]) -> None:
    subprocess.run([*build(tmp_path / "client", *flags), "basic"], check=True)  # type: ignore[operator]


@pytest.mark.parametrize("build", [llama_cpp, ollama], ids=["llama.cpp", "ollama"])
def test_calls_in_any_order_never_crash(tmp_path: Path, build: object) -> None:
    program = build(tmp_path / "client", *SANITIZED)  # type: ignore[operator]
    for seed in range(4):
        subprocess.run([*program, "fuzz", str(seed)], check=True)


@functools.cache
def cases() -> list[tuple[str, list[int]]]:
    """Schemas, and the tokens of the beginning of a document."""
    last = {walk.grammar: walk for walk in schema_walks(EVERY)}
    return [(walk.grammar, walk.allowed(MOST_TOKENS)) for walk in last.values()]


def spelled(known: Vocabulary) -> bytes:
    """A vocabulary as the programs read it: special tokens have the byte 0xff before their name."""
    names = {token: b"\xff" + name.encode() for name, token in known.special.items()}
    texts = [known.token(token) or names.get(token, b"") for token in range(known.size)]
    lengths = [len(text) for text in texts]
    return struct.pack(f"={3 + known.size}I", known.size, known.eos[0], sum(lengths), *lengths) + b"".join(texts)


@pytest.mark.data
def test_masks_are_those_of_the_python_package(client: list[str]) -> None:
    full = vocabulary()
    # The engines name one token that ends a text.
    texts = [full.token(token) for token in range(full.size)]
    known = Vocabulary.from_bytes(texts, special=full.special, eos=full.eos[:1])
    sent = spelled(known)
    for text, tokens in cases():
        sent += struct.pack("=2I", len(tokens), len(text.encode())) + text.encode()
        sent += struct.pack(f"={len(tokens)}I", *tokens)
    answer = subprocess.run([*client, "masks"], input=sent, stdout=subprocess.PIPE, check=True)
    at, compared, refused = 0, 0, 0
    for text, taken in cases():
        failed, at = struct.unpack_from("=I", answer.stdout, at)[0], at + 4
        try:
            matcher = Grammar.from_json_schema(text).compile(known).matcher()
        except FrisketError:
            assert failed, text
            refused += 1
            continue
        assert failed == 0, text
        for token in [*taken, None]:
            mask = np.frombuffer(answer.stdout, np.uint32, known.mask_words, at)
            assert np.array_equal(mask, matcher.mask()), f"{text} after {matcher.text!r}"
            at, compared = at + 4 * known.mask_words, compared + 1
            if token is not None:
                matcher.advance(token)
    assert at == len(answer.stdout) and compared > 500 and refused < len(cases()) / 10


@pytest.mark.parametrize("name", ["in-llama-cpp", "in-ollama"])
def test_the_page_shows_what_its_program_prints(tmp_path: Path, name: str) -> None:
    page = list(blocks(ROOT / "docs" / "how-to" / f"{name}.md"))
    source = tmp_path / "page.c"
    source.write_text(next(block.text for block in page if block.language == "c"), encoding="utf-8")
    library = "frisket_dropin" if name == "in-llama-cpp" else "dl"
    assert LIBRARY is not None
    program = linked(source, tmp_path / "page", library, INCLUDE, LIBRARY)
    # As the page says: the library under the name that the engine looks up.
    (tmp_path / "libollama_xgrammar.so").symlink_to(next(LIBRARY.glob("libfrisket_dropin.[sd]*")))
    printed = subprocess.run([program], cwd=tmp_path, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert printed.strip() == [block.text for block in page if block.language == "text"][-1].strip()
