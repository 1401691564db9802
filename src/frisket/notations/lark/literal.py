"""A cursor in a Lark file × dialect → a text, a pattern, a special token, a JSON value or a number."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from frisket.errors import LimitExceededError
from frisket.json_fault import json_fault
from frisket.notations.lark.ast import LarkDialect, Node, Regex, Span, Special, Substring, Text
from frisket.notations.lark.pattern import python_pattern
from frisket.notations.production.source import Source
from frisket.token_name import NUMBERED

_STRING = re.compile(r'"(?:\\.|[^"\\\r\n])*"')
_REGEX = re.compile(r"/((?:\\.|[^/\\])+)/([a-z]*)", re.DOTALL)
_SPECIAL = re.compile(r"<[^<>\s]+>")
_NUMBER = re.compile(r"0x[0-9A-Fa-f]+|[0-9]+")
_RANGE = re.compile(r"[ \t]*\.\.[ \t]*")
_ESCAPE = re.compile(r"\\(.)([0-9A-Fa-f]{0,8})")
_ANY_SPACE = re.compile(r"\s*")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "b": "\b", '"': '"', "\\": "\\", "/": "/"}
_LARK_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", '"': '"', "\\": "\\"}
_HEX = {"x": 2, "u": 4, "U": 8}
#: Letters and digits, white space, and other characters one by one.
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_SUBSTRINGS = ("substring_chunks", "substring_words", "substring_chars")


class Literals:
    """Reads what Lark's dialects write as literals."""

    def __init__(self, source: Source, dialect: LarkDialect) -> None:
        self.source = source
        self.dialect = dialect

    def string(self) -> Text | Span:
        """`"a"`, `"a"i` or `"a".."z"`, from the quote on."""
        source, at = self.source, self.source.at
        text = self.quoted()
        if source.match(_RANGE) is not None:
            other = source.at
            if source.peek() != '"':
                source.fail(f"expected the last character of the range, found {source.found()}", hint='as in "a".."z"')
            high = self.quoted()
            for value, place in ((text, at), (high, other)):
                if len(value) != 1:
                    source.fail("a range goes from one character to another one", place, 'as in "a".."z"')
            if source.peek() == "i":
                source.fail("a range takes no flags", hint='write both cases, as in "a".."z" | "A".."Z"')
            if high < text:
                source.fail(f"the range {text}..{high} is in reverse order", at)
            return Span(ord(text), ord(high), at)
        any_case = source.take("i")
        if any_case and source.text.startswith("..", source.at):
            source.fail("a range takes no flags", hint='write both cases, as in "a".."z" | "A".."Z"')
        return Text(text, any_case, at)

    def quoted(self) -> str:
        """The text between quotes."""
        source, at = self.source, self.source.at
        found = source.match(_STRING)
        if found is None:
            source.fail("the text is not closed", at, 'close it with "')
        return (
            _ESCAPE.sub(
                lambda escape: self._escape(escape[1], escape[2], at + 1 + escape.start()),
                found[1:-1],
            )
            if "\\" in found
            else found[1:-1]
        )

    def _escape(self, letter: str, digits: str, at: int) -> str:
        source, is_lark = self.source, self.dialect == "lark"
        escapes = _LARK_ESCAPES if is_lark else _ESCAPES
        if letter in escapes:
            return escapes[letter] + digits
        length = _HEX.get(letter, 0)
        if not length or (letter == "U" and not is_lark):
            if is_lark:
                return "\\" + letter + digits
            source.fail(
                f"there is no escape \\{letter.strip()}", at, 'there are \\n \\r \\t \\f \\b \\\\ \\/ \\" \\x00 \\u0000'
            )
        if len(digits) < length:
            source.fail(f"\\{letter} takes {length} hexadecimal digits", at)
        return source.character(source.code_point(digits[:length], 16, at), at) + digits[length:]

    def regex(self) -> Regex:
        """`/pattern/flags`, from the slash on."""
        source, at = self.source, self.source.at
        found = _REGEX.match(source.text, at)
        if found is None or ("\n" in found[1] and "x" not in found[2]):
            source.fail("the pattern is not closed", at, "close it with /; in a pattern / is written \\/")
        source.at = found.end()
        unknown = set(found[2]) - set("imslux")
        if unknown:
            source.fail(f"there is no flag {min(unknown)}", found.start(2), "flags are letters of imsux")

        def fail(message: str, offset: int, hint: str | None) -> NoReturn:
            source.fail(message, at + 1 + offset, hint)

        return Regex(*python_pattern(found[1], found[2], self.dialect, fail), at)

    def special(self) -> Node:
        """`<|name|>` or `<[number]>`, from its bracket on."""
        source, at = self.source, self.source.at
        name = source.match(_SPECIAL)
        if name is None:
            source.fail("the special token is not closed", at, "its name holds no white space, as in <|eot_id|>")
        if name.startswith("<[") and not NUMBERED.fullmatch(name):
            source.fail(
                f"{name} is not one token",
                at,
                "write one special token by its text or number, <|eot_id|> or <[128009]>, and | between several",
            )
        return Special(name, at)

    def json(self) -> Any:
        """The JSON value that comes next."""
        source = self.source
        source.match(_ANY_SPACE)
        try:
            value, source.at = json.JSONDecoder(parse_constant=_no_constant).raw_decode(source.text, source.at)
        except json.JSONDecodeError as error:
            source.fail(f"this is no JSON: {error.msg}", min(error.pos, source.end))
        except (ValueError, RecursionError) as error:
            fault = json_fault(error)
            if fault.is_limit:
                raise LimitExceededError(
                    f"this JSON {fault.message}", where=source.where(source.at), hint=fault.hint
                ) from None
            source.fail(f"this is no JSON: {error}", source.at)
        return value

    def substring(self, at: int) -> Substring:
        """The value of `%regex`."""
        source = self.source
        value = self.json()
        known = f"there are {', '.join(_SUBSTRINGS)}"
        if not isinstance(value, dict) or len(value) != 1:
            source.fail("%regex takes an object with one member", at, known)
        ((name, said),) = value.items()
        if name not in _SUBSTRINGS:
            source.fail(f"%regex has no member {name}", at, known)
        if name == "substring_chunks":
            if not isinstance(said, list) or not all(isinstance(chunk, str) for chunk in said):
                source.fail("substring_chunks is a list of texts", at)
            return Substring(tuple(chunk for chunk in said if chunk), at)
        if not isinstance(said, str):
            source.fail(f"{name} is a text", at)
        return Substring(tuple(_WORDS.findall(said) if name == "substring_words" else said), at)

    def number(self, why: str) -> int:
        """The number that comes next, decimal or hexadecimal."""
        source, at = self.source, self.source.at
        digits = source.match(_NUMBER)
        if digits is None:
            source.fail(f"expected {why}, found {source.found()}", at)
        if len(digits) > 20:
            source.fail("the number is too large", at)
        return int(digits, 0) if digits.startswith("0x") else int(digits)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")
