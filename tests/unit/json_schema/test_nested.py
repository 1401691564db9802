"""regex, and JSON in strings: formats whose groups and values nest up to a depth."""

from __future__ import annotations

import itertools
import json
import random
import re
import string
from collections.abc import Callable

import pytest

from frisket import Grammar, Vocabulary
from frisket.errors import UnsupportedSchemaError
from frisket.json_schema import JSONSchemaOptions
from frisket.notations.regex import is_ecma_regex

#: Schemas whose texts nest.
REGEX: dict[str, object] = {"type": "string", "format": "regex"}
JSON: dict[str, object] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "string",
    "contentMediaType": "application/json",
}


def texts_of(schema: dict[str, object], escapes: str = "raw") -> Grammar:
    return Grammar.from_json_schema(schema, JSONSchemaOptions(escapes=escapes, whitespace="compact"))  # type: ignore[arg-type]


def is_json(text: str) -> bool:
    def constant(name: str) -> None:
        raise ValueError(name)

    try:
        json.loads(text, parse_constant=constant)
    except ValueError:
        return False
    return True


REGEXES = (
    *(r"([abc])+\s+$", r"(?<=a+)b", "[]", "[^]", r"\cA", r"^[a-z0-9-]{1,63}$", "a{2,12}", r"\p{L}+", "x*?", r"[\d-]"),
    *(r"\u{1F600}", '"', "a\nb", r"^(\([0-9]{3}\))?[0-9]{3}-[0-9]{4}$", r"[\x00-\x7f]", "日本+", r"[^\s@]+@[^\s@]+"),
)
NO_REGEXES = (
    *("^(abc]", r"\a", "(?P<name>x)", "(?#c)a", "(?i)abc", "a{2,1}", r"\p{Foo}", "x**", "(?=a)*", r"[a-\d]", "[z-a]"),
    *(r"\u{110000}", "{", "a|*", "(a|b", "a)", "\\"),
)


@pytest.mark.parametrize("escapes", ["raw", "free"])
def test_regular_expressions_nest(escapes: str) -> None:
    options = JSONSchemaOptions(escapes=escapes)  # type: ignore[arg-type]
    made = Grammar.from_json_schema({"type": "string", "format": "regex"}, options)
    assert [text for text in REGEXES if not made.accepts(json.dumps(text, ensure_ascii=False))] == []
    assert [text for text in NO_REGEXES if made.accepts(json.dumps(text, ensure_ascii=False))] == []
    assert made.report is not None and [entry.keyword for entry in made.report.narrowed] == ["format"]
    some = Grammar.from_json_schema({"type": "string", "format": "regex", "minLength": 1}, options)
    assert made.accepts('""') and not some.accepts('""') and not some.accepts('"("')
    assert [text for text in REGEXES if not some.accepts(json.dumps(text, ensure_ascii=False))] == []


@pytest.mark.parametrize("escapes", ["raw", "free"])
def test_json_nests_in_strings(escapes: str) -> None:
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "contentMediaType": "application/json"}
    made = Grammar.from_json_schema(schema, JSONSchemaOptions(escapes=escapes))  # type: ignore[arg-type]
    good = ['{"a": [1, -2.5e3, "\\u00e9\\"", {}, null]}', " [ ] ", '"é😀/"', '" !#[]^~\ud7ff\ue000"', "0"]
    bad = ["{:}", "01", "", '"\n"', "[1,]", "nul", '{"a" 1}', "1 2"]
    assert [text for text in good if not (is_json(text) and made.accepts(json.dumps(text, ensure_ascii=False)))] == []
    assert [text for text in bad if is_json(text) or made.accepts(json.dumps(text, ensure_ascii=False))] == []
    assert made.accepts(json.dumps(good[2])) == (escapes == "free")
    assert made.accepts("7")


def regexes(escapes: str = "raw") -> Callable[[str], bool]:
    """Whether a text is among those of the format, which are all sound."""
    made = texts_of(REGEX, escapes)

    def accepts(text: str) -> bool:
        found = made.accepts(json.dumps(text, ensure_ascii=False))
        assert not found or is_ecma_regex(text), text
        return found

    return accepts


def test_counts_of_nested_expressions() -> None:
    accepts = regexes()
    counts = ["", *map(str, (*range(12), 19, 20, 21, 98, 99, 100, 101, 199, 200, 999, 1000, 1999, 2000, 9999, 10000))]
    for low in counts:
        assert accepts(f"a{{{low}}}") is accepts(f"a{{{low},}}?") is (0 < len(low) < 5), low
        for high in counts[1:]:
            told = (
                len(low) < len(high) or (len(low) == len(high) and low[0] < high[0]) or (low == high and len(low) == 1)
            )
            assert accepts(f"a{{{low},{high}}}") is (told and len(low) > 0 and len(high) < 5), (low, high)
    assert not accepts("a{01}") and not accepts("a{1,02}") and not accepts("a{1 }") and not accepts("a{00}")


def test_escapes_of_nested_expressions() -> None:
    accepts = regexes()
    for digits in ("", *("0123456789abcdefABCDEFg"), *(lead + "f" * more for lead in ("0", "1", "10", "11", "00", "000")
                   for more in range(7))):  # fmt: skip
        assert accepts(rf"\x{digits}") is (re.match("[0-9A-Fa-f]{2}", digits) is not None), digits
        assert accepts(rf"\u{digits}") is (re.match("[0-9A-Fa-f]{4}", digits) is not None), digits
        point = re.fullmatch("0{0,2}[0-9A-Fa-f]{1,5}|10[0-9A-Fa-f]{4}", digits)
        assert accepts(rf"\u{{{digits}}}") is accepts(rf"[\u{{{digits}}}]") is (point is not None), digits
    for char in map(chr, range(0x20, 0x7F)):
        assert accepts(rf"\c{char}") is (char in string.ascii_letters), char
        assert accepts(rf"\{char}") is (char in "dDwWsSfnrtvbB^$\\.*+?()[]{}|/"), char
        assert accepts(rf"[\{char}]") is (char in "dDwWsSfnrtvb^$\\.*+?()[]{}|/-"), char
    assert all(accepts(rf"\{kind}{{{name}}}") for kind in "pP" for name in ("L", "Lu", "Nd", "Zs"))


