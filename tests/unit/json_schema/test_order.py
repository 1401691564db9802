"""Lists of names → which of them keep an order."""

from __future__ import annotations

import pytest

from tests.oracle.json_schema.order import orders

PLACES = {"a": 0, "b": 1, "c": 2}


@pytest.mark.parametrize(
    ("tables", "required", "expected"),
    [
        ([["a", "b", "c"]], [], []),  # the order of the places needs no list
        ([["c", "a"]], [], [[2, 0], [1]]),
        ([["a", "b"], ["b", "c"]], [], [[0, 1], [1, 2]]),
        ([["a", "b"], ["b", "a", "c"]], [], [[0, 1], [2]]),  # the first one to name them has a say
        ([["c", "a"], ["b", "a", "c"]], [], [[2, 0], [1]]),  # whatever order the places have
        ([["b", "c"], ["c", "a"], ["a", "b"]], [], [[1, 2], [2, 0], []]),  # a circle of three
        (
            [["a", "b"], ["b", "a", "c"], ["c", "b"]],
            [],
            [[0, 1], [2], [2, 1]],
        ),  # what was cut from a list orders nothing
        ([["a", "b"], ["c"]], ["b", "a"], [[2], [0], [1]]),  # what `required` contradicts orders nothing
        ([["$schema", "b", "a"]], [], [[1, 0], [2]]),
    ],
)
def test_orders(tables: list[list[str]], required: list[str], expected: list[list[int]]) -> None:
    assert orders(tables, required, PLACES) == expected


def test_a_list_that_was_cut_is_one_like_others() -> None:
    # Of the second list only d before c is left, which the third one contradicts.
    tables = [["a", "b"], ["b", "a", "d", "c"], ["c", "d"]]
    assert orders(tables, [], {"a": 0, "b": 1, "c": 2, "d": 3}) == [[0, 1], [3, 2], []]
