"""ABNF, the notation of Internet standards → productions → structural node.

Names and quoted texts ignore case, `%s"…"` does not. A rule continues in lines that are indented more than its first.
The core rules (ALPHA, DIGIT, CRLF …) exist unless the grammar defines them itself.

Sources: RFC 5234 (the notation and its core rules), RFC 7405 (texts with case).
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING, Literal, TypeAlias

from frisket.notations.production.ast import (
    Alt,
    Chars,
    Node,
    Octets,
    Production,
    Productions,
    Reference,
    Repeat,
    Seq,
    Text,
    postorder,
    sequence,
)
from frisket.notations.production.groups import Groups
from frisket.notations.production.lower import lower_productions
from frisket.notations.production.source import STEPS_PER_CHARACTER, Source

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

#: The meaning of a number: a character of Unicode, or a byte.
Values: TypeAlias = Literal["characters", "bytes"]


def lower_abnf(builder: GrammarBuilder, text: str, *, root: str | None = None, values: Values = "characters") -> int:
    """The node of `root`, by default the first rule; GrammarSyntaxError for text that is not ABNF, or not exact."""
    source = Source(text)
    builder.check(STEPS_PER_CHARACTER * source.end)
    rules = parse_abnf(source, values)
    name = next(iter(rules), "") if root is None else root.lower()
    return lower_productions(builder, source, with_core(rules, values), name)


def parse_abnf(source: Source, values: Values = "characters") -> Productions:
    """The rules by name in lower case, in the order of the text."""
    return _Parser(source, values).parse()


def with_core(rules: Productions, values: Values) -> Productions:
    """The rules, and those core rules that they call without defining them."""
    core = _core_rules(values)
    found = dict(rules)
    agenda = list(rules.values())
    for production in agenda:
        for node in postorder(production.body):
            if isinstance(node, Reference) and node.name not in found and node.name in core:
                found[node.name] = core[node.name]
                agenda.append(core[node.name])
    return found


@cache
def _core_rules(values: Values) -> Productions:
    return parse_abnf(Source(_CORE), values)


#: RFC 5234, appendix B.1.
_CORE = """\
ALPHA = %x41-5A / %x61-7A
BIT = "0" / "1"
CHAR = %x01-7F
CR = %x0D
CRLF = CR LF
CTL = %x00-1F / %x7F
DIGIT = %x30-39
DQUOTE = %x22
HEXDIG = DIGIT / "A" / "B" / "C" / "D" / "E" / "F"
HTAB = %x09
LF = %x0A
LWSP = *(WSP / CRLF WSP)
OCTET = %x00-FF
SP = %x20
VCHAR = %x21-7E
WSP = SP / HTAB
"""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_SPACE = re.compile(r"(?:[ \t]|;[^\r\n]*)*")
_BLANK = re.compile(r"(?:[ \t]*(?:;[^\r\n]*)?(?:\r\n|\r|\n))*")
_INDENT = re.compile(r"[ \t]*")
_REPEAT = re.compile(r"([0-9]*)\*([0-9]*)|([0-9]+)")
_DIGITS = {"b": (2, re.compile("[01]+")), "d": (10, re.compile("[0-9]+")), "x": (16, re.compile("[0-9A-Fa-f]+"))}
_QUOTED = re.compile(r'"([^"\r\n]*)"')
_CLOSED_BY = {"(": ")", "[": "]"}
_OF_OTHER_NOTATIONS = {
    "|": "alternatives are separated by /",
    "'": 'a text has double quotes: "…"',
    "{": "repetition stands before what is repeated: *a, 1*a, 2*5a",
    "+": "repetition stands before what is repeated: 1*a",
    "?": "an optional part stands in brackets: [a]",
    "#": "comments begin with ;",
}


class _Parser:
    def __init__(self, source: Source, values: Values) -> None:
        self.source = source
        self.values = values
        self.rules: Productions = {}
        #: Alternatives of each rule, since `=/` may add some later.
        self.bodies: dict[str, list[Node]] = {}
        #: The indentation of all rules, as in the text of a standard.
        self.margin = 0

    def parse(self) -> Productions:
        source = self.source
        source.match(_BLANK)
        self.margin = len(source.match(_INDENT) or "")
        while source.at < source.end:
            self.rule()
            source.match(_SPACE)
        for name, bodies in self.bodies.items():
            known = self.rules[name]
            self.rules[name] = Production(known.name, Alt(tuple(bodies)), known.at)
        return self.rules

    def rule(self) -> None:
        source, at = self.source, self.source.at
        name = source.match(_NAME)
        if name is None:
            hint = "a name begins with a letter; lines that go on with a rule are indented"
            source.fail(f"expected the name of a rule, found {source.found()}", hint=hint)
        self.space()
        sign = source.at
        if not source.take("="):
            source.fail(
                f"expected = after the name {name}, found {source.found()}", hint="a name has letters, digits and -"
            )
        more = source.take("/")
        body, known = self.body(), self.rules.get(name.lower())
        if more and known is None:
            source.fail(f"there is no rule {name} that could have more alternatives", sign, "define it by = first")
        if known is not None:
            if not more:
                first = source.where(known.at)
                source.fail(
                    f"the rule {name} is defined twice, first at {first}", at, "further alternatives come by =/"
                )
            self.bodies.setdefault(name.lower(), [known.body]).append(body)
            return
        self.rules[name.lower()] = Production(name, body, at)

    def space(self) -> bool:
        """Skip white space; return whether the same rule continues behind it."""
        source = self.source
        source.match(_SPACE)
        if source.peek() not in ("\r", "\n", ""):
            return True
        source.match(_BLANK)
        indent = len(source.match(_INDENT) or "")
        if source.peek() == ";":  # a comment in the last line
            source.match(_SPACE)
        return source.at < source.end and indent > self.margin

    def body(self) -> Node:
        source, groups = self.source, Groups()
        goes_on = self.space()
        while goes_on:
            at, char = source.at, source.peek()
            if char == "/":
                if not groups.items or groups.waits:
                    source.fail("there is no alternative before /", at, 'the empty text is ""')
                source.at += 1
                groups.begin_alternative()
            elif char in _CLOSED_BY:
                source.at += 1
                groups.open(char, at)
            elif char and char in ")]":
                self.close(groups, char)
            elif found := _REPEAT.match(source.text, at):
                if groups.waits:
                    source.fail("expected what is repeated, found another count", at)
                source.at = found.end()
                low, high = self.counts(found)
                groups.prefix(partial(_repeated, low, high))
                if source.peek() in (" ", "\t", ";", "\r", "\n", ""):
                    source.fail("a count stands next to what it repeats", at, "leave no white space between them")
            else:
                groups.add(self.element(char))
            goes_on = self.space()
        if groups.opened is not None:
            bracket, at = groups.opened
            hint = f"close it with {_CLOSED_BY[bracket]}; lines that go on with a rule are indented"
            source.fail("the group is not closed", at, hint)
        self.check_full(groups)
        return groups.close()

    def close(self, groups: Groups, char: str) -> None:
        source = self.source
        if groups.opened is None or _CLOSED_BY[groups.opened[0]] != char:
            source.fail(f"there is no group to close with {char}", hint=f'the character is written "{char}"')
        self.check_full(groups)
        source.at += 1
        node = groups.close()
        groups.add(Repeat(node, 0, 1) if char == "]" else node)

    def check_full(self, groups: Groups) -> None:
        if not groups.items or groups.waits:
            self.source.fail(f"expected an element, found {self.source.found()}", hint='the empty text is ""')

    def counts(self, found: re.Match[str]) -> tuple[int, int | None]:
        source, at = self.source, found.start()
        exact = found[3]
        if exact is not None:
            count = source.count(exact, at)
            return count, count
        low = source.count(found[1], at) if found[1] else 0
        high = source.count(found[2], found.start(2)) if found[2] else None
        if high is not None and high < low:
            source.fail(f"at least {low} and at most {high} times is never", at, "the smaller count comes first")
        return low, high

    def element(self, char: str) -> Node:
        source, at = self.source, self.source.at
        name = source.match(_NAME)
        if name is not None:
            return Reference(name.lower(), at)
        if char == '"':
            return self.text(cased=False)
        if char == "%":
            source.at += 1
            letter = source.peek().lower()
            source.at += 1
            if letter in ("s", "i") and source.peek() == '"':
                return self.text(cased=letter == "s")
            if letter not in _DIGITS:
                source.fail(f"there is no %{letter.strip()}", at, 'there are %x41, %d65, %b1000001, %s"…" and %i"…"')
            return self.number(letter, at)
        if char == "<":
            source.fail("a description in words cannot be enforced", at, "write the rule that the words describe")
        source.fail(f"unexpected {source.found()}", at, _OF_OTHER_NOTATIONS.get(char))

    def text(self, *, cased: bool) -> Node:
        source, at = self.source, self.source.at
        found = _QUOTED.match(source.text, at)
        if found is None:
            source.fail("the text is not closed", at, 'close it with " in the same line')
        for offset, char in enumerate(found[1]):
            if not " " <= char <= "~":
                source.fail(
                    f"ABNF has no {char!r} between quotes", at + 1 + offset, f"write the character as %x{ord(char):X}"
                )
        source.at = found.end()
        return Text(found[1]) if cased else caseless(found[1])

    def number(self, letter: str, at: int) -> Node:
        source = self.source
        first = self.digits(letter)
        if source.take("-"):
            last = self.digits(letter)
            if last < first:
                source.fail("the range is in reverse order", at, "the smaller value comes first")
            return self.value_range(first, last, at)
        nodes = [self.value_range(first, first, at)]
        while source.take("."):
            value = self.digits(letter)
            nodes.append(self.value_range(value, value, at))
        return sequence(nodes)

    def digits(self, letter: str) -> int:
        source, at = self.source, self.source.at
        base, pattern = _DIGITS[letter]
        digits = source.match(pattern)
        if digits is None:
            source.fail(f"expected a digit of base {base}, found {source.found()}", at)
        value = source.code_point(digits, base, at)
        if self.values == "bytes" and value > 0xFF:
            source.fail("no byte has this value", at, 'with values="characters" numbers are those of characters')
        return value

    def value_range(self, low: int, high: int, at: int) -> Node:
        if self.values == "bytes":
            return Octets(((low, high),))
        if low >= 0xD800 and high <= 0xDFFF:
            self.source.character(low, at)
        return Chars(((low, high),))


def caseless(text: str) -> Node:
    """The node of a text that ignores the case of ASCII letters."""
    nodes: list[Node] = []
    for part in re.findall("[A-Za-z]|[^A-Za-z]+", text):
        if part.isalpha():
            nodes.append(_letter(part.lower()))
        else:
            nodes.append(Text(part))
    return sequence(nodes) if nodes else Seq(())


@cache
def _letter(char: str) -> Chars:
    return Chars(tuple((ord(each), ord(each)) for each in (char.upper(), char)))


def _repeated(low: int, high: int | None, node: Node) -> Node:
    return Repeat(node, low, high)
