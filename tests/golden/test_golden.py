"""The rules of every case are those that are kept; `python -m tests.golden` writes them anew."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from frisket import Grammar, _core
from tests.golden.cases import CASES, FOLDER


@pytest.mark.parametrize("name", CASES)
def test_the_rules_are_those_that_are_kept(name: str) -> None:
    kept = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert CASES[name]().dump() == kept, "if this change is meant: python -m tests.golden"


def test_nothing_else_is_kept() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(CASES)


@pytest.mark.parametrize("seed", ["1", "2"])
def test_neither_hashes_nor_what_came_before_show(seed: str) -> None:
    """In fresh processes with other hashes, cases in other orders: the text is the same."""
    order = sorted(CASES, key=lambda name: name[int(seed) :])
    program = (
        "import sys; from tests.golden.cases import CASES\nfor name in sys.argv[1:]: print(name, CASES[name]().dump())"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, *order],
        capture_output=True,
        text=True,
        cwd=FOLDER.parents[1],
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
    assert run.returncode == 0, run.stderr
    kept = [f"{name} {(FOLDER / f'{name}.txt').read_text(encoding='utf-8')}\n" for name in order]
    assert run.stdout == "".join(kept)


def test_a_rule_has_its_place_and_a_special_token_its_name() -> None:
    tree = Grammar.from_json_schema(
        {"$defs": {"t": {"type": "array", "items": {"$ref": "#/$defs/t"}}}, "$ref": "#/$defs/t"}
    )
    assert tree.dump().startswith("root = rule_1\n\n# /$defs/t\nrule_1 =")


def test_many_words_are_all_there() -> None:
    words = [f"word {number}" for number in range(2_000)]
    dumped = Grammar.from_choices(words).dump()
    assert all(f"'{word}'" in dumped for word in words)


def dumped(make: Callable[[_core.GrammarBuilder], int]) -> str:
    builder = _core.GrammarBuilder()
    return builder.build(make(builder)).dump()


def letter(b: _core.GrammarBuilder) -> int:
    return b.byte_class([(0x61, 0x7A)])


NOTATION: dict[str, Callable[[_core.GrammarBuilder], int]] = {
    "'ab'": lambda b: b.literal(b"ab"),
    "'it\\'s\\n\"\\xff'": lambda b: b.literal(b"it's\n\"\xff"),
    "'é'": lambda b: b.char_class([(0xE9, 0xE9)]),
    "[\\-\\]ab\\xf0-\\xff]": lambda b: b.byte_class([(0x2D, 0x2D), (0x5D, 0x5D), (0x61, 0x62), (0xF0, 0xFF)]),
    "[^\\n]": lambda b: b.byte_class([(0, 9), (11, 255)]),
    "'a' | 'bc'": lambda b: b.words([b"bc", b"a"]),
    "[a-z] '0' [a-z]": lambda b: b.cat([letter(b), b.literal(b"0"), letter(b)]),
    "([a-z] | '0'? '1') '.'": lambda b: b.cat(
        [b.alt([letter(b), b.cat([b.repeat(b.literal(b"0"), 0, 1), b.literal(b"1")])]), b.literal(b".")]
    ),
    "[a-z]*": lambda b: b.repeat(letter(b), 0, None),
    "[a-z]+": lambda b: b.repeat(letter(b), 1, None),
    "[a-z]{2,}": lambda b: b.repeat(letter(b), 2, None),
    "[a-z]{2}": lambda b: b.repeat(letter(b), 2, 2),
    "([a-z] '0'){2,3}": lambda b: b.repeat(b.cat([letter(b), b.literal(b"0")]), 2, 3),
    "any_text#{1,5}": lambda b: b.bounded(b.any_text(), 1, 5),
    "any_text & !'no'": lambda b: b.and_([b.any_text(), b.not_(b.literal(b"no"))]),
    "string([a-z])": lambda b: b.quoted(letter(b)),
    "string_free([a-z])": lambda b: b.quoted(letter(b), "free"),
    "[a-z] special('<end>')": lambda b: b.seq([letter(b), b.special("<end>")]),
    "empty": lambda b: b.epsilon(),
}


@pytest.mark.parametrize("text", NOTATION)
def test_notation(text: str) -> None:
    assert dumped(NOTATION[text]) == f"root = {text}\n"


def test_multiples() -> None:
    assert "multiple(7)" in Grammar.from_json_schema({"type": "integer", "multipleOf": 7}).dump()
    assert "multiple(7, point)" in Grammar.from_json_schema({"multipleOf": 0.7}).dump()


def test_what_is_used_twice_has_a_name() -> None:
    def doubled(b: _core.GrammarBuilder) -> int:
        long = b.and_([b.bounded(b.any_text(), 3, 20), b.not_(b.literal(b"forbidden"))])
        return b.seq([b.quoted(long), b.literal(b":"), b.quoted(long)])

    first, second = dumped(doubled).split("\n\n")
    assert first == "root = term_1 ':' term_1"
    assert second == "term_1 = string(any_text#{3,20} & !'forbidden')\n"
