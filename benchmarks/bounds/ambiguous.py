"""Small ambiguous grammars over wide classes, drawn with a fixed seed → the dearest call: its time and its memory."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

from ..corpus import Tokenizer
from . import apart
from .bound import Row
from .generated import peak_megabytes, reset_peak

PART = "Ambiguous grammars, generated"
COUNT = 240
SEED = 43
TOGETHER = 12
"""Grammars that share a process: to load the vocabulary takes longer than most of them."""
TOKENS = 6
"""Random tokens behind which a mask is asked for."""
SECONDS, MEGABYTES = 2.0, 300.0
"""What a call may take under the default limits: seconds of the processor, and memory beyond the vocabulary."""
SMALL_STEPS, SMALL_MEMORY = 1_000_000, 64
"""The small limits: steps, and MiB."""
SMALL_SECONDS, SMALL_MEGABYTES = 0.2, 128.0

CLASSES = ["[!-'*-~]", "[a-z]", "[^()]", "[a-zA-Z_-]", '[^"\\\\]', "[ \\t]", "[^\\n]", "[a-zA-Z0-9 ]", "[0-9]"]
COUNTS = ["", "", "+", "*", "?", "{1,50}", "{2,}"]


@dataclass(frozen=True)
class Found:
    """What one grammar came to: the dearest call and the memory, under the default limits and under the small ones."""

    name: str
    seconds: float = 0.0
    megabytes: float = 0.0
    small_seconds: float = 0.0
    small_megabytes: float = 0.0
    wrong: str = ""


def rows(tokenizer: Tokenizer, *, only: str = "", count: int = COUNT) -> Iterator[Row]:
    numbers = [number for number in range(count) if only in f"{number} grammar"]
    found: list[Found] = []
    for start in range(0, len(numbers), TOGETHER):
        together = numbers[start : start + TOGETHER]
        outcome = apart.run(batch, tokenizer, together, seconds=60.0 * len(together), megabytes=4000)
        found += outcome.value or [Found(" or ".join(map(str, together)), wrong=outcome.error)]
    figures: list[tuple[str, Callable[[Found], float], float, str]] = [
        ("a call, default limits", lambda each: each.seconds, SECONDS, "s"),
        ("memory, default limits", lambda each: each.megabytes, MEGABYTES, "MB"),
        ("a call of a million steps", lambda each: each.small_seconds, SMALL_SECONDS, "s"),
        (f"memory, limit of {SMALL_MEMORY} MiB", lambda each: each.small_megabytes, SMALL_MEGABYTES, "MB"),
    ]
    for name, of, bound, unit in figures if found else []:
        worst = max(found, key=of)
        yield Row(PART, name, "worst", of(worst), bound, unit, note=f"grammar {worst.name}")
    wrong = [each for each in found if each.wrong]
    note = "; ".join(f"{each.name}: {each.wrong}" for each in wrong[:5])
    yield Row(PART, f"{len(numbers)} grammars", "answers of no type of ours", len(wrong), 0.0, "", note=note)


def batch(tokenizer: Tokenizer, numbers: list[int]) -> list[Found]:
    import frisket

    vocabulary = frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])
    frisket.Grammar.from_json_schema({"properties": {"warm": {}}}).compile(vocabulary).matcher()
    return [measured(vocabulary, number) for number in numbers]


def measured(vocabulary: Any, number: int) -> Found:
    """The small limits come first: what the caches of the vocabulary know then, the other call need not find."""
    from frisket import Limits

    text, wrong, figures = drawn(number), "", []
    for limits in (Limits(steps=SMALL_STEPS, memory_bytes=SMALL_MEMORY << 20), Limits()):
        apart.trim()
        reset_peak()
        before = apart.resident()
        seconds, problem = _dearest(vocabulary, text, limits, random.Random(number))
        figures.append((seconds, peak_megabytes() - before))
        wrong = wrong or problem
    (small_seconds, small_megabytes), (seconds, megabytes) = figures
    return Found(str(number), seconds, megabytes, small_seconds, small_megabytes, wrong)


def _dearest(vocabulary: Any, text: str, limits: Any, draw: random.Random) -> tuple[float, str]:
    """The seconds of the dearest call, and what was raised that is no error of ours."""
    from frisket import FrisketError, Grammar

    dearest = 0.0
    bitmask = np.zeros((1, vocabulary.mask_words), dtype=np.uint32)

    def call(act: Callable[[], Any]) -> Any:
        nonlocal dearest
        began = process_time()
        try:
            return act()
        finally:
            dearest = max(dearest, process_time() - began)

    try:
        grammar = call(lambda: Grammar.from_gbnf(text))
        matcher = call(lambda: grammar.compile(vocabulary, limits=limits)).matcher()
        for _ in range(TOKENS):
            call(lambda: matcher.fill_mask(bitmask, 0))
            allowed = np.flatnonzero(np.unpackbits(bitmask[0].view(np.uint8), bitorder="little"))
            token = int(draw.choice(allowed))
            call(lambda token=token: matcher.advance(token))
            if matcher.ended:
                break
        call(matcher.least_tokens)
    except FrisketError:
        return dearest, ""
    except BaseException as error:  # a panic of the extension is no Exception
        return dearest, f"{type(error).__name__}: {str(error)[:80]}"
    return dearest, ""


def drawn(number: int) -> str:
    """A grammar in GBNF of two to four rules, one of them in brackets, that call each other as they like."""
    rng = random.Random(SEED * 1_000_003 + number)
    names = ["root", "w", "c", "s"][: rng.randint(2, 4)]
    lines = []
    for name in names:
        branches = [_branch(rng, names) for _ in range(rng.randint(1, 3))]
        if name == "c":
            inner = rng.choice(["c*", "(c | w)*", f"({rng.choice(CLASSES)} | c)*", f"{rng.choice(CLASSES)}* c?"])
            branches.append(rng.choice([f'"(" {inner} ")"', f'" "* "(" {inner} ")" " "*', f'"[" {inner} "]"']))
        elif name != "root":
            branches.append(f"{rng.choice(CLASSES)}{rng.choice(COUNTS)}")
        lines.append(f"{name} ::= {' | '.join(branches)}")
    return "\n".join(lines) + "\n"


def _branch(rng: random.Random, names: list[str]) -> str:
    parts = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.random()
        if kind < 0.45:
            part = rng.choice(names[1:])
        elif kind < 0.9:
            part = rng.choice(CLASSES)
        else:
            part = rng.choice(['"("', '","', '"a"', '" "', '")"'])
        parts.append(part + rng.choice(COUNTS))
    branch = " ".join(parts)
    return f"({branch}){rng.choice('+*')}" if rng.random() < 0.15 else branch
