"""Python type → grammar → random walks → `model_validate`: what the masks let through, Pydantic takes."""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import datetime
import decimal
import enum
import fractions
import ipaddress
import json
import pathlib
import random
import re
import typing
import uuid
import zoneinfo
from typing import Annotated, Any, Generic, Literal, NamedTuple, Optional, TypeVar, Union

import annotated_types
import pytest
from typing_extensions import Required, TypedDict

from frisket import Grammar
from frisket.errors import FrisketError, UnsupportedSchemaError
from tests.conformance.walk import MANNERS, Hints, Table, Walker

pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")

from pydantic import BaseModel, ConfigDict, Field  # noqa: E402
from pydantic.alias_generators import to_camel  # noqa: E402

Content = TypeVar("Content")


class Pair(NamedTuple):
    left: int
    right: str = "x"


class Tree(BaseModel):
    value: int
    children: list[Tree] = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: Annotated[int, Field(ge=1, le=9)]


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str


class Box(BaseModel, Generic[Content]):
    content: Content


class Numbers(pydantic.RootModel[list[int]]):  # type: ignore[misc, name-defined]
    pass


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    a: int
    b: Optional[str] = None  # noqa: UP045


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


class OpenTyped(BaseModel):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]
    a: int


class Aliased(BaseModel):
    from_: str = Field(alias="from")
    number: int = Field(validation_alias=pydantic.AliasChoices("number", "n"), default=1)


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    a: int
    b: float
    c: datetime.date
    d: tuple[int, str]


class Colour(enum.Enum):
    RED = "red"
    TWO = 2
    NONE = None


@dataclasses.dataclass
class Point:
    x: int
    tags: list[str] = dataclasses.field(default_factory=list)


class Film(TypedDict, total=False):
    title: Required[str]
    year: int


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)
    first_name: str
    in_stock: bool = True


class ByPath(BaseModel):
    a: int = Field(validation_alias=pydantic.AliasPath("x", "y"))


class Computed(BaseModel):
    a: int

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def b(self) -> int:
        return self.a + 1


class Stripped(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True, str_min_length=2, str_max_length=5)
    a: str


class Base64Inside(BaseModel):
    model_config = ConfigDict(val_json_bytes="base64", ser_json_bytes="base64")
    a: bytes


class HexInside(BaseModel):
    model_config = ConfigDict(val_json_bytes="hex")
    a: bytes = Field(min_length=1, max_length=3)


class Ordered(BaseModel):
    low: int
    high: int

    @pydantic.model_validator(mode="after")
    def in_order(self) -> Ordered:
        if self.low > self.high:
            raise ValueError("not in order")
        return self


class ClosedFilm(TypedDict, closed=True):  # type: ignore[call-arg]
    title: Required[str]


@dataclasses.dataclass
class Even:
    number: int

    def __post_init__(self) -> None:
        even(self.number)


class EvenModel(BaseModel):
    number: int
    _seen: bool = True

    def model_post_init(self, context: Any, /) -> None:
        even(self.number)


class Private(BaseModel):
    number: int
    _seen: bool = True


class Apple(BaseModel):
    k: Literal["apple"] = "apple"


class Pear(BaseModel):
    k: Literal["pear"]


def kind_of(value: Any) -> str:
    return str(value.get("k", "plum")) if isinstance(value, dict) else str(value.k)


class Basket(BaseModel):
    animal: Annotated[Union[Cat, Dog], Field(discriminator="kind")]  # noqa: UP007
    kind: Literal["basket"]


class IntColour(enum.IntEnum):
    RED = 1
    BLUE = 2


def even(value: int) -> int:
    if value % 2:
        raise ValueError("odd")
    return value


