"""Rules of a grammar → the reference's nodes: lowered without a thought for speed, rule by rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn, TypeAlias

from frisket._core import GrammarBuilder, front_end
from frisket.errors import GrammarSyntaxError
from frisket.notations.rules import NOTATIONS
from frisket.reference import (
    NOTHING,
    Node,
    Rule,
    alt,
    both,
    byte,
    cat,
    char,
    complement,
    literal,
    parse_regex,
    repeat,
    special,
)


class Body(NamedTuple):
    """A node of a rule's body: its kind, the nodes below, and what it says."""

    kind: str
    below: list[Body]
    said: tuple[Any, ...]


Bodies: TypeAlias = dict[str, Body]


def parsed(notation: str, text: str, **keywords: Any) -> Node:
    """The root's rule of a grammar in one of the notations."""
    option, usual = NOTATIONS[f"from_{notation}"]
    root = keywords.get("start" if notation == "lark" else "root")
    chosen = None if option is None else keywords.get(option, usual)
    asked = (f"from_{notation}", chosen, root, _no_schema)
    try:
        start, rules = front_end.read_rules(GrammarBuilder(), text, asked)
    except front_end.Fault as fault:
        raise GrammarSyntaxError(fault.args[0]) from None
    return to_reference({name: _body(nodes) for name, _, _, nodes in rules}, start)


def _no_schema(*_: object) -> NoReturn:
    raise GrammarSyntaxError("what the reference does not read")


def _body(nodes: list[tuple[Any, ...]]) -> Body:
    """The tree of nodes that stand in postorder."""
    made: list[Body] = []
    for kind, count, *said in nodes:
        below = made[len(made) - count :]
        del made[len(made) - count :]
        made.append(Body(kind, below, tuple(said)))
    return made[0]


def to_reference(bodies: Bodies, root: str) -> Node:
    """The rule of that name."""
    rules = {name: Rule(name) for name in bodies}
    for name, body in bodies.items():
        rules[name].body = _node(body, bodies, rules)
    return rules[root]


_LEAVES: dict[str, Callable[..., Node]] = {
    "Text": lambda text: literal(text.encode()),
    "Chars": lambda ranges: char(*ranges),
    "Octets": lambda ranges: byte(*ranges),
    "Token": special,
}


def _node(body: Body, bodies: Bodies, rules: dict[str, Rule]) -> Node:
    kind, below, said = body
    if kind in _LEAVES:
        return _LEAVES[kind](*said)
    if kind == "Call":
        return rules[said[0]]
    if kind == "Pattern" and not said[1]:
        return parse_regex(said[0])
    if kind in ("Pattern", "Part"):
        raise GrammarSyntaxError("what the reference does not read")
    if kind in ("Seq", "Alt", "Repeat"):
        return _operator(body, [_node(child, bodies, rules) for child in below])
    return _operator(body, [_regular(child, bodies) for child in below])


def _operator(body: Body, below: list[Node]) -> Node:
    match body.kind:
        case "Repeat":
            return repeat(below[0], *body.said)
        case "Seq":
            return cat(*below)
        case "Alt":
            return alt(*below) if below else NOTHING
        case "Except":
            return both(below[0], complement(below[1]))
        case "Both":
            return both(*below)
        case "Complement":
            return complement(below[0])
        case "Shortest":
            return both(below[0], complement(cat(below[0], repeat(byte((0, 255)), 1))))
    raise NotImplementedError(body.kind)


def _regular(body: Body, bodies: Bodies) -> Node:
    """Of one side of an operator between regular parts: calls are replaced by what they call."""
    if _is_recursive(body, bodies):
        raise GrammarSyntaxError("the side of an operator calls itself")
    return _inlined(body, bodies)


def _is_recursive(body: Body, bodies: Bodies, within: tuple[str, ...] = ()) -> bool:
    if body.kind == "Call":
        name = body.said[0]
        return name in within or _is_recursive(bodies[name], bodies, (*within, name))
    return any(_is_recursive(child, bodies, within) for child in body.below)


def _inlined(body: Body, bodies: Bodies) -> Node:
    if body.kind == "Call":
        return _inlined(bodies[body.said[0]], bodies)
    if not body.below and body.kind not in ("Seq", "Alt"):
        return _node(body, bodies, {})
    return _operator(body, [_inlined(child, bodies) for child in body.below])
