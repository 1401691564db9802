"""A schema that goes on from the prelude means what it means without one."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from frisket import _core
from frisket._core.front_end import Prelude
from frisket.errors import EmptyGrammarError, GrammarError
from frisket.grammar import Grammar
from frisket.json_schema import JSONSchemaOptions, compile_json_schema, lower_json_schema

SCHEMAS: list[Any] = [
    True,
    {"type": "object", "properties": {"a": {"type": "integer"}}},
    {"type": "array", "items": {"type": ["string", "null", "number"]}},
    {"type": "object", "additionalProperties": {"$ref": "#"}, "maxProperties": 1},
    {"not": {"type": "object"}},
]
TEXTS = [
    *("{}", '{"a":1}', '{"a":"1"}', '{"b":[{"c":null}]}', '{ "a" : 1 }', '{"a":{},"b":{}}', '{"a":{"b":{}}}'),
    *("[]", '["x",null,2.5]', "[[]]", "[true]", "null", "1", '"x"', " 1 ", "{\n  \"a\": 1\n}", '{"a":01}'),
]  # fmt: skip
OPTIONS = [
    JSONSchemaOptions(),
    JSONSchemaOptions.free(),
    JSONSchemaOptions(whitespace="compact"),
    JSONSchemaOptions(whitespace="pretty"),
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: options.whitespace)
@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_same_texts(schema: Any, options: JSONSchemaOptions) -> None:
    builder = _core.GrammarBuilder()
    alone = builder.build(lower_json_schema(builder, schema, options)[0])
    forked, _ = compile_json_schema(schema, options)
    for text in TEXTS:
        assert forked.accepts(text.encode()) == alone.accepts(text.encode()), text


def test_forks_know_the_rules_that_they_have() -> None:
    """Rules are prepared once for all forks: those with others, with none yet and with recursion are not mixed up."""
    builder = _core.GrammarBuilder()
    digit = builder.byte_class([(0x30, 0x39)])
    total = builder.rule("total")  # left-recursive
    builder.define(total, builder.alt([digit, builder.seq([total, builder.literal(b"+"), digit])]))
    endless = builder.rule("endless")
    builder.define(endless, builder.seq([digit, endless]))
    signs: dict[str, Any] = {
        name: builder.literal(sign)
        for name, sign in (("open", b"{"), ("close", b"}"), ("colon", b":"), ("comma", b","), ("empty", b"{}"))
    }

    def member(fork: _core.GrammarBuilder, node: int, *, needed: bool = True) -> int:
        return fork.object([("a", needed, [(node, 0)])], [], **signs)

    for _ in range(2):
        fork = builder.fork()
        grammar = fork.build(member(fork, total))
        assert grammar.accepts(b'{"a":1+2+3}') and not grammar.accepts(b'{"a":1+}') and not grammar.accepts(b"{}")
        fork = builder.fork()
        with pytest.raises(EmptyGrammarError):
            fork.build(member(fork, member(fork, endless)))
        fork = builder.fork()
        grammar = fork.build(member(fork, member(fork, endless), needed=False))
        assert grammar.accepts(b"{}") and not grammar.accepts_prefix(b'{"')
        fork = builder.fork()
        own = fork.rule("own")
        fork.define(own, fork.alt([total, member(fork, own)]))
        grammar = fork.build(own)
        assert grammar.accepts(b'{"a":{"a":1+2}}') and not grammar.accepts(b'{"a":{}}')
        # The next round forks a builder that has grown, the last rule of which is not defined in all forks.
        late = builder.rule("late")
        fork, other = builder.fork(), builder.fork()
        fork.define(late, fork.literal(b"x"))
        second = fork.fork()
        for one in (second, fork):
            assert one.build(member(one, late)).accepts(b'{"a":x}')
        with pytest.raises(GrammarError):
            other.build(member(other, total))
        builder.define(late, builder.literal(b"y"))
        grammar = builder.fork().build(late)
        assert grammar.accepts(b"y") and not grammar.accepts(b"x")


def test_many_threads() -> None:
    def work(seed: int) -> bool:
        for i in range(60):
            grammar = Grammar.from_json_schema({"properties": {f"p{seed}-{i}": {"const": i}}, "minProperties": 1})
            if not grammar.accepts(f'{{"p{seed}-{i}":{i}}}') or grammar.accepts(f'{{"p{seed}-{i}":{i + 1}}}'):
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


def test_threads_may_compile_first_schemas_at_once() -> None:
    # The first fork of a prelude prepares what all others use, and gives other threads their turns meanwhile.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for number in range(8):
            prelude = Prelude(JSONSchemaOptions(max_integer_digits=20 + number))
            gate = threading.Barrier(4)

            def fork(prelude: Prelude = prelude, gate: threading.Barrier = gate) -> None:
                gate.wait()
                prelude.fork()

            with ThreadPoolExecutor(4) as pool:
                for future in [pool.submit(fork) for _ in range(4)]:
                    future.result()
    finally:
        sys.setswitchinterval(interval)
