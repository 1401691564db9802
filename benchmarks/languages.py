"""`python -m benchmarks.languages` → times of programming languages' grammars beside llguidance and xgrammar.

The grammars are those of tests/spec; languages.toml names them and has texts in them. Each engine has a process of its
own, and every call is timed as in `python -m benchmarks`: each position's mask once, and once more on the same compiled
grammar. A grammar goes to an engine in a notation that it reads: llguidance gets GBNF by the converter in its package,
beforehand.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import sys
from pathlib import Path

import numpy as np

import frisket
from tests.spec.cases import cases

from . import report
from .corpus import Case, Instance, Tokenizer, encoder, load_tokenizer
from .engine import version
from .run import Limit, Run, run

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent
ENGINES = "frisket,llguidance,xgrammar"


def languages(tokenizer: Tokenizer) -> list[Case]:
    """The grammars with their texts; an AssertionError for a text that is not in its language."""
    encode = encoder(tokenizer)
    found = []
    for language in tomllib.loads((FOLDER / "languages.toml").read_text(encoding="utf-8"))["language"]:
        spec = [
            case
            for case in cases()
            if case.name.startswith(language["case"]) and case.rules and language["begins"] in case.rules[1]
        ]
        assert len(spec) == 1 and spec[0].rules is not None, language["name"]
        notation, text = spec[0].rules
        grammar: frisket.Grammar = getattr(frisket.Grammar, f"from_{notation}")(text)
        for each in language["texts"]:
            assert grammar.accepts(each), (language["name"], each)
        rules = {notation: text}
        if notation == "gbnf":
            rules["lark"] = _converted(text)
        instances = tuple(Instance(True, tuple(encode(each))) for each in language["texts"])
        found.append(Case(language["name"], {}, text, instances, rules))
    return found


def _converted(text: str) -> str:
    """A grammar in GBNF, in Lark's notation; the text itself where llguidance is missing or cannot read it."""
    try:
        from llguidance.gbnf_to_lark import gbnf_to_lark

        return str(gbnf_to_lark(text))
    except Exception as error:
        print(f"not converted: {error}", file=sys.stderr)
        return text


def table(runs: list[Run], names: list[str]) -> list[str]:
    """A row for each language and engine; the last rows are all positions of all languages together."""
    lines = [
        "| language | engine | masks | compile and first mask (ms) | mean (µs) | p50 | p99 | slowest "
        "| mean, again | p99, again |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for name in [*names, None]:
        for each in runs:
            timings = [each.timings[name]] if name else [t for t in each.timings.values() if t.status == "right"]
            if name and timings[0].status != "right":
                lines.append(f"| {name} | {each.engine} | {timings[0].status}: {_cell(timings[0].detail)} |" + " |" * 7)
                continue
            masks = np.concatenate([timing.masks for timing in timings]) / 1e3
            again = np.concatenate([timing.warm_masks for timing in timings]) / 1e3
            first = sum(timing.first for timing in timings) / 1e6
            cells = [masks.mean(), np.percentile(masks, 50), np.percentile(masks, 99), masks.max()]
            cells += [again.mean(), np.percentile(again, 99)]
            lines.append(
                f"| {name or f'**all ({len(timings)})**'} | {each.engine} | {len(masks)} | {first:,.2f} | "
                + " | ".join(f"{cell:,.2f}" if cell < 100 else f"{cell:,.0f}" for cell in cells)
                + " |"
            )
    return lines


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")[:80]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.languages", description="programming languages")
    parser.add_argument("--engines", default=ENGINES, help=f"which, by comma (default: {ENGINES})")
    parser.add_argument("--tokenizer", default="llama3", help="llama3, qwen or a path")
    parser.add_argument("--rounds", type=int, default=1, help="each in new processes; the smallest time of each call")
    parser.add_argument("--seconds", type=float, default=120.0, help="limit per grammar and engine")
    parser.add_argument("--write", action="store_true", help="write the page to benchmarks/results")
    options = parser.parse_args()
    engines = [name for name in options.engines.split(",") if version(name) is not None]
    tokenizer = load_tokenizer(options.tokenizer)
    commit = report.commit()
    found = languages(tokenizer)
    runs = run(engines, tokenizer, found, limit=Limit(options.seconds), rounds=options.rounds)
    versions = ", ".join(f"{name} {version(name)}" for name in engines)
    date = datetime.date.today().isoformat()
    page = [
        "# Grammars of programming languages",
        "",
        f"{versions}; Python {platform.python_version()}; {tokenizer.name}, {tokenizer.size:,} tokens; "
        f"commit {commit}, "
        f"{date}; `{' '.join(['python -m benchmarks.languages', *sys.argv[1:]])}`.",
        "",
        "One mask for each token of the texts in benchmarks/languages.toml, on a grammar new to the process; "
        "*again*: the same masks once more.",
        "",
        *table(runs, [case.name for case in found]),
    ]
    text = "\n".join(page) + "\n"
    print(text)
    if options.write:
        path = FOLDER / "results" / f"languages-{date}-{commit}.md"
        path.write_text(text, encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main()
