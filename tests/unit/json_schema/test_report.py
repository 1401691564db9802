"""The report: what is enforced, what asks nothing of a document, and what nobody knows, each apart."""

from __future__ import annotations

import functools
import json
import random
from typing import Any

import pytest

from frisket import Grammar
from frisket._core import front_end
from frisket.cli import run
from frisket.errors import FrisketError
from frisket.json_schema import JSONSchemaOptions, Report
from tests.draft import FORMATS as NAMES
from tests.draft import KEYWORDS, METADATA, OTHER_FORMATS, has
from tests.unit.json_schema.resolver import DRAFT4, DRAFT2020, DRAFTS

DRAFT = {draft: f"http://{uri}" for uri, draft in DRAFTS.items() if "draft-03" not in uri}


def report(schema: Any, **options: Any) -> Report:
    made = Grammar.from_json_schema(schema, JSONSchemaOptions(**options)).report
    assert made is not None
    return made


def said(schema: Any, **options: Any) -> dict[str, tuple[str, str]]:
    """pointer#keyword → status and note."""
    return {f"{e.pointer}#{e.keyword}": (e.status, e.note) for e in report(schema, **options).entries}


def test_each_apart() -> None:
    member = {"type": "string", "maxlength": 3, "contentEncoding": "base64", "x-order": 1, "title": "A"}
    schema = {"type": "object", "requried": ["a"], "properties": {"a": member, "b": {"format": "phone"}}}
    assert said(schema) == {
        "#properties": ("enforced", ""),
        "#requried": ("unknown", "did you mean required?"),
        "#type": ("enforced", ""),
        "/properties/a#contentEncoding": ("annotation", "contents are annotated; draft 7 asserts base64"),
        "/properties/a#maxlength": ("unknown", "did you mean maxLength?"),
        "/properties/a#type": ("enforced", ""),
        "/properties/a#x-order": ("annotation", "an extension"),
        "/properties/b#format": ("annotation", "phone: no format of JSON Schema"),
    }
    found = report(schema)
    assert found.exact and [entry.keyword for entry in found.unknown] == ["requried", "maxlength"]
    assert [entry.keyword for entry in found.annotations] == ["contentEncoding", "x-order", "format"]
    by_keyword = {entry["keyword"]: entry for entry in found.to_json()["entries"]}
    assert by_keyword["requried"] == {
        "pointer": "",
        "keyword": "requried",
        "status": "unknown",
        "note": "did you mean required?",
    }
    assert by_keyword["type"] == {"pointer": "/properties/a", "keyword": "type", "status": "enforced"}


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        *(("requried", "required"), ("maxlength", "maxLength"), ("additional_properties", "additionalProperties")),
        *(("exclusiveMin", "exclusiveMinimum"), ("ref", "$ref"), ("enums", "enum"), ("anyof", "anyOf")),
        *(("propertyName", "propertyNames"), ("desciption", "description")),
    ],
)
def test_what_was_meant(word: str, meant: str) -> None:
    assert said({word: 1}) == {f"#{word}": ("unknown", f"did you mean {meant}?")}


@pytest.mark.parametrize("word", ["errorMessage", "propertyOrder", "ui:widget", "", "é" * 200, "optional"])
def test_nothing_was_meant(word: str) -> None:
    assert said({word: 1}) == {f"#{word}": ("unknown", "no keyword of any draft")}


def test_the_options_of_llguidance_are_told_to_have_no_effect() -> None:
    status, note = said({"type": "object", "x-guidance": {"item_separator": ","}})["#x-guidance"]
    assert status == "unknown" and "JSONSchemaOptions" in note


@pytest.mark.parametrize(
    ("uri", "note"),
    [
        ("http://json-schema.org/draft-03/schema#", "draft 3 is read as draft 4"),
        ("https://json-schema.org/draft/2020-21/schema", "no draft that is known here; this is read as draft 2020-12"),
        ("draft7", "no draft that is known here; this is read as draft 2020-12"),
        ("http://json-schema.org/draft-07/schema#", None),
        ("https://example.com/a-metaschema", None),
    ],
)
def test_an_unknown_draft_is_said(uri: str, note: str | None) -> None:
    expected = {} if note is None else {"#$schema": ("unknown", note)}
    assert said({"$schema": uri, "type": "string"}) == {"#type": ("enforced", "")} | expected


