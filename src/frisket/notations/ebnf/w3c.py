"""EBNF in the notation of the W3C → productions.

`name ::= body`, white space between items, `?`, `*` and `+` after them, `#x41`, classes, `A - B`. The next rule begins
at a name with `::=` after it.

Source: Extensible Markup Language 1.0 (fifth edition), section 6.
"""

from __future__ import annotations

import re
from functools import partial

from frisket.notations.ebnf.parser import EBNFParser, repeated
from frisket.notations.production.ast import Chars, Node, Productions, Reference, Text
from frisket.notations.production.groups import Groups

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
#: White space, comments, and the notes on well-formedness and validity in the rules of the XML standard.
_SPACE = re.compile(r"(?:\s|/\*.*?\*/|\[\s*(?:wfc|vc|WFC|VC)\s*:[^\]]*\])*", re.DOTALL)
#: The beginning of a rule, with its number in a standard.
_RULE = re.compile(r"(?:\[[0-9]+[a-z]?\]\s*)?([A-Za-z_][A-Za-z0-9_.-]*)\s*::=")
_REPEATS = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_CODE = re.compile(r"#x([0-9A-Fa-f]+)")
_HINTS = {
    ",": "items stand one after the other without a comma; the dialect with commas is iso",
    ";": "rules have no end mark; the dialect with ; is iso",
    "{": "repetition is a* or a+; the dialect with {a} is iso",
    "=": "a rule is defined by ::=; the dialect with = is iso",
    "#": "a character by number is #x41; comments are /* … */",
}


class W3C(EBNFParser):
    def parse(self) -> Productions:
        source = self.source
        self.space()
        while source.at < source.end:
            found = _RULE.match(source.text, source.at)
            if found is None:
                source.fail(f"expected a rule, found {source.found()}", hint="a rule is name ::= body")
            source.at = found.end()
            self.define(found[1], self.body(), found.start(1))
        return self.rules

    def space(self) -> None:
        self.source.match(_SPACE)
        if self.source.text.startswith("/*", self.source.at):
            self.source.fail("the comment is not closed", hint="close it with */")

    def body(self) -> Node:
        source, groups = self.source, Groups()
        self.space()
        while source.at < source.end and _RULE.match(source.text, source.at) is None:
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
            elif char in _REPEATS:
                if not groups.items or groups.waits:
                    source.fail(f"there is nothing to repeat before {char}", at, f"the character is written '{char}'")
                source.at += 1
                groups.wrap(partial(repeated, *_REPEATS[char]))
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
        name = source.match(_NAME)
        if name is not None:
            return Reference(name, at)
        if char in "\"'":
            return self.quoted(char)
        if char == "[":
            return self.char_class()
        code = _CODE.match(source.text, at)
        if code is not None:
            source.at = code.end()
            return Text(source.character(source.code_point(code[1], 16, at), at))
        if char == ")":
            source.fail("there is no group to close", at, "the character is written ')'")
        source.fail(f"unexpected {source.found()}", at, _HINTS.get(char))

    def char_class(self) -> Node:
        return Chars(
            self.source.ranges(
                self.code_point,
                close="close it with ]",
                hyphen="the hyphen itself comes last",
                empty="] in a class is #x5D, and the empty text is ''",
            )
        )

    def code_point(self) -> int:
        source, at = self.source, self.source.at
        code = _CODE.match(source.text, at)
        if code is not None:
            source.at = code.end()
            return source.code_point(code[1], 16, at)
        source.at += 1
        return ord(source.text[at])
