"""Cases from other projects' tests (../shared/data/grammar-cases): GBNF as llama.cpp and others who read it test it.

xgrammar's EBNF is GBNF with macros, options of rules and lookahead; its cases without these are read as GBNF, too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from frisket import Grammar
from frisket.errors import GrammarError, GrammarSyntaxError

#: Refused by llama.cpp, which cannot follow a rule that begins with itself; we can.
LEFT_RECURSIVE = 'asdf ::= "a" | asdf "a"'


#: What makes a grammar of xgrammar's one that GBNF cannot read.
XGRAMMAR = ("Regex(", "Substring(", "TagDispatch(", "[lazy]", "[max_chars", "(=")


def cases(data_dir: Path, name: str = "gbnf") -> list[dict[str, Any]]:
    path = data_dir / "grammar-cases" / f"{name}.jsonl"
    if not path.exists():
        pytest.skip("no grammar-cases among the data")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_case_of_gbnf(data_dir: Path) -> None:
    read = refused = negated = 0
    for number, case in enumerate(cases(data_dir)):
        what = f"case {number} of {case['from']}: {case['grammar']}"
        if case["note"] == "peer refuses the grammar" and LEFT_RECURSIVE not in case["grammar"]:
            with pytest.raises(GrammarSyntaxError):
                Grammar.from_gbnf(case["grammar"])
            refused += 1
            continue
        if case["note"] == "texts have <[id]> for special tokens":
            with pytest.raises(GrammarSyntaxError, match="any but one"):
                Grammar.from_gbnf(case["grammar"])
            negated += 1
            continue
        grammar = Grammar.from_gbnf(case["grammar"])
        read += 1
        for text in case["accept"]:
            assert grammar.accepts(text), f"{what}\nmust accept {text!r}"
        for text in case["reject"]:
            assert not grammar.accepts(text), f"{what}\nmust reject {text!r}"
    assert (read, refused, negated) == (74, 3, 2)


def test_cases_of_xgrammar_that_are_gbnf(data_dir: Path) -> None:
    read = 0
    for number, case in enumerate(cases(data_dir, "ebnf")):
        if any(macro in case["grammar"] for macro in XGRAMMAR):
            continue
        # The texts of this case are those of a rule that is not the first.
        root = "basic_string" if case["accept"][:1] == [r'"abc\r\n"'] else "root"
        grammar = Grammar.from_gbnf(case["grammar"], root=root)
        read += 1
        for text in case["accept"]:
            assert grammar.accepts(text), f"case {number}: {case['grammar']}\nmust accept {text!r}"
        for text in case["reject"]:
            assert not grammar.accepts(text), f"case {number}: {case['grammar']}\nmust reject {text!r}"
    assert read == 44


#: Cases of Lark whose peer has a habit that its notation does not ask for, by what the case holds.
HABITS = {
    "/[^kσ]+/i": "xgrammar folds the case of ASCII only; patterns of llguidance fold all",
    r"/x\cAy/i": "control letters are ECMAScript's; patterns of llguidance are Rust's",
    "/a(?=b)c/i": "xgrammar leaves assertions out; the pattern matches nothing",
    'c[capture="c"]: "x!"': "xgrammar lets a lazy rule end no other terminal than free text",
    'suffix="<end>"': "xgrammar lets a mark that ends all be missing",
    "@dynamic": "the grammar is not in the text",
}
#: What is refused, since it cannot be told exactly.
INEXACT = ("max_tokens", "<[")
#: What peers refuse and we read: extensions of the other peers, and what they may read one day.
READ = (
    "start.1",
    "~/[a]/",
    "\\u00c4",
    "/abc/m",
    "/abc/x",
    "suffix=/end/i",
    "\\p{L}",
    "substring_words",
    'stop=""',
    "foobarbaz",
)


def lark_cases(data_dir: Path, dialect: str) -> dict[str, int]:
    """How many cases came out how; a case that is no habit of its peer's must come out as it says."""
    found = dict.fromkeys(("right", "refused", "read", "inexact", "habit"), 0)
    for number, case in enumerate(cases(data_dir, "lark")):
        text, what = case["grammar"], f"case {number} of {case['from']}: {case['grammar']}"
        habit = any(mark in text for mark in HABITS) and dialect == "llguidance"
        try:
            grammar = Grammar.from_lark(text, dialect=dialect)  # type: ignore[arg-type]
        except GrammarError:
            refused = case["note"].startswith("peer refuse")
            assert refused or any(mark in text for mark in (*INEXACT, *HABITS)), what
            found["habit" if habit else "refused" if refused else "inexact"] += 1
            continue
        if case["note"].startswith("peer refuse"):
            assert any(mark in text for mark in READ), what
            found["read"] += 1
            continue
        if "<[" in text:  # what its tokens are is said by a vocabulary that is not among the data
            found["inexact"] += 1
            continue
        right = all(map(grammar.accepts, case["accept"])) and not any(map(grammar.accepts, case["reject"]))
        assert right or habit, what
        found["right" if right else "habit"] += 1
    return found


def test_every_case_of_lark(data_dir: Path) -> None:
    found = lark_cases(data_dir, "llguidance")
    assert found == {"right": 165, "refused": 78, "read": 10, "inexact": 24, "habit": 7}


def test_every_case_of_lark_as_xgrammar_reads_it(data_dir: Path) -> None:
    found = lark_cases(data_dir, "xgrammar")
    assert found == {"right": 170, "refused": 78, "read": 10, "inexact": 26, "habit": 0}


def test_every_case_of_xgrammar(data_dir: Path) -> None:
    right = refused = 0
    for number, case in enumerate(cases(data_dir, "ebnf")):
        root = "basic_string" if case["accept"][:1] == [r'"abc\r\n"'] else None
        # An assertion that no text meets, and a lazy rule that calls another one which calls itself.
        if case["note"] or "(?=" in case["grammar"] or "r[lazy] ::= ((root_0))" in case["grammar"]:
            with pytest.raises(GrammarError):
                Grammar.from_ebnf(case["grammar"], dialect="xgrammar", root=root)
            refused += 1
            continue
        grammar = Grammar.from_ebnf(case["grammar"], dialect="xgrammar", root=root)
        right += 1
        for text in case["accept"]:
            assert grammar.accepts(text), f"case {number}: {case['grammar']}\nmust accept {text!r}"
        for text in case["reject"]:
            assert not grammar.accepts(text), f"case {number}: {case['grammar']}\nmust reject {text!r}"
    assert (right, refused) == (101, 5)
