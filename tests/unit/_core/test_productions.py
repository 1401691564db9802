"""The rules that a front end gives to the engine: what is no tree, and what is wrong with rules."""

from __future__ import annotations

import pytest

from frisket._core import GrammarBuilder, front_end


def rules(**bodies: list[tuple[object, ...]]) -> front_end.Productions:
    made = front_end.Productions()
    for name, calls in bodies.items():
        for method, *arguments in calls:
            getattr(made, str(method))(*arguments)
        made.define(name, name)
    return made


def test_rules_become_a_node() -> None:
    made = rules(
        root=[("text", "a"), ("call", "more", 3), ("seq", 2)], more=[("octets", [(0x62, 0x63)]), ("repeat", 0, 2)]
    )
    builder = GrammarBuilder()
    assert made.check("root") == ["root", "more"]
    grammar = builder.build(made.lower(builder))
    assert [grammar.accepts(text) for text in (b"a", b"abc", b"abcb", b"b")] == [True, True, False, False]
    assert (sorted(made.with_text()), made.nullable()) == (["more", "root"], ["more"])


def test_what_is_no_tree_is_refused() -> None:
    made = front_end.Productions()
    with pytest.raises(ValueError, match="there are 0 nodes to join, not 1"):
        made.repeat(0, None)
    with pytest.raises(ValueError, match="a body is one node, not 0"):
        made.define("root", "root")
    made.text("a")
    made.define("root", "root")
    made.text("b")
    with pytest.raises(ValueError, match="the rule root is there already"):
        made.define("root", "root")
    with pytest.raises(ValueError, match="the rules were not checked"):
        made.lower(GrammarBuilder())
    with pytest.raises(ValueError, match="there is no leaf 0"):
        builder = GrammarBuilder()
        made.give(builder, 0, builder.epsilon(), False)


@pytest.mark.parametrize(
    "bodies, flaw",
    [
        ({"root": [("call", "other", 7)]}, ("undefined", "other", 7, False)),
        ({"root": [("call", "root", 7)]}, ("circular", "root", 0, True)),
        ({"root": [("chars", [])]}, ("textless", "root", 0, True)),
        ({"root": [("token", "<s>"), ("complement", 5)]}, ("irregular", "", 5, False)),
        ({"root": [("token", "<s>"), ("text", "a"), ("exclude", 5)]}, ("irregular exception", "", 5, False)),
        ({"root": [("text", "a"), ("text", "a"), ("exclude", 5)]}, ("empty exception", "", 5, False)),
        ({"root": [("text", "a"), ("text", "b"), ("both", 2, 5)]}, ("excluded", "root", 0, True)),
    ],
)
def test_a_flaw_names_its_kind_and_place(bodies: dict[str, list[tuple[object, ...]]], flaw: tuple[object, ...]) -> None:
    made = rules(**bodies)
    with pytest.raises(front_end.Flaw) as caught:
        made.check("root")
        made.lower(GrammarBuilder())
    assert caught.value.args == flaw
