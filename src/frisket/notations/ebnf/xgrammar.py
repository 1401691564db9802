"""EBNF in the notation of xgrammar → productions: GBNF with options of rules, and macros.

`Regex`, `Substring` and `TagDispatch` stand for regular languages and free text. Macros that count tokens are refused.

Source: xgrammar's documentation, EBNF Grammar.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import ClassVar

from frisket._core import front_end
from frisket.errors import GrammarSyntaxError
from frisket.notations.combination.free_text import FreeTexts, check_strings, ends_to_avoid
from frisket.notations.gbnf import GBNFParser
from frisket.notations.production.ast import (
    Alt,
    Both,
    Chars,
    Complement,
    Embedded,
    Node,
    Pattern,
    Reference,
    Repeat,
    Seq,
    Shortest,
    Text,
)
from frisket.notations.production.substring import lower_substring
from frisket.notations.regex import unicode

_STRING = re.compile(r'"(?:\\.|[^"\\\r\n])*"')
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]*)?")
_ESCAPES = {
    "n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "0": "\0", "e": "\x1b",
    **{char: char for char in "\"\\/'?^$.*+()[]{}|-"},
}  # fmt: skip
_ANY_TEXT = Repeat(Chars(unicode.ALL), 0, None)
#: Characters that may stand in a JSON string without an escape.
_UNESCAPED = Repeat(Chars(((0x20, 0x21), (0x23, 0x5B), (0x5D, 0x10FFFF))), 0, None)
_MACROS = ("Regex", "Substring", "TagDispatch")
#: Options of rules; captures and temperatures do not change the texts.
_OPTIONS = ("capture", "lazy", "max_chars", "stop_capture", "temperature")
_OF_TOKENS = ("Token", "ExcludeToken", "TokenTagDispatch")


class XGrammar(GBNFParser):
    name = re.compile(r"[A-Za-z0-9_.-]+")
    repeats_again = False
    defines = re.compile(r"(?:\[[^\]\r\n]*\])?[ \t]*::=")
    escapes: ClassVar[dict[str, str]] = _ESCAPES

    def goes_on(self) -> bool:
        source = self.source
        name = self.name.match(source.text, source.at)
        return source.at < source.end and (name is None or self.defines.match(source.text, name.end()) is None)

    # -- options of a rule ----------------------------------------------------------------------------------------

    def options(self, name: str) -> Callable[[Node], Node]:
        source, wraps = self.source, list[Callable[[Node], Node]]()
        if not source.take("["):
            return lambda body: body
        while not source.take("]"):
            self.space(lines=False)
            at = source.at
            option = source.match(_WORD) or ""
            if option == "max_tokens":
                source.fail(
                    "a number of tokens cannot be told exactly: a grammar knows no vocabulary",
                    at,
                    "bound the characters with max_chars",
                )
            if option not in _OPTIONS and not option.startswith("capture_hidden"):
                source.fail(f"there is no option {option or source.found()}", at, f"there are {', '.join(_OPTIONS)}")
            value = self.value() if source.take("=") else None
            if option == "lazy":
                wraps.append(lambda body, at=at: Shortest(body, at))  # type: ignore[misc]
            elif option == "max_chars":
                if not isinstance(value, int):
                    source.fail("max_chars is a number", at)
                most = Repeat(Chars(unicode.ALL), 0, value)
                wraps.append(lambda body, at=at, most=most: Both((body, most), at))  # type: ignore[misc]
            self.space(lines=False)
            if source.peek() != "]":
                source.expect(",", "or ] after an option")

        def wrapped(body: Node) -> Node:
            for wrap in wraps:
                body = wrap(body)
            return body

        return wrapped

    def value(self) -> str | int | float | bool:
        """A text, a number, true or false."""
        source, at = self.source, self.source.at
        if source.peek() == '"':
            return self.text()
        number = source.match(_NUMBER)
        if number is not None:
            return float(number) if "." in number else source.count(number, at)
        word = source.match(_WORD)
        if word not in ("true", "false"):
            source.fail("expected a text, a number, true or false", at)
        return word == "true"

    def text(self) -> str:
        """The text between quotes."""
        node = self.literal()
        return node.text if isinstance(node, Text) else ""

    # -- items ----------------------------------------------------------------------------------------------------

    def terminal(self, char: str) -> Node:
        source, at = self.source, self.source.at
        if char in ".<!":
            source.fail(f"unexpected {source.found()}", at, "any character is [^]; the dialect with . and <…> is GBNF")
        if source.take("[^]"):
            return Chars(unicode.ALL)
        return super().terminal(char)

    def named(self, name: str, at: int) -> Node:
        source = self.source
        if source.peek() != "(" or name not in _MACROS + _OF_TOKENS:
            return Reference(name, at)
        if name in _OF_TOKENS:
            source.fail(
                f"{name} names tokens by their numbers, and a grammar knows no vocabulary",
                at,
                "in GBNF a special token is named by its text, such as <|eot_id|>",
            )
        source.at += 1
        self.space(lines=True)
        if name == "Regex":
            return self.regex(at)
        if name == "Substring":
            chunks = tuple(chunk for chunk in self.texts(")") if chunk)
            return Embedded(lambda builder: lower_substring(builder, chunks), True, at)
        return self.dispatch(at)

    def texts(self, close: str) -> list[str]:
        """Texts up to the closing bracket, which is read."""
        source, found = self.source, list[str]()
        while not source.take(close):
            if source.peek() != '"':
                source.fail(f"expected a text or {close}, found {source.found()}")
            found.append(self.text())
            self.space(lines=True)
            if source.peek() != close:
                source.expect(",", f"or {close} after a text")
                self.space(lines=True)
        return found

    def regex(self, at: int) -> Node:
        """`Regex("pattern", flags="i", json_string=true)`; without flags, `.` also matches line breaks."""
        source, begin = self.source, self.source.at
        if source.peek() != '"':
            source.fail(f"expected a pattern, found {source.found()}")
        pattern = self.pattern()
        flags, json_string = "s", False
        self.space(lines=True)
        while not source.take(")"):
            source.expect(",", "or ) after an argument")
            self.space(lines=True)
            place = source.at
            word = source.match(_WORD)
            source.expect("=", f"after {word}")
            value = self.value()
            if word == "flags" and isinstance(value, str) and not set(value) - set("is"):
                flags = value
            elif word == "json_string" and isinstance(value, bool):
                json_string = value
            else:
                source.fail(f"Regex has no argument {word} of that kind", place, 'there are flags="is" and json_string')
            self.space(lines=True)

        try:
            node: Node = Pattern(front_end.xgrammar_pattern(pattern), f"{flags}a", begin)
        except front_end.Fault as fault:
            message, _, hint, _ = fault.args
            source.fail(message, begin, hint)
        return Both((node, _UNESCAPED), at) if json_string else node

    def pattern(self) -> str:
        """A pattern's text: this notation's own escapes become characters, all others stay for the pattern."""
        source, at = self.source, self.source.at
        found = source.match(_STRING)
        if found is None:
            source.fail("the pattern is not closed", at, 'close it with "')
        plain = {**_ESCAPES, **{char: f"\\{char}" for char in "^$.*+()[]{}|-bv0"}}

        def unescaped(escape: re.Match[str]) -> str:
            if escape[1][0] in "xuU":
                return str(json.loads(f'"{chr(int(escape[1][1:], 16))}"')) if escape[1][1:] else escape[0]
            return plain.get(escape[1], escape[0])

        return re.sub(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", unescaped, found[1:-1])

    def dispatch(self, at: int) -> Node:
        """Free text up to a tag, the tag's rule, and free text again."""
        source = self.source
        tags: list[tuple[str, Node]] = []
        excluded: list[str] = []
        loop = True
        while not source.take(")"):
            place = source.at
            if source.take("("):
                self.space(lines=True)
                tag = self.text() if source.peek() == '"' else ""
                self.space(lines=True)
                source.expect(",", "between a tag and its rule", 'a pair is ("tag", rule)')
                self.space(lines=True)
                called = source.at
                name = source.match(self.name)
                if not tag or name is None:
                    source.fail("a pair is a tag and the name of a rule", place, 'as in ("<tag>", rule)')
                tags.append((tag, Reference(name, called)))
                self.space(lines=True)
                source.expect(")", "after the name of a rule")
            else:
                word = source.match(_WORD)
                source.expect("=", f"after {word or 'the tags'}", 'a pair is ("tag", rule)')
                if word == "loop_after_dispatch":
                    loop = self.value() is True
                elif word == "excludes":
                    source.expect("(", "before the texts")
                    self.space(lines=True)
                    excluded = self.texts(")")
                else:
                    source.fail(f"TagDispatch has no argument {word}", place, "there are loop_after_dispatch, excludes")
            self.space(lines=True)
            if source.peek() != ")":
                source.expect(",", "or ) after an argument")
                self.space(lines=True)
        if not tags:
            source.fail("there is no tag", at, 'a pair is ("tag", rule)')
        return _dispatch(tags, excluded, loop, at)


