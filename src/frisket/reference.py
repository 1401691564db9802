"""Text so far × every token → mask: the whole idea, slow, in one file. Start reading here.

A language model gives every token of its vocabulary a number, the *logit*. Softmax turns logits into probabilities, a
token is drawn, its text is appended, and the next round begins. frisket steps in once per round, before the softmax:

    which tokens may come next?   set every other logit to −∞;   e^−∞ = 0, so the others are never drawn

and one sentence says which tokens those are:

    a token is allowed if and only if SOME sentence of the language begins with the text so far + the token.

No less, or a valid answer could not be written; no more, or the text could run into a dead end. Everything else in
this project is about answering that question in microseconds. Here it is answered one token at a time, in five parts:

    1  LogitMask       logits → −∞ → softmax, and the loop over all tokens
    2  derivatives     what is left of a regular language after one byte             (Brzozowski, 1964)
    3  RegexMask       a small notation for regular expressions on top of derivatives
    4  GeneralMask     rules that call each other, themselves included               (Earley, 1970)
    5  JSONSchemaMask  a small JSON Schema on top of both

The engine (crates/core) is held against this file bit for bit: see tests/property.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, reduce
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from frisket.errors import GrammarSyntaxError, UnsupportedSchemaError

# ---------------------------------------------------------------------------------------------------------------------
# 1  From logits to probabilities
# ---------------------------------------------------------------------------------------------------------------------

Symbol: TypeAlias = int | str
"""One byte, or the name of a special token such as `<|call|>`, which is one symbol and never text."""

Text: TypeAlias = bytes | Sequence[Symbol]


class Language(Protocol):
    """The sentences that may still be written."""

    @property
    def can_end(self) -> bool:
        """Whether nothing more needs to be written."""

    def after(self, symbol: Symbol) -> Language | None:
        """The sentences that may still be written after `symbol`; None if no sentence goes on like that."""


class LogitMask:
    """Which tokens may follow a text, found by trying each of them.

    `tokens[i]` is the text of token i, None if it has none; `eos` are the tokens that end a document. None stands for a
    language without any sentence.
    """

    def __init__(
        self,
        language: Language | None,
        tokens: Sequence[bytes | None],
        *,
        eos: Sequence[int] = (),
        special: Mapping[str, int] | None = None,
    ) -> None:
        self.tokens = list(tokens)
        self.eos = list(eos)
        self.special = dict(special or {})
        self._known: dict[tuple[Symbol, ...], Language | None] = {(): language}

    def can_begin(self, text: Text) -> bool:
        """Whether some sentence begins with `text`."""
        return self._after(tuple(text)) is not None

    def can_end(self, text: Text) -> bool:
        """Whether `text` is a whole sentence."""
        left = self._after(tuple(text))
        return left is not None and left.can_end

    def mask(self, text: Text = b"") -> npt.NDArray[np.bool_]:
        """One truth value per token: the rule at the top of this file, taken literally.

        >>> RegexMask("yes|no", [b"y", b"es", b"no", b"nope", b"yes"]).mask().tolist()
        [True, False, True, False, True]
        """
        so_far = tuple(text)
        mask = np.array([bool(token) and self.can_begin(so_far + tuple(token or b"")) for token in self.tokens])
        for name, token_id in self.special.items():
            mask[token_id] = self.can_begin((*so_far, name))
        mask[self.eos] = self.can_end(so_far)
        return mask

    def apply(self, logits: npt.ArrayLike, text: Text = b"") -> npt.NDArray[np.float64]:
        """The logits, −∞ where a token may not come next.

        >>> RegexMask("a+", [b"a", b"b"]).apply([0.5, 9.0]).tolist()
        [0.5, -inf]
        """
        return np.where(self.mask(text), np.asarray(logits, dtype=np.float64), -np.inf)

    def probabilities(self, logits: npt.ArrayLike, text: Text = b"") -> npt.NDArray[np.float64]:
        """Softmax after the mask: forbidden tokens get exactly 0, the others keep their proportions.

        >>> RegexMask("[ab]", [b"a", b"b", b"c"]).probabilities([1.0, 1.0, 7.0]).tolist()
        [0.5, 0.5, 0.0]
        """
        masked = self.apply(logits, text)
        weights = np.exp(masked - masked.max())
        return np.asarray(weights / weights.sum())

    def _after(self, text: tuple[Symbol, ...]) -> Language | None:
        known = len(text)
        while text[:known] not in self._known:
            known -= 1
        left = self._known[text[:known]]
        for end in range(known, len(text)):
            left = left and left.after(text[end])
            self._known[text[: end + 1]] = left
        return left


# ---------------------------------------------------------------------------------------------------------------------
# 2  Regular languages and their derivatives
#
# The derivative of a language by a byte is what may follow that byte: after "n", `no|yes` has become `o`. So a text is
# a sentence iff the derivative by all its bytes contains the empty text (`nullable`), and it is the beginning of a
# sentence iff that derivative contains any text at all (`possible`).
#
# Nodes are made only by the small functions below. These cache nodes and simplify them, so that equal nodes are one
# object, and a language has finitely many derivatives. That is why the search in `possible` ends.
# ---------------------------------------------------------------------------------------------------------------------


class Node:
    """A language of byte strings."""


@dataclass(frozen=True, eq=False)
class Nothing(Node):
    """No text at all."""


@dataclass(frozen=True, eq=False)
class Epsilon(Node):
    """Only the empty text."""


@dataclass(frozen=True, eq=False)
class Byte(Node):
    """One byte of a set."""

    members: frozenset[int]


@dataclass(frozen=True, eq=False)
class Char(Node):
    """One code point in any of the ranges, as UTF-8; after its first bytes, `more` is the number of bytes left."""

    ranges: tuple[tuple[int, int], ...]
    more: int | None


@dataclass(frozen=True, eq=False)
class Cat(Node):
    """A text of `first`, then a text of `rest`."""

    first: Node
    rest: Node


@dataclass(frozen=True, eq=False)
class Alt(Node):
    """A text of any option."""

    options: frozenset[Node]


@dataclass(frozen=True, eq=False)
class Repeat(Node):
    """`least` to `most` texts of `item` (None: without end)."""

    item: Node
    least: int
    most: int | None


@dataclass(frozen=True, eq=False)
class And(Node):
    """The texts that all parts share."""

    parts: frozenset[Node]


@dataclass(frozen=True, eq=False)
class Not(Node):
    """Every byte string that is not in `item`."""

    item: Node


@dataclass(frozen=True, eq=False)
class StringBody(Node):
    """A JSON string after its opening quote: it decodes to a text of `decoded`; `seen` is an unfinished escape."""

    decoded: Node
    seen: bytes


@dataclass(frozen=True, eq=False)
class Integer(Node):
    """A decimal integer from `low` to `high` of which the characters `seen` have been read."""

    low: int
    high: int
    seen: str


NOTHING: Node = Nothing()
EPSILON: Node = Epsilon()


@dataclass(eq=False)
class Rule(Node):
    """A call of the rule (part 4); its body may be set later, since it may contain the call."""

    name: str
    body: Node = NOTHING


@dataclass(frozen=True, eq=False)
class Special(Node):
    """The special token of that name (part 4)."""

    name: str


def byte(*ranges: tuple[int, int]) -> Node:
    """One byte in any of the inclusive ranges."""
    return _byte(frozenset(value for low, high in ranges for value in range(low, high + 1)))


def char(*ranges: tuple[int, int]) -> Node:
    """One code point in any of the inclusive ranges, as UTF-8; surrogates are no characters."""
    if all(high < 0x80 for _, high in ranges):
        return byte(*ranges)
    halves = [half for low, high in ranges for half in ((low, min(high, 0xD7FF)), (max(low, 0xE000), high))]
    return _char(tuple(_merged((low, high) for low, high in halves if low <= high)), None)


@cache
def literal(text: bytes) -> Node:
    """Exactly this text."""
    return cat(*(byte((value, value)) for value in text))


def words(*texts: bytes) -> Node:
    """Any one of the texts."""
    return alt(*(literal(text) for text in texts))


def cat(*nodes: Node) -> Node:
    """A text of each node, one after the other."""
    links: list[Node] = []
    for node in nodes:
        while isinstance(node, Cat):
            links.append(node.first)
            node = node.rest
        links.append(node)
    return reduce(lambda rest, first: _cat(first, rest), reversed(links), EPSILON)


def alt(*nodes: Node) -> Node:
    """A text of any of the nodes."""
    flat = (option for node in nodes for option in (node.options if isinstance(node, Alt) else (node,)))
    return _alt(frozenset(flat) - {NOTHING})


def repeat(node: Node, least: int, most: int | None = None) -> Node:
    """`least` to `most` texts of `node`, one after the other."""
    if most is not None and most < least:
        return NOTHING
    if most == 0 or node is EPSILON:
        return EPSILON
    if node is NOTHING:
        return EPSILON if least == 0 else NOTHING
    # If a node may be empty, missing rounds can be empty texts.
    return _repeat(node, 0 if regular(node) and nullable(node) else least, most)


def both(*nodes: Node) -> Node:
    """The texts that all the nodes share."""
    return _both(frozenset(part for node in nodes for part in (node.parts if isinstance(node, And) else (node,))))


@cache
def complement(node: Node) -> Node:
    """Every byte string that `node` does not match, valid UTF-8 or not."""
    return node.item if isinstance(node, Not) else Not(node)


def bounded(node: Node, least: int, most: int | None) -> Node:
    """The texts of `node` that have `least` to `most` code points."""
    return both(node, repeat(ANY_CHAR, least, most))


def quoted(node: Node) -> Node:
    """The JSON strings that decode to a text of `node`: raw UTF-8, with an escape only where JSON demands one."""
    return cat(literal(b'"'), _string_body(both(node, ANY_TEXT), b""))


def integer(low: int, high: int) -> Node:
    """The decimal integers from `low` to `high`."""
    return _integer(low, high, "")


# The other half of "made only by functions": a cached maker for each class whose fields may make it empty.


@cache
def _byte(members: frozenset[int]) -> Node:
    return Byte(members) if members else NOTHING


@cache
def _char(ranges: tuple[tuple[int, int], ...], more: int | None) -> Node:
    return Char(ranges, more) if ranges else NOTHING


@cache
def _cat(first: Node, rest: Node) -> Node:
    if first is NOTHING or rest is NOTHING:
        return NOTHING
    if first is EPSILON or rest is EPSILON:
        return rest if first is EPSILON else first
    return Cat(first, rest)


@cache
def _alt(options: frozenset[Node]) -> Node:
    if not options:
        return NOTHING
    return next(iter(options)) if len(options) == 1 else Alt(options)


@cache
def _repeat(node: Node, least: int, most: int | None) -> Node:
    return Repeat(node, least, most)


@cache
def _both(parts: frozenset[Node]) -> Node:
    if NOTHING in parts:
        return NOTHING
    return next(iter(parts)) if len(parts) == 1 else And(parts)


@cache
def _string_body(decoded: Node, seen: bytes) -> Node:
    return StringBody(decoded, seen) if possible(decoded) else NOTHING


@cache
def _integer(low: int, high: int, seen: str) -> Node:
    return Integer(low, high, seen) if _some_integer_begins(seen, low, high) else NOTHING


@cache
def nullable(node: Node) -> bool:
    """Whether the empty text is in a regular node."""
    match node:
        case Epsilon():
            return True
        case Cat(first, rest):
            return nullable(first) and nullable(rest)
        case Alt(options):
            return any(nullable(option) for option in options)
        case Repeat(_, least, _):
            return least == 0
        case And(parts):
            return all(nullable(part) for part in parts)
        case Not(item):
            return not nullable(item)
        case Integer(low, high, seen):
            return seen not in ("", "-") and low <= int(seen) <= high
    return False


@cache
def derivative(node: Node, value: int) -> Node:
    """The node of what may follow the byte `value` in a regular node.

    >>> derivative(literal(b"no"), ord("n")) is literal(b"o")
    True
    """
    match node:
        case Byte(members):
            return EPSILON if value in members else NOTHING
        case Char(ranges, None):
            length = next((n for n, (first, last, _, _) in enumerate(UTF8) if first <= value <= last), None)
            if length is None:
                return NOTHING
            lead, _, least, most = UTF8[length]
            fitting = tuple((max(low, least), min(high, most)) for low, high in ranges)
            return _tail(fitting, value - lead << 6 * length, length)
        case Char(ranges, int(more)):
            return _tail(ranges, (value & 0x3F) << 6 * (more - 1), more - 1) if 0x80 <= value <= 0xBF else NOTHING
        case Cat(first, rest):
            follow = cat(derivative(first, value), rest)
            return alt(follow, derivative(rest, value)) if nullable(first) else follow
        case Alt(options):
            return alt(*(derivative(option, value) for option in options))
        case Repeat(item, least, most):
            return cat(derivative(item, value), repeat(item, max(least - 1, 0), None if most is None else most - 1))
        case And(parts):
            return both(*(derivative(part, value) for part in parts))
        case Not(item):
            return complement(derivative(item, value))
        case StringBody(decoded, seen):
            spelling = seen + bytes([value])
            if spelling == b'"':
                return EPSILON if nullable(decoded) else NOTHING
            if seen == b"" and value >= 0x20 and spelling != b"\\":
                return _string_body(derivative(decoded, value), b"")
            if spelling in ESCAPES:
                return _string_body(derivative(decoded, ESCAPES[spelling]), b"")
            unfinished = any(possible(derivative(decoded, ESCAPES[e])) for e in ESCAPES if e.startswith(spelling))
            return _string_body(decoded, spelling) if unfinished else NOTHING
        case Integer(low, high, seen):
            fits = chr(value).isdecimal() or (chr(value) == "-" and not seen)
            return _integer(low, high, seen + chr(value)) if fits else NOTHING
    return NOTHING


@cache
def possible(node: Node) -> bool:
    """Whether a regular node contains any text at all.

    >>> possible(both(words(b"a", b"b"), complement(words(b"a"))))
    True
    >>> possible(both(words(b"a", b"b"), repeat(literal(b"c"), 0)))
    False
    """
    while isinstance(node, Cat):
        if not possible(node.first):
            return False
        node = node.rest
    match node:
        case Alt(options):
            return any(possible(option) for option in options)
        case Repeat(item, least, _):
            return least == 0 or possible(item)
        case And() | Not():
            agenda: list[Node] = [node]
            reached: set[Node] = {node, NOTHING}
            for left in agenda:
                if nullable(left):
                    return True
                follows = {derivative(left, value) for value in range(256)} - reached
                agenda += follows
                reached |= follows
            return False
    return node is not NOTHING


@cache
def regular(node: Node) -> bool:
    """Whether a node calls no rule and names no special token."""
    while isinstance(node, Cat):
        if not regular(node.first):
            return False
        node = node.rest
    match node:
        case Alt(options):
            return all(regular(option) for option in options)
        case Repeat(item, _, _):
            return regular(item)
    return not isinstance(node, (Rule, Special))


def _merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


def _tail(ranges: tuple[tuple[int, int], ...], base: int, more: int) -> Node:
    """The last `more` bytes of the code points in the ranges, after first bytes that stand for `base` and above."""
    size = 1 << 6 * more
    left = tuple((max(low - base, 0), min(high - base, size - 1)) for low, high in ranges)
    left = tuple((low, high) for low, high in left if low <= high)
    return _char(left, more) if more or not left else EPSILON


UTF8 = (
    # first and last lead byte, first and last code point, by the number of bytes
    (0x00, 0x7F, 0x0, 0x7F),
    (0xC0, 0xDF, 0x80, 0x7FF),
    (0xE0, 0xEF, 0x800, 0xFFFF),
    (0xF0, 0xF7, 0x10000, 0x10FFFF),
)

ESCAPES = {json.dumps(chr(point))[1:-1].encode(): point for point in (*range(0x20), ord('"'), ord("\\"))}
"""Spelling → the byte that it stands for, such as `\\n` or `\\u0000`, if it cannot be written raw between quotes."""


def _some_integer_begins(seen: str, low: int, high: int) -> bool:
    """Whether some integer from `low` to `high` begins with the characters `seen`.

    >>> [seen for seen in ("1", "12", "13", "2", "5", "0", "-") if _some_integer_begins(seen, 5, 12)]
    ['1', '12', '5']
    """
    if seen.startswith("-"):
        # 0 has only one spelling, so after "-" comes an integer of at least 1.
        return _some_integer_begins(seen[1:], max(1, -high), -low)
    if seen == "":
        return low <= high
    low = max(low, 0)
    if seen == "0" or seen.startswith("0"):
        return seen == "0" and low == 0 <= high
    first = last = int(seen)
    while first <= high and last < low:
        first, last = first * 10, last * 10 + 9
    return first <= high and low <= high


ANY_CHAR = char((0, 0x10FFFF))
ANY_TEXT = repeat(ANY_CHAR, 0)
ANYTHING = repeat(byte((0, 255)), 0)


@dataclass(frozen=True)
class Regular:
    """A regular node as a language."""

    left: Node

    @property
    def can_end(self) -> bool:
        """Whether the empty text is left."""
        return nullable(self.left)

    def after(self, symbol: Symbol) -> Regular | None:
        """One derivative, unless nothing is left."""
        left = derivative(self.left, symbol) if isinstance(symbol, int) else NOTHING
        return Regular(left) if possible(left) else None


# ---------------------------------------------------------------------------------------------------------------------
# 3  Regular expressions
# ---------------------------------------------------------------------------------------------------------------------


class RegexMask(LogitMask):
    """The tokens that may come next if the whole text shall match `pattern`.

    >>> mask = RegexMask("[0-9]{3}-x", [b"1", b"12", b"1234", b"-", b"-x", b"2-x"])
    >>> mask.mask(b"").tolist()
    [True, True, False, False, False, False]
    >>> mask.mask(b"12").tolist()
    [True, False, False, False, False, True]
    >>> mask.can_end(b"123-x")
    True
    """

    def __init__(self, pattern: str, tokens: Sequence[bytes | None], *, eos: Sequence[int] = ()) -> None:
        node = parse_regex(pattern)
        super().__init__(Regular(node) if possible(node) else None, tokens, eos=eos)


def parse_regex(pattern: str) -> Node:
    """The node of a pattern: literals, `.`, `[a-z]`, `[^a-z]`, `( )`, `(?: )`, `|`, `*`, `+`, `?`, `{m,n}`.

    A backslash makes a punctuation character literal, or spells a newline, return or tab. Anything else is refused.

    >>> node = parse_regex("(a|bc)*")
    >>> nullable(node), derivative(node, ord("b")) is cat(literal(b"c"), node)
    (True, True)
    """
    node, end = _alternatives(pattern, 0)
    if end < len(pattern):
        raise _unreadable(pattern, end)
    return node


def _alternatives(pattern: str, at: int) -> tuple[Node, int]:
    options: list[Node] = []
    parts: list[Node] = []
    while at < len(pattern) and pattern[at] != ")":
        if pattern[at] == "|":
            options.append(cat(*parts))
            parts, at = [], at + 1
        else:
            part, at = _repeated(pattern, at)
            parts.append(part)
    return alt(*options, cat(*parts)), at


def _repeated(pattern: str, at: int) -> tuple[Node, int]:
    node, at = _atom(pattern, at)
    if pattern[at : at + 1] in ("*", "+", "?"):
        least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[pattern[at]]
        at += 1
    elif pattern[at : at + 1] == "{":
        close = pattern.find("}", at)
        first, comma, last = pattern[at + 1 : close].partition(",")
        if close < 0 or not first.isdecimal() or not (last or "0").isdecimal():
            raise _unreadable(pattern, at)
        least, most = int(first), int(last) if last else None if comma else int(first)
        at = close + 1
    else:
        return node, at
    if pattern[at : at + 1] in tuple("*+?{"):
        raise _unreadable(pattern, at)
    return repeat(node, least, most), at


def _atom(pattern: str, at: int) -> tuple[Node, int]:
    if pattern[at] == "(":
        start = at + 3 if pattern.startswith("(?:", at) else at + 1
        node, end = _alternatives(pattern, start)
        if end == len(pattern):
            raise _unreadable(pattern, at)
        return node, end + 1
    if pattern[at] == "[":
        return _class(pattern, at)
    if pattern[at] == ".":
        return char((0, 9), (11, 0x10FFFF)), at + 1
    if pattern[at] in "*+?{}]^$":
        raise _unreadable(pattern, at)
    point, at = _character(pattern, at)
    return char((point, point)), at


def _class(pattern: str, at: int) -> tuple[Node, int]:
    start, ranges = at, []
    negated = pattern.startswith("[^", at)
    at += 2 if negated else 1
    while at < len(pattern) and pattern[at] != "]":
        low, at = _character(pattern, at)
        high = low
        if pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in ("]", ""):
            high, at = _character(pattern, at + 1)
        if high < low:
            raise _unreadable(pattern, start)
        ranges.append((low, high))
    if at >= len(pattern) or not ranges:
        raise _unreadable(pattern, start)
    if negated:
        edges = [0, *(edge for low, high in _merged(ranges) for edge in (low - 1, high + 1)), 0x10FFFF]
        ranges = list(zip(edges[::2], edges[1::2], strict=True))
    return char(*ranges), at + 1


def _character(pattern: str, at: int) -> tuple[int, int]:
    if pattern[at] != "\\":
        return ord(pattern[at]), at + 1
    escaped = pattern[at + 1 : at + 2]
    if escaped in ("n", "r", "t"):
        return ord({"n": "\n", "r": "\r", "t": "\t"}[escaped]), at + 2
    if not escaped or escaped.isalnum() or escaped == "_":
        raise _unreadable(pattern, at)
    return ord(escaped), at + 2


def _unreadable(pattern: str, at: int) -> GrammarSyntaxError:
    return GrammarSyntaxError(
        f"the reference cannot read {pattern[at : at + 8]!r}",
        where=f"1:{at + 1}",
        hint="it knows only a small subset of regular expressions; Grammar.from_regex knows the rest",
    )


# ---------------------------------------------------------------------------------------------------------------------
# 4  Rules
#
# A rule is a node with a name that other nodes and its own body may call: `list = "[" (list ("," list)*)? "]"`. After a
# text, the state is a set of items (rule, what is left of its body, the place where it began). Earley's algorithm has
# three moves, repeated until nothing new appears:
#
#     call       an item whose next part is a rule waits at this place, and the rule's body begins here
#     return     an item with nothing left lets all items continue that wait for its rule at the place where it began
#     read       a byte takes each item's derivative, and with it to the next place
#
# Each place knows which items wait there, so a rule called by many items is followed once. Left recursion is just an
# item that waits at its own place.
# ---------------------------------------------------------------------------------------------------------------------


@cache
def special(name: str) -> Node:
    """The special token of that name: one symbol, never text."""
    return Special(name)


class GeneralMask(LogitMask):
    """The tokens that may come next in a sentence of `node`.

    >>> nest = Rule("nest")
    >>> nest.body = alt(EPSILON, cat(literal(b"["), nest, literal(b"]")))
    >>> mask = GeneralMask(nest, [b"[", b"]", b"]]", b"[]]"])
    >>> mask.mask(b"[").tolist(), mask.can_end(b"[[]]")
    ([True, True, False, True], True)
    """

    def __init__(
        self,
        node: Node,
        tokens: Sequence[bytes | None],
        *,
        eos: Sequence[int] = (),
        special: Mapping[str, int] | None = None,
    ) -> None:
        start = Rule("start", node)
        place = Place(finite_rules(start))
        super().__init__(_closed([(start, node, place)], place, place), tokens, eos=eos, special=special)


@dataclass(eq=False)
class Place:
    """A place between two symbols of the text, and the items that wait there for a rule to return."""

    finite: frozenset[Rule]
    waiting: dict[Rule, set[Item]] = field(default_factory=dict)


Item: TypeAlias = tuple[Rule, Node, Place]


@dataclass(frozen=True)
class Position:
    """All items at one place that can read a symbol."""

    items: tuple[Item, ...]
    can_end: bool
    origin: Place

    def after(self, symbol: Symbol) -> Position | None:
        """Read a symbol, then call and return as long as there is something new."""
        read = []
        for rule, node, began in self.items:
            head, rest = _split(node)
            if isinstance(head, Special):
                left = rest if head.name == symbol else NOTHING
            else:
                left = cat(derivative(head, symbol), rest) if isinstance(symbol, int) else NOTHING
            read.append((rule, left, began))
        return _closed(read, Place(self.origin.finite), self.origin)


def _closed(items: list[Item], place: Place, origin: Place) -> Position | None:
    agenda, known, reading = items, set[Item](), list[Item]()
    returned: set[Rule] = set()  # rules that began and ended here, so that they have the empty text
    can_end = False
    while agenda:
        item = agenda.pop()
        rule, node, began = item
        if item in known or not _can_finish(node, place.finite):
            continue
        known.add(item)
        head, rest = _split(node)
        if node is EPSILON:
            if began is place:
                returned.add(rule)
            can_end = can_end or (rule.name == "start" and began is origin)
            agenda.extend(began.waiting.get(rule, ()))
        elif isinstance(head, Special):
            reading.append(item)
        elif regular(head):
            reading.append(item)
            if nullable(head):
                agenda.append((rule, rest, began))
        elif isinstance(head, Rule):
            place.waiting.setdefault(head, set()).add((rule, rest, began))
            agenda.append((head, head.body, place))
            if head in returned:
                agenda.append((rule, rest, began))
        elif isinstance(head, Alt):
            agenda.extend((rule, cat(option, rest), began) for option in head.options)
        elif isinstance(head, Repeat):
            more = repeat(head.item, max(head.least - 1, 0), None if head.most is None else head.most - 1)
            agenda.append((rule, cat(head.item, more, rest), began))
            if head.least == 0:
                agenda.append((rule, rest, began))
    return Position(tuple(reading), can_end, origin) if reading or can_end else None


def _split(node: Node) -> tuple[Node, Node]:
    return (node.first, node.rest) if isinstance(node, Cat) else (node, EPSILON)


def finite_rules(start: Rule) -> frozenset[Rule]:
    """The rules that can return at all: `a = "x" a` never does, so no item may wait for it.

    >>> endless = Rule("endless")
    >>> endless.body = cat(literal(b"x"), endless)
    >>> finite_rules(endless)
    frozenset()
    """
    rules = {start}
    agenda = [start.body]
    seen: set[Node] = set()
    while agenda:
        node = agenda.pop()
        if node in seen:
            continue
        seen.add(node)
        match node:
            case Rule() as rule:
                rules.add(rule)
                agenda.append(rule.body)
            case Cat(first, rest):
                agenda += (first, rest)
            case Alt(options):
                agenda += options
            case Repeat(item, _, _):
                agenda.append(item)
    finite: frozenset[Rule] = frozenset()
    while more := {rule for rule in rules - finite if _can_finish(rule.body, finite)}:
        finite |= more
    return finite


@cache
def _can_finish(node: Node, finite: frozenset[Rule]) -> bool:
    while isinstance(node, Cat):
        if not _can_finish(node.first, finite):
            return False
        node = node.rest
    match node:
        case Rule():
            return node in finite
        case Special():
            return True
        case Alt(options):
            return any(_can_finish(option, finite) for option in options)
        case Repeat(item, least, _):
            return least == 0 or _can_finish(item, finite)
    return possible(node)


# ---------------------------------------------------------------------------------------------------------------------
# 5  JSON Schema
# ---------------------------------------------------------------------------------------------------------------------


class JSONSchemaMask(GeneralMask):
    """The tokens that may come next in a document that `schema` validates, written without white space.

    Properties come in the schema's order. A small subset of JSON Schema; anything else is refused.

    >>> schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 20}},
    ...           "required": ["n"], "additionalProperties": False}
    >>> mask = JSONSchemaMask(schema, [b'{"', b'n":', b"1", b"2", b"}", b"0}"])
    >>> mask.mask(b'{"n":1').tolist()
    [False, False, True, True, True, True]
    >>> mask.mask(b'{"n":2').tolist()
    [False, False, False, False, True, True]
    """

    def __init__(self, schema: Any, tokens: Sequence[bytes | None], *, eos: Sequence[int] = ()) -> None:
        super().__init__(schema_node(schema), tokens, eos=eos)


def schema_node(schema: Any) -> Node:
    """The node of a schema: type, enum, const, anyOf, $ref, and by type the keywords in `KEYWORDS`."""
    return _subschema(schema, schema, "#", {})


KEYWORDS = {
    "null": set[str](),
    "boolean": set[str](),
    "integer": {"minimum", "maximum"},
    "string": {"minLength", "maxLength"},
    "array": {"items", "minItems", "maxItems"},
    "object": {"properties", "required", "additionalProperties"},
}
ANNOTATIONS = {"$schema", "$defs", "definitions", "title", "description"}


def _subschema(schema: Any, root: Any, where: str, rules: dict[str, Rule]) -> Node:
    if schema is False:
        return NOTHING
    _require(isinstance(schema, dict), where, "only false and objects are schemas here")
    keywords = set(schema) - ANNOTATIONS
    if "$ref" in keywords:
        _require(keywords == {"$ref"}, where, "$ref must stand alone")
        return _reference(schema["$ref"], root, where, rules)
    if "anyOf" in keywords:
        _require(keywords == {"anyOf"}, where, "anyOf must stand alone")
        return alt(*(_subschema(s, root, f"{where}/anyOf/{i}", rules) for i, s in enumerate(schema["anyOf"])))
    if keywords & {"enum", "const"}:
        _require(len(keywords) == 1, where, "enum and const must stand alone")
        return words(*(_compact(value) for value in schema.get("enum", [schema.get("const")])))
    types = schema.get("type")
    types = [types] if isinstance(types, str) else types
    _require(isinstance(types, list) and set(types) <= set(KEYWORDS), where, "type must be given and not number")
    unknown = keywords - {"type"} - {keyword for name in types for keyword in KEYWORDS[name]}
    _require(not unknown, where, f"{', '.join(sorted(unknown))} is not in the reference's subset")
    return alt(*(_TYPES[name](schema, root, where, rules) for name in types))


def _null(schema: Any, root: Any, where: str, rules: dict[str, Rule]) -> Node:
    return literal(b"null")


def _boolean(schema: Any, root: Any, where: str, rules: dict[str, Rule]) -> Node:
    return words(b"true", b"false")


def _bounded_integer(schema: Any, root: Any, where: str, rules: dict[str, Rule]) -> Node:
    _require({"minimum", "maximum"} <= set(schema), where, "an integer needs minimum and maximum")
    return integer(schema["minimum"], schema["maximum"])


def _string(schema: Any, root: Any, where: str, rules: dict[str, Rule]) -> Node:
    return quoted(bounded(ANY_TEXT, schema.get("minLength", 0), schema.get("maxLength")))


def _array(schema: Any, root: Any, where: str, rules: dict[str, Rule]) -> Node:
    _require("items" in schema, where, "an array needs items")
    item = _subschema(schema["items"], root, f"{where}/items", rules)
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    more = repeat(cat(literal(b","), item), max(least - 1, 0), None if most is None else most - 1)
    items = NOTHING if most == 0 else cat(item, more)
    return cat(literal(b"["), alt(items, EPSILON if least == 0 else NOTHING), literal(b"]"))


def _object(schema: Any, root: Any, where: str, rules: dict[str, Rule]) -> Node:
    properties = schema.get("properties", {})
    required = set(schema.get("required", ()))
    _require(schema.get("additionalProperties") is False, where, "an object needs additionalProperties: false")
    if required - set(properties):
        return NOTHING
    # Built from the last property to the first: what may follow if some member was written, and if none was.
    after_some, after_none = EPSILON, EPSILON
    for key, subschema in reversed(properties.items()):
        value = _subschema(subschema, root, f"{where}/properties/{key}", rules)
        member = cat(literal(_compact(key) + b":"), value, after_some)
        skip_some, skip_none = (NOTHING, NOTHING) if key in required else (after_some, after_none)
        after_some, after_none = alt(cat(literal(b","), member), skip_some), alt(member, skip_none)
    return cat(literal(b"{"), after_none, literal(b"}"))


_TYPES = {
    "null": _null,
    "boolean": _boolean,
    "integer": _bounded_integer,
    "string": _string,
    "array": _array,
    "object": _object,
}


def _reference(pointer: str, root: Any, where: str, rules: dict[str, Rule]) -> Node:
    if pointer not in rules:
        rules[pointer] = Rule(pointer)
        target = root
        for key in pointer.split("/")[1:]:
            _require(isinstance(target, dict) and key in target, where, f"{pointer} leads nowhere")
            target = target[key]
        rules[pointer].body = _subschema(target, root, pointer, rules)
    return rules[pointer]


def _compact(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _require(holds: bool, where: str, reason: str) -> None:
    if not holds:
        raise UnsupportedSchemaError("the reference knows only a small JSON Schema", places=[(where, reason)])
