"""A pattern between slashes, in the dialect of its engine → the same in Python's dialect.

llguidance reads patterns as Rust's crate `regex` does, xgrammar as ECMAScript with classes of ASCII, Lark as Python.

Source: docs.rs/regex, section Syntax; ECMA-262, section 22.2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NoReturn

from frisket.errors import GrammarSyntaxError
from frisket.notations.lark.ast import LarkDialect
from frisket.notations.regex import parse, unicode
from frisket.notations.regex.ast import Alt, Atomic, Chars, Node, Repeat, Seq, Text

#: (message, offset, hint) → an error at that place of the pattern.
Fail = Callable[[str, int, "str | None"], NoReturn]

_POSIX = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": r"\x00-\x7f", "blank": r"\t ", "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~", "space": r"\t-\r ",
    "upper": "A-Z", "word": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f",
}  # fmt: skip

_CODE = re.compile(r"\\[xuU]\{([0-9A-Fa-f]{1,8})\}")
_POSIX_CLASS = re.compile(r"\[:([a-z]+):\]")
_CLASS_BEGINS = re.compile(r"\[\^?\]?")
_ESCAPED_END = re.compile(r"(?:^|[^\\])(?:\\\\)*\\\$\Z")
_NAMED_GROUP = re.compile(r"\(\?<(?![=!])")
#: Each dialect's flag for classes and case: ASCII, Rust or Python.
CLASS_FLAGS: dict[LarkDialect, str] = {"xgrammar": "a", "llguidance": "r", "lark": ""}


def python_pattern(pattern: str, flags: str, dialect: LarkDialect, fail: Fail) -> tuple[str, str, bool]:
    """The pattern and flags in Python's dialect, and whether only its shortest texts count.

    The flag `r` is not Python's: it says that cases, `\\d`, `\\s` and `\\w` are Rust's.
    """
    if "l" in flags:
        fail("the flag l depends on the machine's language", len(pattern), "leave it out")
    kept = "".join(flag for flag in "imsx" if flag in flags)
    if dialect == "lark":
        return pattern.replace("\\/", "/"), kept, "?" in pattern and _is_shortest(pattern, kept, fail)
    return _Translation(pattern, dialect, fail).text(), kept + CLASS_FLAGS[dialect], False


def _is_shortest(pattern: str, flags: str, fail: Fail) -> bool:
    """Whether a lazy quantifier makes Lark's terminal end as soon as it can.

    Where only its rounds vary in number and in length, fewer rounds are a shorter text, and Python's engine finds the
    shortest. Otherwise it finds the first in an order of its own, which depends on the text behind the terminal.
    """
    try:
        varying = list(_varying(parse(pattern, "python", flags)))
    except GrammarSyntaxError:
        return False  # it is explained where the terminal is lowered
    lazy = [node for node in varying if isinstance(node, Repeat) and node.is_lazy]
    if lazy and len(varying) > 1:
        at = lazy[0].at
        spelled = pattern[at : pattern.index("?", at + 1) + 1]
        fail(
            f"the lazy quantifier {spelled} ends a terminal at a place that other parts of the pattern decide",
            at,
            'write what may stand inside, such as "[^"]*" for ".*?"',
        )
    return bool(lazy)


def _varying(node: Node) -> Iterator[Node]:
    """The loops and alternatives whose texts differ in length, without what they hold."""
    match node:
        case Seq(items):
            for item in items:
                yield from _varying(item)
        case Alt(items):
            inner = [found for item in items for found in _varying(item)]
            yield from inner
            if inner or len({_length(item) for item in items}) > 1:
                yield node
        case Repeat(item, low, high):
            yield from _varying(item)
            if low != high:
                yield node
        case Atomic(item):
            yield from _varying(item)


def _length(node: Node) -> int:
    """The length of a node's texts, which must all be equally long."""
    match node:
        case Text(text):
            return len(text)
        case Chars():
            return 1
        case Seq(items):
            return sum(map(_length, items))
        case Alt(items):
            return _length(items[0])
        case Repeat(item, low):
            return low * _length(item)
        case Atomic(item):
            return _length(item)
    return 0


class _Translation:
    def __init__(self, pattern: str, dialect: LarkDialect, fail: Fail) -> None:
        self.pattern = pattern
        self.rust = dialect == "llguidance"
        self.fail = fail
        self.at = 0

    def text(self) -> str:
        """The whole pattern. `^` at its begin and `$` at its end say nothing: a terminal matches as a whole."""
        pattern, parts = self.pattern, list[str]()
        in_class = False
        end = len(pattern)
        if pattern.endswith("$") and not _ESCAPED_END.search(pattern):
            end -= 1
        self.at = 1 if pattern.startswith("^") else 0
        while self.at < end:
            char = pattern[self.at]
            if char == "\\":
                parts.append(self.escape(in_class))
            elif in_class:
                in_class = char != "]"
                parts.append(self.member(char))
            elif char == "[":
                in_class = True
                opened = _CLASS_BEGINS.match(pattern, self.at)
                assert opened is not None
                # Rust takes a bracket right after the opening one for a character, ECMAScript for the end.
                head = opened[0] if self.rust else opened[0].rstrip("]")
                parts.append(head.replace("]", "\\]"))
                self.at += len(head)
            elif _NAMED_GROUP.match(pattern, self.at):
                parts.append("(?P<")
                self.at += 3
            else:
                parts.append(char)
                self.at += 1
        return "".join(parts)

    def escape(self, in_class: bool) -> str:
        pattern, at = self.pattern, self.at
        code = _CODE.match(pattern, at)
        if code is not None:
            if int(code[1], 16) > unicode.LAST:
                self.fail("there is no such character", at, "the last code point of Unicode is U+10FFFF")
            self.at = code.end()
            return f"\\U{int(code[1], 16):08x}"
        letter = pattern[at + 1 : at + 2]
        self.at += 2
        if letter == "/":
            return "/"
        if letter in ("d", "w", "s", "D", "W", "S") and not self.rust:
            inside = _ascii_class(letter)
            return inside if in_class else f"[{inside}]"
        if letter == "c" and not self.rust and re.fullmatch("[A-Za-z]", pattern[at + 2 : at + 3]):
            self.at += 1
            return f"\\x{ord(pattern[at + 2]) & 31:02x}"
        if letter == "z" and self.rust:
            return "\\Z"
        return "\\" + letter

    def member(self, char: str) -> str:
        """The items of a class."""
        pattern, at = self.pattern, self.at
        if self.rust:
            posix = _POSIX_CLASS.match(pattern, at)
            if posix is not None and posix[1] in _POSIX:
                self.at = posix.end()
                return _POSIX[posix[1]]
            if char == "[" or pattern[at : at + 2] in ("&&", "--", "~~"):
                self.fail("a class of classes is not supported", at, "list the characters, or escape the sign with \\")
        self.at += 1
        return "\\[" if char == "[" else char


@cache
def _ascii_class(letter: str) -> str:
    """The class in brackets for ECMAScript's `\\d`, `\\w` or `\\s`, or for the complement of one."""
    ranges = {"s": unicode.ECMA_SPACE, "d": unicode.DIGIT, "w": unicode.WORD}[letter.lower()]
    if letter.isupper():
        ranges = unicode.complement(ranges)
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)