ZONE = datetime.timezone(datetime.timedelta(hours=5))
TYPES: dict[str, Any] = {
    "int": int,
    "float": float,
    "bool": bool,
    "none": type(None),
    "any": Any,
    "positive": pydantic.PositiveInt,
    "negative float": pydantic.NegativeFloat,
    "bounded int": Annotated[int, Field(gt=3, le=10)],
    "multiple": Annotated[int, Field(multiple_of=7)],
    "halves": Annotated[float, Field(multiple_of=0.5, ge=-2, lt=2)],
    "text": Annotated[str, Field(min_length=2, max_length=4, pattern="^[a-z]*$")],
    "decimal": decimal.Decimal,
    "money": Annotated[decimal.Decimal, Field(gt=0, max_digits=6, decimal_places=2)],
    "fraction": fractions.Fraction,
    "half at most": Annotated[fractions.Fraction, Field(le=fractions.Fraction(1, 2))],
    "zone": zoneinfo.ZoneInfo,
    "quarters": Annotated[decimal.Decimal, Field(multiple_of=decimal.Decimal("0.25"))],
    "bytes": bytes,
    "short bytes": Annotated[bytes, Field(min_length=2, max_length=4)],
    "base64": pydantic.Base64Bytes,
    "path": pathlib.Path,
    "pure path": pathlib.PurePath,
    "datetime": datetime.datetime,
    "aware": pydantic.AwareDatetime,
    "naive": pydantic.NaiveDatetime,
    "date": datetime.date,
    "later date": Annotated[datetime.date, Field(gt=datetime.date(2019, 12, 31))],
    "date between": Annotated[datetime.date, Field(ge=datetime.date(1999, 9, 9), lt=datetime.date(2000, 3, 1))],
    "time": datetime.time,
    "timedelta": datetime.timedelta,
    "uuid": uuid.UUID,
    "uuid4": pydantic.UUID4,
    "uuid1": pydantic.UUID1,
    "ipv4": ipaddress.IPv4Address,
    "ipv6": ipaddress.IPv6Address,
    "ipv4 network": ipaddress.IPv4Network,
    "ipv6 network": ipaddress.IPv6Network,
    "ipv4 interface": ipaddress.IPv4Interface,
    "any ip": pydantic.IPvAnyAddress,
    "any network": pydantic.IPvAnyNetwork,
    "url": pydantic.AnyUrl,
    "http": pydantic.HttpUrl,
    "file": pydantic.FileUrl,
    "websocket": pydantic.AnyWebsocketUrl,
    "ftp": pydantic.FtpUrl,
    "postgres": pydantic.PostgresDsn,
    "redis": pydantic.RedisDsn,
    "secret": pydantic.SecretStr,
    "secret bytes": pydantic.SecretBytes,
    "size": pydantic.ByteSize,
    "set": set[int],
    "set of texts": set[str],
    "frozenset": frozenset[bool],
    "set of words": set[Literal["a", "b"]],
    "list": Annotated[list[int], Field(min_length=1, max_length=3)],
    "tuple": tuple[int, str],
    "long tuple": tuple[int, ...],
    "literal keys": dict[Literal["a", "b"], int],
    "int keys": dict[int, str],
    "float keys": dict[float, int],
    "date keys": dict[datetime.date, int],
    "uuid keys": dict[uuid.UUID, int],
    "pattern keys": dict[Annotated[str, Field(pattern="^[a-z]+$")], int],
    "literal": Literal[1, "a", True, None],
    "enum": Colour,
    "optional": Optional[int],  # noqa: UP045
    "union": Union[int, str],  # noqa: UP007
    "discriminated": Annotated[Union[Cat, Dog], Field(discriminator="kind")],  # noqa: UP007
    "nested unions": Annotated[Union[Basket, Cat, Dog], Field(discriminator="kind")],  # noqa: UP007
    "recursive": Tree,
    "generic": Box[Box[list[str]]],
    "root": Numbers,
    "closed": Closed,
    "private": Private,
    "open": Open,
    "open typed": OpenTyped,
    "aliased": Aliased,
    "strict": Strict,
    "named tuple": Pair,
    "dataclass": Point,
    "typed dict": Film,
    "closed dict": ClosedFilm,
    "camel": Camel,
    "computed": Computed,
    "int enum": IntColour,
    "stripped": Stripped,
    "stripped and matched": Annotated[str, pydantic.StringConstraints(strip_whitespace=True, pattern="^a+$")],
    "lowered": Annotated[str, pydantic.StringConstraints(to_lower=True, pattern="^[A-Z]+$")],
    "rust anchors": Annotated[str, Field(pattern=r"\Aab\z")],
    "base64 inside": Base64Inside,
    "hex inside": HexInside,
    "base64 text": pydantic.Base64Str,
    "base64url": pydantic.Base64UrlBytes,
    "short base64": Annotated[pydantic.Base64Bytes, Field(min_length=4, max_length=5)],
    "ascii bytes": Annotated[bytes, Field(max_length=3)],
    "five digits": Annotated[decimal.Decimal, Field(max_digits=5)],
    "three places": Annotated[decimal.Decimal, Field(decimal_places=3)],
    "complex": complex,
    "finite": pydantic.FiniteFloat,
    "moment after": Annotated[datetime.datetime, Field(gt=datetime.datetime(2020, 5, 17, 12, 30))],
    "moment before": Annotated[datetime.datetime, Field(lt=datetime.datetime(2020, 5, 17, 12, 30, 0, 5))],
    "moment between": Annotated[
        datetime.datetime,
        Field(ge=datetime.datetime(2019, 9, 9, tzinfo=ZONE), le=datetime.datetime(2020, 1, 1, tzinfo=ZONE)),
    ],
    "naive after": Annotated[pydantic.NaiveDatetime, Field(gt=datetime.datetime(2020, 5, 17, 12, 30))],
    "noon": Annotated[datetime.time, Field(gt=datetime.time(11, 59, 58), le=datetime.time(12))],
    "last day": Annotated[datetime.date, Field(ge=datetime.date(9999, 12, 31))],
    "deque": collections.deque[int],
    "short deque": Annotated[collections.deque[int], Field(max_length=2)],
    "counter": typing.Counter[str],
    "ordered dict": collections.OrderedDict[str, int],
    "default dict": collections.defaultdict[str, int],
    "sequence": collections.abc.Sequence[int],
    "mapping": collections.abc.Mapping[str, int],
    "decimal keys": dict[decimal.Decimal, int],
    "positive keys": dict[pydantic.PositiveInt, int],
    "number keys": dict[Literal[1, "a"], int],
    "bool keys": dict[bool, int],
    "url keys": dict[pydantic.HttpUrl, int],
    "interface": pydantic.IPvAnyInterface,
    "mongo": pydantic.MongoDsn,
    "json value": pydantic.JsonValue,
    "bounded union": Annotated[Union[int, float], Field(ge=3, lt=9)],  # noqa: UP007
    "strict enum": Annotated[IntColour, pydantic.Strict()],
}

