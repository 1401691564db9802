"""Productions → the text of an equal grammar in GBNF or in the W3C's EBNF.

A construct that the notation lacks (an intersection, bytes that are no characters, a JSON Schema) raises a GrammarError
that names the rule.
"""

from __future__ import annotations

import re
from typing import NoReturn

from frisket.errors import GrammarError
from frisket.notations.production.ast import (
    Alt,
    Chars,
    Except,
    Node,
    Octets,
    Pattern,
    Productions,
    Reference,
    Repeat,
    Seq,
    Text,
    Token,
    children,
    postorder,
    reachable,
)
from frisket.notations.regex import ast as regex
from frisket.notations.regex import unicode
from frisket.notations.regex.unicode import CharSet

#: Precedence of a printed text: alternatives, a sequence, a repeated item, a single item.
_ALT, _SEQ, _REPEAT, _ITEM = 0, 1, 2, 3
#: Largest count that is written out as so many items, in a notation without counts.
_MOST_ROUNDS = 1_000


class Printer:
    """Writes productions; a subclass for each notation writes items. None stands for a body that nothing matches."""

    notation = ""
    defines = " ::= "

    def __init__(self, productions: Productions, root: str) -> None:
        self.productions = productions
        self.root = root
        self.rules = reachable(productions, root)
        self.names = self.named()
        self.rule = root

    def text(self) -> str:
        """All rules that the root needs, the root first."""
        lines = []
        for name in self.rules:
            self.rule = name
            said = self.spelled(self.productions[name].body)
            if said is None:
                self.fail("nothing")
            lines.append(f"{self.names[name]}{self.defines}{said[0]}\n")
        return "".join(lines)

    def fail(self, what: str) -> NoReturn:
        raise GrammarError(f"{self.notation} cannot say {what}", where=f"rule {self.productions[self.rule].name}")

    def named(self) -> dict[str, str]:
        """A name for each rule that all notations allow: letters, digits and hyphens."""
        found: dict[str, str] = {self.root: "root"}
        taken = {"root"}
        for name in self.rules:
            if name in found:
                continue
            plain = re.sub("[^A-Za-z0-9]+", "-", name).strip("-") or "rule"
            plain = plain if plain[0].isalpha() else f"rule-{plain}"
            number, unique = 1, plain
            while unique in taken:
                number += 1
                unique = f"{plain}-{number}"
            found[name] = unique
            taken.add(unique)
        return found

    def spelled(self, body: Node) -> tuple[str, int] | None:
        """(the text of a body, its precedence); None if nothing matches the body."""
        made: dict[int, tuple[str, int] | None] = {}
        for node in postorder(body):
            made[id(node)] = self.node(node, [made[id(child)] for child in children(node)])
        return made[id(body)]

    def node(self, node: Node, below: list[tuple[str, int] | None]) -> tuple[str, int] | None:
        match node:
            case Text(text):
                return self.literal(text) if text else self.empty()
            case Chars(ranges):
                return (self.chars(ranges), _ITEM) if ranges else None
            case Octets(ranges):
                if any(high > 0x7F for _, high in ranges):
                    self.fail("bytes that are no characters")
                return (self.chars(ranges), _ITEM) if ranges else None
            case Reference(name, _):
                return self.names[name], _ITEM
            case Pattern(pattern, flags, _, dialect):
                return self.spelled(_production(regex.parse(pattern, dialect, flags, is_released=True), self))
            case Token(name):
                return self.token(name), _ITEM
            case Seq():
                if not below:
                    return self.empty()
                known = [part for part in below if part is not None]
                if len(known) < len(below):
                    return None
                return known[0] if len(known) == 1 else (" ".join(_within(part, _REPEAT) for part in known), _SEQ)
            case Alt():
                known = [part for part in below if part is not None]
                if len(known) < 2:
                    return known[0] if known else None
                return " | ".join(_within(part, _SEQ) for part in known), _ALT
            case Repeat(_, low, high):
                if high == 0 or below[0] is None:
                    return self.empty() if low == 0 else None
                return self.repeat(_within(below[0], _ITEM), low, high)
            case Except():
                item, excluded = below
                return item if item is None or excluded is None else self.difference(item, excluded)
        self.fail("an intersection, a complement or another notation's grammar")

    def empty(self) -> tuple[str, int]:
        """The empty text."""
        return '""', _ITEM

    def literal(self, text: str) -> tuple[str, int]:
        """A text of at least one character."""
        raise NotImplementedError

    def chars(self, ranges: CharSet) -> str:
        """One character in any of the ranges."""
        raise NotImplementedError

    def token(self, name: str) -> str:
        """A special token."""
        self.fail("a special token")

    def repeat(self, item: str, low: int, high: int | None) -> tuple[str, int]:
        """An item `low` to `high` times."""
        raise NotImplementedError

    def difference(self, item: tuple[str, int], excluded: tuple[str, int]) -> tuple[str, int]:
        """The texts of the first body except those of the second."""
        self.fail("an exception")


