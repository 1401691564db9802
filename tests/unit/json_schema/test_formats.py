"""Formats → texts: the calendar, and whole formats against other implementations; tests/conformance runs the suite."""

from __future__ import annotations

import base64
import calendar
import ipaddress
import json
import random
from decimal import Decimal

import numpy as np
import pytest

from frisket import Grammar, Limits, Vocabulary
from frisket.errors import LimitExceededError
from frisket.json_schema import JSONSchemaOptions
from tests.draft import FORMATS


class Language:
    """The texts of one format."""

    def __init__(self, name: str, formats: str = "assert") -> None:
        options = JSONSchemaOptions(formats=formats, max_second_digits=40)  # type: ignore[arg-type]
        self.grammar = Grammar.from_json_schema({"type": "string", "format": name}, options)

    def __contains__(self, text: str) -> bool:
        return self.grammar.accepts(json.dumps(text, ensure_ascii=False))


def test_what_is_not_exact_says_why() -> None:
    notes = {}
    for name in FORMATS:
        report = Grammar.from_json_schema({"type": "string", "format": name}).report
        assert report is not None and report.exact
        for entry in report.narrowed:
            notes[name] = entry.slips
    assert notes.keys() == {"hostname", "idn-email", "idn-hostname", "regex"}
    assert all("left" in note for note in notes.values())


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        *(
            (name, True)
            for name in ("bücher.example", "münchen-messe.de", "例え.テスト", "실례.테스트", "a.b.ü", "ü" * 8)
        ),
        *((name, False) for name in ("l·a", "ab--ü", "-ü", "ü-", "Ü.de", "", "ü..de", "u\u0308.de", "א.de", "ü" * 40)),
    ],
)
def test_international_names(name: str, valid: bool) -> None:
    assert (name in Language("idn-hostname")) == valid
    assert ("δοκιμή@" + name in Language("idn-email")) == valid
    assert ("a@" + name in Language("idn-email")) == valid


def test_the_shortest_and_the_longest_names() -> None:
    name = Language("hostname")
    label = "a" * 63
    longest = f"{label}.{label}.{label}.{'a' * 61}"
    assert "a" in name and "a.b" in name and longest in name and label in name
    assert "" not in name and longest + "a" not in name and "a" * 64 not in name and "a." not in name


def test_international_names_are_sound() -> None:
    idna = pytest.importorskip("idna", reason="jsonschema[format] brings it")
    grammar = Grammar.from_json_schema(
        {"type": "string", "format": "idn-hostname"}, JSONSchemaOptions(whitespace="compact")
    )
    chance = random.Random(5)
    points = [chance.randrange(low, high) for low, high in ((0xAC00, 0xD7A4), (0x4E00, 0x9FA6), (0xE0, 0x250)) * 40]
    tokens = [bytes([byte]) for byte in range(128)] + [chr(point).encode() for point in points]
    compiled = grammar.compile(Vocabulary.from_bytes([*tokens, None], eos=[len(tokens)]))
    for _ in range(150):
        matcher, name, long = compiled.matcher(), b"", chance.randrange(2, 60)
        while not matcher.can_end:
            allowed = matcher.allowed()
            wide = [token for token in allowed if token >= 128 and chance.random() < 0.7]
            token = 0x22 if 0x22 in allowed and not 0 < len(name) < long else chance.choice(wide or allowed)
            name += tokens[token]
            matcher.advance(token)
        assert len(idna.encode(name[1:-1].decode())) <= 253, name  # it raises what is no name


def test_unknown_formats_are_annotations() -> None:
    for name, formats in (("phone", "assert"), ("byte", "assert"), ("phone", "openapi")):
        assert "no format's text" in Language(name, formats)
    assert "no format's text" not in Language("byte", "openapi")


def test_dates_are_those_of_the_calendar() -> None:
    dates, python_dates = Language("date"), Language("date", "python")
    for year in [*range(0, 10000, 97), 100, 400, 1900, 2000, 2023, 2024, 2100, 9999]:
        for month in range(14):
            days = calendar.monthrange(year or 400, month)[1] if 1 <= month <= 12 else 0
            for day in (0, 1, 28, 29, 30, 31, 32):
                text = f"{year:04}-{month:02}-{day:02}"
                assert (text in dates) == (1 <= day <= days), text
                assert (text in python_dates) == (year > 0 and 1 <= day <= days), text


