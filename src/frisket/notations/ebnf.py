"""EBNF in the dialects of the W3C and of ISO → productions → structural node.

`w3c`: `name ::= body`, white space between items, `?`, `*` and `+` behind them, `#x41`, classes, `A - B`. The next rule
begins where a name and `::=` stand. `iso`: `name = body;`, a comma between items, `[a]`, `{a}`, `2 * a`, `A - B`.

Sources: Extensible Markup Language 1.0 (fifth edition), section 6; ISO/IEC 14977:1996.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

from frisket.notations.production.ast import (
    Chars,
    Groups,
    Node,
    Production,
    Productions,
    Reference,
    Repeat,
    Seq,
    Text,
)
from frisket.notations.production.lower import lower_productions
from frisket.notations.production.source import Source
from frisket.notations.regex import unicode

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

EBNFDialect: TypeAlias = Literal["w3c", "iso"]


def lower_ebnf(builder: GrammarBuilder, text: str, *, root: str | None = None, dialect: EBNFDialect = "w3c") -> int:
    """The node of a rule, of the first one if `root` is None; GrammarSyntaxError for what is not EBNF or not exact."""
    source = Source(text)
    builder.check(source.end)
    rules = parse_ebnf(source, dialect)
    return lower_productions(builder, source, rules, next(iter(rules), "") if root is None else root)


def parse_ebnf(source: Source, dialect: EBNFDialect = "w3c") -> Productions:
    """The rules by name, in the order of the text."""
    return _W3C(source).parse() if dialect == "w3c" else _ISO(source).parse()


def _repeated(low: int, high: int | None, node: Node) -> Node:
    return Repeat(node, low, high)


class _Parser:
    """What both dialects share: rules one after the other, and quoted texts without escapes."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.rules: Productions = {}

    def define(self, name: str, body: Node, at: int) -> None:
        if name in self.rules:
            first = self.source.where(self.rules[name].at)
            self.source.fail(f"the rule {name} is defined twice, first at {first}", at, "join the bodies with |")
        self.rules[name] = Production(name, body, at)

    def quoted(self, quote: str) -> Node:
        source, at = self.source, self.source.at
        end = source.text.find(quote, at + 1)
        if end < 0:
            source.fail("the text is not closed", at, f"close it with {quote}")
        source.at = end + 1
        text = source.text[at + 1 : end]
        return Text(text) if text else Seq(())

    def check_closed(self, groups: Groups, closed_by: dict[str, str]) -> None:
        if groups.opened is not None:
            bracket, at = groups.opened
            self.source.fail("the group is not closed", at, f"close it with {closed_by[bracket]}")

    def check_operand(self, groups: Groups) -> None:
        if groups.waits:
            self.source.fail(f"expected an operand, found {self.source.found()}")


# -- W3C ---------------------------------------------------------------------------------------------------------

_W3C_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
#: White space, comments, and the notes on well-formedness and validity that stand beside XML's rules.
_W3C_SPACE = re.compile(r"(?:\s|/\*.*?\*/|\[\s*(?:wfc|vc|WFC|VC)\s*:[^\]]*\])*", re.DOTALL)
#: The beginning of a rule, with its number in a standard.
_W3C_RULE = re.compile(r"(?:\[[0-9]+[a-z]?\]\s*)?([A-Za-z_][A-Za-z0-9_.-]*)\s*::=")
_W3C_REPEATS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_W3C_CODE = re.compile(r"#x([0-9A-Fa-f]+)")
_W3C_HINTS = {
    ",": "items stand one after the other without a comma; the dialect with commas is iso",
    ";": "rules have no end mark; the dialect with ; is iso",
    "{": "repetition is a* or a+; the dialect with {a} is iso",
    "=": "a rule is defined by ::=; the dialect with = is iso",
    "#": "a character by number is #x41; comments are /* … */",
}


