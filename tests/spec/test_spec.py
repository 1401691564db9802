"""Every case of every *.toml beside this file: by the engine, and by the reference where it knows the notation.

regex.toml: pattern, dialect, search; json_schema.toml: schema (JSON text) and options; choices.toml: choices. Each with
the texts that it accepts and rejects. Every beginning of an accepted text must be accepted as a beginning.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from frisket import Grammar, JSONSchemaOptions
from frisket.errors import EmptyGrammarError, GrammarSyntaxError, UnsupportedSchemaError
from frisket.reference import GeneralMask, JSONSchemaMask, LogitMask, RegexMask, words

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent


def cases() -> list[Any]:
    found = []
    for path in sorted(FOLDER.glob("*.toml")):
        for number, case in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["case"]):
            name = case.get("pattern", case.get("schema", case.get("choices")))
            found.append(pytest.param(case, id=f"{path.stem}-{number}-{str(name)[:60]}"))
    return found


def engine(case: dict[str, Any]) -> Grammar:
    if "pattern" in case:
        return Grammar.from_regex(
            case["pattern"], dialect=case.get("dialect", "python"), search=case.get("search", False)
        )
    if "schema" in case:
        return Grammar.from_json_schema(json.loads(case["schema"]), JSONSchemaOptions(**case.get("options", {})))
    return Grammar.from_choices(case["choices"])


def reference(case: dict[str, Any]) -> LogitMask | None:
    """None where the reference's small notations do not reach; a case that says `reference = true` must be reached."""
    if "choices" in case:
        return GeneralMask(words(*(choice.encode() for choice in case["choices"])), [])
    try:
        if "pattern" in case and case.get("dialect", "python") == "python" and not case.get("search"):
            return RegexMask(case["pattern"], [])
        if "schema" in case and case.get("options") == {"whitespace": "compact"}:
            return JSONSchemaMask(json.loads(case["schema"]), [])
    except (GrammarSyntaxError, UnsupportedSchemaError):
        pass
    assert not case.get("reference"), "the reference cannot read this case"
    return None


@pytest.mark.parametrize("case", cases())
def test_engine(case: dict[str, Any]) -> None:
    try:
        grammar = engine(case)
    except EmptyGrammarError:
        assert not case.get("accepts"), "the grammar matches nothing"
        return
    for text in case.get("accepts", ()):
        assert grammar.accepts(text), text
        encoded = text.encode()
        assert all(grammar.accepts_prefix(encoded[:end]) for end in range(len(encoded) + 1)), text
    for text in case.get("rejects", ()):
        assert not grammar.accepts(text), text


@pytest.mark.parametrize("case", cases())
def test_reference(case: dict[str, Any]) -> None:
    slow = reference(case)
    if slow is None:
        pytest.skip("beyond the reference's subset")
    for text in case.get("accepts", ()):
        assert slow.can_end(text.encode()), text
    for text in case.get("rejects", ()):
        assert not slow.can_end(text.encode()), text


def test_the_reference_reads_a_good_part_of_the_cases() -> None:
    assert sum(reference(case.values[0]) is not None for case in cases()) >= 20
