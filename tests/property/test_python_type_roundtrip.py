"""Python type → grammar → random walks → `model_validate`: what the masks let through, Pydantic takes."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import ipaddress
import pathlib
import random
import re
import uuid
from typing import Annotated, Any, Generic, Literal, NamedTuple, Optional, TypeVar, Union

import pytest
from typing_extensions import Required, TypedDict

from frisket import Grammar
from tests.conformance.walk import MANNERS, Hints, Table, Walker

pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")

from pydantic import BaseModel, ConfigDict, Field  # noqa: E402

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
    "pattern": re.Pattern,
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
    "recursive": Tree,
    "generic": Box[Box[list[str]]],
    "root": Numbers,
    "closed": Closed,
    "open": Open,
    "open typed": OpenTyped,
    "aliased": Aliased,
    "strict": Strict,
    "named tuple": Pair,
    "dataclass": Point,
    "typed dict": Film,
}


@pytest.fixture(scope="module")
def walker() -> Walker:
    return Walker(Table.small())


@pytest.mark.parametrize("name", TYPES)
def test_what_the_masks_allow_validates(name: str, walker: Walker) -> None:
    walk_and_validate(TYPES[name], walker)


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
        text, whole = walker.walk(compiled.matcher(), random.Random(seed), manner, 40, hints)
        assert whole, (manner.name, text)
        adapter.validate_json(text)
        grammar.value(text.decode())
