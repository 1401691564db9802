"""One name → a process that forks while a thread computes; a child that does not end within a minute is an error.

A program, not a test: `test_forks` runs it in a process of its own, since a fork takes the whole process along.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable

import numpy as np

from frisket import Grammar
from frisket._core import Cancellation, Limits, Matcher, Vocabulary, fill_masks
from frisket.errors import FrisketError

VOCABULARY = Vocabulary([*(bytes([value]) for value in range(256)), b"aa", b"aaaa", None], eos=[258])
#: So many texts that a count of the tokens to its end takes all steps of a call.
DEEP = r"(a{1000000}){1000000}"
#: How long a child may take for calls of some milliseconds, on a machine that is busy.
PATIENCE = 60.0


def fill_rows(matchers: list[Matcher]) -> None:
    rooms = [10**6 + number for number in range(len(matchers))]
    fill_masks(matchers, np.zeros((len(matchers), VOCABULARY.mask_words), np.uint32), rooms=rooms)


#: A long call of one or of several matchers, by name.
CALLS: dict[str, Callable[[list[Matcher]], object]] = {
    "least_tokens": lambda matchers: matchers[0].least_tokens(),
    "mask with room": lambda matchers: matchers[0].mask(room=10**6),
    "fill_masks": fill_rows,
    "accepts": lambda matchers: GRAMMAR.accepts(b"a" * 2_000_000),
    "compile": lambda matchers: compile_names(400),
}


def compile_names(count: int) -> None:
    names = {f"name {number}": {"type": "string", "format": "idn-hostname"} for number in range(count)}
    Grammar.from_json_schema({"properties": names, "minProperties": 2}).compile(VOCABULARY).matcher().mask()


GRAMMAR = Grammar.from_regex(DEEP)
FIRST = [97, 256, 257]


def child(idle: Matcher, busy: list[Matcher]) -> None:
    """The calls of a child: on what a thread of its parent holds, on what none holds, and on what it makes."""
    compiled = idle.compiled
    ahead, steps = idle.fork(), idle.steps
    ahead.advance(257)
    assert (ahead.allowed(), ahead.steps) == (FIRST, steps + 1)
    ahead.rollback(steps - 10)
    assert (ahead.allowed(), ahead.text) == (FIRST, b"a" * 11)
    fresh = compiled.matcher()
    assert fresh.allowed() == FIRST, fresh.allowed()
    fresh.advance(97)
    assert fresh.allowed() == FIRST
    assert GRAMMAR.accepts_prefix(b"aa")
    compile_names(2)
    for matcher in busy:
        try:
            assert matcher.allowed() == FIRST
        except FrisketError as error:
            assert error.code == "forked", error


def fork(act: Callable[[], None]) -> None:
    """Call `act` in a child and wait for its end; an error where it fails or does not end."""
    number = os.fork()
    if number == 0:
        code = 1
        try:
            act()
            code = 0
        except BaseException as error:
            print("child:", repr(error), file=sys.stderr, flush=True)
        finally:
            os._exit(code)
    end = time.monotonic() + PATIENCE
    while (ended := os.waitpid(number, os.WNOHANG))[0] == 0:
        if time.monotonic() > end:
            os.kill(number, signal.SIGKILL)
            os.waitpid(number, 0)
            raise SystemExit("a child does not end")
        time.sleep(0.005)
    if ended[1]:
        raise SystemExit(f"a child failed: status {ended[1]}")


def main(name: str, forks: int) -> None:
    cancellation = Cancellation()
    compiled = GRAMMAR.compile(VOCABULARY, limits=Limits(steps=10**12))
    busy = [compiled.matcher(cancellation=cancellation) for _ in range(4)]
    idle = compiled.matcher()
    for _ in range(200):  # some checkpoints
        idle.advance(97)
    began = threading.Event()
    # A module that a thread is importing at the fork is never imported in the child, which is Python's own affair.
    compile_names(1)

    def compute() -> None:
        while not cancellation.cancelled:
            began.set()
            try:
                CALLS[name](busy)
            except FrisketError as error:
                assert error.code in ("cancelled", "limit"), error

    thread = threading.Thread(target=compute)
    thread.start()
    try:
        began.wait()
        for number in range(forks):
            time.sleep(0.02 * number)  # another moment of the call
            # A child of a child, too: it inherits what its parent began anew.
            fork(lambda: (child(idle, busy), fork(lambda: child(idle, busy)))[0])
    finally:
        cancellation.cancel()
        thread.join()
    child(idle, [])
    print("ok")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
