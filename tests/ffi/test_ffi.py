"""libfrisket × a program of C → the functions do what the header says, and no call crashes.

FRISKET_LIBRARY is the folder of the built library: `cargo build --profile source -p frisket-ffi` makes target/source.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.data import ROOT
from tests.docs.document import blocks
from tests.ffi.program import LIBRARY, REQUIREMENTS, linked

HERE = Path(__file__).parent

pytestmark = REQUIREMENTS


def built(source: Path, program: Path, *flags: str) -> Path:
    """A program of C, linked with libfrisket."""
    assert LIBRARY is not None
    return linked(source, program, "frisket", ROOT / "crates" / "ffi" / "include", LIBRARY, *flags)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(HERE / "client.c", tmp_path_factory.mktemp("ffi") / "client", "-D_GNU_SOURCE")


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with every access to its memory checked, and every freed handle counted."""
    flags = ("-D_GNU_SOURCE", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    return built(HERE / "client.c", tmp_path_factory.mktemp("ffi") / "sanitized", *flags)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has versions of symbols")
def test_every_function_has_a_version() -> None:
    assert LIBRARY is not None
    if not (LIBRARY / "frisket.h").exists():
        pytest.skip("cargo gives none: tools/library.sh links the library with them")
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", LIBRARY / "libfrisket.so"], capture_output=True, text=True, check=True
    )
    names = {line.split()[-1] for line in listed.stdout.splitlines()} - {"FRISKET_1"}
    assert len(names) > 30 and all(re.fullmatch(r"frisket_\w+@@FRISKET_1", name) for name in names), names


@pytest.mark.parametrize("mode", ["basic", "threads"])
def test_the_functions_do_what_the_header_says(client: Path, sanitized: Path, mode: str) -> None:
    for program in (client, sanitized):
        subprocess.run([program, mode], check=True)


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="there is no valgrind")
@pytest.mark.parametrize("words", [["basic"], ["threads"], ["fuzz", "7", "3000"]], ids=lambda words: words[0])
def test_valgrind_finds_no_wrong_access_and_nothing_lost(client: Path, words: list[str]) -> None:
    """Best with a library without mimalloc, whose blocks valgrind cannot tell apart."""
    checks = ["--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite", "--error-exitcode=9"]
    subprocess.run(["valgrind", *checks, client, *words], check=True)


@pytest.mark.parametrize("seed", range(6))
def test_calls_in_any_order_never_crash(sanitized: Path, seed: int) -> None:
    subprocess.run([sanitized, "fuzz", str(seed), "20000"], check=True)


def test_the_page_shows_what_its_program_prints(tmp_path: Path) -> None:
    page = list(blocks(ROOT / "docs" / "how-to" / "from-c.md"))
    source = tmp_path / "page.c"
    source.write_text(next(block.text for block in page if block.language == "c"), encoding="utf-8")
    program = built(source, tmp_path / "page")
    printed = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert printed.strip() == next(block.text for block in page if block.language == "text").strip()
