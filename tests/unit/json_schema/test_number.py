"""Numerals of ranges and multiples against exact arithmetic, numeral by numeral."""

from __future__ import annotations

import json
import math
import random
import re
import struct
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from frisket import Grammar, Vocabulary
from frisket.errors import LimitExceededError, UnsupportedSchemaError
from frisket.json_schema import JSONSchemaOptions

#: Exponents up to this one, of either sign, stand behind any numeral; larger ones behind one digit.
SMALL_EXPONENT = 4


def decimal_text(value: Fraction) -> str:
    """The numeral of a decimal fraction, without an exponent."""
    text = f"{Decimal(value.numerator) / Decimal(value.denominator):f}"
    return text.rstrip("0").removesuffix(".") if "." in text else text


def part_length(value: Fraction) -> int:
    """How many decimals a decimal fraction has."""
    return len(decimal_text(value).partition(".")[2])


SPELLINGS = [
    "0",
    "-0",
    "-0.0",
    "1e0",
    "1.0",
    "10e-1",
    "0.1e1",
    "1e2",
    "1E+2",
    "100",
    "2.50",
    "-3.75e1",
    "5e-1",
    "1e-9",
    "12e3",
]


def bound(chance: random.Random) -> str:
    digits = chance.choice([0, 0, 1, 2, 3])
    return decimal_text(Fraction(chance.randint(-2000, 2000), 10**digits))


def numerals(chance: random.Random, near: list[str]) -> list[str]:
    found = list(SPELLINGS)
    for text in near:
        value = Fraction(text)
        for step in (0, 1, Fraction(1, 10), Fraction(1, 1000)):
            found += [decimal_text(value + step), decimal_text(value - step)]
        found.append(decimal_text(value) + ("0" if "." in text else ".0"))
    for _ in range(20):
        found.append(decimal_text(Fraction(chance.randint(-3000, 3000), 10 ** chance.randint(0, 3))))
        found.append(f"{chance.randint(1, 9)}.{chance.randint(0, 99)}e{chance.randint(-4, 4)}")
    return found


@pytest.mark.parametrize("seed", range(20))
def test_ranges(seed: int) -> None:
    chance = random.Random(seed)
    low, high = sorted([Fraction(bound(chance)), Fraction(bound(chance))])
    schema: dict[str, object] = {"type": chance.choice(["number", "integer"])}
    conditions = []
    if chance.random() < 0.8:
        strict = chance.random() < 0.5
        schema["exclusiveMinimum" if strict else "minimum"] = float(low)
        conditions.append(lambda v: v > low if strict else v >= low)
    if chance.random() < 0.8:
        above = chance.random() < 0.5
        schema["exclusiveMaximum" if above else "maximum"] = float(high)
        conditions.append(lambda v: v < high if above else v <= high)
    step = None
    if chance.random() < 0.4:
        step = Fraction(chance.choice(["0.01", "0.5", "0.25", "2.5", "3", "7", "12", "0.3", "100", "1"]))
        schema["multipleOf"] = float(step)
    integer = schema["type"] == "integer"
    for numbers in ("plain", "free"):
        try:
            made = Grammar.from_json_schema(schema, JSONSchemaOptions(numbers=numbers))  # type: ignore[arg-type]
        except ValueError:
            assert integer or step is not None or low == high
            continue
        for text in numerals(chance, [str(float(low)), str(float(high))]):
            value = Fraction(text)
            valid = all(holds(value) for holds in conditions)
            valid = valid and (step is None or (value / step).denominator == 1)
            valid = valid and (not integer or value.denominator == 1)
            accepted = made.accepts(text)
            if accepted:
                assert valid, (schema, text)
            elif valid and (numbers == "free" or text == decimal_text(value)):
                raise AssertionError((schema, numbers, text))