class _W3C(_Parser):
    def parse(self) -> Productions:
        source = self.source
        self.space()
        while source.at < source.end:
            found = _W3C_RULE.match(source.text, source.at)
            if found is None:
                source.fail(f"expected a rule, found {source.found()}", hint="a rule is name ::= body")
            source.at = found.end()
            self.define(found[1], self.body(), found.start(1))
        return self.rules

    def space(self) -> None:
        self.source.match(_W3C_SPACE)
        if self.source.text.startswith("/*", self.source.at):
            self.source.fail("the comment is not closed", hint="close it with */")

    def body(self) -> Node:
        source, groups = self.source, Groups()
        self.space()
        while source.at < source.end and _W3C_RULE.match(source.text, source.at) is None:
            at, char = source.at, source.peek()
            if char == "|":
                self.check_operand(groups)
                source.at += 1
                groups.begin_alternative()
            elif char == "(":
                source.at += 1
                groups.open("(", at)
            elif char == ")" and groups.opened is not None:
                self.check_operand(groups)
                source.at += 1
                groups.add(groups.close())
            elif char in _W3C_REPEATS:
                if not groups.items or groups.waits:
                    source.fail(f"there is nothing to repeat before {char}", at, f"the character is written '{char}'")
                source.at += 1
                groups.wrap(partial(_repeated, *_W3C_REPEATS[char]))
            elif char == "-":
                if not groups.items or groups.waits:
                    source.fail("there is nothing before the exception", at, "the character is written '-'")
                source.at += 1
                groups.exclude(at)
            else:
                groups.add(self.item(char))
            self.space()
        self.check_closed(groups, {"(": ")"})
        self.check_operand(groups)
        return groups.close()

    def item(self, char: str) -> Node:
        source, at = self.source, self.source.at
        name = source.match(_W3C_NAME)
        if name is not None:
            return Reference(name, at)
        if char in "\"'":
            return self.quoted(char)
        if char == "[":
            return self.char_class()
        code = _W3C_CODE.match(source.text, at)
        if code is not None:
            source.at = code.end()
            return Text(source.character(source.code_point(code[1], 16, at), at))
        if char == ")":
            source.fail("there is no group to close", at, "the character is written ')'")
        source.fail(f"unexpected {source.found()}", at, _W3C_HINTS.get(char))

    def char_class(self) -> Node:
        source, begin = self.source, self.source.at
        source.at += 1
        inverse = source.take("^")
        ranges: list[tuple[int, int]] = []
        while not source.take("]"):
            at = source.at
            if at == source.end:
                source.fail("the class is not closed", begin, "close it with ]")
            low = high = self.code_point()
            if source.peek() == "-" and not source.text.startswith("-]", source.at):
                source.at += 1
                if source.at == source.end:
                    continue
                high = self.code_point()
                if high < low:
                    said = source.text[at : source.at]
                    source.fail(f"the range {said} is in reverse order", at, "the hyphen itself comes last")
            ranges.append((low, high))
        if not ranges:
            source.fail("the class is empty", begin, "] in a class is #x5D, and the empty text is ''")
        found = unicode.normalize(ranges)
        found = unicode.complement(found) if inverse else found
        if all(low >= 0xD800 and high <= 0xDFFF for low, high in found):
            source.fail("no character is in the class", begin, "surrogates are no characters")
        return Chars(found)

    def code_point(self) -> int:
        source, at = self.source, self.source.at
        code = _W3C_CODE.match(source.text, at)
        if code is not None:
            source.at = code.end()
            return source.code_point(code[1], 16, at)
        source.at += 1
        return ord(source.text[at])


# -- ISO 14977 ---------------------------------------------------------------------------------------------------

#: White space in a name counts for nothing, since a comma stands between items.
_ISO_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:\s+[A-Za-z0-9_]+)*")
_ISO_COUNT = re.compile(r"([0-9]+)\s*\*(?!\))")
_ISO_OPENS = {"(/": "[", "(:": "{", "(": "(", "[": "[", "{": "{"}
_ISO_CLOSES = {"/)": "[", ":)": "{", ")": "(", "]": "[", "}": "{"}
_ISO_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
_ISO_HINTS = {
    ":": "a rule is defined by =; the dialect with ::= is w3c",
    "*": "repetition is {a} or 3 * a; the dialect with a* is w3c",
    "+": "one or more is a, {a}; the dialect with a+ is w3c",
}


