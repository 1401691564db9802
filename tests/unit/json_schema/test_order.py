"""Lists of names → which of them keep an order."""

from __future__ import annotations

import itertools
import json

import pytest

from frisket import Grammar

#: A list of names, a list of what keeps an order.
Names = list[str]


@pytest.mark.parametrize(
    ("tables", "required", "expected"),
    [
        (["abc"], "", ["abc"]),
        (["abc", "ca"], "", ["abc"]),
        (["ab", "bc"], "", ["ab", "bc"]),
        (["ab", "bac"], "", ["ab"]),  # the first one to name them has a say
        (["ca", "bac"], "", ["ca"]),
        (["bc", "ca", "ab"], "", ["bc", "ca"]),  # a circle of three
        (["ab", "bac", "cb"], "", ["ab", "cb"]),  # what was cut from a list orders nothing
        (["ab", "c"], "ba", []),  # what `required` contradicts orders nothing
        # Of the second list only d before c is left, which the third one contradicts.
        (["ab", "badc", "cd"], "", ["ab", "dc"]),
    ],
)
def test_orders(tables: Names, required: str, expected: Names) -> None:
    names = sorted(set("".join(tables)))
    schema = {"allOf": [{"properties": {name: {} for name in table}} for table in tables], "type": "object"}
    grammar = Grammar.from_json_schema({**schema, "required": list(required)})
    for order in itertools.permutations(names):
        kept = all([name for name in order if name in table] == list(table) for table in expected)
        assert grammar.accepts(json.dumps(dict.fromkeys(order, 1))) == kept, order
