"""`python -m benchmarks.drafts` → how much of the text that must come is drafted, and how many drafts are right.

Valid instances of MaskBench and calls of tools are written token by token, as their tokenizer spells them, as if a
model had chosen these tokens. Before each token that no draft has brought, a draft is asked for. A token counts as
forced if all of its bytes must come, the white space being that of the text. No model takes part.
"""

from __future__ import annotations

import argparse
import datetime
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import frisket
from frisket import Grammar, JSONSchemaOptions, Vocabulary
from frisket.decoding.draft import Drafter, Memory
from frisket.errors import FrisketError

from . import report
from .calls import calls
from .corpus import cases, encoder, load_tokenizer, maskbench

TOKENIZERS = ("llama3", "qwen", "o200k", "tekken")
#: How `json.dumps` writes, which made the texts.
EXACT = JSONSchemaOptions(separators=(", ", ": "))
Text = tuple[dict[str, Any], Sequence[int]]


@dataclass
class Count:
    """Tokens of texts but the first of each, and what became of their drafts."""

    tokens: int = 0
    forced: int = 0
    met: int = 0
    """Forced tokens that a draft had."""
    drafted: int = 0
    kept: int = 0
    chances: int = 0
    seconds: float = 0.0

    def cells(self) -> list[str]:
        share = lambda part, whole: f"{part / whole:.1%}" if whole else "-"  # noqa: E731
        return [
            str(self.tokens), share(self.forced, self.tokens), share(self.met, self.forced), str(self.drafted),
            share(self.kept, self.drafted), share(self.kept, self.tokens), f"{self.seconds / self.chances * 1e6:.0f}",
        ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drafts", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one schema in 32, and one tokenizer")
    parser.add_argument("--every", type=int, default=4, help="one schema of MaskBench in so many")
    parser.add_argument("--tokenizers", default=",".join(TOKENIZERS), help="which, by comma")
    parser.add_argument("--wrong", type=int, default=0, help="print so many drafts that were wrong")
    parser.add_argument("--out", type=Path, help="the folder of the page")
    options = parser.parse_args()
    names, every = options.tokenizers.split(","), options.every
    if options.quick:
        names, every = names[:1], 32
    rows = []
    for name in names:
        tokenizer = load_tokenizer(name)
        vocabulary, encode = Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos]), encoder(tokenizer)
        corpora: dict[str, list[Text]] = {
            "MaskBench": [
                (case.schema, instance.tokens)
                for case in cases(tokenizer, maskbench(), every=every)
                for instance in case.instances
                if instance.valid
            ],
            "calls": [(schema, tuple(encode(text))) for schema, text in calls(40 if options.quick else 400)],
        }
        for corpus, texts in corpora.items():
            for habits in (False, True):
                wrong = Wrong(options.wrong)
                found = measure(texts, vocabulary, encode, habits=habits, wrong=wrong)
                rows.append([corpus, name, "yes" if habits else "no", *found.cells()])
                print(" ".join(rows[-1]), *wrong.said, sep="\n", flush=True)
    page = "\n".join(_page(rows, every))
    print(page)
    if options.out:
        path = options.out / f"drafts-{datetime.date.today()}-{report.commit()}.md"
        path.write_text(page, encoding="utf-8")
        print(path)


class Wrong:
    """Drafts that were wrong, in words."""

    def __init__(self, most: int) -> None:
        self.most, self.said = most, list[str]()

    def add(self, vocabulary: Vocabulary, before: Sequence[int], draft: Sequence[int], text: Sequence[int]) -> None:
        if len(self.said) < self.most:
            spell = lambda ids: [(vocabulary.token(token) or b"").decode("utf-8", "replace") for token in ids]  # noqa: E731
            self.said.append(f"    after {spell(before[-4:])}: {spell(draft)} for {spell(text[: len(draft)])}")


def measure(
    texts: Sequence[Text], vocabulary: Vocabulary, encode: Callable[[str], Sequence[int]], *, habits: bool, wrong: Wrong
) -> Count:
    """Write all texts that their grammars accept."""
    count, drafter = Count(), Drafter(encode, Memory())
    for schema, tokens in texts:
        try:
            compiled = Grammar.from_json_schema(schema).compile(vocabulary)
            forced = list(_forced(Grammar.from_json_schema(schema, EXACT).compile(vocabulary).matcher(), tokens))
            _write(compiled.matcher(), tokens, forced, drafter, habits, count, wrong)
        except FrisketError:
            continue  # a schema that is refused, or a text whose white space is inside of its values
    return count


def _forced(matcher: frisket.Matcher, tokens: Sequence[int]) -> Iterator[bool]:
    """Whether all bytes of each token had to come."""
    for token in tokens:
        yield matcher.forced_bytes().startswith(matcher.compiled.vocabulary.token(token) or b"\0")
        matcher.advance(token)


def _write(
    matcher: frisket.Matcher,
    tokens: Sequence[int],
    forced: Sequence[bool],
    drafter: Drafter,
    habits: bool,
    count: Count,
    wrong: Wrong,
) -> None:
    vocabulary, ahead = matcher.compiled.vocabulary, list[int]()
    for place, token in enumerate(tokens):
        met = bool(ahead) and ahead[0] == token
        if place:
            count.tokens += 1
            count.forced += forced[place]
            count.met += forced[place] and met
            count.kept += met
        if habits:
            drafter.learn(matcher.mask(), token)
        matcher.advance(token)
        if met:
            del ahead[0]
            continue
        began = time.thread_time()
        ahead = drafter(matcher, vocabulary.token(token) or b"", 32)
        count.seconds += time.thread_time() - began
        count.chances += 1
        rest = tokens[place + 1 :]
        count.drafted += min(len(ahead), len(rest))
        if ahead != list(rest[: len(ahead)]):
            wrong.add(vocabulary, tokens[: place + 1], ahead, rest)


def _page(rows: Sequence[Sequence[str]], every: int) -> Iterator[str]:
    head = (
        "text | tokenizer | habits | tokens | forced | of these drafted | drafted | of these right | calls saved | µs"
    )
    yield f"# Drafts, {datetime.date.today()}"
    yield ""
    yield f"Commit {report.commit()}; one schema of MaskBench in {every}. *Habits*: whether the token that was chosen"
    yield "three times in a row under a mask is drafted there. *Right*: the text has the token at that place, and the"
    yield "draft's tokens before it. *Calls saved*: the share of tokens. *µs*: CPU time to find a draft or none."
    yield "`python -m benchmarks.drafts` repeats it."
    yield ""
    yield f"| {head} |"
    yield "|" + " --- |" * 3 + " --: |" * 7
    yield from (f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    main()
