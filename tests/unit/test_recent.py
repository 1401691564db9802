"""What was compiled lately is found again, and nothing else."""

from __future__ import annotations

import marshal
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest

from frisket import compiled_schema, json_schema
from frisket.compiled_schema import compiled_lately
from frisket.errors import LimitExceededError, UnsupportedSchemaError
from frisket.grammar import Grammar
from frisket.json_schema import JSONSchemaOptions
from frisket.recent import Recent, content


class TestRecent:
    def test_the_least_recently_used_goes_first(self) -> None:
        recent: Recent[str] = Recent(count=2, weight=100)
        recent.put("a", "A", 1)
        recent.put("b", "B", 1)
        assert recent.get("a") == "A"
        recent.put("c", "C", 1)
        assert [recent.get(key) for key in "abc"] == ["A", None, "C"]

    def test_weight_is_bounded_too(self) -> None:
        recent: Recent[str] = Recent(count=10, weight=10)
        recent.put("a", "A", 6)
        recent.put("b", "B", 6)
        recent.put("c", "C", 11)
        assert [recent.get(key) for key in "abc"] == [None, "B", None]

    def test_what_is_put_again_counts_once(self) -> None:
        recent: Recent[str] = Recent(count=10, weight=10)
        for _ in range(5):
            recent.put("a", "A", 6)
        recent.put("b", "B", 4)
        assert recent.get("a") == "A" and recent.get("b") == "B"

    def test_what_is_cleared_is_gone(self) -> None:
        recent: Recent[str] = Recent(count=10, weight=10)
        recent.put("a", "A", 6)
        recent.clear()
        assert recent.get("a") is None and len(recent) == 0
        recent.put("b", "B", 9)
        assert recent.get("b") == "B"

    def test_what_goes_may_look_at_what_stays(self) -> None:
        recent: Recent[Any] = Recent(count=1, weight=10)
        seen: list[int] = []

        class Last:
            def __del__(self) -> None:
                seen.append(len(recent))

        recent.put("a", Last(), 1)
        recent.put("b", "B", 1)
        assert seen == [1] and recent.get("b") == "B"

    def test_threads(self) -> None:
        recent: Recent[int] = Recent(count=5, weight=50)

        def work(seed: int) -> None:
            for i in range(2000):
                key = (seed * 7 + i) % 11
                if (found := recent.get(key)) is not None:
                    assert found == key
                recent.put(key, key, 1 + key)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(4)))
        assert 0 < len(recent) <= 5


class TestContent:
    def test_equal_values_have_equal_bytes(self) -> None:
        text = "".join(["x", "y"])
        assert content({"a": [text, text]}) == content({"a": ["xy", "".join(["x", "y"])]})

    @pytest.mark.parametrize(
        ("left", "right"), [(1, 1.0), (1, True), (0, False), ("1", 1), ({"a": 1, "b": 2}, {"b": 2, "a": 1}), ([], {})]
    )
    def test_what_differs_to_a_schema_differs(self, left: object, right: object) -> None:
        assert content(left) != content(right)

    @pytest.mark.parametrize(
        "value",
        [
            *(
                None,
                True,
                False,
                0,
                -1,
                2**31 - 1,
                2**31,
                -(2**31),
                -(2**31) - 1,
                10**40,
                0.0,
                -0.0,
                1e300,
                float("inf"),
            ),
            *("", "a", "é\0", "\U0001f600", "\ud800", [], {}, [[1, "a", None], {"b": [True, 1.5]}], {"a": {"b": {}}}),
            *({1: 2, None: [3]}, (1, 2), b"bytes"),
        ],
    )
    def test_the_engine_writes_what_python_writes(self, value: object) -> None:
        assert content(value) == marshal.dumps(value, 2)
        assert content({"in": [value]}) == marshal.dumps({"in": [value]}, 2)

    def test_deep_values(self) -> None:
        for depth in (150, 199, 200, 201, 1_000):
            value: Any = 1
            for _ in range(depth):
                value = [value]
            assert content(value) == marshal.dumps(value, 2)
        assert content(["x" * 100_000] * 50) == marshal.dumps(["x" * 100_000] * 50, 2)
        endless: list[Any] = []
        endless.append(endless)
        assert content(endless) is None

    def test_what_is_not_plain_has_none(self) -> None:
        assert content({"minimum": Decimal(1)}) is None


class TestGrammar:
    def test_the_same_content_is_the_same_rules(self) -> None:
        first = Grammar.from_json_schema({"enum": ["recent", "content"]})
        schema = {"enum": ["recent", "content"]}
        second = Grammar.from_json_schema(schema)
        assert second.core is first.core
        assert second.schema is schema

    def test_options_and_the_order_of_keys_tell_apart(self) -> None:
        schema = {"properties": {"a": True, "b": True}, "required": ["a", "b"]}
        other = {"properties": {"b": True, "a": True}, "required": ["b", "a"]}
        assert Grammar.from_json_schema(schema).accepts('{"a":1,"b":1}')
        assert not Grammar.from_json_schema(other).accepts('{"a":1,"b":1}')
        assert Grammar.from_json_schema(other, JSONSchemaOptions(property_order="any")).accepts('{"a":1,"b":1}')

    def test_a_changed_schema_is_compiled_anew(self) -> None:
        schema = {"const": 1}
        assert Grammar.from_json_schema(schema).accepts("1")
        schema["const"] = 2
        assert Grammar.from_json_schema(schema).accepts("2")

    def test_rules_that_are_large_are_not_kept(self) -> None:
        schema = {"type": "string", "pattern": "^" + "ab?" * 330_000}
        grammar = Grammar.from_json_schema(schema)
        assert grammar.core.memory_bytes > compiled_lately.weight
        assert Grammar.from_json_schema(schema).core is not grammar.core

    def test_a_refusal_is_not_kept(self) -> None:
        unique = {"not": {"uniqueItems": True}, "type": "array"}
        for _ in range(2):
            before = len(compiled_lately)
            with pytest.raises(UnsupportedSchemaError):
                Grammar.from_json_schema(unique)
            assert len(compiled_lately) == before

    def test_a_limit_is_not_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        schema = {"const": "limited once"}

        def tired(*_: object) -> None:
            raise LimitExceededError("too much")

        with monkeypatch.context() as patch:
            patch.setattr(json_schema, "compile_json_schema", tired)
            with pytest.raises(LimitExceededError):
                Grammar.from_json_schema(schema, JSONSchemaOptions())
        assert Grammar.from_json_schema(schema).accepts('"limited once"')

    def test_a_relaxed_grammar_still_validates(self) -> None:
        pytest.importorskip("jsonschema_rs")
        schema = {"type": "array", "not": {"uniqueItems": True}}
        for _ in range(2):
            grammar = Grammar.from_json_schema(schema, JSONSchemaOptions(relaxed=True))
            with pytest.raises(Exception, match="breaks its schema"):
                grammar.value("[1, 2]")


def test_a_schema_that_changes_while_it_is_read_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where another thread changes a dict behind the look-up."""
    front_end = compiled_schema.front_end()
    read = front_end.compile_json_schema

    def changed(schema: dict[str, object], *others: object) -> object:
        schema["const"] = "another"
        return read(schema, *others)

    with monkeypatch.context() as patch:
        patch.setattr(front_end, "compile_json_schema", changed)
        Grammar.from_json_schema({"const": "one that changes"})
    assert Grammar.from_json_schema({"const": "one that changes"}).accepts('"one that changes"')
