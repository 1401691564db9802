"""Cases from other projects' tests (../shared/data/grammar-cases): GBNF as llama.cpp and others who read it test it.

xgrammar's EBNF is GBNF with macros, options of rules and lookahead; its cases without these are read as GBNF, too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from frisket import Grammar, GrammarSyntaxError

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
    read = refused = numbered = 0
    for number, case in enumerate(cases(data_dir)):
        what = f"case {number} of {case['from']}: {case['grammar']}"
        if case["note"] == "peer refuses the grammar" and LEFT_RECURSIVE not in case["grammar"]:
            with pytest.raises(GrammarSyntaxError):
                Grammar.from_gbnf(case["grammar"])
            refused += 1
            continue
        if case["note"] == "texts have <[id]> for special tokens":
            with pytest.raises(GrammarSyntaxError, match=r"named by its number|any but one"):
                Grammar.from_gbnf(case["grammar"])
            numbered += 1
            continue
        grammar = Grammar.from_gbnf(case["grammar"])
        read += 1
        for text in case["accept"]:
            assert grammar.accepts(text), f"{what}\nmust accept {text!r}"
        for text in case["reject"]:
            assert not grammar.accepts(text), f"{what}\nmust reject {text!r}"
    assert (read, refused, numbered) == (74, 3, 2)


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
