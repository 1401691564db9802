"""Productions × a text so far → the rules that are open at its end.

Earley's algorithm (*An efficient context-free parsing algorithm*, 1970). The items of bodies are made on demand. A call
of a rule that may be empty is also skipped at once (Aycock and Horspool, *Practical Earley parsing*, 2002).
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections import defaultdict, deque
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from frisket import _core
from frisket.errors import EmptyGrammarError
from frisket.limit import Meter
from frisket.notations.ends import sentence_ends
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
    Token,
    reachable,
)
from frisket.notations.production.lower import lower_productions
from frisket.notations.production.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from frisket.notations.regex.unicode import CharSet

#: Limit steps and bytes for each item of the parser and each tail.
_STEPS, _BYTES = 75, 400
#: Bytes copied per limit step.
_COPIED = 256
#: Number of the empty tail, at the end of a body.
_END = 0

#: A rule's name and the place at which it began.
_Call = tuple[str, int]


class _Item(NamedTuple):
    """A rule that began at a place of the text, and the tail of its body that is still to be matched."""

    rule: str
    begin: int
    tail: int


def open_rules(productions: Productions, root: str, text: bytes, meter: Meter) -> tuple[str, ...]:
    """The names of the rules that are open at the end of the text, from the root inwards.

    A rule directly inside itself is named once. If the text has several readings, the one counts whose innermost rule
    has read something; among these, the deepest. Empty if no text of the root begins with the text. Special tokens have
    no text, so each may have come or not. LimitExceededError beyond the meter's limits.
    """
    chains = _Chart(productions, root, text, meter).chains()
    best = max(chains, key=lambda chain: (chain[0], len(chain[1])), default=(False, []))[1]
    names = (productions[rule].name for rule in best)
    # The rules of Lark's ignored texts begin with %; they stand between terminals, inside no other rule.
    return tuple(name for name, _ in groupby(name for name in names if not name.startswith("%")))


class _Chart:
    """The parser's items at each place of a text."""

    def __init__(self, productions: Productions, root: str, text: bytes, meter: Meter) -> None:
        self.productions = productions
        self.text = text
        self.meter = meter
        self.root = root
        #: Tails of bodies by number: (a node, its least and greatest count, the tail after it).
        self.tails: list[tuple[Node, int, int | None, int]] = [(Seq(()), 0, 0, _END)]
        self.numbers: dict[tuple[int, int, int | None, int], int] = {}
        self.bodies: dict[str, int] = {}
        self.items: list[dict[_Item, None]] = [{} for _ in range(len(text) + 1)]
        #: Call → the items that continue after that call.
        self.callers: dict[_Call, dict[_Item, None]] = defaultdict(dict)
        self.grammars: dict[int, _core.Grammar | None] = {}
        #: Calls that end inside a terminal at the end of the text → whether the call has read anything.
        self.open: dict[_Call, bool] = {}
        self.items[0][_Item(root, 0, self.body(root))] = None
        for place in range(len(text) + 1):
            self.read(place)

    def chains(self) -> Iterator[tuple[bool, list[str]]]:
        """For each open call: whether it has read anything, and the rules from the root to it."""
        for call, has_read in self.open.items():
            yield has_read, self.chain(call)
        if _Item(self.root, 0, _END) in self.items[-1]:
            yield False, [self.root]

    def chain(self, call: _Call) -> list[str]:
        """The shortest chain of rules from the root to a call."""
        above: dict[_Call, _Call | None] = {call: None}
        agenda = deque([call])
        while (at := agenda.popleft()) != (self.root, 0):
            self.meter.spend(_STEPS * len(self.callers[at]))
            for caller in self.callers[at]:
                if (caller.rule, caller.begin) not in above:
                    above[caller.rule, caller.begin] = at
                    agenda.append((caller.rule, caller.begin))
        rules, below = [], above[at]
        rules.append(at[0])
        while below is not None:
            rules.append(below[0])
            below = above[below]
        return rules

    # -- reading -----------------------------------------------------------------------------------------------------
    def read(self, place: int) -> None:
        """Process all items at a place; they add items at later places."""
        agenda = deque(self.items[place])
        empty: set[str] = set()

        def add(item: _Item) -> None:
            self.meter.spend(_STEPS)
            if item not in self.items[place]:
                self.meter.spend(_STEPS, _BYTES)
                self.items[place][item] = None
                agenda.append(item)

        while agenda:
            item = agenda.popleft()
            if item.tail == _END:
                if item.begin == place:
                    empty.add(item.rule)
                for caller in list(self.callers[item.rule, item.begin]):
                    add(caller)
                continue
            node, low, high, behind = self.tails[item.tail]
            if low == 0:
                add(item._replace(tail=behind))
            if high == 0:
                continue
            if high is None or high > 1:
                behind = self.tail(node, max(low - 1, 0), None if high is None else high - 1, behind)
            if isinstance(node, Reference):
                self.callers[node.name, place][item._replace(tail=behind)] = None
                add(_Item(node.name, place, self.body(node.name)))
                if node.name in empty:
                    add(item._replace(tail=behind))
                continue
            inner = self.inner(node, behind)
            if inner is not None:
                for tail in inner:
                    add(item._replace(tail=tail))
                continue
            ends, is_open = self.ends(node, place)
            for end in ends:
                if end == place:
                    add(item._replace(tail=behind))
                else:
                    self.items[end][item._replace(tail=behind)] = None
            if is_open:
                self.open[item.rule, item.begin] = item.begin < len(self.text)

    def inner(self, node: Node, behind: int) -> list[int] | None:
        """The tails that begin with the parts of a node; None for a terminal."""
        match node:
            case Token() | Text(""):
                return [behind]
            case Seq(items):
                for part in reversed(items):
                    behind = self.tail(part, 1, 1, behind)
                return [behind]
            case Alt(items):
                return [self.tail(part, 1, 1, behind) for part in items]
            case Repeat(part, low, high):
                return [self.tail(part, low, high, behind)]
        return None

    def ends(self, node: Node, place: int) -> tuple[list[int], bool]:
        """(the ends of a terminal that begins at a place, whether it can continue beyond the text)."""
        left = self.text[place:]
        self.meter.spend(len(left) // _COPIED)
        match node:
            case Text(text):
                self.meter.spend(len(text) // _COPIED)
                data = text.encode()
                return [place + len(data)] * left.startswith(data), len(left) < len(data) and data.startswith(left)
            case Chars(ranges):
                return _character(left, place, ranges)
            case Octets(ranges):
                return [place + 1] * (bool(left) and _holds(ranges, left[0])), not left
        grammar = self.grammar(node)
        if grammar is None:
            return [], False
        ends, is_open = sentence_ends(grammar, left, self.meter)
        return [place + length for length in ends], is_open

    def grammar(self, node: Node) -> _core.Grammar | None:
        """The grammar of a part that only an automaton can match; None if the part has no text."""
        if id(node) not in self.grammars:
            builder = _core.GrammarBuilder(limits=self.meter.limits)
            alone = {**self.productions, "": Production("", node, 0)}
            alone = {name: alone[name] for name in reachable(alone, "")}
            self.meter.spend(_STEPS * sum(len(production.nodes) for production in alone.values()))
            try:
                self.grammars[id(node)] = builder.build(lower_productions(builder, Source(""), alone, ""))
            except EmptyGrammarError:
                self.grammars[id(node)] = None
        return self.grammars[id(node)]

    # -- tails -------------------------------------------------------------------------------------------------------
    def body(self, rule: str) -> int:
        """The tail that is the whole body of a rule."""
        if rule not in self.bodies:
            self.bodies[rule] = self.tail(self.productions[rule].body, 1, 1, _END)
        return self.bodies[rule]

    def tail(self, node: Node, low: int, high: int | None, behind: int) -> int:
        # The productions keep their nodes alive, so no id is used twice.
        key = id(node), low, high, behind
        if key not in self.numbers:
            self.meter.spend(_STEPS, _BYTES)
            self.numbers[key] = len(self.tails)
            self.tails.append((node, low, high, behind))
        return self.numbers[key]


def _holds(ranges: CharSet, value: int) -> bool:
    return any(low <= value <= high for low, high in ranges)


def _character(left: bytes, place: int, ranges: CharSet) -> tuple[list[int], bool]:
    """(the end of one code point of the ranges, whether one can continue beyond the text)."""
    if not left:
        return [], bool(ranges)
    length = 1 if left[0] < 0x80 else 2 if left[0] < 0xE0 else 3 if left[0] < 0xF0 else 4
    try:
        char = getincrementaldecoder("utf-8")().decode(left[:length])
    except UnicodeDecodeError:
        return [], False
    if char:
        return [place + length] * _holds(ranges, ord(char)), False
    # The code points whose encoding begins with these bytes (RFC 3629, section 3), and that need no fewer bytes.
    value = left[0] & (0x7F >> length)
    for byte in left[1:]:
        value = value << 6 | byte & 0x3F
    missing = 6 * (length - len(left))
    first, last = max(value << missing, (0x80, 0x800, 0x10000)[length - 2]), (value + 1 << missing) - 1
    return [], any(low <= last and first <= high for low, high in ranges)