for _name, _argument in (("Secret", int), ("OnErrorOmit", int), ("UUID7", None)):
    if _type := getattr(pydantic, _name, None):  # younger than the oldest Pydantic that is taken
        TYPES[_name] = _type if _argument is None else list[_type[_argument]]

#: What no schema says, and which words of the report say so: Pydantic refuses it when the text is whole.
BEYOND: dict[str, tuple[Any, str, str]] = {
    "json": (pydantic.Json[list[int]], "Json", '"nothing"'),
    "past": (pydantic.PastDate, "past", '"9999-01-01"'),
    "future": (pydantic.FutureDatetime, "future", '"1999-01-01T00:00:00Z"'),
    "file": (pydantic.FilePath, "validate_file", '"no such file"'),
    "folder": (pydantic.DirectoryPath, "validate_directory", '"no such folder"'),
    "long name of a folder": (pydantic.DirectoryPath, "validate_directory", f'"{"a" * 5000}"'),
    "expression": (re.Pattern[str], "pattern_str_validator", '"(?<=a*)b"'),
    "predicate": (Annotated[str, annotated_types.Predicate(str.isupper)], "val_func", '"a"'),
    "set of lists": (set[list[int]], "set", "[[1]]"),
    "set of models": (set[Apple], "set", '[{"k": "apple"}]'),
    "set of anything": (frozenset, "set", "[{}]"),
    "two texts, one number": (
        Annotated[set[decimal.Decimal], Field(min_length=2)],
        "min_length",
        '["1", "1.0"]',
    ),
    "two texts, one key": (Annotated[dict[float, int], Field(min_length=2)], "min_length", '{"1": 1, "1.0": 2}'),
    "keys of a union": (dict[int | bool, int], "keys", '{"x": 1}'),
    "after a dataclass": (Even, "__post_init__", '{"number": 3}'),
    "after a model": (EvenModel, "model_post_init", '{"number": 3}'),
    "edge of a word": (Annotated[str, Field(pattern=r"\bab\b")], "pattern", '"éab"'),
    "new path": (pydantic.NewPath, "validate_new", '"no such folder/file"'),
    "import": (pydantic.ImportString, "import_string", '"no.such.module"'),
    "duration": (Annotated[datetime.timedelta, Field(gt=datetime.timedelta(days=1))], "gt", '"PT1S"'),
    "validator": (Annotated[int, pydantic.AfterValidator(even)], "even", "3"),
    "order": (Ordered, "in_order", '{"low": 2, "high": 1}'),
    "called": (
        Annotated[
            Union[Annotated[Apple, pydantic.Tag("apple")], Annotated[Pear, pydantic.Tag("pear")]],  # noqa: UP007
            pydantic.Discriminator(kind_of),
        ],
        "discriminator",
        "{}",
    ),
    "bounded size": (Annotated[pydantic.ByteSize, Field(gt=1000)], "greater_than", '"1 b"'),
    "odd keys": (dict[Annotated[int, Field(gt=5)], int], "keys", '{"3": 1}'),
    "rust classes": (Annotated[str, Field(pattern="^[a-z&&[^b]]$")], "pattern", '"b"'),
}


