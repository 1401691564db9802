"""FRK2xx: which enums are found."""

from __future__ import annotations

from typing import Any

import pytest

from frisket import Vocabulary
from frisket.lint import lint

from .case import fired, listing, vocabulary

#: Letters, and a few words that tokens spell whole.
WORDS = Vocabulary.from_bytes(
    [*(bytes([byte]) for byte in range(256)), b"order", b"order_", b"chat", b"stop", b'stop"', None], eos=261
)


def fired_by_words(rule: str, schema: Any) -> list[str]:
    return [finding.pointer for finding in lint(schema, WORDS, select=[rule])]


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        ({"enum": ["order_id", "order_name", "chat"]}, ["/enum"]),
        (listing("kind", kind={"enum": ["order", "order "]}), ["/properties/kind/enum"]),
        ({"items": {"enum": ["a1", "a2"]}}, ["/items/enum"]),
        ({"enum": ["é", "è"]}, ["/enum"]),  # the first byte is the same
    ],
)
def test_shared_first_token(schema: Any, pointers: list[str]) -> None:
    assert fired_by_words("FRK201", schema) == pointers


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": ["order", "chat"]},
        {"enum": ["order_id"]},
        {"enum": ["stop", "stopped"]},  # the token of the first one holds its closing quote
        {"enum": [1, 10, 100]},
        {"enum": [f"a{number}" for number in range(40)]},  # too many to be called otherwise
        {"enum": "order_id, order_name"},
    ],
)
def test_enums_that_one_token_decides(schema: Any) -> None:
    assert fired_by_words("FRK201", schema) == []


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        ({"enum": ["abcdefghijklm", "x"]}, ["/enum"]),
        (listing("kind", kind={"enum": ["ok", "order_order_order_abcdefghij"]}), ["/properties/kind/enum"]),
        ({"anyOf": [{"enum": ["ü" * 7, "x"]}, {"type": "null"}]}, ["/anyOf/0/enum"]),
    ],
)
def test_many_tokens(schema: Any, pointers: list[str]) -> None:
    assert fired_by_words("FRK202", schema) == pointers


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": ["abcdefghijkl", "x"]},
        {"enum": ["order_order_order_order_order_order_", "x"]},
        {"enum": ["abcdefghijklmnopq"]},  # forced
        {"const": "abcdefghijklmnopq"},
        {"enum": [12345678901234567890, "x"]},
    ],
)
def test_values_of_few_tokens(schema: Any) -> None:
    assert fired_by_words("FRK202", schema) == []


def test_the_count_of_tokens_is_exact() -> None:
    (finding,) = lint({"enum": ["order_abcdefghijkl", "x"]}, WORDS, select=["FRK202"])
    assert finding.message == '"order_abcdefghijkl" takes at least 13 tokens'


def test_rules_about_tokens_need_a_vocabulary() -> None:
    schema = {"enum": ["order_id", "order_name", "a" * 60]}
    assert lint(schema) == []
    assert {finding.rule for finding in lint(schema, vocabulary())} == {"FRK201", "FRK202"}


CLASSES = {"enum": ["billing", "technical", "account"]}


@pytest.mark.parametrize(
    ("schema", "pointers"),
    [
        (listing("category", category=CLASSES, required=["category"]), ["/properties/category/enum"]),
        (listing("rootCause", rootCause=CLASSES, required=["rootCause"]), ["/properties/rootCause/enum"]),
        (
            listing("topic", topic={"$ref": "#/$defs/t"}, required=["topic"]) | {"$defs": {"t": CLASSES}},
            ["/$defs/t/enum"],
        ),
        ({"items": listing("intent", intent=CLASSES, required=["intent"])}, ["/items/properties/intent/enum"]),
    ],
)
def test_no_way_out(schema: Any, pointers: list[str]) -> None:
    assert fired("FRK203", schema) == pointers


@pytest.mark.parametrize(
    "schema",
    [
        listing("category", category={"enum": [*CLASSES["enum"], "other"]}, required=["category"]),
        listing("category", category={"enum": [*CLASSES["enum"], "not_applicable"]}, required=["category"]),
        listing("category", category={"enum": [*CLASSES["enum"], None]}, required=["category"]),
        listing("category", category=CLASSES),  # may be absent
        listing("method", method={"enum": ["GET", "PUT", "POST"]}, required=["method"]),  # there are no others
        listing("storage_class", storage_class=CLASSES, required=["storage_class"]),
        listing("sentiment", sentiment={"enum": ["positive", "negative"]}, required=["sentiment"]),
    ],
)
def test_classes_with_a_way_out(schema: Any) -> None:
    assert fired("FRK203", schema) == []