@pytest.mark.parametrize("step", ["0.01", "0.05", "0.25", "0.75", "2.5", "6", "14", "0.0001", "0.125", "1000", "33"])
def test_multiples(step: str) -> None:
    size = Fraction(step)
    made = Grammar.from_json_schema({"multipleOf": float(size)})
    for number in range(-60, 60):
        for value in (number * size, number * size + size / 2, number * size / 4):
            if part_length(value) > 12:
                continue
            text = decimal_text(value)
            assert made.accepts(text) == ((value / size).denominator == 1), text
            padded = text + ("00" if "." in text else ".00")
            assert made.accepts(padded) == ((value / size).denominator == 1), padded


def test_unbounded_numbers_end() -> None:
    made = Grammar.from_json_schema({"type": "number"})
    assert made.accepts("9" * 40) and not made.accepts("9" * 41)
    assert made.accepts("0." + "9" * 40) and not made.accepts("0." + "9" * 41)
    assert made.accepts("1e99") and made.accepts("1e308") and not made.accepts("1e999")


def test_a_long_bound_raises_the_limit() -> None:
    made = Grammar.from_json_schema({"type": "integer", "minimum": 10**50})
    assert made.accepts("1" + "0" * 50) and not made.accepts("9" * 50)


@pytest.mark.parametrize("step", ["999", "3003", "30030", "0.99", "0.00021"])
def test_coprime_factors_of_a_multiple(step: str) -> None:
    size = Fraction(step)
    kind = "integer" if size.denominator == 1 else "number"
    made = Grammar.from_json_schema({"type": kind, "multipleOf": float(size), "minimum": 0})
    for factor in (0, 1, 2, 37, 1001, 12345, 10**9 + 7):
        for value in (factor * size, factor * size + size / 3):
            if value.denominator == 1 or kind == "number":
                assert made.accepts(decimal_text(value)) == ((value / size).denominator == 1), value


@pytest.mark.parametrize("most", [2**32 - 5, 2**32 - 1, 100_000])
def test_the_largest_divisor_is_one_that_is_kept(most: int) -> None:
    # Of a whole number up to 2^32 - 1 remainders are counted; of one with a point, 5,000.
    assert Grammar.from_json_schema({"type": "integer", "multipleOf": most}).accepts(str(7 * most))
    for schema in ({"type": "integer", "multipleOf": 2**32}, {"multipleOf": 0.05003}):
        with pytest.raises(UnsupportedSchemaError, match="multipleOf"):
            Grammar.from_json_schema(schema)


def test_a_number_has_digits_up_to_the_bound() -> None:
    for text in ("1e1999", "-1e-2000", "1" * 2000 + "." + "1" * 2000):
        assert Grammar.from_json_schema(f'{{"type": ["null", "number"], "minimum": {text}}}').accepts("null")
    for text in ("1e2000", "1e-2001", "1" * 2001):
        with pytest.raises(LimitExceededError, match="more than 2000 digits"):
            Grammar.from_json_schema(f'{{"minimum": {text}}}')


def test_what_divides_too_rarely_is_refused() -> None:
    with pytest.raises(UnsupportedSchemaError, match="multipleOf"):
        Grammar.from_json_schema({"type": "integer", "multipleOf": 12345678901})
    bounded = Grammar.from_json_schema({"multipleOf": 12345678901, "minimum": 0, "maximum": 10**13})
    assert bounded.accepts("98765431208") and not bounded.accepts("98765431209")