class _ISO(_Parser):
    def parse(self) -> Productions:
        source = self.source
        self.space()
        while source.at < source.end:
            at = source.at
            name = source.match(_ISO_NAME)
            if name is None:
                source.fail(f"expected the name of a rule, found {source.found()}", hint="a rule is name = body;")
            self.space()
            if not source.take("="):
                source.fail(
                    f"expected = after the name {name}, found {source.found()}", hint=_ISO_HINTS.get(source.peek())
                )
            body = self.body()
            if not (source.take(";") or source.take(".")):
                source.fail(f"expected ; at the end of the rule {name}, found {source.found()}")
            self.define(_spaced(name), body, at)
            self.space()
        return self.rules

    def space(self) -> None:
        """Skip white space and comments, which nest."""
        source, opened = self.source, list[int]()
        while source.at < source.end:
            if source.text.startswith("(*", source.at) and not source.text.startswith("(*)", source.at):
                opened.append(source.at)
                source.at += 2
            elif opened and source.take("*)"):
                opened.pop()
            elif opened or source.peek().isspace():
                source.at += 1
            else:
                break
        if opened:
            source.fail("the comment is not closed", opened[-1], "close it with *)")

    def body(self) -> Node:
        source, groups = self.source, Groups()
        self.space()
        #: Whether an item may come: after an operator or an opening bracket.
        free = True
        while source.at < source.end:
            at, char = source.at, source.peek()
            two = source.text[at : at + 2]
            opens = two if two in _ISO_OPENS else char if char in _ISO_OPENS else None
            closes = two if two in _ISO_CLOSES else char if char in _ISO_CLOSES else None
            if closes is not None:
                self.close(groups, closes, at)
                free = False
            elif char in ";.":
                break
            elif char in "|/!":
                self.end_exception(groups)
                source.at += 1
                groups.begin_alternative()
                free = True
            elif char == ",":
                self.end_exception(groups)
                if free:
                    groups.add(Seq(()))  # an empty item
                source.at += 1
                free = True
            elif char == "-":
                if not groups.items or groups.waits or free:
                    source.fail("there is nothing before the exception", at, "the character is written '-'")
                source.at += 1
                groups.exclude(at)
                free = True
            elif not free:
                hint = "a comma stands between items" if char not in "*+:" else None
                source.fail(f"expected , or | or ; before {source.found()}", at, hint or _ISO_HINTS[char])
            elif opens is not None:
                source.at += len(opens)
                groups.open(_ISO_OPENS[opens], at)
            elif count := _ISO_COUNT.match(source.text, at):
                source.at = count.end()
                times = source.count(count[1], at)
                groups.prefix(partial(_repeated, times, times))
            else:
                groups.add(self.item(char))
                free = False
            self.space()
        self.check_closed(groups, _ISO_CLOSED_BY)
        self.end_exception(groups)
        return groups.close()

    def end_exception(self, groups: Groups) -> None:
        """An exception may be empty: `{a}-` is all but the empty text."""
        if groups.waits:
            groups.add(Seq(()))

    def close(self, groups: Groups, closes: str, at: int) -> None:
        source = self.source
        if groups.opened is None or groups.opened[0] != _ISO_CLOSES[closes]:
            source.fail(f"there is no group to close with {closes}", at, f"the text is written '{closes}'")
        self.end_exception(groups)
        source.at += len(closes)
        node = groups.close()
        bracket = _ISO_CLOSES[closes]
        groups.add(node if bracket == "(" else Repeat(node, 0, 1 if bracket == "[" else None))

    def item(self, char: str) -> Node:
        source, at = self.source, self.source.at
        name = source.match(_ISO_NAME)
        if name is not None:
            return Reference(_spaced(name), at)
        if char in "\"'":
            return self.quoted(char)
        if char == "?":
            source.fail("a special sequence means what its author agreed on", at, "write the rule that it stands for")
        source.fail(f"unexpected {source.found()}", at, _ISO_HINTS.get(char))


def _spaced(name: str) -> str:
    return " ".join(name.split())
