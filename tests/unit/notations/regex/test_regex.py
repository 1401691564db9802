"""Patterns → texts: the spec, Python's own `re` as the judge, and what is refused."""

from __future__ import annotations

import itertools
import json
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from frisket import Grammar
from frisket._core import GrammarBuilder
from frisket.errors import EmptyGrammarError, GrammarSyntaxError, LimitExceededError
from frisket.notations.regex import is_ecma_regex, lower_regex
from frisket.reference import RegexMask
from tests.data import data_dir

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CASES = tomllib.loads((Path(__file__).parents[3] / "spec" / "regex.toml").read_text(encoding="utf-8"))["case"]


def matches(pattern: str, texts: list[str], **options: Any) -> list[bool]:
    builder = GrammarBuilder()
    node = lower_regex(builder, pattern, **options)
    return [builder.accepts(node, text.encode()) for text in texts]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.get('dialect', 'python')}:{case['pattern']}")
def test_spec(case: dict[str, Any]) -> None:
    texts = case["accepts"] + case["rejects"]
    expected = [True] * len(case["accepts"]) + [False] * len(case["rejects"])
    search = case.get("search", False)
    found = matches(case["pattern"], texts, dialect=case.get("dialect", "python"), search=search)
    assert dict(zip(texts, found, strict=True)) == dict(zip(texts, expected, strict=True))
    if case.get("reference"):
        mask = RegexMask(case["pattern"], [b"a"])
        assert [mask.can_end(text.encode()) for text in texts] == expected


@pytest.mark.parametrize("case", [case for case in CASES if case.get("dialect", "python") == "python"], ids=repr)
def test_spec_says_what_python_says(case: dict[str, Any]) -> None:
    try:
        judge = re.compile(case["pattern"])
    except re.error:
        pytest.skip("newer than this Python")
    match = judge.search if case.get("search") else judge.fullmatch
    assert all(match(text) for text in case["accepts"])
    assert not any(match(text) for text in case["rejects"])


ALPHABET = "ab,\n"
TEXTS = ["".join(text) for length in range(1, 5) for text in itertools.product(ALPHABET, repeat=length)]


@pytest.mark.parametrize("seed", range(60))
def test_random_patterns_mean_what_python_means(seed: int) -> None:
    chance = random.Random(seed)
    longer = ["".join(chance.choice(ALPHABET) for _ in range(chance.randint(5, 9))) for _ in range(40)]
    for _ in range(5):
        pattern = _random_pattern(chance, chance.randint(1, 4))
        search = chance.random() < 0.5
        try:
            judge = re.compile(pattern)
        except re.error:
            continue  # a lookbehind of variable width, which Python cannot judge
        try:
            found = matches(pattern, TEXTS + longer, search=search)
        except GrammarSyntaxError as refusal:
            assert "loop" in refusal.message
            continue
        match = judge.search if search else judge.fullmatch
        wrong = [text for text, hit in zip(TEXTS + longer, found, strict=True) if hit != bool(match(text))]
        assert not wrong, (pattern, search)


def _random_pattern(chance: random.Random, depth: int) -> str:
    def part() -> str:
        return _random_pattern(chance, depth - 1)

    kind = chance.random()
    if depth == 0 or kind < 0.3:
        return chance.choice(["a", "b", ",", "[ab]", "[^a]", ".", r"\w", "ab", "\n", r"\W", "a?"])
    if kind < 0.5:
        return part() + part()
    if kind < 0.6:
        return f"(?:{part()}|{part()})"
    if kind < 0.75:
        return f"(?:{part()})" + chance.choice(["*", "+", "?", "{2}", "{1,2}", "{0,3}", "*?", "+?"])
    if kind < 0.83:
        return chance.choice(["^", "$", r"\b", r"\B"]) + part()
    if kind < 0.87:
        return part() + chance.choice(["^", "$", r"\b", r"\B"])
    if kind < 0.97:
        return chance.choice(["(?=", "(?!", "(?<=", "(?<!"]) + part() + ")"
    return f"(?m:{part()})"


@pytest.mark.parametrize(
    ("pattern", "accepted", "refused"),
    [
        (r"(?:ba+)*(?=c)c", ["c", "baac"], ["bc", "ba"]),
        (r"^((?!foo).){1,5}$", ["f", "fofo", "barfo"], ["", "foo", "afoo", "barbar"]),
    ],
)
def test_lookaheads_in_loops(pattern: str, accepted: list[str], refused: list[str]) -> None:
    texts = accepted + refused
    assert [text for text, found in zip(texts, matches(pattern, texts), strict=True) if found] == accepted
    assert [text for text in texts if re.fullmatch(pattern, text)] == accepted


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:a(?=d)|c)(?:b(?!b)b)+d",
        r"(?:a\B|c)(?:b\bb){1}d",
        r"(?:a\b|c)(?:b(?=d)b){2,}",
        r"a\b(?:b\bb)+",
        r"^a(?<=(?<=a\b))b$",
        r"a(?<=(?<=a(?=b)))b",
        r"\B|b\B",
        r"(?!\B)a*",
    ],
)
@pytest.mark.parametrize("search", [False, True])
def test_parts_that_never_match_and_assertions_in_lookbehinds(pattern: str, search: bool) -> None:
    texts = ["".join(text) for length in range(4) for text in itertools.product("abcd", repeat=length)]
    judge = re.compile(pattern)
    match = judge.search if search else judge.fullmatch
    assert matches(pattern, texts, search=search) == [match(text) is not None for text in texts]