@pytest.mark.parametrize("kind", ["integer", "number"])
@pytest.mark.parametrize("numbers", ["plain", "free"])
@pytest.mark.parametrize(
    ("step", "no_step"), [(2**20, None), (1_000_003, 2_000_006), (2**31, 10), (196_611, 2**19), (10**6 + 40, 3)]
)
def test_of_many_remainders_no_prefix_is_a_dead_end(kind: str, numbers: Any, step: int, no_step: int | None) -> None:
    draw, largest, options = random.Random(step), 4321 * step + 17, JSONSchemaOptions(numbers=numbers)
    schema = {"type": kind, "multipleOf": step, "minimum": 7, "maximum": largest}
    made = Grammar.from_json_schema(schema | ({"not": {"multipleOf": no_step}} if no_step else {}), options)
    for _ in range(200):
        prefix = str(draw.randrange(1, largest))[: draw.randrange(1, 16)]
        starts = [int(prefix) * 10**more for more in range(len(str(largest)) - len(prefix) + 1)]
        values = (
            value
            for more, start in enumerate(starts)
            for value in range(-(-start // step) * step, min(start + 10**more, largest + 1), step)
            if value and (no_step is None or value % no_step)
        )
        found = next(values, None) is not None
        # Under `free` an exponent may follow.
        assert made.accepts_prefix(prefix) == found or (numbers == "free" and not found), prefix


@pytest.mark.parametrize(
    ("schema", "valid", "invalid"),
    [
        ({"type": "integer"}, ["9.10864665911431e+307", "-1.25e5", "1.500000e5", "1.5E01"], ["1.2345678e5", "-1.25e1"]),
        ({"type": "integer", "minimum": 0}, ["1.5e5", "7e40"], ["-1.5e5", "1.234567e5"]),
        ({"type": "integer", "maximum": 10**9}, ["1e9", "-2.5e12", "1.0e9"], ["1.000000001e9", "2e9", "1e10"]),
        ({"type": "integer", "exclusiveMaximum": -(10**7)}, ["-1.0000001e7", "-2e8"], ["-1e7", "-1.00000001e7", "1e8"]),
    ],
)
def test_far_exponents_of_integers(schema: dict[str, object], valid: list[str], invalid: list[str]) -> None:
    options = JSONSchemaOptions.free(max_exponent_digits=3, max_integer_digits=330)
    grammar = Grammar.from_json_schema(schema, options)
    assert [text for text in valid if not grammar.accepts(text)] == []
    assert [text for text in invalid if grammar.accepts(text)] == []


@pytest.mark.parametrize("numbers", ["plain", "free"])
def test_what_json_dumps_writes_of_a_double(numbers: str) -> None:
    options = JSONSchemaOptions(numbers=numbers)  # type: ignore[arg-type]
    chance = random.Random(7)
    grammars = [
        (Grammar.from_json_schema(schema, options), schema.get("minimum", -math.inf), schema.get("maximum", math.inf))
        for schema in (
            {"type": "number"},
            {"type": "number", "minimum": 0},
            {"type": "number", "minimum": -3.5, "maximum": 1e200},
            {"type": "number", "minimum": 1e-310, "maximum": 1e308},
        )
    ]
    doubles = [5e-324, 1e-323, 1.7976931348623157e308, -1.7976931348623157e308, 1e308, 1e-310, 0.0, -0.0]
    while len(doubles) < 300:
        (value,) = struct.unpack("d", chance.randbytes(8))
        doubles += [value] if math.isfinite(value) else []
    for value in doubles:
        for grammar, low, high in grammars:
            assert grammar.accepts(json.dumps(value)) == (low <= value <= high), (value, low, high)


def test_bounds_next_to_the_largest_double_hold() -> None:
    positive, negative = ({"type": "number", "minimum": 1.5e308}, {"type": "number", "exclusiveMaximum": -1.5e308})
    for schema, sign in ((positive, ""), (negative, "-")):
        texts = [f"{sign}{text}" for text in ("1.4e308", "1.5e308", "1.6e308", "1.7976931348623157e308", "1.8e308")]
        found = [Grammar.from_json_schema(schema).accepts(text) for text in texts]
        assert found == [False, schema is positive, True, True, False], schema


@pytest.mark.parametrize("schema", [{"type": "number"}, {"minimum": -1}, {"exclusiveMinimum": 0}])
def test_what_no_double_holds_needs_more_digits(schema: dict[str, Any]) -> None:
    grammar = Grammar.from_json_schema(schema)
    for text in ("1e309", "1.7976931348623158e308", "1.8e308", "9e308", "1e999", "1e-325", "12e100"):
        assert not grammar.accepts(text), text
        assert Grammar.from_json_schema({"type": "number"}, JSONSchemaOptions(max_exponent_digits=4)).accepts(text)
    # A validator that reads it as a double reads zero.
    assert grammar.accepts("1e-324") != ("exclusiveMinimum" in schema)


@pytest.mark.parametrize("options", [{}, {"max_exponent_digits": 2}, {"numbers": "free"}, {"max_exponent_digits": 1}])
def test_every_spelling_of_what_is_excluded_is(options: dict[str, Any]) -> None:
    for excluded in (10, 0.5, 1e30, 0, -1200):
        grammar = Grammar.from_json_schema({"type": "number", "not": {"const": excluded}}, JSONSchemaOptions(**options))
        value = Fraction(Decimal(repr(excluded)))
        for exponent in range(-45, 46):
            text = decimal_text(value / Fraction(10) ** exponent)
            for shape in (f"{text}e{exponent}", f"{text}{'0' if '.' in text else '.0'}E{exponent:+03d}"):
                assert not grammar.accepts(shape), (excluded, shape)
        assert grammar.accepts("11") and grammar.accepts("1.5e5")


@pytest.mark.parametrize("most", [1, 100])
def test_zeros_may_follow_a_fraction_whether_values_are_few_or_many(most: int) -> None:
    grammar = Grammar.from_json_schema({"type": "number", "minimum": 0, "maximum": most, "multipleOf": 0.01})
    for text in ("0.5", "0.50", "0.500", "1", "1.0", "1.00", "0.00", "-0", "-0.0"):
        assert grammar.accepts(text), text
    assert not grammar.accepts("0.505") and not grammar.accepts("1e0")


def test_a_value_that_the_schema_wrote_has_one_spelling() -> None:
    grammar = Grammar.from_json_schema({"enum": [0.5, 2]})
    assert grammar.accepts("0.5") and not grammar.accepts("0.50") and not grammar.accepts("2.00")


@pytest.mark.parametrize("step", ["1009", "4096", "65536", "86400", "99991", "0.4096", "40.96", "100.9", "10.24"])
@pytest.mark.parametrize("bounds", [{}, {"minimum": 17}, {"minimum": -(10**9), "maximum": 10**12 + 3}])
def test_large_steps(step: str, bounds: dict[str, int]) -> None:
    size = Fraction(step)
    grammar = Grammar.from_json_schema({"type": "number", "multipleOf": float(step), **bounds})
    chance = random.Random(step)
    for _ in range(40):
        value = chance.randrange(-(10**6), 10**6) * size
        inside = bounds.get("minimum", -(10**20)) <= value <= bounds.get("maximum", 10**20)
        text = decimal_text(value)
        assert grammar.accepts(text) == inside, text
        assert grammar.accepts(text + ("00" if "." in text else ".00")) == inside, text
        for other in (value + 1, value + size / 2, value / 10, value * 10 + 1):
            text = decimal_text(other)
            expected = (other / size).denominator == 1
            expected = expected and bounds.get("minimum", -(10**20)) <= other <= bounds.get("maximum", 10**20)
            assert grammar.accepts(text) == expected, text


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "multipleOf": 37},
        {"type": "integer", "multipleOf": 64},
        {"type": "integer", "multipleOf": 36, "minimum": -500, "maximum": 7000},
        {"type": "integer", "not": {"multipleOf": 3}},
        {"type": "integer", "multipleOf": 7, "not": {"multipleOf": 11}},
        {"type": "number", "multipleOf": 1.28},
        {"type": "number", "multipleOf": 101},
    ],
)
def test_masks_of_multiples_against_all_numerals(schema: dict[str, Any]) -> None:
    """Every numeral of few digits, asked one by one: a token may come if and only if one of them goes on with it."""
    options = JSONSchemaOptions(max_integer_digits=4, max_fraction_digits=2, max_exponent_digits=0)
    grammar = Grammar.from_json_schema(schema, options)
    wholes = ["0", *(str(number) for number in range(1, 10_000))]
    parts = [""]
    if schema["type"] == "number":
        wholes = wholes[::7] + wholes[:200]
        parts += [f".{number}" for number in range(10)] + [f".{number:02d}" for number in range(100)]
    texts = {sign + whole + part for sign in ("", "-") for whole in wholes for part in parts}
    texts = {text for text in texts if grammar.accepts(text)}
    assert texts
    tokens = [str(number) for number in (*range(10), 12, 28, 37, 64, 128, 370, 999)] + ["-", ".", ".2", "-1"]
    vocabulary = Vocabulary.from_bytes([*map(str.encode, tokens), None], special={"<end>": len(tokens)}, eos="<end>")
    compiled = grammar.compile(vocabulary)
    chance = random.Random(3)
    beginnings = {text[:length] for text in texts for length in range(len(text) + 1)}
    for text in chance.sample(sorted(texts), 40):
        matcher = compiled.matcher()
        for place in range(len(text)):
            allowed = {tokens[token] for token in matcher.allowed() if token < len(tokens)}
            # Of numbers with a fraction only some wholes were asked for.
            certain = {token for token in tokens if text[:place] + token in beginnings}
            assert certain <= allowed
            if schema["type"] == "integer":
                assert allowed == certain, text[:place]
            matcher.advance_bytes(text[place].encode())
        assert matcher.can_end


