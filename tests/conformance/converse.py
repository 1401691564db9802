"""Valid documents, re-styled, must pass; invalid ones must not: hypothesis-jsonschema × frisket → figures.

    python -m tests.conformance.converse                        every schema of MaskBench and of the official suite
    python -m tests.conformance.converse --minutes 10 --seed 7  as many as fit, in an order that the seed chooses
    python -m tests.conformance.converse --schemas Github_hard  those whose name holds the text
    python -m tests.conformance.converse --resume docs.jsonl    goes on where that file ends, and writes to it

Documents are valid by construction; both judges of `judge` confirm it. Where the generator does not know the schema
(remote references) or finds nothing in SECONDS of processor time, the documents are those that come with the schema.
`restyle` spells a document anew: white space wherever RFC 8259 has it, members in any order, escapes instead of
letters, 1.0 or 10e-1 for 1. `mutate` changes it a little; where both judges then refuse it, so must the grammar.
Options: `JSONSchemaOptions.free()`. A schema that frisket calls unsatisfiable must have no valid document.
"""

from __future__ import annotations

import copy
import json
import random
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from tests.conformance.judge import Judges, NoJudge
from tests.conformance.sweep import Subject, Tally, parser, sweep

SECONDS = 3
FAILURES = ("valid REFUSED", "invalid ACCEPTED")


def check(subject: Subject, *, seed: int, documents: int) -> Tally:
    """Valid documents, three spellings of each, and three mutations of each."""
    from frisket import Grammar
    from frisket.errors import FrisketError, UnsatisfiableSchemaError
    from frisket.json_schema import JSONSchemaOptions

    tally = Tally()
    formats: Any = subject.formats
    options = JSONSchemaOptions.free(formats=formats, max_exponent_digits=3, max_integer_digits=330)
    grammar = None
    try:
        grammar = Grammar.from_json_schema(subject.schema, options, subject.registry)
    except UnsatisfiableSchemaError:
        pass
    except FrisketError as error:
        tally.counts[f"schemas refused ({error.code})"] += 1
        return tally

    def accepts(text: str) -> bool:
        return grammar is not None and grammar.accepts(text)

    try:
        judges = Judges(subject.schema, formats=formats == "assert", registry=subject.registry)
    except NoJudge:
        tally.counts["schemas without a judge"] += 1
        return tally
    found, problem = instances(subject.schema, f"{seed}/{subject.name}", documents)
    if problem:
        tally.counts[f"schemas without a generator ({problem})"] += 1
    chance = random.Random(f"{seed}/{subject.name}")
    whole_floats = "draft-04" not in judges.uri
    shown = 0
    # A narrowed keyword leaves valid documents out, and the report says so.
    narrowed = grammar is not None and grammar.report is not None and bool(grammar.report.narrowed)
    missed = "valid, left out by a narrowed keyword" if narrowed else "valid REFUSED"
    for document in [*found, *subject.valid]:
        plain = json.dumps(document, ensure_ascii=False)
        try:
            wrong, explained = judges.wrong(plain.encode())
        except (UnicodeEncodeError, NoJudge):
            continue
        if wrong or explained:
            tally.counts["generated, but not valid to both judges"] += 1
            continue
        shown += 1
        try:
            for text in [plain, *(restyle(document, chance, whole_floats=whole_floats) for _ in range(3))]:
                if accepts(text):
                    tally.counts["valid accepted"] += 1
                else:
                    tally.note(missed, f"{subject.name}: {text[:600]!r}")
            for _ in range(3):
                changed = json.dumps(mutate(copy.deepcopy(document), chance), ensure_ascii=False)
                try:
                    refused = judges.refused_by_all(changed.encode())
                    accepted = accepts(changed)
                    if refused and accepted:
                        tally.note("invalid ACCEPTED", f"{subject.name}: {changed[:600]!r}")
                    elif refused:
                        tally.counts["invalid refused"] += 1
                    elif not accepted and judges.wrong(changed.encode()) == ("", []):
                        tally.note(missed, f"{subject.name}: {changed[:600]!r}")
                except NoJudge:
                    continue
        except FrisketError as error:
            tally.counts[f"limits reached ({error.code})"] += 1
            break
    kind = "with a valid document" if shown else "without one" if grammar is not None else "unsatisfiable, as found"
    tally.counts[f"schemas {kind}"] += 1
    return tally


def instances(schema: Any, seed: str, count: int) -> tuple[list[Any], str]:
    """Documents that hypothesis-jsonschema builds, the same for the same seed, and why it builds none ("": it does)."""
    import hypothesis
    from hypothesis_jsonschema import from_schema

    _mend_hypothesis()
    found: list[Any] = []
    try:
        with warnings.catch_warnings(), time_limit(SECONDS):
            warnings.simplefilter("ignore")

            @hypothesis.seed(seed)
            @hypothesis.settings(
                max_examples=count,
                database=None,
                deadline=None,
                phases=[hypothesis.Phase.generate],
                suppress_health_check=list(hypothesis.HealthCheck),
            )
            @hypothesis.given(from_schema(schema))
            def collect(document: Any) -> None:
                found.append(document)

            collect()
    except Late:
        return found, "" if found else "too slow"
    except Exception as error:  # what the generator does not know, it says in many ways
        return found, "" if found else type(error).__name__
    return found, ""