@pytest.mark.parametrize(
    ("pattern", "dialect", "offset", "says"),
    [
        (r"(a|b)\1", "python", 5, "back-reference"),
        (r"(?P<n>a+)(?P=n)", "python", 9, "back-reference"),
        (r"(?<n>a+)\k<n>", "ecma", 8, "back-reference"),
        (r"(?(1)a|b)", "python", 0, "conditional"),
        (r"a(?R)?", "python", 1, "recursion"),
        (r"c(?>a|ab)b", "python", 1, "atomic"),
        (r"ca*+b", "python", 2, "possessive"),
        (r"(a", "python", 0, "never closed"),
        (r"a)", "python", 1, "unbalanced"),
        (r"a[b", "python", 1, "never closed"),
        (r"*a", "python", 0, "nothing to repeat"),
        (r"a**", "python", 2, "quantifier after"),
        (r"^*", "ecma", 1, "nothing to repeat"),
        (r"a{3,2}", "python", 1, "smaller count"),
        (r"[z-a]", "ecma", 1, "wrong way round"),
        (r"[\d-z]", "python", 1, "between sets"),
        (r"a" + "\\", "python", 1, "backslash at the end"),
        (r"\q", "ecma", 0, "unknown escape"),
        (r"a\Z", "ecma", 1, "unknown escape"),
        (r"\p{Klingon}", "ecma", 0, "no exact data"),
        (r"[[:alpha:]]", "python", 1, "POSIX"),
        (r"a(?i)b", "python", 1, "at its start"),
        (r"\x4", "python", 0, "hexadecimal"),
        (r"(?<n>a)", "python", 0, "unknown kind of group"),
        ("a\udcff", "python", 1, "lone surrogate"),
        (r"a(?#open", "python", 1, "comment is never closed"),
        (r"a(?P<1a>x)", "python", 1, "not an identifier"),
        (r"a(?P<a", "python", 1, "not an identifier"),
        (r"a(?i", "python", 1, "unknown kind of group"),
        (r"a\k", "ecma", 1, "takes a name"),
        (r"a\kx", "python", 1, "unknown escape"),
        (r"a\p{^L}", "ecma", 1, "a negated property"),
        (r"a\p", "ecma", 1, "no exact data"),
        (r"a\p{}", "ecma", 1, "no exact data"),
        (r"a\07", "ecma", 1, "an octal escape"),
        (r"a\400", "python", 1, "an octal escape beyond"),
        (r"[\8]", "python", 1, "an octal escape"),
        (r"a[b\1]", "ecma", 3, "an octal escape"),
        (r"a\U00110000", "python", 1, "beyond the last code point"),
        (r"a\N{no such}", "python", 1, "no character is named 'no such'"),
        (r"a\c1", "ecma", 1, "takes a letter"),
        (r"a\u{110000}", "ecma", 1, "a code point in hexadecimal"),
        (r"a\u{zz}", "ecma", 1, "a code point in hexadecimal"),
        (r"a\u{41", "ecma", 1, "a code point in hexadecimal"),
        ("b[a" + "\\", "python", 3, "backslash at the end"),
        (r"[\n", "python", 0, "never closed"),
        (r"a{2}{3}", "python", 4, "quantifier after"),
        (r"a{2,1}", "ecma", 1, "smaller count"),
        (r"a(?m)", "python", 1, "at its start"),
    ],
)
def test_refusals_name_the_place(pattern: str, dialect: str, offset: int, says: str) -> None:
    with pytest.raises(GrammarSyntaxError, match=says) as caught:
        matches(pattern, [], dialect=dialect)
    assert caught.value.where == f"offset {offset}"


def test_unknown_flag_is_refused() -> None:
    with pytest.raises(GrammarSyntaxError, match="unknown flag"):
        matches("a", [], flags="q")


def test_flags_apply_to_the_whole_pattern() -> None:
    assert matches("a.", ["a\n", "Ab", "A\n"], flags="is") == [True, True, True]
    assert matches("a.", ["a\n", "Ab", "ab"]) == [False, False, True]


def test_an_assertion_too_deep_in_counted_loops_is_refused_not_approximated() -> None:
    with pytest.raises(GrammarSyntaxError, match="looks out of the loop"):
        matches(r"(?:(?!a{500}b)[ab]){500,600}", [])


@pytest.mark.parametrize(
    "pattern",
    [
        *("(" * 20000 + "a" + ")" * 20000, "a{99999999999}", "(?!.*b" * 40 + ")" * 40, "(?=a)" * 20000),
    ],
    ids=["deep groups", "huge count", "deep lookaheads", "many lookaheads"],
)
def test_hostile_patterns_are_refused(pattern: str) -> None:
    with pytest.raises((LimitExceededError, GrammarSyntaxError)):
        matches(pattern, [])


