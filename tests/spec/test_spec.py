"""Every case of every *.toml beside this file: by the engine, and by the reference where it knows the notation.

Every beginning of an accepted text must be accepted as a beginning. The core runs the same cases without Python: it
replays `lowered.jsonl` (crates/core/tests/spec.rs), which is held here to what the front ends say today.
"""

from __future__ import annotations

import json

import pytest

from frisket.errors import (
    EmptyGrammarError,
    GrammarError,
    GrammarSyntaxError,
    UnsatisfiableSchemaError,
    UnsupportedSchemaError,
)
from frisket.reference import GeneralMask, JSONSchemaMask, LogitMask, RegexMask, words
from tests.spec import lowered
from tests.spec.cases import Case, cases

each_case = pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in cases()])


def reference(case: Case) -> LogitMask | None:
    """None where the reference's small notations do not reach; a case that says `reference = true` must be reached."""
    if case.choices:
        return GeneralMask(words(*(choice.encode() for choice in case.choices)), [])
    try:
        if case.pattern is not None and case.dialect == "python" and not case.search:
            return RegexMask(case.pattern, [])
        if case.schema is not None and case.options == {"whitespace": "compact"}:
            return JSONSchemaMask(json.loads(case.schema), [])
    except (GrammarSyntaxError, UnsupportedSchemaError):
        pass
    assert not case.reference, "the reference cannot read this case"
    return None


@each_case
def test_engine(case: Case) -> None:
    if case.refused is not None:
        with pytest.raises(GrammarError) as caught:
            case.grammar()
        assert f"{caught.value.where} {caught.value.message}".startswith(case.refused)
        return
    try:
        grammar = case.grammar()
    except (EmptyGrammarError, UnsatisfiableSchemaError):
        assert not case.accepts, "the grammar matches nothing"
        return
    for text in case.accepts:
        assert grammar.accepts(text), text
        encoded = text.encode()
        assert all(grammar.accepts_prefix(encoded[:end]) for end in range(len(encoded) + 1)), text
    for text in case.rejects:
        assert not grammar.accepts(text), text


@each_case
def test_reference(case: Case) -> None:
    if case.refused is not None:
        pytest.skip("the grammar is refused")
    slow = reference(case)
    if slow is None:
        pytest.skip("beyond the reference's subset")
    for text in case.accepts:
        assert slow.can_end(text.encode()), text
    for text in case.rejects:
        assert not slow.can_end(text.encode()), text


def test_the_reference_reads_a_good_part_of_the_cases() -> None:
    assert sum(reference(case) is not None for case in cases() if case.refused is None) >= 20


def test_what_front_ends_say_is_what_the_core_replays() -> None:
    """If lowering was changed on purpose: `python -m tests.spec.lowered`, and read the difference."""
    kept, said = lowered.FILE.read_text(encoding="utf-8").split("\n"), "".join(lowered.written()).split("\n")
    if kept[0] != said[0]:
        pytest.skip(f"recorded with other classes of characters: {kept[0]}, not {said[0]}")
    assert said == kept, "python -m tests.spec.lowered writes it anew"
