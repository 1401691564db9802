"""Spec cases of grammars × engines → which texts each accepts and rejects as the notation says.

    python -m tests.conformance.dialects            prints the table
    python -m tests.conformance.dialects --write    writes it to benchmarks/results

The cases are those of tests/spec/*.toml. llguidance and xgrammar run in processes of their own, over the 256 bytes:
the language is compared, not the tokenizer. An engine reads a case if it has a reader for its notation: llguidance
Lark, and GBNF by the converter in its package; xgrammar Lark, GBNF and its own EBNF. A case that frisket refuses on
purpose counts as right for an engine that refuses it, too, and is shown as `reads` for one that does not.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from frisket import Grammar
from frisket._core import core_version
from frisket.errors import GrammarError
from tests.conformance.rival import RIVALS, Crashed, Refused, Rival, Unsatisfiable
from tests.spec.cases import Case, cases

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
#: What an engine may make of a case.
OUTCOMES = ("right", "over", "under", "over and under", "refused", "reads", "crash", "no reader")
SHOWN = 70


def readers(case: Case) -> tuple[str, ...]:
    """The engines that have a reader for the notation."""
    assert case.rules is not None
    notation, dialect = case.rules[0], case.options.get("dialect")
    if notation == "lark" or notation == "gbnf":
        return RIVALS
    return ("xgrammar",) if dialect == "xgrammar" else ()


def ours(case: Case) -> str:
    """What frisket makes of a case."""
    assert case.rules is not None
    notation, text = case.rules

    def accepted(texts: list[str]) -> list[bool]:
        try:
            grammar: Grammar = getattr(Grammar, f"from_{notation}")(text, **case.options)
        except GrammarError as error:
            raise Refused(f"{error.where} {error.message}") from error
        return [grammar.accepts(text) for text in texts]

    return outcome(case, accepted)


def theirs(case: Case, engine: Rival) -> str:
    """What another engine makes of a case."""
    assert case.rules is not None
    notation, text = case.rules
    start = case.options.get("start", case.options.get("root"))
    if engine.name not in readers(case):
        return "no reader"
    return outcome(case, lambda texts: engine.accepted(text, texts, notation, start))


def outcome(case: Case, accepted: Callable[[list[str]], list[bool]]) -> str:
    """What an engine makes of a case: `accepted` says of each text whether it accepts it."""
    texts = [*case.accepts, *case.rejects]
    try:
        found = accepted(texts)
    except (Refused, Unsatisfiable):
        return "right" if case.refused is not None else "refused"
    except Crashed:
        return "crash"
    if case.refused is not None:
        return "reads"
    under = not all(found[: len(case.accepts)])
    over = any(found[len(case.accepts) :])
    return "over and under" if over and under else "over" if over else "under" if under else "right"


def table(rows: list[tuple[Case, dict[str, str]]], engines: list[str]) -> list[str]:
    """The lines of the page: counts by notation, then case by case."""
    lines = ["| notation | cases | " + " | ".join(engines) + " |", "|---|---:|" + "---|" * len(engines)]
    kinds: dict[str, list[dict[str, str]]] = {}
    for case, found in rows:
        kinds.setdefault(kind(case), []).append(found)
    for name, group in [*kinds.items(), ("all", [found for _, found in rows])]:
        cells = []
        for engine in engines:
            counts = Counter(found[engine] for found in group)
            cells.append(", ".join(f"{counts[each]} {each}" for each in OUTCOMES if counts[each]))
        lines.append(f"| {name} | {len(group)} | " + " | ".join(cells) + " |")
    lines += ["", "| case | grammar | " + " | ".join(engines) + " |", "|---|---|" + "---|" * len(engines)]
    for case, found in rows:
        file, number, _ = case.name.split("-", 2)
        assert case.rules is not None
        text = " ".join(case.rules[1].split())
        shown = (text[:SHOWN] + "…" if len(text) > SHOWN else text).replace("`", "´").replace("|", "\\|")
        cells = [found[engine] if found[engine] == "right" else f"**{found[engine]}**" for engine in engines]
        lines.append(f"| {file} {number} | `` {shown} `` | " + " | ".join(cells) + " |")
    return lines


def kind(case: Case) -> str:
    assert case.rules is not None
    notation, dialect = case.rules[0], case.options.get("dialect")
    names = {"gbnf": "GBNF", "abnf": "ABNF", "ebnf": "EBNF", "lark": "Lark"}
    usual = {"ebnf": "w3c", "lark": "llguidance"}.get(notation)
    return f"{names[notation]} ({dialect or usual})" if usual else names[notation]


def main() -> int:
    """Prints or writes the table; the exit status is 1 if frisket is wrong in a case."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help="write to benchmarks/results")
    options.add_argument("--alone", action="store_true", help="without the other engines")
    chosen = options.parse_args()
    rivals = [] if chosen.alone else [Rival(name) for name in RIVALS]
    rows = []
    for case in cases():
        if case.rules is not None:
            found = {"frisket": ours(case)}
            for engine in rivals:
                found[engine.name] = theirs(case, engine)
            rows.append((case, found))
    for engine in rivals:
        engine.close()
    versions = [f"frisket {core_version()}", *(f"{engine.name} {engine.version}" for engine in rivals)]
    commit = subprocess.run(["git", "rev-parse", "--short=9", "HEAD"], capture_output=True, text=True).stdout.strip()
    page = [
        "# Dialects of grammars, case by case",
        "",
        f"{', '.join(versions)}; Python {platform.python_version()}; commit {commit}; "
        "`python -m tests.conformance.dialects --write`.",
        "",
        "`over`: a text is accepted that the notation rejects. `under`: a text is rejected that it accepts. `reads`: "
        "a grammar is read that frisket refuses, since it is a mistake or cannot be told exactly. `no reader`: the "
        "engine has none for the notation. The cases are in tests/spec.",
        "",
        *table(rows, ["frisket", *(engine.name for engine in rivals)]),
    ]
    text = "\n".join(page) + "\n"
    if chosen.write:
        path = RESULTS / f"dialects-{time.strftime('%Y-%m-%d')}-{commit}.md"
        path.write_text(text, encoding="utf-8")
        print(path)
    else:
        print(text, end="")
    return int(any(found["frisket"] != "right" for _, found in rows))


if __name__ == "__main__":
    sys.exit(main())
