"""Schema × findings → the mended schema; its text changes only where a fix needs it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frisket.errors import InvalidSchemaError, LimitExceededError
from frisket.lint.finding import Edit, Finding, Reorder
from frisket.lint.json_text import JSONText, Repeated
from frisket.lint.linter import lint

if TYPE_CHECKING:
    from frisket import Limits, Vocabulary

#: Most rounds of fixes. One fix may enable another; real schemas need three rounds.
ROUNDS = 16


@dataclass(frozen=True)
class Repaired:
    """A schema after its fixes, as text if it was given as text; `fixed` findings are gone, `left` are all others."""

    schema: Any
    fixed: list[Finding]
    left: list[Finding]


def repair(
    schema: dict[str, Any] | bool | str,
    vocabulary: Vocabulary | None = None,
    *,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    unsafe: bool = False,
    limits: Limits | None = None,
) -> Repaired:
    """The schema after all safe fixes, and with `unsafe` after all others, too; the given schema does not change.

    Safe fixes keep the set of valid documents. A text keeps its white space and the spelling of its values.

    >>> repair('{"properties": {"answer": {"type": "integer"},  "reasoning": {"type": "string"}}}').schema
    '{"properties": {"reasoning": {"type": "string"},  "answer": {"type": "integer"}}}'
    """
    is_text = isinstance(schema, str)
    text = schema if isinstance(schema, str) else _dumped(schema)
    chosen = None if select is None else list(select)
    left_out = list(ignore)
    fixed: list[Finding] = []
    running = None if limits is None else limits.started()
    found = lint(text, vocabulary, select=chosen, ignore=left_out, limits=running)
    for _ in range(ROUNDS):
        mended = _edited(text, _without_conflicts(finding for finding in found if _is_fixable(finding, unsafe)))
        if mended is None:
            break
        text, applied = mended
        fixed += applied
        found = lint(text, vocabulary, select=chosen, ignore=left_out, limits=running)
    return Repaired(text if is_text else json.loads(text), fixed, found)


def _dumped(schema: Any) -> str:
    """The text of a schema; `json.dumps` writes it only if it is JSON, and no deeper than Python recurses."""
    try:
        return json.dumps(schema)
    except RecursionError:
        lint(schema, select=())  # raises a better error if the schema is no JSON or too deep
        raise LimitExceededError(
            "the schema nests too deep to be written", hint="name inner schemas in $defs and refer to them"
        ) from None
    except (TypeError, ValueError) as error:
        lint(schema, select=())
        raise InvalidSchemaError(f"the schema is not JSON: {error}", where="") from error


def _is_fixable(finding: Finding, unsafe: bool) -> bool:
    return finding.fix is not None and (finding.fix.safe or unsafe)


def _without_conflicts(findings: Iterable[Finding]) -> list[Finding]:
    """The findings whose fixes touch different places; all others wait for the next round."""
    chosen: list[Finding] = []
    touched: list[str] = []
    for finding in findings:
        assert finding.fix is not None
        places = [_touches(edit) for edit in finding.fix.edits]
        if not any(_overlap(place, other) for place in places for other in touched):
            chosen.append(finding)
            touched += places
    return chosen


def _touches(edit: Edit) -> str:
    return edit.pointer if isinstance(edit, Reorder) else edit.pointer.rpartition("/")[0]


def _overlap(one: str, other: str) -> bool:
    return one == other or one.startswith(other + "/") or other.startswith(one + "/")


def _edited(text: str, findings: list[Finding]) -> tuple[str, list[Finding]] | None:
    """The text after all fixes that can be applied; None if none can."""
    source = JSONText(text)
    done: list[Finding] = []
    edits: list[Edit] = []
    for finding in findings:
        assert finding.fix is not None
        try:
            source.edited(finding.fix.edits)
        except Repeated:
            continue
        done.append(finding)
        edits += finding.fix.edits
    return (source.edited(edits), done) if done else None