@pytest.fixture(scope="module")
def walker() -> Walker:
    return Walker(Table.small())


@pytest.mark.parametrize("name", TYPES)
def test_what_the_masks_allow_validates(name: str, walker: Walker) -> None:
    walk_and_validate(TYPES[name], walker)


@pytest.mark.parametrize("name", BEYOND)
def test_what_no_schema_says_is_listed(name: str) -> None:
    tp, keyword, refused = BEYOND[name]
    grammar = Grammar.from_type(tp)
    assert grammar.report is not None and not grammar.report.exact
    assert keyword in [entry.keyword for entry in grammar.report.loosened]
    assert "x-frisket" not in str(grammar.schema)
    assert grammar.accepts(refused)
    with pytest.raises(FrisketError) as raised:
        grammar.value(refused)
    assert raised.value.code == "type-refused"


LETTERS = [chr(code) for code in [*range(128), 0x85, 0xA0, 0xB2, 0xE9, 0x301, 0x660, 0x1680, 0x200C, 0x2028, 0x203F]]
LETTERS += [chr(code) for code in [0x2163, 0x24B6, 0x3000, 0x4E00, 0xFEFF, 0x1D7CE, 0x1F130]]


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"^\W$", r"^\D$", r"^\S$", r"^\s$", r"^\w$", r"^\d$", r"^.$", r"\A[a-z]\z", r"^(?P<x>a)$"),
        *(r"^[^\w]$", r"^[^\d]$", r"^[^\s]$", r"^[\s\d]$", r"^[]a]$", r"^[^]a]$", r"^[\W]$", r"^[\S]$", r"^[\D]$"),
    ],
)
def test_letters_of_rusts_dialect(pattern: str) -> None:
    tp = Annotated[str, Field(pattern=pattern)]
    grammar, adapter = Grammar.from_type(tp), pydantic.TypeAdapter(tp)
    allowed = [text for letter in LETTERS if grammar.accepts(text := json.dumps(letter, ensure_ascii=False))]
    assert allowed
    for text in allowed:
        adapter.validate_json(text)


def test_entries_have_the_place_of_their_field() -> None:
    class Visit(BaseModel):
        day: pydantic.PastDate
        homes: list[pydantic.HttpUrl]

    report = Grammar.from_type(list[Visit]).report
    assert report is not None
    said = {(entry.pointer, entry.keyword): entry.status for entry in [*report.loosened, *report.narrowed]}
    assert said == {
        ("/$defs/Visit/properties/day", "past"): "loosened",
        ("/$defs/Visit/properties/homes/items", "url"): "narrowed",
    }


class Sizes(enum.Enum):
    SMALL = (1, 2)


@pytest.mark.parametrize(
    "tp",
    [
        Literal[b"x"],
        Sizes,
        Annotated[str, Field(pattern=r"\p{^L}")],
        ByPath,
        type[int],
        dict[tuple[int, int], int],
        collections.abc.Callable[[int], int],
    ],
)
def test_what_json_cannot_hold_is_refused(tp: Any) -> None:
    with pytest.raises(UnsupportedSchemaError):
        Grammar.from_type(tp)


def test_a_set_of_composite_values(walker: Walker) -> None:
    walk_and_validate(set[tuple[int, int]], walker)


def test_a_set_of_floats_has_no_dead_end(walker: Walker) -> None:
    matcher = Grammar.from_type(set[float]).core.compile(walker.table.core).matcher()
    matcher.advance_bytes(b"[8,0,2,6,0")
    assert not walker.table.allowed(matcher)[walker.table.single[ord("e")]]


@pytest.mark.parametrize("name", ["email", "name and email"])
def test_addresses(name: str, walker: Walker) -> None:
    pytest.importorskip("email_validator")
    walk_and_validate({"email": pydantic.EmailStr, "name and email": pydantic.NameEmail}[name], walker)


def walk_and_validate(tp: Any, walker: Walker) -> None:
    grammar = Grammar.from_type(tp)
    assert grammar.report is not None and grammar.report.exact
    compiled = grammar.core.compile(walker.table.core)
    hints = Hints.from_schema(grammar.schema)
    adapter = pydantic.TypeAdapter(tp)
    for seed in range(2 * len(MANNERS)):
        manner = MANNERS[seed % len(MANNERS)]
        text = walker.walk(compiled.matcher(), random.Random(seed), manner, 40, hints)
        adapter.validate_json(text)
        grammar.value(text.decode())
