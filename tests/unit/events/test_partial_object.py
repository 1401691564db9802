"""Objects of a type as far as they are known."""

import enum
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

import pytest
from typing_extensions import TypedDict

from frisket import models, stream
from frisket.events.partial_object import partial_object

pydantic = pytest.importorskip("pydantic", reason="partial models are Pydantic's")


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


class Milk(pydantic.BaseModel):
    kind: Literal["milk"]
    fat: float = pydantic.Field(alias="fat-share")


class Syrup(pydantic.BaseModel):
    kind: Literal["syrup"]
    flavour: str


@dataclass(frozen=True)
class Customer:
    name: str
    address: Optional[list[str]] = None  # noqa: UP045 - the older spelling is one to read, too


class Named(TypedDict):
    label: str


class Order(pydantic.BaseModel):
    size: Size
    extras: list[Milk | Syrup]
    customer: Annotated[Customer, "who"]
    notes: dict[str, Customer]
    pair: tuple[Customer, int]
    named: Named | None = None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({}, {}),
        ({"size": "lar"}, {"size": "lar"}),
        ({"size": "large"}, {"size": Size.LARGE}),
        (
            {"extras": [{"kind": "milk", "fat-share": 0.1}]},
            {"extras": [Milk.model_construct(kind="milk", fat=0.1)]},
        ),
        ({"extras": [{"kind": "sy"}]}, {"extras": [Syrup.model_construct(kind="sy", flavour=None)]}),
        ({"customer": {"name": "Ad"}}, {"customer": Customer("Ad")}),
        ({"notes": {"a": {"name": "B"}}}, {"notes": {"a": Customer("B")}}),
        ({"pair": [{"name": "B"}, 3]}, {"pair": [Customer("B"), 3]}),
        ({"named": {"label": "x"}}, {"named": {"label": "x"}}),
    ],
    ids=repr,
)
def test_members_become_what_their_types_say(value: dict[str, Any], expected: dict[str, Any]) -> None:
    made = partial_object(Order, value)
    assert isinstance(made, Order)
    assert made == Order.model_construct(**{**dict.fromkeys(Order.model_fields), **expected})


def test_what_has_no_class_stays_as_it_is() -> None:
    assert partial_object(int, None) is None
    assert partial_object(dict[str, int], {"a": 1}) == {"a": 1}
    assert partial_object(Milk | dict[str, int], {"unknown": 1}) == {"unknown": 1}
    assert partial_object(Milk | Any, {"unknown": 1}) == {"unknown": 1}


def test_a_member_that_the_class_does_not_know_does_not_unmake_it() -> None:
    class Open(pydantic.BaseModel, extra="allow"):
        title: str = pydantic.Field(alias="t")

    assert partial_object(Customer, {"name": "B", "age": 3}) == Customer("B")
    assert partial_object(Milk | Syrup | str, {"kind": "s", "age": 3}) == Syrup.model_construct(kind="s", flavour=None)
    made = partial_object(Open, {"t": "x", "title": "y", "age": 3})
    assert made.model_dump() == {"title": "x", "age": 3}


def test_a_stream_fills_an_object() -> None:
    class Ticket(pydantic.BaseModel):
        priority: Literal["low", "normal", "high"]
        category: Literal["billing", "account", "bug", "other"]

    answer = stream(models.embedded(), "My card was charged twice", Ticket)
    assert answer.partial is None
    seen = [(answer.partial.priority, answer.partial.category) for _ in answer if answer.partial is not None]
    assert seen[0] == (None, None)
    assert ("high", None) in seen
    final = answer.generation().value()
    assert seen[-1] == (final.priority, final.category)
