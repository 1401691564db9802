"""Text of a regular expression → its tree: one parser, two dialects."""

from __future__ import annotations

import re
from functools import lru_cache

from frisket.errors import GrammarSyntaxError, LimitExceededError
from tests.oracle.regex import unicode
from tests.oracle.regex.ast import (
    After,
    Alt,
    Atomic,
    Before,
    Boundary,
    Chars,
    Dialect,
    FinalNewline,
    Look,
    Node,
    Repeat,
    Seq,
    Text,
)
from tests.oracle.regex.character import CharReader, shortened
from tests.oracle.regex.unicode import CharSet

#: In Python, three octal digits are a character and no reference to a group.
_OCTAL = re.compile("[1-7][0-7]{2}")


@lru_cache(maxsize=4096)
def parse(pattern: str, dialect: Dialect = "python", flags: str = "", *, strict: bool = False) -> Node:
    """The tree of a pattern; the same object for the same pattern, so it must not be changed.

    `flags` are letters of `imsxa`; `r` means that `\\d`, `\\s` and `\\w` are those of Rust's crate `regex`. `strict`
    refuses what ECMA-262 (`u`) itself refuses; otherwise harmless escapes and braces that every validator in use takes
    as literals are taken so too.
    """
    return _Parser(pattern, dialect, flags, strict).parse()


def is_ecma_regex(pattern: str) -> bool:
    """Whether ECMA-262 (with `u`) takes the pattern; back-references are fine here.

    >>> is_ecma_regex("(?<n>a)\\\\k<n>"), is_ecma_regex("^(abc]")
    (True, False)
    """
    try:
        parse(pattern, "ecma", strict=True)
    except GrammarSyntaxError:
        return False
    return True