def _dispatch(tags: list[tuple[str, Node]], excluded: list[str], loop: bool, at: int) -> Node:
    words, excluded = [tag for tag, _ in tags], [text for text in excluded if text]
    try:
        check_strings("", words, excluded)
    except GrammarSyntaxError:
        calls, free = _by_ends(tags, excluded, at)
    else:
        calls, free = _by_texts(tags, excluded, at)
    if loop:
        return Seq((Repeat(Alt(tuple(calls)), 0, None), free))
    return Alt((*calls, free))


def _by_texts(tags: list[tuple[str, Node]], excluded: list[str], at: int) -> tuple[list[Node], Node]:
    """Alternatives for tags that do not contain each other; tags after the same kind of text share its node."""
    words, forbidden = [tag for tag, _ in tags], [text.encode() for text in excluded]

    def text(ends: frozenset[bytes]) -> Node:
        return Embedded(lambda builder: FreeTexts(builder, words, excluded).text(sorted(ends)), True, at)

    avoided = ends_to_avoid([word.encode() for word in words], forbidden)
    groups: dict[frozenset[bytes], list[Node]] = {}
    for word, rule in tags:
        groups.setdefault(avoided[word.encode()], []).append(Seq((Text(word), rule)))
    return [Seq((text(ends), Alt(tuple(calls)))) for ends, calls in groups.items()], text(frozenset())


def _by_ends(tags: list[tuple[str, Node]], excluded: list[str], at: int) -> tuple[list[Node], Node]:
    """Alternatives for tags that may contain each other: the tag that ends first counts."""
    any_tag = Alt(tuple(Text(tag) for tag, _ in tags))
    without = [Complement(Seq((_ANY_TEXT, Text(text), _ANY_TEXT)), at) for text in excluded]
    to_a_tag = Shortest(Seq((_ANY_TEXT, any_tag)), at)
    calls: list[Node] = [Seq((Both((to_a_tag, Seq((_ANY_TEXT, Text(tag))), *without), at), rule)) for tag, rule in tags]
    return calls, Both((_ANY_TEXT, Complement(Seq((_ANY_TEXT, any_tag, _ANY_TEXT)), at), *without), at)