@pytest.mark.parametrize("draft", DRAFT)
def test_a_keyword_of_another_draft_is_unknown(draft: int) -> None:
    for keyword, (first, last) in KEYWORDS.items():
        if has(draft, keyword) or keyword.startswith("content"):
            continue
        status, note = said({"$schema": DRAFT[draft], keyword: {}})[f"#{keyword}"]
        assert status == "unknown" and "a keyword of draft" in note, (keyword, first, last)


FORMATS = [
    ("date-time", {}, {"type": "string"}, "enforced", "a second has at most 9 digits after the point"),
    ("time", {"formats": "python"}, {"type": "string"}, "enforced", "a second has at most 6 digits after the point"),
    ("date", {}, {}, "enforced", ""),
    (
        "date",
        {},
        {"type": ["integer", "null"]},
        "annotation",
        "date: it says something of texts, and there can be none",
    ),
    ("date", {"formats": "annotate"}, {}, "annotation", "date: formats are annotations, as the options say"),
    ("int32", {}, {"type": "integer"}, "enforced", ""),
    ("int32", {}, {"type": "string"}, "annotation", "int32: it says something of numbers, and there can be none"),
    ("double", {"formats": "openapi"}, {"type": "number"}, "enforced", ""),
    (
        "double",
        {},
        {"type": "number"},
        "annotation",
        'double: a format of OpenAPI or Pydantic; formats="openapi" enforces it',
    ),
    ("byte", {}, {}, "annotation", 'byte: a format of OpenAPI or Pydantic; formats="openapi" enforces it'),
    ("datetime", {}, {}, "annotation", "datetime: no format of JSON Schema; did you mean date-time?"),
    ("phone", {}, {}, "annotation", "phone: no format of JSON Schema"),
]


@pytest.mark.parametrize(("name", "options", "beside", "status", "note"), FORMATS)
def test_formats(name: str, options: dict[str, Any], beside: dict[str, Any], status: str, note: str) -> None:
    assert said({**beside, "format": name}, **options)["#format"] == (status, note)


@pytest.mark.parametrize("mode", ["assert", "openapi", "annotate"])
def test_a_format_that_is_called_enforced_excludes_something(mode: str) -> None:
    texts = json.dumps("(\0 no format's text"), "1" * 320
    for name in dict.fromkeys([*NAMES, *OTHER_FORMATS, *(name for name, *_ in FORMATS)]):
        if name in ("binary", "password"):  # all texts
            continue
        options = JSONSchemaOptions(formats=mode, max_integer_digits=320)  # type: ignore[arg-type]
        made = Grammar.from_json_schema({"format": name}, options)
        assert made.report is not None
        status = {entry.status for entry in made.report.entries} <= {"enforced", "narrowed"}
        assert status != all(made.accepts(text) for text in texts), name


@pytest.mark.parametrize(
    ("draft", "schema", "keyword", "note"),
    [
        (4, {"$ref": "#/definitions/a", "definitions": {"a": {}}, "minimum": 1}, "minimum", "beside $ref"),
        (4, {"type": "number", "exclusiveMinimum": True}, "exclusiveMinimum", "without minimum"),
        (7, {"then": False}, "then", "without if"),
        (7, {"else": {}}, "else", "without if"),
        (7, {"contentEncoding": "base32"}, "contentEncoding", "only base64"),
        (7, {"items": {}, "additionalItems": False}, "additionalItems", "without a list of items"),
        (2020, {"minContains": 2}, "minContains", "without contains"),
        (2020, {"contentMediaType": "application/json"}, "contentMediaType", "annotated"),
        (2020, {"nullable": True, "type": "string"}, "nullable", "nullable=True"),
        (2020, {"discriminator": {"propertyName": "kind"}}, "discriminator", "OpenAPI"),
    ],
)
def test_annotations_that_look_like_conditions(draft: int, schema: dict[str, Any], keyword: str, note: str) -> None:
    status, why = said({"$schema": DRAFT[draft], **schema})[f"#{keyword}"]
    assert status == "annotation" and note in why


def test_what_draft_7_asserts_is_enforced() -> None:
    for keyword, value, status in (
        ("contentEncoding", "base64", "enforced"),
        ("contentMediaType", "application/json", "narrowed"),
    ):
        assert said({"$schema": DRAFT[7], keyword: value})[f"#{keyword}"] == (status, "")
        annotated = said({"$schema": DRAFT[7], keyword: value}, formats="annotate")
        assert annotated[f"#{keyword}"] == ("annotation", "contents are annotations, as the options say")


def test_nullable_that_is_read_is_no_annotation() -> None:
    assert said({"type": "string", "nullable": True}, nullable=True) == {"#type": ("enforced", "")}