def _mend_hypothesis() -> None:
    """hypothesis-jsonschema 0.23 asks collections for `more()`; newer versions of hypothesis only iterate over them."""
    from hypothesis.internal.conjecture.utils import many

    if hasattr(many, "more"):
        return

    def more(self: Any) -> bool:
        if not hasattr(self, "_steps"):
            self._steps = iter(self.__enter__())
        return next(self._steps, False) is None

    many.more = more


def restyle(value: Any, chance: random.Random, *, whole_floats: bool) -> str:
    """The same document in another spelling of RFC 8259."""

    def blank() -> str:
        return "".join(chance.choices(" \t\n\r", k=chance.choice((0, 0, 1, 3))))

    def write(part: Any) -> str:
        if isinstance(part, dict):
            members = [f"{blank()}{text(key)}{blank()}:{write(item)}" for key, item in part.items()]
            chance.shuffle(members)
            body = "{" + ",".join(members) + blank() + "}"
        elif isinstance(part, list):
            body = "[" + ",".join(map(write, part)) + blank() + "]"
        elif isinstance(part, str):
            body = text(part)
        elif isinstance(part, bool) or part is None:
            body = json.dumps(part)
        else:
            body = number(part)
        return blank() + body + blank()

    def text(part: str) -> str:
        return '"' + "".join(map(letter, part)) + '"'

    def letter(one: str) -> str:
        style = chance.choice("rrru")
        if style == "u":
            units = one.encode("utf-16-be")
            hexes = [f"{units[at] << 8 | units[at + 1]:04x}" for at in range(0, len(units), 2)]
            return "".join("\\u" + (half.upper() if chance.random() < 0.5 else half) for half in hexes)
        return "\\/" if one == "/" and chance.random() < 0.5 else json.dumps(one, ensure_ascii=False)[1:-1]

    def number(part: int | float) -> str:
        plain = json.dumps(part)
        if isinstance(part, int):
            if not whole_floats or part == 0 or abs(part) > 10**30:
                return plain
            return chance.choice([plain, f"{plain}.0", f"{plain}.00e0", f"{plain}E+00", f"{plain}0e-1"])
        if "e" in plain or "." not in plain:
            return plain
        return chance.choice([plain, f"{plain}0", f"{plain}e0", f"{plain}E-00"])

    return write(value)


def mutate(value: Any, chance: random.Random) -> Any:
    """The document with one small change somewhere."""
    if isinstance(value, dict) and value and chance.random() < 0.7:
        key = chance.choice(list(value))
        value[key] = mutate(value[key], chance)
        return value
    if isinstance(value, list) and value and chance.random() < 0.7:
        at = chance.randrange(len(value))
        value[at] = mutate(value[at], chance)
        return value
    if isinstance(value, dict) and chance.random() < 0.8:
        if value and chance.random() < 0.5:
            del value[chance.choice(list(value))]
        else:
            value[chance.choice(["", "x", "type", "é"])] = chance.choice([None, 1, "x", [], {}])
        return value
    if isinstance(value, list) and chance.random() < 0.8:
        if value and chance.random() < 0.6:
            value.append(value[0]) if chance.random() < 0.5 else value.pop()
        else:
            value.append(chance.choice([None, 1, "x", [], {}]))
        return value
    if isinstance(value, str) and chance.random() < 0.7:
        return chance.choice([value + "x", value[:-1], value.upper(), value + "é", "", value * 20])
    if isinstance(value, (int, float)) and not isinstance(value, bool) and chance.random() < 0.7:
        # Twice the largest double would be no JSON number.
        return chance.choice([value + 1, value - 1, -value, value * 2 if abs(value) < 1e300 else 1, 0, 0.5, 10**9])
    return chance.choice([None, True, 0, -1, 1.5, "", "x", [], [1], {}, {"a": 1}])


class Late(BaseException):
    """The time is over. No Exception: hypothesis would take it for a find, and look for it again."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Late after so much processor time, and again every second; the generator can go on for ever."""

    def ring(*_: Any) -> None:
        raise Late

    def pass_over(unraisable: Any) -> None:
        """A ring that comes within a callback goes unheard; the next one is heard."""
        if unraisable.exc_type is not Late:
            sys.__unraisablehook__(unraisable)

    sys.unraisablehook = pass_over
    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        sys.unraisablehook = sys.__unraisablehook__


def main(arguments: list[str] | None = None) -> int:
    asked = parser("Documents that are valid by construction, and mutations of them")
    asked.add_argument("--documents", type=int, default=6, help="for each schema")
    chosen = asked.parse_args(arguments)
    return sweep(chosen, partial(check, seed=chosen.seed, documents=chosen.documents), FAILURES)


if __name__ == "__main__":
    sys.exit(main())
