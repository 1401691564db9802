"""Python type → JSON Schema → value: every kind of type that Pydantic takes comes back as itself."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import math
import sys
import typing
from typing import Annotated, Any, Generic, Literal, Optional, TypedDict, TypeVar, Union

import pytest
from typing_extensions import NotRequired

from frisket.errors import AnswerError, MissingDependencyError, UnsupportedSchemaError
from frisket.grammar import Grammar
from frisket.json_schema import JSONSchemaOptions
from frisket.python_type import PythonType

pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Movie(TypedDict):
    title: str
    year: NotRequired[int]


class Cinema(TypedDict, total=False):
    movies: list[Movie]
    best: Movie | None


class Node(pydantic.BaseModel):
    value: int
    next: Optional[Node] = None  # noqa: UP045  (the old spelling must work too)


class Cat(pydantic.BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(pydantic.BaseModel):
    kind: Literal["dog"]


class Pet(pydantic.BaseModel):
    pet: Annotated[Union[Cat, Dog], pydantic.Field(discriminator="kind")]  # noqa: UP007


Content = TypeVar("Content")


class Box(pydantic.BaseModel, Generic[Content]):
    content: Content


class Aliased(pydantic.BaseModel):
    from_: str = pydantic.Field(alias="from")


CASES: list[tuple[Any, str, Any]] = [
    (int, "3", 3),
    (None, "null", None),
    (bool, "true", True),
    (list[int], "[1, 2]", [1, 2]),
    (tuple[int, str], '[1, "a"]', (1, "a")),
    (set[int], "[1, 2]", {1, 2}),
    (dict[str, float], '{"a": 1.5}', {"a": 1.5}),
    (Literal["a", 1, None], "null", None),
    (Colour, '"blue"', Colour.BLUE),
    (Level, "2", Level.HIGH),
    (int | str, '"x"', "x"),
    (Union[int, None], "null", None),  # noqa: UP007
    (Point, '{"x": 1}', Point(1)),
    (Movie, '{"title": "M"}', {"title": "M"}),
    (list[Movie], '[{"title": "M", "year": 1931}]', [{"title": "M", "year": 1931}]),
    (Movie | None, "null", None),
    (Cinema, '{"best": null}', {"best": None}),
    (Annotated[list[Movie], pydantic.Field(min_length=1)], '[{"title": "M"}]', [{"title": "M"}]),
    (Node, '{"value": 1, "next": {"value": 2}}', Node(value=1, next=Node(value=2))),
    (Pet, '{"pet": {"kind": "dog"}}', Pet(pet=Dog(kind="dog"))),
    (Box[int], '{"content": 3}', Box[int](content=3)),
    (Aliased, '{"from": "x"}', Aliased.model_validate({"from": "x"})),
    (datetime.date, '"2024-02-29"', datetime.date(2024, 2, 29)),
    (decimal.Decimal, '"1.5"', decimal.Decimal("1.5")),
    (bytes, '"ab"', b"ab"),
    (Any, "[1, {}]", [1, {}]),
]


@pytest.mark.parametrize(("tp", "text", "value"), CASES, ids=lambda case: str(case)[:30])
def test_there_and_back(tp: Any, text: str, value: Any) -> None:
    python_type = PythonType(tp)
    assert isinstance(python_type.schema, dict)
    result = python_type.value(text)
    assert result == value
    assert type(result) is type(value)


def test_typed_dict_keeps_what_it_says() -> None:
    schema = PythonType(Movie).schema
    assert list(schema["properties"]) == ["title", "year"]
    assert schema["required"] == ["title"]
    nested = PythonType(Cinema).schema
    assert "required" not in nested
    assert nested["$defs"]["Movie"]["required"] == ["title"]


def test_constraints_reach_the_schema() -> None:
    schema = PythonType(Annotated[str, pydantic.Field(pattern="^[a-z]+$", max_length=3)]).schema
    assert schema["pattern"] == "^[a-z]+$"
    assert schema["maxLength"] == 3


@pytest.mark.parametrize(
    ("tp", "good", "bad"),
    [
        (decimal.Decimal, ["1.5", '"1.50"', '"-.5"', '"7."'], ['""', '"."', '"x"']),
        (Annotated[decimal.Decimal, pydantic.Field(ge=0, le=1)], ["0", "0.25", "1"], ["2", '"2"', "-1"]),
        (
            Annotated[decimal.Decimal, pydantic.Field(max_digits=4, decimal_places=2)],
            ["12.25", "-99.99"],
            ["100", "0.125"],
        ),
        (datetime.time, ['"10:59:59Z"'], ['"23:59:60Z"']),
        (datetime.datetime, ['"2024-02-29T10:59:59Z"'], ['"2016-12-31T23:59:60Z"', '"2023-02-29T00:00:00Z"']),
        (datetime.timedelta, ['"P1DT2H"', '"PT5S"'], ['"P44008114M296998639714568746532D"', '"P"']),
        (
            Annotated[datetime.date, pydantic.Field(gt=datetime.date(2019, 12, 31))],
            ['"2020-01-01"', '"2100-02-28"'],
            ['"2019-12-31"', '"0999-01-01"', '"2100-02-29"'],
        ),
        (
            Annotated[datetime.date, pydantic.Field(ge=datetime.date(1999, 9, 9), le=datetime.date(2000, 3, 1))],
            ['"1999-09-09"', '"2000-02-29"', '"2000-03-01"'],
            ['"1999-09-08"', '"2000-03-02"'],
        ),
        (
            pydantic.NaiveDatetime,
            ['"2024-02-29T10:59:59"', '"2000-02-29t00:00:00.5"', '"1999-12-31T23:59:59"'],
            ['"2023-02-29T10:59:59"', '"1900-02-29T10:59:59"', '"2024-04-31T10:59:59"', '"2024-02-29T10:59:59Z"'],
        ),
        (pydantic.HttpUrl, ['"https://example.com/a?b"', '"http://a.b:80"'], ['"ftp://a.b"', '"https://"', '"http:a"']),
        (pydantic.FileUrl, ['"file:///etc/hosts"'], ['"http://a.b"']),
        (dict[bool, int], ['{"true": 1}', "{}"], ['{"yes!": 1}']),
        (dict[Annotated[str, pydantic.Field(pattern="^[a-z]+$")], int], ['{"a": 1}'], ['{"A": 1}']),
        (dict[int, str], ['{"-12": "a"}', "{}"], ['{"a": "a"}', '{"01": "a"}']),
    ],
    ids=lambda case: str(case)[:40],
)
def test_the_schema_promises_no_more_than_pydantic_reads(tp: Any, good: list[str], bad: list[str]) -> None:
    grammar = Grammar.from_type(tp)
    for text in good:
        assert grammar.accepts(text), text
        grammar.value(text)
    assert [text for text in bad if grammar.accepts(text)] == []


@pytest.mark.parametrize(
    "tp", [typing.Callable[[int], int], object(), type("Plain", (), {}), "NoSuchType", dict[tuple[int, int], int]]
)
def test_what_has_no_schema_is_refused_by_name(tp: Any) -> None:
    with pytest.raises(UnsupportedSchemaError) as caught:
        PythonType(tp)
    assert caught.value.where
    assert caught.value.hint
    assert "pydantic.dev" not in str(caught.value)


def test_a_validator_in_python_is_not_in_the_schema() -> None:
    def odd(value: int) -> int:
        if value % 2 == 0:
            raise ValueError("even")
        return value

    python_type = PythonType(Annotated[int, pydantic.AfterValidator(odd)])
    assert python_type.value("3") == 3
    with pytest.raises(AnswerError, match="even") as caught:
        python_type.value("4")
    assert caught.value.code == "type-refused"
    assert isinstance(caught.value.__cause__, pydantic.ValidationError)


def test_pydantic_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "frisket-llm\[pydantic\]"'):
        PythonType(int)


def test_members_that_a_class_would_drop_are_not_written() -> None:
    class Closed(pydantic.BaseModel):
        name: str

    class Open(pydantic.BaseModel, extra="allow"):
        name: str

    more = '{"name": "Ada", "age": 36}'
    assert [Grammar.from_type(tp).accepts(more) for tp in (Closed, Open, dict[str, Any])] == [False, True, True]
    assert not Grammar.from_type(Closed, JSONSchemaOptions(whitespace="pretty")).accepts(more), "under all options"
    assert Grammar.from_type(Closed, JSONSchemaOptions(formats="annotate")).options == JSONSchemaOptions(
        property_order="declared", formats="annotate", closed_objects=True
    )


def test_a_text_without_a_value_is_an_answer_error() -> None:
    cases = [
        (Grammar.from_json_schema({"type": "array"}), "[1, ", "text-rejected", "1:5"),
        (
            Grammar.from_json_schema({"pattern": r"(a+)\1"}, JSONSchemaOptions(relaxed=True)),
            "[1, ",
            "text-rejected",
            "1:5",
        ),
        (Grammar.from_type(list[int]), "[1, ", "type-refused", "list"),
        (Grammar.from_type(list[int]), '["a"]', "type-refused", "list"),
    ]
    for grammar, text, code, where in cases:
        with pytest.raises(AnswerError) as caught:
            grammar.value(text)
        assert (caught.value.code, caught.value.where, caught.value.text) == (code, where, text)


@pytest.mark.parametrize(
    ("tp", "left_out", "slips"),
    [
        (datetime.datetime, '"2026-01-02T03:04:05"', "left out: texts without a zone"),
        (datetime.time, '"03:04:05"', "left out: texts without a zone"),
        (pydantic.NameEmail, '"Ada <ada@example.org>"', "left out: addresses with a name before them"),
    ],
)
def test_what_is_left_out_has_an_entry(tp: Any, left_out: str, slips: str) -> None:
    pytest.importorskip("email_validator", reason="email-validator is not installed")
    grammar = Grammar.from_type(tp)
    pydantic.TypeAdapter(tp).validate_json(left_out)
    assert not grammar.accepts(left_out)
    assert grammar.report is not None and [entry.slips[: len(slips)] for entry in grammar.report.narrowed] == [slips]


def test_a_latitude_is_a_number_within_its_bounds() -> None:
    coordinate = pytest.importorskip("pydantic_extra_types.coordinate", reason="pydantic-extra-types is not installed")
    grammar = Grammar.from_type(coordinate.Latitude)
    assert grammar.accepts("90.0") and not grammar.accepts("91") and not grammar.accepts('"91"')
    assert grammar.report is not None and grammar.report.narrowed


@pytest.mark.parametrize(
    "pattern", ["^(?i)abc$", "^a(?i)b|c$", "^(x(?i)y|z)w$", r"^\x{41}\a?$", "^(?i:a)(?U)b+?$", "^a(?x) b$"]
)
def test_a_pattern_of_rust_is_read_as_pydantic_reads_it(pattern: str) -> None:
    tp = Annotated[str, pydantic.Field(pattern=pattern)]
    grammar, adapter = Grammar.from_type(tp), pydantic.TypeAdapter(tp)
    assert grammar.report is not None
    is_loose = bool(grammar.report.loosened)
    assert is_loose == ("(?x)" in pattern)
    for text in (
        "abc",
        "ABC",
        "aBc",
        "AB",
        "aB",
        "Ab",
        "C",
        "c",
        "xYw",
        "XYw",
        "Zw",
        "zw",
        "ZW",
        "A",
        "\a",
        "a b",
        "abb",
    ):
        document = json.dumps(text)
        try:
            adapter.validate_json(document)
            is_read = True
        except pydantic.ValidationError:
            is_read = False
        assert grammar.accepts(document) == is_read or (is_loose and not is_read), text


def test_a_number_that_python_cannot_hold_is_an_answer_error() -> None:
    def scaled(value: float) -> float:
        return math.exp(value)

    tp = Annotated[float, pydantic.AfterValidator(scaled)]
    with pytest.raises(AnswerError, match="math range error"):
        Grammar.from_type(tp).value("1000")


@pytest.mark.parametrize("bounds", [{"ge": 0}, {"max_digits": 4, "decimal_places": 2}, {"decimal_places": 2}])
def test_texts_of_a_bounded_decimal_are_reported_as_left_out(bounds: dict[str, int]) -> None:
    report = Grammar.from_type(Annotated[decimal.Decimal, pydantic.Field(**bounds)]).report
    assert report is not None
    assert [(one.keyword, one.slips) for one in report.narrowed] == [
        ("Decimal", "left out: texts, which cannot have bounds")
    ]