class _Parser(CharReader):
    def __init__(self, pattern: str, dialect: Dialect, flags: str, strict: bool) -> None:
        if unknown := set(flags) - set("imsxaur"):
            raise GrammarSyntaxError(f"unknown flag {sorted(unknown)[0]!r}", hint="flags are letters of imsxa")
        super().__init__(pattern, dialect, flags, strict)
        self.names: set[str] = set()
        self.groups = 0
        self.depth = 0
        # Flags for the whole pattern may stand up to here.
        self.head = 0
        self.references: list[tuple[str, int]] = []

    def parse(self) -> Node:
        for at, character in enumerate(self.pattern):
            if "\ud800" <= character <= "\udfff":
                self.fail("a lone surrogate has no UTF-8 form", at, "leave it out")
        node = self.alternatives()
        if self.at < self.end:
            self.fail("unbalanced )", self.at)
        for reference, at in self.references:
            if reference not in self.names and not (reference.isdigit() and int(reference) <= self.groups):
                self.fail(f"there is no group {reference}", at)
        return node

    # -- structure ------------------------------------------------------------------------------------------------

    def alternatives(self) -> Node:
        branches = [self.sequence()]
        while self.at < self.end and self.pattern[self.at] == "|":
            self.at += 1
            branches.append(self.sequence())
        return branches[0] if len(branches) == 1 else Alt(branches)

    def sequence(self) -> Node:
        pattern, end = self.pattern, self.end
        items: list[Node] = []
        text: list[str] = []
        plain = not (self.flags & {"i", "x"})
        while self.at < end:
            char = pattern[self.at]
            if plain and char not in _SPECIAL:
                text.append(char)
                self.at += 1
                continue
            if char in "|)":
                break
            if char in "*+?{":
                counts = self.counts()
                if counts is not None:
                    if text:
                        last: Node = Text(text.pop())
                        if text:
                            items.append(Text("".join(text)))
                            text = []
                    elif items:
                        last = items.pop()
                    else:
                        self.fail("nothing to repeat", self.at)
                    items.append(self.quantified(last, counts))
                    continue
            start = self.at
            node = self.atom(char)
            if node is None:
                plain = not (self.flags & {"i", "x"})
                continue
            if isinstance(node, Chars) and len(node.ranges) == 1 and node.ranges[0][0] == node.ranges[0][1]:
                point = node.ranges[0][0]
                if not 0xD800 <= point <= 0xDFFF:
                    text.append(chr(point))
                    continue
            if text:
                items.append(Text("".join(text)))
                text = []
            if self.at == start:
                self.fail("cannot read this", start)
            items.append(node)
        if text:
            items.append(Text("".join(text)))
        return items[0] if len(items) == 1 else Seq(items)

    def counts(self) -> tuple[int, int | None] | None:
        """The bounds of the quantifier that begins here; None for a brace that stands for itself."""
        char = self.pattern[self.at]
        if char == "*":
            return 0, None
        if char == "+":
            return 1, None
        if char == "?":
            return 0, 1
        close = self.pattern.find("}", self.at, self.at + _LONGEST_COUNTS)
        body = self.pattern[self.at + 1 : close] if close > 0 else ""
        low, comma, high = body.partition(",")
        if (not low and (self.ecma or not comma)) or not (_ascii_number(low) and _ascii_number(high)):
            if self.strict:
                self.fail("a lone brace", self.at)
            return None
        if not comma:
            return int(low), int(low)
        return int(low or 0), (int(high) if high else None)

    def quantified(self, item: Node, counts: tuple[int, int | None]) -> Node:
        at = self.at
        low, high = counts
        self.at = self.pattern.index("}", at) + 1 if self.pattern[at] == "{" else at + 1
        if max(low, high or 0) > _LARGEST_COUNT:
            raise LimitExceededError(
                f"more than {_LARGEST_COUNT} repetitions in {shortened(self.pattern)}",
                where=f"offset {at}",
                hint="leave the upper bound out",
            )
        if high is not None and high < low:
            self.fail(f"{{{low},{high}}}: the larger count comes first", at)
        if isinstance(item, (Before, After, Boundary, FinalNewline)) or (self.strict and isinstance(item, Look)):
            self.fail("nothing to repeat: an assertion has no width", at)
        if (isinstance(item, Repeat) and item.at >= 0) or (isinstance(item, Atomic) and item.at < 0):
            self.fail("a quantifier after a quantifier", at)
        possessive = not self.take("?") and not self.ecma and self.take("+")
        if isinstance(item, Look):
            return item if low else Seq([])
        repeat = Repeat(item, low, high, at)
        # The negative place marks a quantifier, so that a second one after it is told from one after a group.
        return Atomic(repeat, -1 - at) if possessive else repeat

    def atom(self, char: str) -> Node | None:
        at = self.at
        flags = self.flags
        if "x" in flags:
            if char in " \t\n\r\f\v":
                self.at += 1
                return None
            if char == "#":
                line = self.pattern.find("\n", at)
                self.at = self.end if line < 0 else line + 1
                return None
        if char == "\\":
            return self.escape()
        if char == "(":
            return self.group()
        self.at += 1
        if char == "[":
            return self.char_class()
        if char == ".":
            if "s" in flags:
                return Chars(unicode.ALL)
            return Chars(unicode.complement(unicode.ECMA_LINE_END if self.ecma else unicode.NEWLINE))
        if char == "^":
            return Before(self.line_end() if "m" in flags else unicode.NONE, True, at)
        if char == "$":
            if "m" in flags:
                return After(self.line_end(), True, at)
            if self.ecma:
                return After(unicode.NONE, True, at)
            return FinalNewline(at)
        if self.strict and char in "]}{":
            self.fail(f"a lone {char}", at)
        return self.chars(ord(char))

    def line_end(self) -> CharSet:
        return unicode.ECMA_LINE_END if self.ecma else unicode.NEWLINE

    def chars(self, point: int) -> Node:
        ranges: CharSet = ((point, point),)
        return Chars(self.folded(ranges))

    def escape(self) -> Node:
        at = self.at
        if at + 1 >= self.end:
            self.fail("a backslash at the end", at)
        char = self.pattern[at + 1]
        if char in "bB":
            self.at += 2
            return Boundary(self.word(), char == "B", at)
        if not self.ecma and char in "AZz":
            self.at += 2
            return Before(unicode.NONE, True, at) if char == "A" else After(unicode.NONE, True, at)
        if not self.ecma and _OCTAL.match(self.pattern, at + 1):
            return self.chars(self.octal(at))
        if char in "123456789" or (char == "k" and self.ecma):
            if self.strict:
                return self.reference()
            self.fail("a back-reference is not a regular language", at, "spell out the alternatives")
        found = self.class_escape()
        if found is not None:
            return Chars(found)
        return self.chars(self.character_escape(in_class=False))

    def reference(self) -> Node:
        """A back-reference where only the syntax is of interest; any node that may be repeated does."""
        at = self.at
        found = re.compile(r"\\(?:([1-9][0-9]*)|k<([^>]*)>)").match(self.pattern, at)
        if found is None:
            self.fail("\\k takes a name", at)
        self.references.append((found[1] or found[2], at))
        self.at = found.end()
        return Chars(unicode.ALL)

    # -- groups ---------------------------------------------------------------------------------------------------

    def group(self) -> Node | None:
        at = self.at
        self.at += 1
        if not self.take("?"):
            self.groups += 1
            return self.enclosed(at)
        if self.take(":"):
            return self.enclosed(at)
        for mark, ahead, negative in (("=", True, False), ("!", True, True), ("<=", False, False), ("<!", False, True)):
            if self.take(mark):
                return Look(self.enclosed(at), ahead, negative, at)
        if not self.ecma:
            if self.take("#"):
                close = self.pattern.find(")", self.at)
                if close < 0:
                    self.fail("this comment is never closed", at)
                self.at = close + 1
                return None
            if self.take(">"):
                return Atomic(self.enclosed(at), at)
            if self.peek("P=") or self.peek("P>"):
                self.fail("a back-reference is not a regular language", at, "spell out the alternatives")
            if self.peek("("):
                self.fail("a conditional group is not supported", at, "spell out the alternatives")
        if self.peek("R") or self.peek("&") or (self.at < self.end and self.pattern[self.at].isdigit()):
            self.fail("recursion inside a pattern is not supported", at, "write a grammar")
        # (?P<name>…) is no ECMA-262, but every validator in use that reads it means the same.
        if self.take("<" if self.ecma else "P<") or (self.ecma and not self.strict and self.take("P<")):
            self.name(at)
            self.groups += 1
            return self.enclosed(at)
        if self.peek("<"):
            self.fail("unknown kind of group", at, "Python spells it (?P<name>…)")
        if self.peek("P<"):
            self.fail("unknown kind of group", at, "ECMA-262 spells it (?<name>…)")
        return self.flagged(at)

    def enclosed(self, at: int) -> Node:
        """The body of a group up to its parenthesis; a quantifier inside does not count as one on the group."""
        flags = self.flags
        self.depth += 1
        if self.depth > _DEEPEST:
            raise LimitExceededError(
                f"groups nested more than {_DEEPEST} deep in {shortened(self.pattern)}", where=f"offset {at}"
            )
        node = self.alternatives()
        self.depth -= 1
        self.flags = flags
        if not self.take(")"):
            self.fail("this group is never closed", at)
        # A quantifier may follow a group whatever it holds: `(?:a*)*`, `(?:\b)?`.
        if isinstance(node, (Repeat, Atomic, Before, After, Boundary, FinalNewline, Look)):
            return Seq([node])
        return node

    def name(self, at: int) -> None:
        close = self.pattern.find(">", self.at)
        name = self.pattern[self.at : close] if close > 0 else ""
        if not name.replace("$", "_").isidentifier():
            self.fail("this group's name is not an identifier", at)
        if name in self.names and self.strict:
            self.fail(f"the name {name} is taken", at)
        self.names.add(name)
        self.at = close + 1

    def flagged(self, at: int) -> Node | None:
        start = self.at
        while self.at < self.end and (self.pattern[self.at].isalpha() or self.pattern[self.at] == "-"):
            self.at += 1
        on, _, off = self.pattern[start : self.at].partition("-")
        if not (on or off) or set(on + off) - set("imsxau"):
            self.fail("unknown kind of group", at)
        if self.strict and set(on + off) - set("ims"):
            self.fail("unknown kind of group", at)
        flags = (self.flags | set(on)) - set(off)
        if "u" in on:
            flags -= {"a"}
        if self.take(")"):
            if off or self.strict or at != self.head:
                self.fail("flags for the whole pattern belong at its start", at, "write (?i:…) around a part")
            self.head = self.at
            self.flags = frozenset(flags)
            return None
        if not self.take(":"):
            self.fail("unknown kind of group", at)
        outer, self.flags = self.flags, frozenset(flags)
        node = self.enclosed(at)
        self.flags = outer
        return node


_DEEPEST = 50
_LARGEST_COUNT = 2**31 - 1
# No larger counts are written in this many characters, braces and comma included.
_LONGEST_COUNTS = 64

_SPECIAL = frozenset("\\.[](){}*+?|^$")


def _ascii_number(text: str) -> bool:
    return not text or (text.isascii() and text.isdigit())