def test_many_ways_to_place_an_assertion_are_one() -> None:
    texts = ["x-" * 20, "y" * 40, "yx-" * 13 + "x", "x" * 40, "xy" * 20]
    assert matches(r"(?:x\b|y|-)" * 40, texts) == [True, True, True, False, False]


def test_equal_parts_of_long_patterns_are_lowered_once_and_right() -> None:
    part = "(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])"
    pattern = rf"{part}\.{part}\.{part}\.{part}(?:/{part}){{0,2}}"
    assert matches(pattern, ["1.2.3.4", "255.0.10.99/1", "256.1.1.1", "1.2.3"]) == [True, True, False, False]


def test_ecma_syntax_is_checked_strictly() -> None:
    good = [
        r"^a$",
        r"(?<n>a)\k<n>",
        r"(a)\1",
        "[]",
        "[^]",
        r"\cA",
        r"(?<=a+)b",
        r"\p{L}",
        r"\u{1F600}",
        r"[\-]",
        "(?i:a)",
    ]
    bad = [
        r"\a",
        "(?P<n>a)",
        "(?#c)a",
        "(?i)a",
        "^(abc]",
        "a{",
        "]",
        r"\1",
        r"\k<n>",
        r"[a-\d]",
        "(?=a)*",
        r"\Z",
        "a++",
        r"(?<a>x)(?<a>y)",
        r"(?<1>x)",
        r"(?a:b)",
        r"(?i-i",
        r"\k",
        r"\pL",
        r"\p{^L}",
        r"\_",
        r"\-",
        r"[\1]",
        r"\c1",
        "a{2,1}",
        "a{2}{3}",
    ]
    assert [pattern for pattern in good if not is_ecma_regex(pattern)] == []
    assert [pattern for pattern in bad if is_ecma_regex(pattern)] == []


@pytest.mark.data
@pytest.mark.parametrize("name", ["pattern", "optional/ecmascript-regex", "optional/non-bmp-regex"])
def test_official_suite(name: str) -> None:
    folder = data_dir() / "json-schema-test-suite" / "tests" / "draft2020-12"
    for group in json.loads((folder / f"{name}.json").read_text(encoding="utf-8")):
        pattern = group["schema"].get("pattern")
        if pattern is None:
            continue
        tests = [test for test in group["tests"] if isinstance(test["data"], str)]
        found = matches(pattern, [test["data"] for test in tests], dialect="ecma", search=True)
        assert found == [test["valid"] for test in tests], pattern


@pytest.mark.parametrize("quantifier", ["?", "??", "*", "+", "{2}", "{0,2}?"])
@pytest.mark.parametrize("group", [r"(?:\b)", r"(\b)", "(?:^)", "(?:$)", "(?:(?=a))"])
def test_a_group_of_an_assertion_may_be_repeated(group: str, quantifier: str) -> None:
    for shape in ("{}a", "a{}", "b{}a", "a{}b"):
        pattern = shape.format(group + quantifier)
        expected = [text for text in ("a", "b", "ab", "ba", "aa") if re.fullmatch(pattern, text)]
        for dialect in ("python", "ecma"):
            try:
                grammar = Grammar.from_regex(pattern, dialect=dialect)  # type: ignore[arg-type]
            except EmptyGrammarError:
                assert expected == []
                continue
            assert [text for text in ("a", "b", "ab", "ba", "aa") if grammar.accepts(text)] == expected, pattern


@pytest.mark.parametrize("dialect", ["python", "ecma"])
def test_half_a_surrogate_pair_is_in_no_text(dialect: Any) -> None:
    # RFC 3629, 3: UTF-8 has no form of U+D800 to U+DFFF, so that a pattern of one matches nothing.
    for point in (0xD800, 0xDBFF, 0xDC00, 0xDFFF):
        with pytest.raises(EmptyGrammarError):
            Grammar.from_regex(f"\\u{point:04x}", dialect=dialect)
        made = Grammar.from_regex(f"a|\\u{point:04x}|b", dialect=dialect)
        assert made.accepts("a") and made.accepts("b")
    for point in (0xD7FF, 0xE000):
        assert Grammar.from_regex(f"\\u{point:04x}", dialect=dialect).accepts(chr(point))
        assert Grammar.from_regex("[\\ud7ff-\\ue000]", dialect=dialect).accepts(chr(point))


@pytest.mark.parametrize("pattern", ["(?<=a)b", "a(?=b)", "a^b"])
def test_a_pattern_that_no_whole_text_matches_says_so(pattern: str) -> None:
    with pytest.raises(EmptyGrammarError, match=r"from beginning to end") as caught:
        Grammar.from_regex(pattern)
    assert "search=True" in str(caught.value)
    if pattern != "a^b":
        assert Grammar.from_regex(pattern, search=True).accepts("ab")
        return
    with pytest.raises(EmptyGrammarError, match="no text has a match"):
        Grammar.from_regex(pattern, search=True)