def test_classes_of_nested_expressions() -> None:
    accepts = regexes()
    letters = string.digits + string.ascii_uppercase + string.ascii_lowercase
    for low, high in itertools.product(letters, repeat=2):
        assert accepts(f"[{low}-{high}]") is accepts(f"[^-{low}-{high}-]") is (low <= high), (low, high)
    for lead, rest in ((r"\x", "1"), (r"\u", "02a"), (r"\u00", "f")):
        for low, high in itertools.product("0123456789abcdefABCDEF", repeat=2):
            told = int(low, 16) < int(high, 16)
            assert accepts(f"[{lead}{low}{rest}-{lead}{high}{rest}]") is told, (lead, low, high)
    assert accepts("[-]") and accepts("[^-]")
    assert not accepts("[a-c-e]") and not accepts("[!--]") and not accepts("[ab]]")


@pytest.mark.parametrize("escapes", ["raw", "free"])
def test_every_short_json_document_nests(escapes: str) -> None:
    made = texts_of(JSON, escapes)
    texts = ["".join(text) for length in range(5) for text in itertools.product('-01.e+[],:"', repeat=length)]
    texts += [f'"\\{rest}"' for rest in ("n", "u00e", "u00E9", "u00e9a", "u00g9", "x", '"', "")]
    texts += [f'{{"a"{colon}1{comma}"b":[]}}' for colon in (":", " : ", "") for comma in (",", " ,\t", ",,", "")]
    texts += ["1e+00", "1E-9", "1e+-1", "1.e1", "1.5e1.5", "-0.0", "--0", "nulll", "true", "false", '"\x1f"', '"\x7f"']
    for text in texts:
        assert made.accepts(json.dumps(text, ensure_ascii=False)) is is_json(text), text


@pytest.mark.parametrize("escapes", ["raw", "free"])
@pytest.mark.parametrize(("schema", "check"), [(REGEX, is_ecma_regex), (JSON, is_json)], ids=["regex", "json"])
def test_what_nests_is_sound(schema: dict[str, object], check: Callable[[str], bool], escapes: str) -> None:
    pieces = [bytes([byte]) for byte in range(256)]
    pieces += [b"(?", b"{1,", b"[^", b"a-z", b"\\\\", b"\\\\p{L}", b'","', b'\\"', b"\\u005c", b"\\u00", b"true"]
    compiled = texts_of(schema, escapes).compile(Vocabulary.from_bytes([*pieces, None], eos=[len(pieces)]))
    ended = 0
    for seed in range(60):
        chance, matcher, text = random.Random(seed), compiled.matcher(), b""
        for step in range(300):
            allowed = matcher.allowed()
            if len(pieces) in allowed:
                ended += 1
                assert check(json.loads(text)), text
                break
            closing = [token for token in allowed if step > 60 and pieces[token][:1] in b')]}"0']
            syntax = [token for token in allowed if pieces[token][:1] in b'()[]{}\\|*+?-^$,:.019abcdefpux"']
            token = chance.choice(closing or (syntax if chance.random() < 0.8 and syntax else allowed))
            text += pieces[token]
            matcher.advance(token)
    assert ended > 40


@pytest.mark.parametrize(("schema", "opening", "closing"), [(REGEX, "(", ")"), (JSON, "[", "]")], ids=["regex", "json"])
def test_what_nests_has_a_depth(schema: dict[str, object], opening: str, closing: str) -> None:
    made = texts_of(schema)
    depths = [depth for depth in range(1, 20) if made.accepts(json.dumps(opening * depth + closing * depth))]
    assert depths == list(range(1, 18))
    assert made.report is not None and "in more than 16 others" in made.report.narrowed[0].slips


@pytest.mark.parametrize(
    ("more", "good", "bad"),
    [
        ({"minLength": 2}, "a+", "a"),
        ({"pattern": "a"}, "(a)", "(b)"),
        ({"not": {"const": "b"}}, "a", "b"),
        ({"enum": ["a", "("]}, "a", "("),
        ({"oneOf": [{"format": "regex"}, {"maxLength": 3}]}, "a{3}", "a"),
    ],
)
def test_what_nests_stands_beside_other_conditions(more: dict[str, object], good: str, bad: str) -> None:
    made = Grammar.from_json_schema({"format": "regex", **more})
    assert [made.accepts(json.dumps(text)) for text in (good, bad)] == [True, False]


def test_no_text_is_surely_no_regex() -> None:
    with pytest.raises(UnsupportedSchemaError, match="only looks like one"):
        Grammar.from_json_schema({"not": {"format": "regex"}})
    made = Grammar.from_json_schema({"type": ["string", "integer"], "oneOf": [{"format": "regex"}, {"type": "null"}]})
    assert [made.accepts(text) for text in ("1", '"("', '"a"')] == [True, False, True]


def test_keys_nest() -> None:
    made = Grammar.from_json_schema({"propertyNames": {"format": "regex"}})
    assert [made.accepts(text) for text in ('{"(a)":1}', '{"(":1}')] == [True, False]
