"""GBNF, the notation of llama.cpp → productions → structural node.

The dialect is that of llama.cpp's parser, extended where the text has only one possible meaning: rules may be
left-recursive, a body may be empty, counts have no limit, and a line that begins with `|` continues its rule. Repeated
definitions, empty classes and ranges in reverse order are errors here, though llama.cpp accepts them.

Source: github.com/ggml-org/llama.cpp, grammars/README.md and src/llama-grammar.cpp.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from frisket.notations.production.ast import (
    Chars,
    Node,
    Production,
    Productions,
    Reference,
    Repeat,
    Seq,
    Text,
    Token,
)
from frisket.notations.production.groups import Groups
from frisket.notations.production.lower import lower_productions
from frisket.notations.production.source import Source
from frisket.notations.regex import unicode
from frisket.token_name import NUMBERED

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder


def lower_gbnf(builder: GrammarBuilder, text: str, *, root: str = "root") -> int:
    """The node of the rule `root`; GrammarSyntaxError, with line and column, for text that is no GBNF or not exact."""
    source = Source(text)
    builder.check(source.end)
    usual = builder.gbnf(text, root)
    if usual is not None:
        return usual
    builder.check(_STEPS_PER_CHARACTER * source.end)
    return lower_productions(builder, source, parse_gbnf(source), root)


def parse_gbnf(source: Source) -> Productions:
    """The rules by name, in the order of the text."""
    return GBNFParser(source).parse()


#: Limit steps per character of a grammar: 0.8 µs.
_STEPS_PER_CHARACTER = 25
_DIGITS = re.compile(r"[0-9]+")
_HEX_DIGITS = re.compile("[0-9A-Fa-f]+")
_SPACE = re.compile(r"(?:[ \t]|#[^\r\n]*)*")
_SPACE_AND_LINES = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")
_PLAIN = re.compile(r'[^"\\]+')
_HEX = {"x": 2, "u": 4, "U": 8}
_ESCAPES = {"t": "\t", "r": "\r", "n": "\n", "\\": "\\", '"': '"', "[": "[", "]": "]", "-": "-"}
_REPEATS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_OF_OTHER_NOTATIONS = {
    "'": 'GBNF has double quotes: "…"',
    "/": "GBNF has no regular expressions, and comments begin with #",
    ";": "a rule ends with its line, and comments begin with #",
    "~": "write a class with ^, such as [^a-z]",
    "=": "a rule is defined by ::=",
    ":": "a rule is defined by ::=",
    "]": "a class begins with [",
    "}": "a count begins with {",
    ">": "a token begins with <",
}


class GBNFParser:
    """A parser of a list of rules; other dialects may change names and escapes, and add options of rules and items."""

    name = re.compile(r"[A-Za-z0-9_-]+")
    #: Whether several repetition signs may follow an item, as in `"a"+?`.
    repeats_again = True
    #: The sign after the name of a rule, where its body begins.
    defines = re.compile(r"[ \t]*::=")
    escapes: ClassVar[dict[str, str]] = _ESCAPES

    def __init__(self, source: Source) -> None:
        self.source = source
        self.rules: Productions = {}

    def parse(self) -> Productions:
        self.space(lines=True)
        while self.source.at < self.source.end:
            self.rule()
            self.space(lines=True)
        return self.rules

    def space(self, *, lines: bool) -> None:
        self.source.match(_SPACE_AND_LINES if lines else _SPACE)

    def rule(self) -> None:
        source, at = self.source, self.source.at
        name = source.match(self.name)
        if name is None:
            hint = "a name has letters, digits, - and _; a body that goes on in the next line stands in parentheses"
            source.fail(f"expected the name of a rule, found {source.found()}", hint=hint)
        wrap = self.options(name)
        self.space(lines=False)
        source.expect("::=", f"after the name {name}")
        if name in self.rules:
            first = source.where(self.rules[name].at)
            source.fail(f"the rule {name} is defined twice, first at {first}", at, "join the bodies with |")
        self.rules[name] = Production(name, wrap(self.body()), at)

    def options(self, name: str) -> Callable[[Node], Node]:
        """Options between a rule's name and its sign, as a function of the body."""
        return lambda body: body

    def body(self) -> Node:
        """The body up to the end of the rule. Open groups are on a stack, so they may nest to any depth."""
        source, groups = self.source, Groups()
        self.space(lines=True)
        again: int | None = None  # the place after the last repetition sign
        while char := source.peek():
            at = source.at
            nested = groups.opened is not None
            if char == "|":
                source.at += 1
                groups.begin_alternative()
                self.space(lines=True)
            elif char == "(":
                source.at += 1
                groups.open("(", at)
                self.space(lines=True)
            elif char == ")" and nested:
                source.at += 1
                groups.add(groups.close())
                self.space(lines=groups.opened is not None)
            elif char in _REPEATS or char == "{":
                low, high = self.counts()
                if not groups.items:
                    source.fail(f"there is nothing to repeat before {char}", at, f'the character is written "{char}"')
                if at == again and not self.repeats_again:
                    source.fail("an item is repeated by one sign", at, "put it in parentheses")
                groups.wrap(lambda item, low=low, high=high: Repeat(item, low, high))  # type: ignore[misc]
                self.space(lines=nested)
                again = source.at
            elif char in "\r\n":
                self.space(lines=True)
                if not self.goes_on():
                    break
            elif self.name.match(char):
                name = source.match(self.name)
                assert name is not None
                if self.defines.match(source.text, source.at):
                    if nested:
                        break
                    if groups.items:
                        source.fail("a rule begins in a line of its own", at, "break the line before its name")
                    source.at = at
                    break
                groups.add(self.named(name, at))
                self.space(lines=nested)
            else:
                groups.add(self.terminal(char))
                self.space(lines=nested)
        if groups.opened is not None:
            source.fail("the group is not closed", groups.opened[1], "close it with )")
        return groups.close()

    def goes_on(self) -> bool:
        """Whether the line at this place continues the rule."""
        return self.source.peek() == "|"

    def named(self, name: str, at: int) -> Node:
        """The node of a name in a body that was just read."""
        return Reference(name, at)

    def terminal(self, char: str) -> Node:
        source, at = self.source, self.source.at
        if char == '"':
            return self.literal()
        if char == "[":
            return self.char_class()
        if char == ".":
            source.at += 1
            return Chars(unicode.ALL)
        if char in "<!":
            return self.token()
        if char == ")":
            source.fail("there is no group to close", at, 'the character is written ")"')
        source.fail(f"unexpected {source.found()}", at, _OF_OTHER_NOTATIONS.get(char))

    def literal(self) -> Node:
        source, begin = self.source, self.source.at
        source.at += 1
        characters = []
        while not source.take('"'):
            at = source.at
            if at == source.end:
                source.fail("the literal is not closed", begin, 'close it with "')
            characters.append(source.match(_PLAIN) or source.character(self.code_point(), at))
        return Text("".join(characters)) if characters else Seq(())

    def char_class(self) -> Node:
        return Chars(
            self.source.ranges(
                self.code_point,
                close="close it with ]; in a class ] is written \\]",
                hyphen="the hyphen itself is written \\-",
                empty='any character is . and the empty text ""',
            )
        )

    def code_point(self) -> int:
        """The next character, which may be escaped."""
        source, at = self.source, self.source.at
        char = source.peek()
        source.at += 1
        if char != "\\":
            return ord(char)
        letter = source.peek()
        source.at += 1
        if letter in self.escapes:
            return ord(self.escapes[letter])
        if letter not in _HEX:
            source.fail(
                f"GBNF has no escape \\{letter.strip()}",
                at,
                _CLASSES.get(letter, 'there are \\n \\r \\t \\\\ \\" \\[ \\] \\- \\x00 \\u0000 \\U00000000'),
            )
        digits = source.text[source.at : source.at + _HEX[letter]]
        if len(digits) < _HEX[letter] or not _HEX_DIGITS.fullmatch(digits):
            source.fail(f"\\{letter} takes {_HEX[letter]} hexadecimal digits", at)
        source.at += len(digits)
        return source.code_point(digits, 16, at)

    def counts(self) -> tuple[int, int | None]:
        source, begin = self.source, self.source.at
        char = source.peek()
        source.at += 1
        if char != "{":
            return _REPEATS[char]
        self.space(lines=False)
        low = self.number()
        high: int | None = low
        self.space(lines=False)
        if source.take(","):
            self.space(lines=False)
            high = None if source.peek() == "}" else self.number()
            self.space(lines=False)
        source.expect("}", "after the counts")
        if high is not None and high < low:
            source.fail(f"at least {low} and at most {high} times is never", begin, "the smaller count comes first")
        return low, high

    def number(self) -> int:
        source, at = self.source, self.source.at
        digits = source.match(_DIGITS)
        if digits is None:
            source.fail(f"expected a count, found {source.found()}", at, "counts are {m}, {m,} and {m,n}")
        return source.count(digits, at)

    def token(self) -> Node:
        source, at = self.source, self.source.at
        if source.take("!"):
            source.fail(
                "a token that is any but one cannot be told exactly: a grammar knows no vocabulary",
                at,
                "no special token matches text: .* is any text, up to a special token that comes after it",
            )
        end = source.text.find(">", at)
        if end < 0 or _breaks(source.text[at:end]):
            source.fail("the token is not closed", at, 'close it with >; the character is written "<"')
        name = source.text[at : end + 1]
        if name == "<>" or (name.startswith("<[") and not NUMBERED.fullmatch(name)):
            source.fail(
                f"{name} names no token", at, "a special token is named by its text or number: <|eot_id|>, <[128009]>"
            )
        source.at = end + 1
        return Token(name)


def _breaks(text: str) -> bool:
    return "\n" in text or "\r" in text


#: Hints for classes that regular expressions have and GBNF lacks.
_CLASSES = {
    "d": "a digit is [0-9]",
    "w": "a word character is [0-9A-Za-z_]",
    "s": "white space is [ \\t\\r\\n]",
    "'": "the character needs no escape",
    "/": "the character needs no escape",
    ".": 'a point is written "."',
}