def test_wherever_they_stand() -> None:
    schema = {
        "$ref": "#/components/a",
        "components": {"a": {"items": {"typ": "string"}, "anyOf": [True, {"allof": []}]}},
        "$defs": {"unused": {"minlength": 1}},
        "allOf": [{"properties": {"/~": {"Enum": []}}}],
        "default": {"typo": 1},
        "anyOf": [{"const": {"typo": 1}}, True],
    }
    found = {key for key, (status, _) in said(schema).items() if status == "unknown"}
    assert found == {
        "#components",
        "/components/a/items#typ",
        "/components/a/anyOf/1#allof",
        "/$defs/unused#minlength",
        "/allOf/0/properties/~1~0#Enum",
    }


def test_every_keyword_of_a_draft_is_known_there() -> None:
    for draft in (DRAFT4, DRAFT2020):
        words = [*(word for word in KEYWORDS if has(draft, word)), *METADATA]
        for word in (word for word in words if word[0] != "$"):
            made = [of_one(draft, word, value) for value in VALUES]
            assert any(entries is not None and "unknown" not in entries for entries in made), word


#: A value of each kind that keywords have.
VALUES: list[Any] = [{}, {"type": "string"}, [{}], ["a"], "string", 1, True, {"a": {}}, {"a": ["b"]}]


def of_one(draft: int, word: str, value: Any) -> list[str] | None:
    """The statuses of a schema of one keyword; None where its value is wrong."""
    try:
        made = report({"$schema": DRAFT[draft], word: value})
    except FrisketError:
        return None
    return [entry.status for entry in made.entries]


def test_one_dict_at_two_places_is_reported_at_both() -> None:
    shared = {"type": "array", "items": {"type": "object", "properties": {"a": {"minimum": 1}}, "Type": 1}}
    found = said({"properties": {"x": shared, "y": shared}})
    below = {key.removeprefix("/properties/x"): word for key, word in found.items() if key.startswith("/properties/x")}
    assert len(below) == 6 and below["/items#Type"] == ("unknown", "did you mean type?")
    assert found == {
        "#properties": ("enforced", ""),
        **{f"/properties/{name}{key}": word for name in "xy" for key, word in below.items()},
    }


def bare(word: str) -> str:
    return word.replace("-", "").replace("_", "").replace("$", "").casefold()


def likeness(word: str, other: str) -> float:
    """Twice the letters that both have in this order, of all letters."""

    @functools.cache
    def shared(at: int, other_at: int) -> int:
        if at == len(word) or other_at == len(other):
            return 0
        if word[at] == other[other_at]:
            return 1 + shared(at + 1, other_at + 1)
        return max(shared(at + 1, other_at), shared(at, other_at + 1))

    return 2 * shared(0, 0) / (len(word) + len(other))


def test_the_word_that_is_meant_shares_most_letters_in_order() -> None:
    chance = random.Random(3)
    words = sorted({*KEYWORDS, *METADATA, *NAMES, "ſtraße", "STRASSE", "ΣΑΣ", "σας", "Ǆ", "ŉa", "größe"})
    found = 0
    for _ in range(1_000):
        word = list(chance.choice(words))
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(word) + 1)
            word[place : place + chance.randint(0, 1)] = chance.choice(("", "e", "T", "-", "$", "ß"))
        given, known = "".join(word), chance.sample(words, 20)
        by_bare = {bare(other): other for other in known}
        ratio, meant = max((likeness(bare(given), other), other) for other in by_bare)
        expected = by_bare[meant] if ratio >= 0.8 else None
        found += expected is not None
        assert front_end.closest(given, known) == expected, (given, known)
    assert 100 < found < 900


def test_check_tells_them_apart(capsys: pytest.CaptureFixture[str]) -> None:
    schema = json.dumps({"type": "string", "format": "phone", "maxlength": 3})
    assert run(["check", schema]) == 0
    out = capsys.readouterr().out
    assert "exact: 1 keyword enforced; nothing is asked by 1 annotation and 1 unknown keyword" in out
    assert out.endswith("  (root): maxlength asks nothing; did you mean maxLength?\n") and "all enforced" not in out
    assert run(["check", schema, "--json"]) == 0
    entries = json.loads(capsys.readouterr().out)["entries"]
    assert [(entry["keyword"], entry["status"]) for entry in entries] == [
        ("format", "annotation"),
        ("maxlength", "unknown"),
        ("type", "enforced"),
    ]
