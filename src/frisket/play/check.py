"""Text of a grammar → reports, the cheapest first: errors, coverage, lint."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from frisket import CompiledGrammar, FrisketError, Grammar, Limits, Vocabulary
from frisket.errors import GrammarError
from frisket.lint import lint
from frisket.lint.repair import repair
from frisket.play.notation import NOTATIONS
from frisket.play.place import Places
from frisket.play.view import failed

#: Most keywords and most findings that are sent; the counts include all.
MOST = 200
#: The order of the statuses, the most important first.
ORDER = ("loosened", "narrowed", "unknown", "annotation", "enforced")


def compiled(
    notation: str, text: str, options: Mapping[str, Any], limits: Limits, vocabulary: Vocabulary
) -> CompiledGrammar:
    """The compiled grammar of a text; FrisketError if it cannot be read or enforced."""
    return NOTATIONS[notation].read(text, options, limits, vocabulary).compile(vocabulary, limits=limits)


def check(
    notation: str, text: str, options: Mapping[str, Any], limits: Limits, vocabulary: Vocabulary
) -> Iterator[dict[str, Any]]:
    """One object per part: `compiled` or `error`, then `least`, and for a JSON Schema `coverage` and `lint`."""
    places = Places(text, is_json=NOTATIONS[notation].is_json)
    began = time.perf_counter()
    try:
        made = compiled(notation, text, options, limits, vocabulary)
        mask = made.matcher().mask()
    except FrisketError as error:
        yield {"error": refused(error, places)}
        return
    took = time.perf_counter() - began
    yield {"compiled": {"ms": round(took * 1e3, 2), "words": len(mask), "tokens": vocabulary.size}}
    yield {"least": _least(made, places)}
    if notation == "json_schema":
        grammar: Grammar = made.grammar
        yield {"coverage": _coverage(grammar, places)}
        yield {"lint": _lint(text, vocabulary, places)}


def refused(error: FrisketError, places: Places) -> dict[str, Any]:
    """The error in the form that all routes use, with its place in the text."""
    said = failed(error)
    said["place"] = places.of(error.where)
    said["excerpt"] = error.excerpt if isinstance(error, GrammarError) else None
    said["places"] = [
        {**place, "place": places.of(place["pointer"])} for place in said.get("places", ())[:MOST]
    ]  # fmt: skip
    return said


def _least(made: CompiledGrammar, places: Places) -> dict[str, Any]:
    """The tokens of the shortest answer known."""
    try:
        return {"count": made.matcher().least_tokens()}
    except FrisketError as error:
        return {"count": None, "error": refused(error, places)}


def mended(text: str, *, unsafe: bool = False) -> str:
    """A schema after the linter's safe fixes; with `unsafe` after all fixes."""
    fixed: str = repair(text, unsafe=unsafe).schema
    return fixed


def _coverage(grammar: Grammar, places: Places) -> dict[str, Any]:
    report = grammar.report
    if report is None:
        return {"exact": True, "counts": {}, "entries": []}
    described = report.to_json()
    entries = sorted(described["entries"], key=lambda entry: ORDER.index(entry["status"]))
    return {
        "exact": described["exact"],
        "counts": Counter(entry["status"] for entry in entries),
        "notes": described.get("notes", []),
        "entries": [{**entry, "place": places.of(entry["pointer"])} for entry in entries[:MOST]],
    }


def _lint(text: str, vocabulary: Vocabulary, places: Places) -> dict[str, Any]:
    try:
        found = lint(text, vocabulary)
    except FrisketError as error:
        return {"count": 0, "safe": 0, "findings": [], "error": refused(error, places)}
    return {
        "count": len(found),
        "safe": sum(finding.fix is not None and finding.fix.safe for finding in found),
        "findings": [{**finding.to_json(), "place": places.of(finding.pointer)} for finding in found[:MOST]],
    }
