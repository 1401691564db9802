"""EBNF in the notation of ISO 14977 → productions.

`name = body;`, a comma between items, `[a]`, `{a}`, `2 * a`, `A - B`, comments that nest.

Source: ISO/IEC 14977:1996, with the alternative characters of its section 7.
"""

from __future__ import annotations

import re
from functools import partial

from frisket.notations.ebnf.parser import EBNFParser, repeated
from frisket.notations.production.ast import Except, Node, Productions, Reference, Repeat, Seq
from frisket.notations.production.groups import Groups

#: A name may contain white space, which is ignored: commas separate the items.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:\s+[A-Za-z0-9_]+)*")
_COUNT = re.compile(r"([0-9]+)\s*\*(?!\))")
_OPENS = {"(/": "[", "(:": "{", "(": "(", "[": "[", "{": "{"}
_CLOSES = {"/)": "[", ":)": "{", ")": "(", "]": "[", "}": "{"}
_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
_HINTS = {
    ":": "a rule is defined by =; the dialect with ::= is w3c",
    "*": "repetition is {a} or 3 * a; the dialect with a* is w3c",
    "+": "one or more is a, {a}; the dialect with a+ is w3c",
}


class ISO(EBNFParser):
    def parse(self) -> Productions:
        source = self.source
        self.space()
        while source.at < source.end:
            at = source.at
            name = source.match(_NAME)
            if name is None:
                source.fail(f"expected the name of a rule, found {source.found()}", hint="a rule is name = body;")
            self.space()
            if not source.take("="):
                source.fail(f"expected = after the name {name}, found {source.found()}", hint=_HINTS.get(source.peek()))
            body = self.body()
            if not (source.take(";") or source.take(".")):
                source.fail(f"expected ; at the end of the rule {name}, found {source.found()}")
            self.define(_spaced(name), body, at)
            self.space()
        return self.rules

    def space(self) -> None:
        """Skip white space and comments, which nest."""
        source, opened = self.source, list[int]()
        while source.peek():
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
        #: Whether an item may come next: after an operator or an opening bracket.
        free = True
        while char := source.peek():
            at = source.at
            two = source.text[at : at + 2]
            opens = two if two in _OPENS else char if char in _OPENS else None
            closes = two if two in _CLOSES else char if char in _CLOSES else None
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
                source.fail(f"expected , or | or ; before {source.found()}", at, hint or _HINTS[char])
            elif opens is not None:
                source.at += len(opens)
                groups.open(_OPENS[opens], at)
            elif count := _COUNT.match(source.text, at):
                if groups.counted:
                    source.fail("expected what is repeated, found another count", at)
                source.at = count.end()
                times = source.count(count[1], at)
                groups.prefix(partial(repeated, times, times))
            else:
                groups.add(self.item(char))
                free = False
            self.space()
        self.check_closed(groups, _CLOSED_BY)
        self.end_exception(groups)
        return groups.close()

    def end_exception(self, groups: Groups) -> None:
        """Close an exception; its right side may be empty: `{a}-` means one or more `a`."""
        if not groups.waits:
            return
        if groups.minus is not None and isinstance(last := groups.items[-1], Repeat) and last.low == 0:
            at = groups.minus
            groups.forget()
            groups.wrap(lambda _: Repeat(Except(last.item, Seq(()), at), 1, last.high))
        else:
            groups.add(Seq(()))

    def close(self, groups: Groups, closes: str, at: int) -> None:
        source = self.source
        if groups.opened is None or groups.opened[0] != _CLOSES[closes]:
            source.fail(f"there is no group to close with {closes}", at, f"the text is written '{closes}'")
        self.end_exception(groups)
        source.at += len(closes)
        node = groups.close()
        bracket = _CLOSES[closes]
        groups.add(node if bracket == "(" else Repeat(node, 0, 1 if bracket == "[" else None))

    def item(self, char: str) -> Node:
        source, at = self.source, self.source.at
        name = source.match(_NAME)
        if name is not None:
            return Reference(_spaced(name), at)
        if char in "\"'":
            return self.quoted(char)
        if char == "?":
            source.fail("a special sequence means what its author agreed on", at, "write the rule that it stands for")
        source.fail(f"unexpected {source.found()}", at, _HINTS.get(char))


def _spaced(name: str) -> str:
    return " ".join(name.split())