def test_leap_seconds_are_the_last_minute_of_utc() -> None:
    times, python_times = Language("time"), Language("time", "python")
    chance = random.Random(1)
    for _ in range(20000):
        hour, offset_hour = chance.randrange(25), chance.randrange(25)
        minute, offset_minute = chance.randrange(61), chance.choice([0, 0, 1, 30, 45, 59, 60])
        sign = chance.choice([1, -1])
        if chance.random() < 0.5:
            hour, minute = divmod((23 * 60 + 59 + sign * (offset_hour * 60 + offset_minute)) % 1440, 60)
        text = f"{hour:02}:{minute:02}:60{'+' if sign > 0 else '-'}{offset_hour:02}:{offset_minute:02}"
        utc = (hour * 60 + minute - sign * (offset_hour * 60 + offset_minute)) % 1440
        legal = hour < 24 and minute < 60 and offset_hour < 24 and offset_minute < 60
        assert (text in times) == (legal and utc == 23 * 60 + 59), text
        assert text not in python_times
    assert "23:59:60.25z" in times
    assert "23:58:60Z" not in times


def test_ipv6_is_what_ipaddress_takes() -> None:
    language = Language("ipv6")
    chance = random.Random(2)
    groups, rare = ["0", "1", "ab", "FFFF", ""], ["12345", "g", "1.2.3.4", "1.2.3.04", "256.1.1.1"]
    for _ in range(5000):
        parts = [chance.choice(groups if chance.random() < 0.9 else rare) for _ in range(chance.randint(1, 9))]
        text = ":".join(parts)
        try:
            ipaddress.IPv6Address(text)
            valid = True
        except ValueError:
            valid = False
        assert (text in language) == valid, text


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        (
            "email",
            ["a@b", '"a b"@c.d', "a@[1.2.3.4]", "a@[IPv6:::1]", "a" * 64 + "@b"],
            ["a" * 65 + "@b", "a@b..c", "a@" + "b" * 64],
        ),
        ("hostname", ["a", "a-b.c1", "1.1"], ["", "-a", "a-", "a..b", "a.", "xn--a", ".".join(["a" * 63] * 4)]),
        ("uri", ["a:", "http://a:80/b?c#d", "urn:x:y"], ["a", "//a", "http://[1]/", "a:%", "a:é"]),
        ("iri", ["http://é/ü", "a:é?\ue000"], ["a:\ue000", "é"]),
        ("uri-reference", ["", "a/b:c", "//a", "?x", "#y"], ["a b", "\\", "1:a"]),
        ("uri-template", ["{a}", "{+a,b*}", "{a:9999}"], ["{", "{a:0}", "<", "{a*:1}"]),
        ("duration", ["P1Y2M3DT4H5M6S", "P1W"], ["P", "P1Y1W", "PT", "P1Y2D"]),
        ("relative-json-pointer", ["0", "1#", "10/a"], ["01", "#", "1##"]),
        ("uuid", ["2EB8AA08-AA98-11EA-B4AA-73B441D16380"], ["2EB8AA08AA9811EAB4AA73B441D16380"]),
    ],
)
def test_samples(name: str, good: list[str], bad: list[str]) -> None:
    language = Language(name)
    assert [text for text in good if text not in language] == []
    assert [text for text in bad if text in language] == []


def test_networks_have_no_host_bits() -> None:
    networks = Language("ipv4network", "openapi")
    chance = random.Random(3)
    for _ in range(3000):
        length = chance.randint(0, 33)
        number = chance.getrandbits(32) & (0xFFFFFFFF << chance.choice([0, 32 - min(length, 32)])) & 0xFFFFFFFF
        text = f"{ipaddress.IPv4Address(number)}/{length}"
        try:
            ipaddress.IPv4Network(text)
            valid = True
        except ValueError:
            valid = False
        assert (text in networks) == valid, text


def test_emails_for_python_are_those_of_pydantic() -> None:
    emails = Language("email", "python")
    for text in ["ada@example.com", "a.b+c@x-y.co.uk"]:
        assert text in emails
    for text in ["a@b", '"a"@b.com', "a@[1.2.3.4]", "a@b.test", "a@b.LOCAL", "a@b.c1", ".a@b.com"]:
        assert text not in emails


def test_openapi_and_pydantic_names() -> None:
    byte = Language("byte", "openapi")
    assert "YQ==" in byte and "YWI=" in byte and "" in byte
    assert "YQ" not in byte and "YQ=" not in byte and "Y-==" not in byte
    version_four = Language("uuid4", "openapi")
    assert "98d80576-482e-427f-8434-7f86890ab222" in version_four
    assert "99c17cbb-656f-564a-940f-1a4568f03487" not in version_four


