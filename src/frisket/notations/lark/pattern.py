"""A pattern between slashes, in the dialect of its engine → the same in Python's dialect.

llguidance reads patterns as Rust's crate `regex` does, xgrammar as ECMAScript with classes of ASCII, Lark as Python.

Source: docs.rs/regex, section Syntax; ECMA-262, section 22.2.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NoReturn

from frisket.notations.lark.ast import LarkDialect
from frisket.notations.regex import unicode

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
#: Escapes and classes, which hold no operators; quantifiers and bars.
_OPERATOR = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?|([*+?]|\{[0-9]*,[0-9]*\})(\??)|(\|)", re.DOTALL)


def python_pattern(pattern: str, flags: str, dialect: LarkDialect, fail: Fail) -> tuple[str, str, bool]:
    """The pattern and the flags in Python's dialect, and whether of its texts only the shortest are meant.

    The flag `r` is not Python's: it says that `\\d`, `\\s` and `\\w` are Rust's.
    """
    if "l" in flags:
        fail("the flag l depends on the machine's language", len(pattern), "leave it out")
    kept = "".join(flag for flag in "imsx" if flag in flags)
    if dialect == "lark":
        return pattern.replace("\\/", "/"), kept, _is_shortest(pattern, fail)
    return _Translation(pattern, dialect, fail).text(), kept + ("a" if dialect == "xgrammar" else "r"), False


def _is_shortest(pattern: str, fail: Fail) -> bool:
    """Whether a lazy quantifier makes Lark's terminal end as soon as it can.

    Where the quantifier is all that varies, fewer rounds are a shorter text, and Python's engine finds the shortest.
    Otherwise it finds the first in an order of its own, which depends on the text behind the terminal.
    """
    operators = [found for found in _OPERATOR.finditer(pattern) if found[1] or found[3]]
    lazy = [found for found in operators if found[2]]
    if lazy and len(operators) > 1:
        fail(
            f"the lazy quantifier {lazy[0][0]} ends a terminal at a place that other parts of the pattern decide",
            lazy[0].start(),
            'write what may stand inside, such as "[^"]*" for ".*?"',
        )
    return bool(lazy)


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
        """What stands in a class."""
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
    """What stands in brackets for ECMAScript's `\\d`, `\\w` or `\\s`, or for the complement of one."""
    ranges = {"s": unicode.ECMA_SPACE, "d": unicode.DIGIT, "w": unicode.WORD}[letter.lower()]
    if letter.isupper():
        ranges = unicode.complement(ranges)
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges)
