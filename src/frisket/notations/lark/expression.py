"""A cursor before the body of a definition → its tree.

Source: lark-parser.readthedocs.io, grammar reference; github.com/guidance-ai/llguidance, docs/syntax.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from frisket.notations.lark.ast import (
    Branch,
    Choice,
    Conjunction,
    Formula,
    LarkDialect,
    Module,
    Name,
    Negation,
    Nested,
    Node,
    Repetition,
    Schema,
    Sequence,
)
from frisket.notations.lark.literal import Literals
from frisket.notations.lark.parameter import parse_condition, parse_parameter
from frisket.notations.production.source import Source

NAME = re.compile(r"_*[A-Za-z](?:[A-Za-z0-9_]|-(?!>))*")
#: White space within a line, a backslash that continues the line, and comments.
SPACE = re.compile(r"(?:[ \t]|\\[ ]*\r?\n|//[^\r\n]*|#[^\r\n]*)*")
SPACE_AND_LINES = re.compile(r"(?:[ \t\r\n]|\\[ ]*\r?\n|//[^\r\n]*|#[^\r\n]*)*")
#: The lines up to a bar, with which an alternative begins in a line of its own. A comment goes to the end of its line.
_NEXT_ALTERNATIVE = re.compile(r"(?:[ \t\r\n]|(?://|#)[^\r\n]*(?![^\r\n]))*(?=\|)")
_COUNT = re.compile(r"~[ \t]*(?=[0-9-])")
_COUNTS = re.compile(r"\{[ \t]*(?=[0-9,-])")
_DIGITS = re.compile("[0-9]+")
_KEYWORD = re.compile(r"%[a-z_]+")
_REPEATS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_CLOSES = {")": "(", "]": "[", "}": "{"}
_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
_OF_OTHER_NOTATIONS = {
    "'": 'Lark has double quotes: "…"',
    ";": "a definition ends with its line",
    "=": "a definition is name: body",
    ":": "a definition begins in a line of its own",
    "@": "write the other grammar in place, as %lark { start: … }",
}


@dataclass(slots=True)
class _Level:
    """An open group: its bracket, what was read of it, and the operators that wait for their operand."""

    bracket: str
    at: int
    branches: list[Branch] = field(default_factory=list)
    conjuncts: list[Node] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)
    #: Offsets of the negations that still need their operand.
    negations: list[int] = field(default_factory=list)
    #: Offset of the last `&`.
    conjoined: int | None = None
    condition: Formula | None = None
    #: Whether the last item may be repeated: it has no count yet.
    may_repeat: bool = False
    #: The template whose arguments these are, and those that are complete.
    template: Name | None = None
    arguments: list[Node] = field(default_factory=list)


class Expressions:
    """Reads bodies; `nested` reads the grammar of `%lark {…}` behind its bracket."""

    def __init__(self, source: Source, dialect: LarkDialect, nested: Callable[[], Module]) -> None:
        self.source = source
        self.literals = Literals(source, dialect)
        self.nested = nested
        self.levels: list[_Level] = []

    def body(self) -> Node:
        """The body up to the end of the definition. A stack holds the open groups, so nesting has no depth limit."""
        source, outer = self.source, self.levels
        self.levels = [_Level("", source.at)]
        while True:
            level = self.levels[-1]
            source.match(SPACE if len(self.levels) == 1 else SPACE_AND_LINES)
            at, char = source.at, source.peek()
            if not char or (char in "\r\n" and source.match(_NEXT_ALTERNATIVE) is None):
                break
            if char in "\r\n":
                continue
            if char == "}" and len(self.levels) == 1:
                break  # of the grammar that this one is nested in
            self.step(level, char, at)
        if len(self.levels) > 1:
            level = self.levels[-1]
            source.fail("the group is not closed", level.at, f"close it with {_CLOSED_BY[level.bracket]}")
        node = self.closed()
        self.levels = outer
        return node

    def step(self, level: _Level, char: str, at: int) -> None:
        """Read one sign or item."""
        source = self.source
        if char == "|":
            source.at += 1
            self.end_branch(level)
        elif char == "&":
            source.at += 1
            if not level.items or level.negations:
                source.fail("there is nothing before &", at)
            level.conjuncts.append(_sequence(level.items))
            level.items, level.conjoined, level.may_repeat = [], at, False
        elif char in "*+?" or (level.may_repeat and _COUNT.match(source.text, at)) or _COUNTS.match(source.text, at):
            self.repeat(level, char, at)
        elif char == "~":
            source.at += 1
            level.negations.append(at)
            level.may_repeat = False
        elif char in "([":
            source.at += 1
            self.levels.append(_Level(char, at))
        elif char in ")]}" and level.bracket == _CLOSES[char]:
            source.at += 1
            self.close(level)
        elif char == "," and level.template is not None:
            source.at += 1
            level.arguments.append(self.ended(level))
            self.levels[-1] = _Level("{", level.at, template=level.template, arguments=level.arguments)
        elif source.take("->"):
            source.match(SPACE)
            if source.match(NAME) is None:
                source.fail(f"expected the name of the alternative after ->, found {source.found()}")
        elif char == "{" and level.items and isinstance(level.items[-1], Name) and level.may_repeat:
            source.at += 1
            template = level.items.pop()
            assert isinstance(template, Name)
            self.levels.append(_Level("{", at, template=template))
        else:
            self.item(level, char, at)

    def item(self, level: _Level, char: str, at: int) -> None:
        if level.condition is not None:
            self.source.fail("a condition is the last part of an alternative", at)
        node = self.value(char, at)
        if node is not None:
            self.add(level, node)

    def value(self, char: str, at: int) -> Node | None:
        """The next item; None for a condition, which is a mark on an item."""
        source, literals = self.source, self.literals
        if char == '"':
            return literals.string()
        if char == "/":
            return literals.regex()
        if char == "<":
            return literals.special()
        if char == "%":
            return self.keyword(at)
        name = source.match(NAME)
        if name is not None:
            if source.take("::"):
                return Name(name, at, parameter=parse_parameter(source, literals))
            return Name(name, at)
        if char == "@":
            source.fail("there is no other grammar to refer to", at, _OF_OTHER_NOTATIONS[char])
        if char in _CLOSES:
            source.fail("there is no group to close", at, f'the character is written "{char}"')
        source.fail(f"unexpected {source.found()}", at, _OF_OTHER_NOTATIONS.get(char))

    def keyword(self, at: int) -> Node | None:
        source = self.source
        word = source.match(_KEYWORD)
        if word == "%json":
            return Schema(self.literals.json(), at)
        if word == "%regex":
            return self.literals.substring(at)
        if word == "%lark":
            source.match(SPACE_AND_LINES)
            source.expect("{", "after %lark")
            return Nested(self.nested(), at)
        if word == "%if":
            source.match(SPACE)
            self.levels[-1].condition = parse_condition(source, self.literals)
            return None
        source.fail(f"{word or '%'} does not stand in a body", at, "there are %json, %regex, %lark and %if")

    def repeat(self, level: _Level, char: str, at: int) -> None:
        source = self.source
        if not level.may_repeat:
            what = "one sign repeats an item; put it in parentheses" if level.items else f'the sign is written "{char}"'
            source.fail(f"there is nothing to repeat before {char}", at, what)
        if char in _REPEATS:
            source.at += 1
            low, high = _REPEATS[char]
        else:
            low, high = self.counts(char, at)
        level.items[-1] = Repetition(level.items[-1], low, high)
        level.may_repeat = False

    def counts(self, char: str, at: int) -> tuple[int, int | None]:
        """`~2`, `~2..4`, `{2}`, `{2,4}`, `{2,}` or `{,4}`."""
        source = self.source
        source.at += 1
        source.match(SPACE)
        low = 0 if source.peek() == "," else self.count()
        source.match(SPACE)
        high: int | None = low
        if char == "~":
            if source.take(".."):
                high = self.count()
        else:
            if source.take(","):
                source.match(SPACE)
                high = None if source.peek() == "}" else self.count()
                source.match(SPACE)
            source.expect("}", "after the counts")
        if high is not None and high < low:
            source.fail(f"at least {low} and at most {high} times is never", at, "the smaller count comes first")
        return low, high

    def count(self) -> int:
        source, at = self.source, self.source.at
        digits = source.match(_DIGITS)
        if digits is None:
            source.fail(f"expected a count, found {source.found()}", at, "counts are ~2, ~2..4, {2}, {2,} and {2,4}")
        return source.count(digits, at)

    # -- groups ---------------------------------------------------------------------------------------------------

    def add(self, level: _Level, node: Node) -> None:
        for at in reversed(level.negations):
            node = Negation(node, at)
        level.negations = []
        level.items.append(node)
        level.may_repeat = True

    def end_branch(self, level: _Level) -> None:
        source = self.source
        if level.negations:
            source.fail(f"expected an operand of ~, found {source.found()}")
        node = _sequence(level.items)
        if level.conjoined is not None:
            if not level.items:
                source.fail(f"expected an operand of &, found {source.found()}")
            node = Conjunction((*level.conjuncts, node), level.conjoined)
        level.branches.append(Branch(node, level.condition))
        level.conjuncts, level.items, level.conjoined, level.condition = [], [], None, None
        level.may_repeat = False

    def ended(self, level: _Level) -> Node:
        """The tree of a group that ends."""
        self.end_branch(level)
        only = level.branches[0]
        return only.node if len(level.branches) == 1 and only.condition is None else Choice(tuple(level.branches))

    def closed(self) -> Node:
        node = self.ended(self.levels[-1])
        self.levels.pop()
        return node

    def close(self, level: _Level) -> None:
        node = self.closed()
        if level.template is not None:
            node = Name(level.template.name, level.template.at, (*level.arguments, node))
        elif level.bracket == "[":
            node = Repetition(node, 0, 1)
        self.add(self.levels[-1], node)


def _sequence(items: list[Node]) -> Node:
    return items[0] if len(items) == 1 else Sequence(tuple(items))