@pytest.mark.parametrize("formats", ["assert", "openapi"])
def test_numeric_formats_are_those_of_machines(formats: str) -> None:
    options = JSONSchemaOptions(formats=formats, max_integer_digits=330)  # type: ignore[arg-type]
    for bits in (8, 16, 32, 64):
        for name in (f"int{bits}", f"uint{bits}"):
            low, high = int(np.iinfo(name).min), int(np.iinfo(name).max)
            made = Grammar.from_json_schema({"type": "integer", "format": name}, options)
            assert [made.accepts(str(value)) for value in (low - 1, low, 0, high, high + 1)] == [
                False,
                *[True] * 3,
                False,
            ]
    for name, kind in (("float", np.float32), ("double", np.float64)):
        made = Grammar.from_json_schema({"type": "number", "format": name}, options)
        largest = int(Decimal(repr(float(np.finfo(kind).max))))  # as its shortest numeral
        for sign in (1, -1):
            assert made.accepts(str(sign * largest))
            assert made.accepts(str(sign * (largest + 1))) == (formats == "assert")


def test_networks_are_those_of_python() -> None:
    language = Language("ipv4network", "openapi")
    for length in range(33):
        # The whole network, one whose last bit of the prefix is set, and the first address behind it.
        step = 1 << (32 - length)
        for number in {0, (1 << 32) - step, step // 2, 3 * step // 2 & 0xFFFFFFFF}:
            text = f"{ipaddress.IPv4Address(number)}/{length}"
            assert (text in language) is (number % step == 0), text
    assert "10.0.0.0/33" not in language and "10.0.0.1" in language and "10.0.0.0/" not in language


@pytest.mark.parametrize("version", [1, 3, 4, 5, 6, 7, 8])
def test_versions_of_uuids(version: int) -> None:
    language = Language(f"uuid{version}", "openapi")
    good = f"98d80576-482e-{version}27f-8434-7f86890ab222"
    assert good in language and good.upper() in language
    for digit in "0123456789abcdefABCDEF":
        assert (f"{good[:19]}{digit}{good[20:]}" in language) is (digit in "89abAB")
        assert (f"{good[:14]}{digit}{good[15:]}" in language) is (digit == str(version))
    for at in (0, 9, 15, 20, 24):
        assert good[:at] + good[at + 1 :] not in language and good[:at] + "0" + good[at:] not in language


@pytest.mark.parametrize("name", ["base64", "base64url"])
def test_base64_is_what_encoders_write(name: str) -> None:
    language = Language(name, "openapi")
    encode = base64.b64encode if name == "base64" else base64.urlsafe_b64encode
    for size in range(40):
        assert encode(random.Random(size).randbytes(size)).decode() in language
    # The last digit would hold bits of no byte (RFC 4648, 3.5): `base64` decoders that are strict refuse it.
    assert "AB==" not in language and "AAB=" not in language and "A===" not in language


class TestSeconds:
    """RFC 3339 bounds no fraction of a second; what is written is bounded, what the schema lists or excludes is not."""

    @pytest.mark.parametrize("schema", [{"type": "string"}, {}, {"anyOf": [{"type": "string"}, {"type": "null"}]}])
    @pytest.mark.parametrize(
        ("options", "most"),
        [({}, 9), ({"max_second_digits": 3}, 3), ({"max_second_digits": 0}, 0), ({"formats": "python"}, 6)],
    )
    @pytest.mark.parametrize(("name", "start"), [("time", ""), ("date-time", "2024-02-29T")])
    def test_digits(
        self, name: str, start: str, options: dict[str, object], most: int, schema: dict[str, object]
    ) -> None:
        made = Grammar.from_json_schema({**schema, "format": name}, JSONSchemaOptions(**options))  # type: ignore[arg-type]
        leap = [] if "formats" in options else ["23:59:60"]
        for clock in ["09:30:00", *leap]:
            for digits in range(14):
                text = f'"{start}{clock}{"." * (digits > 0)}{"1" * digits}Z"'
                assert made.accepts(text) == (digits <= most), text

    def test_what_the_schema_lists_may_be_longer(self) -> None:
        long, longer = "09:30:00.1234567890123Z", "09:30:00.123456789012x"
        made = Grammar.from_json_schema({"format": "time", "enum": [long, longer]})
        assert made.accepts(json.dumps(long)) and not made.accepts(json.dumps(longer))

    def test_what_is_excluded_is_all_of_the_format(self) -> None:
        made = Grammar.from_json_schema({"type": "string", "not": {"format": "time"}})
        assert not made.accepts('"09:30:00.1234567890123Z"') and made.accepts('"09:30:60.1Z"')

    @pytest.mark.parametrize(
        "beside", [{"minLength": 30}, {"pattern": "[.][0-9]{12}Z$"}, {"allOf": [{"minLength": 30}]}]
    )
    def test_what_other_conditions_ask_for_is_written(self, beside: dict[str, object]) -> None:
        schema = {
            "type": "object",
            "properties": {"at": {"type": "string", "format": "time", **beside}},
            "required": ["at"],
        }
        made = Grammar.from_json_schema(schema)
        assert made.accepts('{"at": "09:30:00.' + "1" * (12 if "pattern" in beside else 40) + 'Z"}')
        assert not made.accepts('{"at": "09:30:00Z"}')

    @pytest.mark.parametrize("beside", [{"minLength": 22}, {"pattern": "Z$"}, {"allOf": [{"pattern": "Z$"}]}])
    def test_beside_other_conditions_the_bound_holds(self, beside: dict[str, object]) -> None:
        made = Grammar.from_json_schema({"type": "string", "format": "time", **beside})
        assert made.accepts('"09:30:00.123456789Z"') == ("minLength" not in beside)
        assert made.accepts('"09:30:00.123456789+02:00"') == ("minLength" in beside)
        assert not made.accepts('"09:30:00.1234567890123Z"')


class TestDurations:
    """RFC 3339 bounds no number of a duration; what is written is bounded, what the schema lists or excludes is not."""

    @pytest.mark.parametrize(
        ("options", "most"), [({}, 40), ({"max_integer_digits": 3}, 3), ({"formats": "python"}, 4)]
    )
    @pytest.mark.parametrize("shape", ["P{}D", "P1Y{}M", "PT{}H1M", "P{}W", "P1DT{}S"])
    def test_digits(self, shape: str, options: dict[str, object], most: int) -> None:
        made = Grammar.from_json_schema({"type": "string", "format": "duration"}, JSONSchemaOptions(**options))  # type: ignore[arg-type]
        for digits in (1, most, most + 1, 3 * most):
            assert made.accepts(f'"{shape.format("1" * digits)}"') == (digits <= most), digits
        assert made.report is not None
        assert [entry.note for entry in made.report.entries if entry.keyword == "format"] == [
            f"each number has at most {most} digits"
        ]

    def test_what_the_schema_lists_or_excludes_is_all_of_the_format(self) -> None:
        long = "P" + "1" * 50 + "D"
        assert Grammar.from_json_schema({"format": "duration", "enum": [long, "x"]}).accepts(json.dumps(long))
        made = Grammar.from_json_schema({"type": "string", "not": {"format": "duration"}})
        assert not made.accepts(json.dumps(long)) and made.accepts(json.dumps(long + "D"))


@pytest.mark.parametrize(("one", "other"), [("hostname", "idn-hostname"), ("email", "idn-email")])
def test_formats_that_take_too_long_to_tell_apart_are_named(one: str, other: str) -> None:
    schema = {"properties": {"h": {"oneOf": [{"type": "string", "format": name} for name in (one, other)]}}}
    with pytest.raises(LimitExceededError) as caught:
        Grammar.from_json_schema(schema)
    assert caught.value.where == "/properties/h" and "anyOf" in str(caught.value.hint)
    assert f"format {one}, not format {other}" in caught.value.message


@pytest.mark.parametrize(
    ("one", "other", "texts"),
    [
        ("idn-email", "iri-reference", {"a@b.de": False, "a@bücher.de": False, "a b": False, "http://x.y/": True}),
        ("idn-email", "uri-template", {"a@b.de": False, '"a"@b.de': True, "{x}": True}),
        ("hostname", "uri-reference", {"a.b": False, "/a": True, " ": False}),
        ("idn-hostname", "iri-reference", {"a.b": False, "ü.b": False, "/ü": True}),
        ("email", "uri-reference", {"a@b.de": False, '"a"@b.de': True, "/": True}),
    ],
)
def test_names_beside_references_take_few_steps(one: str, other: str, texts: dict[str, bool]) -> None:
    """Nearly all names are references: that is seen without a look at every length of a name and its labels."""
    schema = {"type": "string", "oneOf": [{"format": one}, {"format": other}]}
    limits = Limits(steps=12_000_000)
    made = Grammar.from_json_schema(schema, limits=limits)
    found = {text: made.accepts(json.dumps(text, ensure_ascii=False)) for text in texts}
    assert found == texts


def test_a_limit_on_texts_names_its_place() -> None:
    schema = {"properties": {"a": {"type": "string", "oneOf": [{"format": "hostname"}, {"format": "idn-hostname"}]}}}
    with pytest.raises(LimitExceededError, match=r"format hostname, not format idn-hostname.*steps") as caught:
        Grammar.from_json_schema(schema)
    assert caught.value.where == "/properties/a"


def test_what_nests_excludes_itself() -> None:
    one, other = {"type": "string", "format": "regex"}, {"type": "integer"}
    for alternatives in ([one, {**one, "type": ["string", "integer"]}], [one, other, one]):
        grammar = Grammar.from_json_schema({"oneOf": alternatives})
        assert not grammar.accepts('"a"') and grammar.accepts("1")


def test_a_length_that_says_nothing_stands_beside_what_nests() -> None:
    grammar = Grammar.from_json_schema({"type": "string", "format": "regex", "minLength": 0})
    assert grammar.accepts('"a+"') and not grammar.accepts('"("')
