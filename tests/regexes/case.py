"""A number → a random pattern on texts, given to the front end and to a judge: the first difference, if any."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from frisket import FrisketError
from frisket._core import GrammarBuilder
from frisket.notations.regex import lower_part, lower_regex
from tests.fuzz.case import Result

from .judge import NoJudgement, has_node, judge_node, judge_python
from .pattern import Node, drawn, spelled, texts

#: What a number becomes, by its place in this list: the dialect, and how it is asked.
KINDS = (
    "python fullmatch",
    "ecma fullmatch",
    "python search",
    "ecma search",
    "python fullmatch",
    "ecma search",
    "python part",
    "rust fullmatch",
)
SAMPLES = 6
#: Where a part of a text stands: letters that no alphabet holds.
AROUND = ("!", "z")
#: Where a message begins to quote the pattern.
_QUOTED = re.compile(r" in ['\"]")


@dataclass
class Case:
    """One pattern and what is asked of it."""

    dialect: str
    mode: str
    tree: Node
    flags: str
    texts: list[str]

    @property
    def pattern(self) -> str:
        """The pattern in its dialect."""
        return spelled(self.tree, self.dialect)


def made(number: int) -> Case:
    """The case of this number."""
    draw = random.Random(f"regexes {number}")
    dialect, mode = KINDS[number % len(KINDS)].split()
    tree, flags, alphabet = drawn(draw, dialect)
    return Case(dialect, mode, tree, flags, texts(tree, draw, alphabet, SAMPLES))


def run(number: int) -> Result:
    """The case of this number, judged."""
    case, result = made(number), Result()
    result.log.append(f"{case.pattern!r} flags={case.flags!r} {case.dialect} {case.mode}")
    if case.dialect == "ecma" and not has_node():
        result.outcome = "judge: no JavaScript engine"
        return result
    try:
        found = answers(case)
    except FrisketError as error:
        result.outcome = f"{error.code}: {_QUOTED.split(error.message)[0]}"
        return result
    except BaseException as error:  # a panic is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        result.broken = f"{type(error).__name__}: {error}"
        return result
    try:
        expected = judged(case)
    except NoJudgement as why:
        result.outcome = str(why)
        return result
    result.outcome, result.steps = "compared", len(case.texts)
    for text, ours, theirs in zip(case.texts, found, expected, strict=True):
        if ours != theirs:
            result.broken = f"{case.pattern!r} flags={case.flags!r} {case.dialect} {case.mode}: {text!r} is {ours}"
            break
    return result


def answers(case: Case) -> list[bool]:
    """Which texts the front end takes."""
    builder = GrammarBuilder()
    if case.mode == "part":
        node = lower_part(builder, case.pattern, flags=case.flags)
    else:
        search = case.mode == "search"
        node = lower_regex(builder, case.pattern, dialect=case.dialect, search=search, flags=case.flags)  # type: ignore[arg-type]
    return [builder.accepts(node, text.encode()) for text in case.texts]


def judged(case: Case) -> Sequence[bool | None]:
    """Which texts match in the engine whose dialect it is; None where a part's match depends on the text beside it."""
    if case.dialect == "ecma":
        return judge_node(case.pattern, case.flags, case.texts, search=case.mode == "search")
    pattern = spelled(case.tree, "python")
    if case.dialect == "rust":
        # In Rust, $ is the end alone, and the empty text has no boundary.
        pattern = pattern.replace("\\B", r"(?!\b)")
        pattern = pattern if "m" in case.flags else pattern.replace("$", r"\Z")
    if case.mode != "part":
        return judge_python(pattern, case.flags, case.texts, search=case.mode == "search")
    around = [[letter + text + letter for text in case.texts] for letter in AROUND]
    first, second = (
        judge_python(f"{letter}(?:{pattern}){letter}", case.flags, inside, search=False)
        for letter, inside in zip(AROUND, around, strict=True)
    )
    return [one if one == other else None for one, other in zip(first, second, strict=True)]
