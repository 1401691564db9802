"""Patterns read by the engine = the same patterns read by Python's `re` and `regex`: the same texts, or a refusal."""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable, Iterator
from itertools import islice, product
from typing import Any

import pytest

from frisket import _core
from frisket._core import Vocabulary
from frisket.errors import FrisketError
from frisket.notations.regex import is_ecma_regex, lower_part, lower_regex
from tests.conformance.judge import ecma
from tests.data import data_dir, maskbench

#: Atoms, quantifiers and what only looks like one; some of it wrong.
PARTS = [
    *("a", "b", "é", "-", "_", ".", "^", "$", "|", "]", "}", "{", ",", "/", '"', " ", "\U0001f600", "İ", "ß", "\n"),
    *("[a-z]", "[^a-z]", "[a\\-z]", "[]", "[^]", "[\\d.-]", "[\\w-x]", "[+-]", "[a-]", "[\\s\\S]", "[b]", "[z-a]"),
    *("\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "\\.", "\\-", "\\/", "\\n", "\\t", "\\0", "\\x41", "\\u00e9", "[^]a]"),
    *("\\1", "\\b", "\\B", "\\ud83d\\ude00", "\\cA", "\\q", "\\_", "\\01", "[[:alpha:]]", "[\\1]", "\\"),
    *("*", "+", "?", "{2}", "{1,3}", "{2,}", "{,2}", "{3,1}", "{a}", "{0}", "{99999999999}", "*?", "+?", "??", "++"),
    *("(", ")", "(a|b)", "(?:ab|cd)", "(?:^a|b)", "(a*)", "(a*)*", "(?:a|b|[cd])", "(?<n>a)", "()", "(?P<x>a)", "(?"),
    *("(^)", "[\\b]", "\\u{41}", "(?=a)", "(?!b)", "(?<=a)", "(?<!b)", "(?:a(?=b)|b)", "(?:(?!a)b)*", "\\A", "\\Z"),
    *("(?i:k)", "(?m:^a$)", "(?>a)", "(?#c)", "\\N{DIGIT ONE}", "\\07", "\\141", "(?x: a b)", "(?s:.)", "\\U0001f600"),
    *("(?-i:a)", "\\ ", "(?P", "(?<"),
]  # fmt: skip
LETTERS = "ab,\n"
TEXTS = ["".join(text) for length in range(4) for text in product(LETTERS, repeat=length)]
TEXTS += [*'kKéÉzAcd1-_. /"+{}]İßẞ\U0001f600\u2028', "cd", "abcd", "aab", "ab1", "a b", "1.5", "éa", "b-", "\0"]


def read(pattern: str, **options: Any) -> tuple[_core.GrammarBuilder, int] | FrisketError:
    """The node of a pattern, or its refusal."""
    builder = _core.GrammarBuilder()
    try:
        return builder, lower_regex(builder, pattern, **options)
    except FrisketError as error:
        return error


def compiled(pattern: str, flags: str) -> re.Pattern[str] | re.error:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return re.compile(pattern, sum(getattr(re, flag.upper()) for flag in flags))
        except (re.error, OverflowError) as error:
            return re.error(str(error))


def refuses_what_python_takes(pattern: str, error: FrisketError) -> bool:
    """Whether the engine calls a pattern wrong that is right; what is right and not exact it may refuse."""
    refused = "back-reference|loop|atomic|possessive|POSIX|flag"
    return error.code == "grammar-syntax" and not re.search(refused, error.message)


@pytest.mark.parametrize("search", [True, False])
def test_random_patterns(search: bool) -> None:
    chance = random.Random(5)
    refused = exact = 0
    for _ in range(2_500):
        middle = "".join(chance.choice(PARTS) for _ in range(chance.randint(0, 6)))
        flags = "".join(letter for letter in "imsxa" if chance.random() < 0.08)
        pattern = chance.choice(["", "^"]) + middle + chance.choice(["", "$"])
        judge, found = compiled(pattern, flags), read(pattern, dialect="python", search=search, flags=flags)
        if isinstance(judge, re.error):
            if "look-behind requires" not in str(judge):
                assert isinstance(found, FrisketError), (pattern, flags, judge)
                refused += 1
            continue
        if isinstance(found, FrisketError):
            assert not refuses_what_python_takes(pattern, found), (pattern, flags, found)
            continue
        builder, node = found
        match: Callable[[str], Any] = judge.search if search else judge.fullmatch
        # Up to Python 3.13, no `\\B` holds in the empty text.
        texts = TEXTS[r"\B" in pattern :]
        expected = [text for text in texts if match(text)]
        assert [text for text in texts if builder.accepts(node, text.encode())] == expected, (pattern, flags)
        # What stands beside a part is unknown.
        if not search and not re.search(r"[\^$]|\\[bBAZ]|\(\?[=!<]", pattern):
            part = lower_part(builder, pattern, flags=flags)
            assert [text for text in texts if builder.accepts(part, text.encode())] == expected, (pattern, flags)
        exact += 1
    assert refused > 500 and exact > 500


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


#: A token for each byte.
BYTES = Vocabulary([*(bytes([value]) for value in range(256)), None], eos=[256])


def _walks(grammar: _core.Grammar, chance: random.Random) -> Iterator[str]:
    """Texts of a grammar, and changes of them."""
    matcher_of = grammar.compile(BYTES).matcher
    for _ in range(6):
        matcher, text = matcher_of(), b""
        for _ in range(chance.choice((0, 3, 12))):
            allowed = [token for token in matcher.allowed() if token < 128]
            if not allowed:
                break
            text += bytes([chance.choice(allowed)])
            matcher.advance(text[-1])
        found = (text + (matcher.completion() or b"")).decode()
        yield found
        for _ in range(6):
            at = chance.randint(0, len(found))
            yield found[:at] + chance.choice("aZ0-._/ \né]") * chance.randint(0, 1) + found[at + chance.randint(0, 1) :]


@pytest.mark.data
def test_real_patterns() -> None:
    """Patterns of MaskBench, read as ECMA-262 has them, by `regex` and its own spelling of each."""
    regex = pytest.importorskip("regex")
    chance, judged = random.Random(3), 0
    found = {pattern for entry in islice(maskbench(data_dir()), 0, None, 3) for pattern in _patterns(entry["schema"])}
    for pattern in sorted(found):
        made = read(pattern, dialect="ecma", search=True)
        try:
            judge = regex.compile(ecma(pattern))
        except regex.error:
            assert isinstance(made, FrisketError) or is_ecma_regex(pattern), pattern
            continue
        if isinstance(made, FrisketError):
            assert not is_ecma_regex(pattern) or not refuses_what_python_takes(pattern, made), (pattern, made)
            continue
        builder, node = made
        texts = [*TEXTS, *_walks(builder.fork().build(node), chance)]
        wrong = [text for text in texts if builder.accepts(node, text.encode()) != bool(judge.search(text))]
        assert not wrong, (pattern, wrong[:5])
        judged += 1
    assert judged > 200
