"""Patterns of the usual kind read by the engine = those patterns read by Python: the same node."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from frisket import _core
from frisket.errors import FrisketError
from frisket.notations.regex.lower import lower_any_regex, lower_regex
from tests.data import data_dir, maskbench

#: Atoms, quantifiers and what only looks like one; some of it for Python, some of it wrong.
PARTS = [
    *("a", "b", "é", "-", "_", ".", "^", "$", "|", "]", "}", "{", ",", "/", '"', " ", "\U0001f600"),
    *("[a-z]", "[^a-z]", "[a\\-z]", "[]", "[^]", "[\\d.-]", "[\\w-x]", "[+-]", "[a-]", "[\\s\\S]", "[b]", "[z-a]"),
    *("\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\.", "\\-", "\\/", "\\n", "\\t", "\\0", "\\x41", "\\u00e9"),
    *("\\1", "\\b", "\\p{L}", "\\ud83d\\ude00", "\\ud800", "\\cA", "\\q", "\\_", "\\01", "[[:alpha:]]", "[\\1]", "\\"),
    *("*", "+", "?", "{2}", "{1,3}", "{2,}", "{,2}", "{3,1}", "{a}", "{0}", "{99999999999}", "*?", "+?", "??"),
    *("(", ")", "(a|b)", "(?:ab|cd)", "(?:^a|b)", "(a*)", "(a*)*", "(?:a|b|[cd])", "(?=a)", "(?!a)", "(?<n>a)", "()"),
    *("(^)", "[\\b]", "\\u{41}"),
]  # fmt: skip


def some_pattern(rng: random.Random) -> str:
    middle = "".join(rng.choice(PARTS) for _ in range(rng.randint(0, 6)))
    return rng.choice(["", "^"]) + middle + rng.choice(["", "$"])


def difference(builder: _core.GrammarBuilder, pattern: str, search: bool) -> str | None:
    """What the two ways differ in, if anything; nothing where only Python reads it."""
    usual = builder.pattern(pattern, search=search)
    if usual is None:
        return None
    careful = lower_any_regex(builder, pattern, dialect="ecma", search=search)
    return None if usual == careful else f"{pattern!r}: {usual} is not {careful}"


@pytest.mark.parametrize("search", [True, False])
def test_random_patterns(search: bool) -> None:
    rng = random.Random(5)
    builder = _core.GrammarBuilder()
    read = 0
    for _ in range(20_000):
        pattern = some_pattern(rng)
        found = difference(builder, pattern, search)
        assert found is None
        read += builder.pattern(pattern, search=search) is not None
    assert read > 3_000


def test_what_is_wrong_is_for_python() -> None:
    builder = _core.GrammarBuilder()
    for pattern in ("a**", "(", ")", "[a", "a{3,1}", "\\", "*", "(?:", "[z-a]", "\\u12", "^*", "a{2}{3}"):
        assert builder.pattern(pattern, search=True) is None, pattern
        with pytest.raises(FrisketError):
            lower_regex(builder, pattern, dialect="ecma", search=True)


def _patterns(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for keyword, inner in value.items():
            if keyword == "pattern" and isinstance(inner, str):
                yield inner
            elif keyword == "patternProperties" and isinstance(inner, dict):
                yield from inner
            yield from _patterns(inner)
    elif isinstance(value, list):
        for item in value:
            yield from _patterns(item)


def test_real_patterns() -> None:
    found = {pattern for entry in islice(maskbench(data_dir()), 0, None, 11) for pattern in _patterns(entry["schema"])}
    builder = _core.GrammarBuilder()
    for pattern in sorted(found):
        assert difference(builder, pattern, True) is None
    assert sum(builder.pattern(pattern, search=True) is not None for pattern in found) > 0.8 * len(found)