class GBNF(Printer):
    notation = "GBNF"

    def literal(self, text: str) -> tuple[str, int]:
        return '"' + "".join(_escaped(char, '"\\') for char in text) + '"', _ITEM

    def chars(self, ranges: CharSet) -> str:
        if ranges == unicode.ALL:
            return "."
        return "[" + "".join(_range(low, high) for low, high in ranges) + "]"

    def token(self, name: str) -> str:
        return name

    def repeat(self, item: str, low: int, high: int | None) -> tuple[str, int]:
        sign = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((low, high))
        counts = f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"
        return f"{item}{sign or counts}", _REPEAT


class W3C(Printer):
    notation = "EBNF"

    def empty(self) -> tuple[str, int]:
        return "''", _ITEM

    def literal(self, text: str) -> tuple[str, int]:
        runs = re.findall(r"[^'\x00-\x1f\x7f]+|.", text, re.DOTALL)
        parts = [
            part
            for run in runs
            for part in ([f"'{run}'"] if run.isprintable() and "'" not in run else [f"#x{ord(char):X}" for char in run])
        ]
        return (parts[0], _ITEM) if len(parts) == 1 else (f"({' '.join(parts)})", _ITEM)

    def chars(self, ranges: CharSet) -> str:
        ends = [(f"#x{low:X}", f"#x{high:X}") for low, high in ranges]
        return "[" + "".join(low if low == high else f"{low}-{high}" for low, high in ends) + "]"

    def repeat(self, item: str, low: int, high: int | None) -> tuple[str, int]:
        if max(low, high or 0) > _MOST_ROUNDS:
            self.fail(f"more than {_MOST_ROUNDS:,} rounds")
        sign = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((low, high))
        if sign:
            return f"{item}{sign}", _REPEAT
        if high is None:
            return " ".join([item] * (low - 1) + [f"{item}+"]), _SEQ
        rest = ""
        for _ in range(high - low):
            rest = f"({item} {rest})?" if rest else f"{item}?"
        return " ".join([item] * low + ([rest] if rest else [])), _SEQ

    def difference(self, item: tuple[str, int], excluded: tuple[str, int]) -> tuple[str, int]:
        return f"({_within(item, _ITEM)} - {_within(excluded, _ITEM)})", _ITEM


def _within(part: tuple[str, int], tightness: int) -> str:
    return part[0] if part[1] >= tightness else f"({part[0]})"


def _escaped(char: str, special: str) -> str:
    if char in special:
        return f"\\{char}"
    if char in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[char]
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _range(low: int, high: int) -> str:
    ends = [_escaped(chr(point), "[]\\-") if point != ord("^") else "\\x5e" for point in (low, high)]
    return ends[0] if low == high else "-".join(ends)


def _production(node: regex.Node, printer: Printer) -> Node:
    """The syntax tree of a pattern as a tree of productions."""
    match node:
        case regex.Text(text):
            return Text(text)
        case regex.Chars(ranges):
            return Chars(ranges)
        case regex.Seq(items):
            return Seq(tuple(_production(item, printer) for item in items))
        case regex.Alt(items):
            return Alt(tuple(_production(item, printer) for item in items))
        case regex.Repeat(item, low, high):
            return Repeat(_production(item, printer), low, high)
    printer.fail("an assertion of a pattern")