@pytest.mark.parametrize("kind", ["integer", "number"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize(
    ("keywords", "inside", "outside"),
    [
        ({"maximum": 5, "exclusiveMaximum": 5}, ["4", "-7"], ["5", "6"]),
        ({"minimum": 5, "exclusiveMinimum": 5}, ["6", "10"], ["5", "4"]),
        ({"maximum": 5, "exclusiveMaximum": 6}, ["5"], ["6"]),
        ({"minimum": 5, "exclusiveMinimum": 4}, ["5"], ["4"]),
    ],
)
def test_of_two_equal_bounds_the_strict_one_counts(
    keywords: dict[str, int], inside: list[str], outside: list[str], plain: bool, reverse: bool, kind: str
) -> None:
    ordered = dict(sorted(keywords.items(), reverse=reverse))
    schema = {"type": kind, **ordered} if plain else {"type": kind, "not": {"not": ordered}}
    made = Grammar.from_json_schema(schema)
    assert [text for text in [*inside, *outside] if made.accepts(text)] == inside


@pytest.mark.parametrize("value", ["0", "1", "100", "-2.5", "0.001", "12300", "-0.5"])
def test_every_spelling_of_a_constant(value: str) -> None:
    options = JSONSchemaOptions(numbers="free", whitespace="compact")
    grammar = Grammar.from_json_schema(json.loads(f'{{"const": {value}}}'), options)
    wanted = Fraction(value)
    for exponent in range(-9, 10):
        for shift in (0, 1):
            text = decimal_text(wanted / Fraction(10) ** exponent)
            spelled = f"{text}{'' if '.' in text else '.0'}e{exponent}"
            if abs(exponent) <= SMALL_EXPONENT:
                assert grammar.accepts(spelled), spelled
                assert grammar.accepts(f"{text}E{exponent:+03d}"), spelled
            elif wanted and not re.fullmatch("-?[1-9]([.].*)?", text):
                assert not grammar.accepts(f"{text}e{exponent}"), "of larger ones, one digit stands before the point"
            other = f"{text}e{exponent + shift + 1}"
            assert grammar.accepts(other) == (wanted == 0), other
    assert grammar.accepts(value) and not grammar.accepts(value + "1" if "." in value else value + ".1")
