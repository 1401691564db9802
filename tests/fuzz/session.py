"""A compiled grammar × a seed → random calls of its matcher, every answer held against what must be true of it.

What must be true: a mask is exactly what `try_advance` says, token by token; text and tokens agree; rolling back
restores; forks are independent; a failed call leaves the matcher as it was; nothing is raised but typed errors.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from frisket import FrisketError
from frisket._core import CompiledGrammar, Grammar, Matcher, fill_masks
from frisket.errors import TokenRejectedError, VocabularyError

#: What a call with bad arguments may raise.
REFUSALS = (FrisketError, TypeError, ValueError)
LARGE = (1 << 32, 1 << 63, 1 << 64, 1 << 70, -1, -(1 << 40))


class Broken(Exception):
    """An invariant does not hold."""


class Session:
    """One matcher, and beside it a record of every position that it came through."""

    def __init__(self, grammar: Grammar, compiled: CompiledGrammar, draw: random.Random, log: list[str]) -> None:
        self.grammar = grammar
        self.compiled = compiled
        self.vocabulary = compiled.vocabulary
        self.draw = draw
        self.log = log
        self.matcher = compiled.matcher()
        self.size = self.vocabulary.size
        self.eos = set(self.vocabulary.eos)
        # A stop that a grammar also names as a special token may come before the end too.
        self.stops = self.eos & {self.vocabulary.special.get("<end>", -1)}
        self.trail: list[tuple[Any, bytes | None]] = []
        """The state before each step, and the text then: None from the first special token on."""
        self.text: bytes | None = b""

    def run(self, steps: int) -> None:
        self.check()
        calls: list[Callable[[], None]] = [
            *[self.advance] * 9,
            *[self.rollback] * 2,
            self.advance_bytes,
            self.fork,
            self.reject,
            self.validate,
            self.forced,
            self.misuse,
            self.batch,
        ]
        if self.draw.random() < 0.3:
            calls.append(self.reset)
        for _ in range(steps):
            call = self.draw.choice(calls)
            self.log.append(call.__name__)
            call()
        self.check()

    def state(self, matcher: Matcher | None = None) -> Any:
        matcher = matcher or self.matcher
        return mask(matcher), matcher.can_end, matcher.ended, matcher.steps

    def check(self) -> None:
        """Everything that must be true of one position."""
        found, can_end, ended, steps = self.state()
        if not isinstance(found, bytes):
            expect(not can_end, "the text may end, and the mask is an error")
            return
        expect(steps == len(self.trail), f"{steps} steps after {len(self.trail)}")
        allowed = bits(found, self.size)
        expect(self.matcher.allowed() == allowed, "`allowed` and the mask differ")
        probe = self.matcher.fork()
        for token in range(self.size):
            taken = probe.try_advance(token)
            if taken:
                probe.rollback(1)
            if taken != (token in allowed):
                raise Broken(f"token {token}, {self.vocabulary.token(token)!r}: mask {not taken}, advance {taken}")
        expect(self.state(probe) == self.state(), "a probe that was rolled back differs")
        if self.stops and not ended:
            expect(can_end == any(token in self.stops for token in allowed), "the end and the mask differ")
        if self.text is not None and not ended:
            expect(self.grammar.accepts_prefix(self.text), f"{self.text!r} is no beginning of a sentence")
            expect(self.grammar.accepts(self.text) == can_end, f"{self.text!r}: can_end is {can_end}")

    def advance(self) -> None:
        allowed = self.matcher.allowed() if isinstance(mask(self.matcher), bytes) else []
        if not allowed:
            return
        usual = [token for token in allowed if token not in self.eos]
        token = self.draw.choice(usual if usual and self.draw.random() < 0.97 else allowed)
        self.log[-1] += f" {token}"
        before = self.state()
        if self.draw.random() < 0.5:
            self.matcher.advance(token)
        else:
            expect(self.matcher.try_advance(token), f"token {token} was allowed and is refused")
        self._moved(before, b"" if self.matcher.ended else self.vocabulary.token(token))
        if self.draw.random() < 0.4:
            self.check()

    def advance_bytes(self) -> None:
        data = bytes(self.draw.choices(b'ab"\\{}[]:,0123456789tfn \xc3\xa9\xff', k=self.draw.randrange(5)))
        allowed = self.matcher.allowed() if isinstance(mask(self.matcher), bytes) else []
        texts = [text for token in allowed if (text := self.vocabulary.token(token))]
        if texts and self.draw.random() < 0.7:
            data = self.draw.choice(texts)[: self.draw.randrange(1, 5)]
        self.log[-1] += f" {data!r}"
        before, text = self.state(), self.text
        possible = None
        if text is not None and not self.matcher.ended:
            possible = self.grammar.accepts_prefix(text + data)
        try:
            self.matcher.advance_bytes(data)
        except FrisketError:
            expect(not possible, f"{data!r} was refused and may come")
            expect(self.state() == before, "a refused text moved the matcher")
            return
        expect(possible is not False, f"{data!r} was accepted and may not come")
        self._moved(before, data)

    def _moved(self, before: Any, text: bytes | None) -> None:
        self.trail.append((before, self.text))
        self.text = None if self.text is None or text is None else self.text + text
        expect(self.matcher.steps == len(self.trail), "a step is not counted")

    def rollback(self) -> None:
        if not self.trail:
            return
        steps = self.draw.randrange(len(self.trail) + 1)
        self.log[-1] += f" {steps}"
        now = self.state()
        self.matcher.rollback(steps)
        if not steps:
            expect(self.state() == now, "rolling back nothing changed something")
            return
        before, self.text = self.trail[-steps]
        del self.trail[-steps:]
        expect(self.state() == before, f"rolling back {steps} does not restore")

    def fork(self) -> None:
        """The fork goes on, the original must not; then perhaps they change places."""
        before = self.state()
        other = self.matcher.fork()
        expect(self.state(other) == before, "a fork differs")
        forked = Session(self.grammar, self.compiled, self.draw, self.log)
        forked.matcher, forked.trail, forked.text = other, list(self.trail), self.text
        for _ in range(self.draw.randrange(1, 4)):
            self.log.append("of the fork: advance")
            forked.advance()
        expect(self.state() == before, "a fork moved its original")
        if self.draw.random() < 0.5:
            self.log.append("the fork takes over")
            ahead = forked.state()
            self.matcher.reset()
            expect(forked.state() == ahead, "the original moved its fork")
            self.matcher, self.trail, self.text = forked.matcher, forked.trail, forked.text

    def reject(self) -> None:
        before = self.state()
        if not isinstance(before[0], bytes):
            return
        allowed = set(bits(before[0], self.size))
        for token in self.draw.sample(range(self.size + 4), min(4, self.size)):
            if token in allowed:
                continue
            expect(not self.matcher.try_advance(token), f"token {token} is forbidden and taken")
            expect(self.matcher.validate([token, token]) == 0, f"token {token} is forbidden and valid")
            try:
                self.matcher.advance(token)
            except TokenRejectedError as error:
                expect(bool(str(error)), "an error without a message")
            else:
                raise Broken(f"token {token} is forbidden and taken")
        expect(self.state() == before, "a rejected token moved the matcher")

    def validate(self) -> None:
        tokens = [self.draw.randrange(self.size + 1) for _ in range(self.draw.randrange(5))]
        probe = self.matcher.fork()
        if self.draw.random() < 0.7:
            for place in range(len(tokens)):
                allowed = probe.allowed() if isinstance(mask(probe), bytes) else []
                if not allowed:
                    break
                tokens[place] = self.draw.choice(allowed)
                probe.advance(tokens[place])
        self.log[-1] += f" {tokens}"
        before, probe, taken = self.state(), self.matcher.fork(), 0
        while taken < len(tokens) and probe.try_advance(tokens[taken]):
            taken += 1
        found = self.matcher.validate(tokens)
        expect(found == taken, f"validate says {found}, advance {taken}")
        expect(self.state() == before, "validate moved the matcher")

    def forced(self) -> None:
        before = self.state()
        try:
            text = self.matcher.forced_bytes()
        except VocabularyError:
            return
        expect(self.state() == before, "forced_bytes moved the matcher")
        expect(self.matcher.forced_bytes() == text, "forced_bytes twice differs")
        if not text:
            return
        expect(not self.matcher.can_end, f"{text!r} is forced where the text may end")
        probe = self.matcher.fork()
        for value in text[:6]:
            other = self.draw.randrange(256)
            if other != value:
                refuses(
                    lambda probe=probe, other=other: probe.advance_bytes(bytes([other])), "a byte beside a forced one"
                )
            probe.advance_bytes(bytes([value]))

    def batch(self) -> None:
        before = self.state()
        if not isinstance(before[0], bytes):
            return
        words = self.vocabulary.mask_words
        rows = np.full((3, words), 0xFFFFFFFF, dtype=np.uint32)
        other = self.compiled.matcher()
        fill_masks([self.matcher, other], rows, [2, 0])
        expect(rows[2].tobytes() == before[0], "fill_masks and the mask differ")
        expect(rows[0].tobytes() == mask(other), "fill_masks and the mask at the beginning differ")
        expect(bool((rows[1] == 0xFFFFFFFF).all()), "fill_masks wrote into another row")
        wide = np.full((1, words + 1), -1, dtype=np.int32)
        self.matcher.fill_mask(wide, 0)
        expect(wide[0, :words].tobytes() == before[0] and wide[0, words] == 0, "ids beyond the vocabulary are allowed")

    def misuse(self) -> None:
        """Arguments that no caller should pass: an error, and nothing else."""
        before = self.state()
        words = self.vocabulary.mask_words
        large, draw = self.draw.choice(LARGE), self.draw
        good = np.zeros((2, words), dtype=np.uint32)
        frozen = np.zeros(words, dtype=np.uint32)
        frozen.flags.writeable = False
        calls: list[Callable[[], Any]] = [
            lambda: self.matcher.fill_mask(good, 2),
            lambda: self.matcher.fill_mask(good, large),
            lambda: self.matcher.fill_mask(np.zeros(words - 1, dtype=np.uint32)),
            lambda: self.matcher.fill_mask(np.zeros(words, dtype=np.float32)),
            lambda: self.matcher.fill_mask(np.zeros((2, words * 2 + 2), dtype=np.uint32)[:, ::2]),
            lambda: self.matcher.fill_mask(frozen),
            lambda: self.matcher.fill_mask(None),
            lambda: self.matcher.advance(large),
            lambda: self.matcher.advance("1"),  # type: ignore[arg-type]
            lambda: self.matcher.fill_mask(good.astype(good.dtype.newbyteorder())),
            lambda: self.matcher.validate(None),  # type: ignore[arg-type]
            lambda: self.matcher.rollback(len(self.trail) + draw.randrange(1, 3)),
            lambda: self.matcher.rollback(large),
            lambda: self.matcher.advance_bytes("a"),  # type: ignore[arg-type]
            lambda: fill_masks([self.matcher], good, [0, 1]),
            lambda: fill_masks([self.matcher, self.matcher.fork()], good, [1, 1]),
            lambda: fill_masks([self.matcher] * 3, good),
            lambda: fill_masks([None], good),  # type: ignore[list-item]
        ]
        number = draw.randrange(len(calls))
        self.log[-1] += f" {number} ({large})"
        refuses(calls[number], f"misuse {number}")
        expect(self.state() == before, f"misuse {number} moved the matcher")

    def reset(self) -> None:
        self.matcher.reset()
        self.trail.clear()
        self.text = b""
        expect(self.state() == self.state(self.compiled.matcher()), "a matcher that was reset is not a new one")


def mask(matcher: Matcher) -> bytes | str:
    """The mask, or why there is none: no token of the vocabulary spells what must come."""
    try:
        return matcher.mask_bytes()
    except VocabularyError as error:
        return type(error).__name__


def bits(found: bytes, size: int) -> list[int]:
    allowed: list[int] = np.flatnonzero(np.unpackbits(np.frombuffer(found, np.uint8), bitorder="little")).tolist()
    expect(not allowed or allowed[-1] < size, "an id beyond the vocabulary is allowed")
    return allowed


def refuses(call: Callable[[], Any], what: str) -> None:
    try:
        call()
    except REFUSALS:
        return
    raise Broken(f"{what} was accepted")


def expect(true: bool, otherwise: str) -> None:
    if not true:
        raise Broken(otherwise)
