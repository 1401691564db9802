"""Definitions with templates and parameters → definitions without: one for each use that differs."""

from __future__ import annotations

import difflib
from collections import deque
from dataclasses import replace

from frisket.notations.lark.ast import (
    Branch,
    Choice,
    Definition,
    Module,
    Name,
    Node,
    children,
    postorder,
    with_children,
)
from frisket.notations.lark.library import library_names
from frisket.notations.lark.parameter import evaluate
from frisket.notations.production.source import Source

#: Most instances of one grammar; each becomes a rule of the engine.
_MOST = 20_000
#: Limit steps per instance, per node of its body up to the engine (14 µs), and per condition.
_STEPS, _STEPS_PER_NODE, _STEPS_PER_CONDITION = 1_000, 350, 50
#: Limit bytes per node of a body, as tree and as production.
_BYTES_PER_NODE = 600
#: Most characters of an instance's template and arguments; longer ones count as endless recursion.
_LONGEST = 5_000


class Instances:
    """The definitions that a module's plain ones lead to; `start` among them, with its parameter if it has one."""

    def __init__(self, source: Source, module: Module) -> None:
        self.source = source
        self.known = module.definitions
        self.found: dict[str, Definition] = {}
        #: Instances of parametric rules, which may be empty without error.
        self.parametric: set[str] = set()
        self.agenda: deque[tuple[str, Definition, dict[str, Node], int | None]] = deque()
        for name, definition in self.known.items():
            if not definition.parameters and not definition.is_parametric:
                self.agenda.append((name, definition, {}, None))
            if definition.is_parametric and not any(_asks(node) for node in postorder(definition.body)):
                source.fail(f"the rule {name} never uses its parameter", definition.at, "leave ::_ out")
        self.ignored = [self.resolved(node, {}, None) for node in module.ignored]
        while self.agenda:
            name, definition, arguments, value = self.agenda.popleft()
            if name in self.found:
                continue
            if len(self.found) >= len(self.known) + _MOST:
                source.fail(
                    f"there are more than {_MOST:,} rules with the parameters that come up",
                    definition.at,
                    "use fewer bits, or templates that do not grow",
                )
            source.check(_STEPS)
            body = self.resolved(definition.body, arguments, value)
            attributes = definition.attributes
            if attributes.ending is not None:
                attributes = replace(attributes, ending=self.resolved(attributes.ending, arguments, value))
            self.found[name] = Definition(name, definition.at, body, attributes=attributes)

    def resolved(self, body: Node, arguments: dict[str, Node], value: int | None) -> Node:
        """The body with each name replaced by its instance's name; most bodies stay unchanged."""
        order: list[Node] = []
        agenda = [body]
        is_plain = not arguments
        while agenda:
            node = agenda.pop()
            if isinstance(node, Choice) and any(branch.condition is not None for branch in node.branches):
                self.source.check(_STEPS_PER_CONDITION * len(node.branches))
                node, is_plain = self.chosen(node, value), False
            elif isinstance(node, Name) and (node.arguments or node.parameter is not None):
                is_plain = False
            order.append(node)
            agenda += children(node)
        if is_plain:
            for node in reversed(order):
                if isinstance(node, Name):
                    self.name(node, arguments, value)
            return body
        self.source.check(_STEPS_PER_NODE * len(order), _BYTES_PER_NODE * len(order))
        made: list[Node] = []
        for node in reversed(order):
            if isinstance(node, Name):
                made.append(self.name(node, arguments, value))
                continue
            below = tuple(made.pop() for _ in children(node))
            made.append(with_children(node, below[::-1]))
        return made[0]

    def chosen(self, node: Choice, value: int | None) -> Choice:
        """The alternatives whose conditions hold; calls in the others are never instantiated."""
        return Choice(
            tuple(
                Branch(branch.node)
                for branch in node.branches
                if branch.condition is None or evaluate(branch.condition, value, self.source)
            )
        )

    def instead(self, name: str) -> str:
        """The hint for a name that is not defined."""
        if near := difflib.get_close_matches(name, self.known, n=1):
            return f"is it {near[0]}?"
        if name in library_names():
            return f"add the line: %import common.{name}"
        names = [known for known in self.known if known.isupper() == name.isupper()]
        if not names:
            return f"add a line that says what it is, as in: {name}: /[a-z]+/"
        return f"there are {', '.join(names[:10])}" + (f" and {len(names) - 10} more" if len(names) > 10 else "")

    def name(self, node: Name, arguments: dict[str, Node], value: int | None) -> Node:
        source, name = self.source, node.name
        if name in arguments and not node.arguments and node.parameter is None:
            return arguments[name]
        definition = self.known.get(name)
        if definition is None:
            source.fail(f"there is no {'terminal' if name.isupper() else 'rule'} {name}", node.at, self.instead(name))
        if len(node.arguments) != len(definition.parameters):
            source.fail(
                f"{name} takes {len(definition.parameters) or 'no'} arguments, got {len(node.arguments)}", node.at
            )
        if definition.is_parametric != (node.parameter is not None):
            hint = f"as in {name}::0" if definition.is_parametric else f"write {name}::_ where it is defined"
            what = "takes a parameter" if definition.is_parametric else "has no parameter"
            source.fail(f"the rule {name} {what}", node.at, hint)
        if node.parameter is not None:
            given = evaluate(node.parameter, value, source)
            key = f"{name}::{given}"
            self.parametric.add(key)
            self.agenda.append((key, definition, {}, given))
            return Name(key, node.at)
        if definition.parameters:
            below = tuple(self.resolved(argument, arguments, value) for argument in node.arguments)
            key = f"{name}{{{', '.join(_spelled(argument) for argument in below)}}}"
            if len(key) > _LONGEST:
                source.fail(f"the arguments of {name} grow without end", node.at, "call it with what it was given")
            self.agenda.append((key, definition, dict(zip(definition.parameters, below, strict=True)), value))
            return Name(key, node.at)
        return node


def _asks(node: Node) -> bool:
    """Whether the node depends on the rule's parameter."""
    if isinstance(node, Choice):
        return any(branch.condition is not None for branch in node.branches)
    return isinstance(node, Name) and node.parameter is not None and node.parameter.function != "number"


def _spelled(node: Node) -> str:
    """The key text of an argument; equal arguments have equal keys."""
    if isinstance(node, Name):
        return node.name
    parts = [f"{slot}={getattr(node, slot)!r}" for slot in node.__slots__ if slot in _SAID]
    below = [_spelled(child) for child in children(node)]
    return f"{type(node).__name__}({', '.join(parts + below)})"


#: Fields that distinguish leaf nodes.
_SAID = ("any_case", "chunks", "flags", "high", "is_shortest", "low", "name", "pattern", "text", "value")
