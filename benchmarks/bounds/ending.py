"""A call that another thread cancels, or that has no more time → how soon it comes back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..corpus import Tokenizer
from . import apart
from .bound import Row

PART = "Hostile inputs"


def rows(tokenizer: Tokenizer) -> Iterator[Row]:
    """How soon a call comes back that another thread cancels, or that has no more time."""
    for name in ("intersection in the builder", "mask of nested counts", "schema of many properties"):
        for how, bound in (("cancelled", 100.0), ("limit of 0.5 s", 600.0)):
            outcome = apart.run(ended, tokenizer, name, how == "cancelled", seconds=30.0)
            found = outcome.value or {}
            note = f"{found.get('answer', outcome.error)}"
            # No call that takes half a second is no call to be ended.
            wrong = not note.startswith("LimitExceededError") and (how == "cancelled" or not note.startswith("it came"))
            what = f"{name}, {how}"
            yield Row(PART, what, "came back after", found.get("ms"), bound, "ms", note=note, failed=wrong)


def ended(tokenizer: Tokenizer, name: str, cancel: bool) -> dict[str, Any]:
    """Without other limits, so that nothing else stops it; ms from the cancellation, or of the call that was ended."""
    import threading

    import frisket
    from frisket import _core

    cancellation = frisket.Cancellation()
    given: dict[str, Any] = {"cancellation": cancellation} if cancel else {"seconds": 0.5}
    limits = frisket.Limits(steps=10**15, memory_bytes=8 << 30, **given)
    vocabulary = frisket.Vocabulary.from_bytes(tokenizer.tokens, eos=[tokenizer.eos])

    told: dict[str, float] = {}

    def intersection() -> None:
        builder = _core.GrammarBuilder(limits=limits)
        lengths = (997, 991, 983, 977, 971, 967)
        loops = [builder.repeat(builder.literal(b"a" * length), 1, None) for length in lengths]
        builder.build(builder.and_([*loops, builder.repeat(builder.literal(b"a"), 1, 10**15)]))

    def counts() -> None:
        grammar = frisket.Grammar.from_regex("(((((ab?){1,30}){1,30}){1,30}){1,30}){1,30}|(.*a){40}z")
        bitmask = np.zeros(tokenizer.mask_words, dtype=np.uint32)
        while time.perf_counter() < began + 10:
            told["call"] = time.perf_counter()
            compiled = grammar.compile(vocabulary, limits=limits)
            matcher = compiled.matcher()
            matcher.advance_bytes(b"abb" * 3000)
            matcher.fill_mask(bitmask)

    frisket.Grammar.from_json_schema({"properties": {"warm": {}}})
    # The caller's own: neither its making nor its end is the call's affair.
    made = {f"p{number}": {"type": "object", "properties": {f"q{number}": {}}} for number in range(200_000)}

    def properties() -> None:
        grammar = frisket.Grammar.from_json_schema({"properties": made}, limits=limits)
        told["call"] = time.perf_counter()
        grammar.compile(vocabulary, limits=limits)

    act = {"intersection in the builder": intersection, "mask of nested counts": counts}.get(name, properties)

    def stop() -> None:
        told["at"] = time.perf_counter()
        cancellation.cancel()

    timer = threading.Timer(0.5, stop)
    if cancel:
        timer.start()
    began = time.perf_counter()
    answer = "it came to an end"
    try:
        act()
    except frisket.FrisketError as error:
        answer = f"{type(error).__name__}: {error.message[:80]}"
    finally:
        timer.cancel()
    since = told["at"] if "at" in told else told.get("call", began)
    return {"answer": answer, "ms": (time.perf_counter() - since) * 1e3}
