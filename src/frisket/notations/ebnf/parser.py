"""The common part of EBNF's dialects: a list of rules, quoted texts without escapes, and groups that must be closed."""

from __future__ import annotations

from frisket.notations.production.ast import Node, Production, Productions, Repeat, Seq, Text
from frisket.notations.production.groups import Groups
from frisket.notations.production.source import Source


class EBNFParser:
    """A parser of a list of rules; the parser of a dialect adds how one rule is written."""

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


def repeated(low: int, high: int | None, node: Node) -> Node:
    """A repetition of the node, `low` to `high` times."""
    return Repeat(node, low, high)
