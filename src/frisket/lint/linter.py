"""Schema → findings: every selected rule at every place, unless the schema silences the rule there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from frisket import FrisketError, Limits
from frisket.errors import InvalidSchemaError, LimitExceededError
from frisket.extension import Meter, parse_json
from frisket.lint.document import Document
from frisket.lint.finding import Finding
from frisket.lint.selection import meant, selected

if TYPE_CHECKING:
    from frisket import Vocabulary
    from frisket.lint.rule import Rule

#: Limit steps per rule at one place, or per finding.
_STEPS_PER_CHECK = 50
#: Keyword that silences rules at a place and below it: true, or codes and names.
IGNORE = "x-frisket-ignore"


def lint(
    schema: dict[str, Any] | bool | str,
    vocabulary: Vocabulary | None = None,
    *,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    max_tokens: int | None = None,
    limits: Limits | None = None,
) -> list[Finding]:
    """Findings of the rules in a JSON Schema, given as a value or as its text, in the order of the places.

    >>> found = lint({"type": "string", "pattern": "[A-Z]{2}"})
    >>> found[0].rule, found[0].pointer, found[0].hint
    ('FRK501', '/pattern', 'write ^(?:…)$, or .* where any text is meant')

    `select` and `ignore` take codes, beginnings of codes, names, or `ALL`; without `select`, the rules for every schema
    run. A rule that needs a `vocabulary` or `max_tokens` finds nothing without it. Nothing is fetched: references to
    other documents are not followed.

    A schema that is malformed, or that nothing satisfies, may have no findings: `Grammar.from_json_schema` says what is
    wrong.

    Raises FrisketError for an unknown rule, InvalidSchemaError for a text that is not JSON, and LimitExceededError if
    the rules take more than the `limits`.
    """
    if vocabulary is not None and not hasattr(vocabulary, "token"):
        raise TypeError(
            f"vocabulary is a Vocabulary, got {type(vocabulary).__name__}: a model has it as model.vocabulary"
        )
    if max_tokens is not None and max_tokens < 1:
        raise ValueError("max_tokens is at least 1")
    rules = selected(select, ignore)
    value = parse_json(schema) if isinstance(schema, str) else schema
    if not isinstance(value, (dict, bool)):
        raise InvalidSchemaError(
            "a schema is an object or a boolean", where="", hint="true is the schema of any value, false that of none"
        )
    try:
        return _found(Document(value, vocabulary, max_tokens, Meter(limits)), rules)
    except RecursionError:
        raise LimitExceededError(
            "the schema nests too deep to be looked at", hint="name inner schemas in $defs and refer to them"
        ) from None


def _found(document: Document, rules: list[Rule]) -> list[Finding]:
    silenced = _silenced(document)
    found: list[Finding] = []
    for rule in rules:
        document.meter.spend(_STEPS_PER_CHECK * len(document.places))
        for finding in rule.check(document):
            document.meter.spend(_STEPS_PER_CHECK + len(finding.pointer))
            found.append(finding)
    kept = [finding for finding in found if not _is_silent(finding, silenced)]
    rank = {place.pointer: at for at, place in enumerate(document.places)}
    return sorted(kept, key=lambda finding: _rank(finding.pointer, rank))


def _rank(pointer: str, rank: dict[str, int]) -> int:
    """The position in the text of the innermost place at or around a pointer."""
    while pointer and pointer not in rank:
        pointer = pointer.rpartition("/")[0]
    return rank.get(pointer, 0)


def _silenced(document: Document) -> dict[str, frozenset[str] | None]:
    """Pointer → the codes that the schema silences there; None for all codes."""
    found: dict[str, frozenset[str] | None] = {}
    for place in document.places:
        said = place.schema.get(IGNORE)
        if said is True:
            found[place.pointer] = None
        elif said is not None and said is not False:
            words = [said] if isinstance(said, str) else said
            if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
                raise InvalidSchemaError(
                    f"{IGNORE} is true, a rule, or a list of rules", where=place.to(IGNORE), hint='as in ["FRK101"]'
                )
            try:
                found[place.pointer] = frozenset(rule.code for word in words for rule in meant(word))
            except FrisketError as error:
                error.where = place.to(IGNORE)
                raise
    return found


def _is_silent(finding: Finding, silenced: dict[str, frozenset[str] | None]) -> bool:
    pointer = finding.pointer
    while silenced:
        if pointer in silenced:
            codes = silenced[pointer]
            if codes is None or finding.rule in codes:
                return True
        if not pointer:
            return False
        pointer = pointer.rpartition("/")[0]
    return False
