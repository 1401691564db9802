"""Numbers whose classes write themselves otherwise than Python's: numpy's floats, members of enums."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest

from frisket import Grammar
from frisket.errors import InvalidSchemaError


class Size(enum.IntEnum):
    LARGE = 3


class Loud(int):
    def __str__(self) -> str:
        return "five!"

    __repr__ = __str__


@pytest.mark.parametrize(
    ("number", "plain"),
    [(np.float64(0.1), 0.1), (np.float64(1e300), 1e300), (Size.LARGE, 3), (Loud(5), 5), (Loud(10**30), 10**30)],
)
def test_they_are_the_numbers_that_they_are(number: Any, plain: Any) -> None:
    for keyword in ("multipleOf", "minimum", "const"):
        assert Grammar.from_json_schema({keyword: number}).dump() == Grammar.from_json_schema({keyword: plain}).dump()
    assert Grammar.from_json_schema({"enum": [[number]]}).accepts(f"[{plain}]")


@pytest.mark.parametrize("number", [np.float64("nan"), np.float64("inf"), np.float64("-inf")])
def test_what_is_not_finite_has_a_place(number: Any) -> None:
    with pytest.raises(InvalidSchemaError, match=f"not {float(number)}") as caught:
        Grammar.from_json_schema({"minimum": number})
    assert caught.value.where == "/minimum"
