"""Lark file → what it says, as a tree, before templates, parameters and lazy terminals are resolved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Literal, TypeAlias

#: The implementation whose reading of Lark's notation applies where implementations differ.
LarkDialect: TypeAlias = Literal["llguidance", "lark", "xgrammar"]


@dataclass(slots=True, eq=False)
class Text:
    """`"text"`, in any case of its letters after `i`."""

    text: str
    any_case: bool
    at: int


@dataclass(slots=True, eq=False)
class Span:
    """`"a".."z"`, one character between two."""

    low: int
    high: int
    at: int


@dataclass(slots=True, eq=False)
class Regex:
    """`/pattern/flags`, translated to Python's dialect; of its texts only the shortest if `is_shortest`."""

    pattern: str
    flags: str
    is_shortest: bool
    at: int


@dataclass(slots=True, eq=False)
class Substring:
    """`%regex {"substring_…": …}`, some of these chunks that stand side by side; none, too."""

    chunks: tuple[str, ...]
    at: int


@dataclass(slots=True, eq=False)
class Special:
    """`<|name|>`, the special token of that name."""

    name: str
    at: int


@dataclass(slots=True, eq=False)
class Schema:
    """`%json {…}`, the documents of a JSON Schema."""

    value: Any
    at: int


@dataclass(slots=True, eq=False)
class Nested:
    """`%lark {…}`, a grammar with names of its own."""

    module: Module
    at: int


@dataclass(slots=True, eq=False)
class Name:
    """A rule, a terminal, a template's parameter, or a template with its arguments."""

    name: str
    at: int
    arguments: tuple[Node, ...] = ()
    #: The argument after `::`, of a parametric rule.
    parameter: Formula | None = None


@dataclass(slots=True, eq=False)
class Sequence:
    """One after the other; without items, the empty text."""

    items: tuple[Node, ...]


@dataclass(slots=True, eq=False)
class Branch:
    """One alternative, and the condition after `%if`."""

    node: Node
    condition: Formula | None = None


@dataclass(slots=True, eq=False)
class Choice:
    """Any one of the alternatives whose conditions hold."""

    branches: tuple[Branch, ...]


@dataclass(slots=True, eq=False)
class Repetition:
    """`item` `low` to `high` times; `high` None is no limit."""

    item: Node
    low: int
    high: int | None


@dataclass(slots=True, eq=False)
class Conjunction:
    """`A & B`, the texts of all items."""

    items: tuple[Node, ...]
    at: int


@dataclass(slots=True, eq=False)
class Negation:
    """`~A`, the byte strings that are no text of the item."""

    item: Node
    at: int


@dataclass(slots=True, eq=False)
class Cut:
    """The texts of a terminal in which none of the lazy rules would have ended: at its end, or at most before it."""

    item: Node
    lazy: tuple[str, ...]
    before_end: bool
    at: int


Node: TypeAlias = (
    Text
    | Span
    | Regex
    | Substring
    | Special
    | Schema
    | Nested
    | Name
    | Sequence
    | Choice
    | Repetition
    | Conjunction
    | Negation
    | Cut
)


@dataclass(frozen=True, slots=True)
class Formula:
    """A computation or condition of a parametric rule: a function of its parameter, its operands, and its place."""

    function: str
    operands: tuple[Formula | int | tuple[int, int], ...]
    at: int


@dataclass(slots=True, eq=False)
class Attributes:
    """The attributes in brackets behind a rule's name, as far as they change the texts."""

    #: Where `lazy`, `suffix` or `stop` stands.
    lazy_at: int | None = None
    #: The ending of the rule, part of its texts.
    ending: Node | None = None
    #: `stop=""` makes a terminal of the rule, which nothing but the end of the text must end.
    is_terminal: bool = False
    max_chars: int | None = None


@dataclass(slots=True, eq=False)
class Definition:
    """A rule or a terminal."""

    name: str
    at: int
    body: Node
    #: The parameters of a template.
    parameters: tuple[str, ...] = ()
    is_parametric: bool = False
    attributes: Attributes = field(default_factory=Attributes)

    @property
    def is_terminal(self) -> bool:
        return is_terminal(self.name)


@dataclass(slots=True, eq=False)
class Module:
    """One grammar: its definitions by name, what may stand between its terminals, its options."""

    definitions: dict[str, Definition] = field(default_factory=dict)
    ignored: list[Node] = field(default_factory=list)
    #: Terminals of `%declare`, which have no texts, by name; and where they are declared.
    declared: dict[str, int] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


def is_terminal(name: str) -> bool:
    """Whether the name is a terminal's: its first letter is a capital."""
    return name.rpartition(".")[2].lstrip("_")[:1].isupper()


#: How to get at the nodes below a node, by its type; leaves are not there. A table, since every pass over a grammar
#: asks this of every node.
_BELOW: dict[type, Callable[[Any], tuple[Node, ...]]] = {
    Sequence: attrgetter("items"),
    Conjunction: attrgetter("items"),
    Choice: lambda node: tuple([branch.node for branch in node.branches]),
    Repetition: lambda node: (node.item,),
    Negation: lambda node: (node.item,),
    Cut: lambda node: (node.item,),
}


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below, a template's arguments aside."""
    below = _BELOW.get(type(node))
    return () if below is None else below(node)


def postorder(body: Node) -> list[Node]:
    """All nodes of a body, each one after those below it; without recursion, since groups may nest deep."""
    found: list[Node] = []
    agenda = [body]
    while agenda:
        node = agenda.pop()
        found.append(node)
        below = _BELOW.get(type(node))
        if below is not None:
            agenda += below(node)
    found.reverse()
    return found


def with_children(node: Node, below: tuple[Node, ...]) -> Node:
    """The node with others in place of those directly below."""
    match node:
        case Sequence():
            return Sequence(below)
        case Conjunction(_, at):
            return Conjunction(below, at)
        case Choice(branches):
            return Choice(tuple(Branch(new, branch.condition) for new, branch in zip(below, branches, strict=True)))
        case Repetition(_, low, high):
            return Repetition(below[0], low, high)
        case Negation(_, at):
            return Negation(below[0], at)
        case Cut(_, lazy, before_end, at):
            return Cut(below[0], lazy, before_end, at)
    return node
