"""Parts → stacks of the parts still to come in a reading, and their possible continuations."""

from __future__ import annotations

from collections.abc import Callable

from frisket.notations.combination import free_text
from frisket.notations.combination.parse import may_be_empty, most
from frisket.notations.combination.part import (
    Capture,
    Choice,
    FreeText,
    Label,
    Lit,
    Part,
    Repeat,
    Seq,
    Special,
    Tags,
    Template,
    Until,
    Whole,
)
from frisket.outline.leaf import Reads, is_plain, opened, reads


class Stack:
    """The parts still to come, innermost first; `kind` says which piece of the top part remains."""

    __slots__ = ("below", "kind", "names", "number", "part")

    def __init__(self, kind: str, part: Part, number: int, below: Stack | None) -> None:
        self.kind, self.part, self.number, self.below = kind, part, number, below
        #: Names of the parts that are open here.
        self.names: tuple[str, ...] = () if below is None else below.names
        if isinstance(part, (Label, Capture)) and kind == "close":
            self.names = (*self.names, part.name)


class Stacks:
    """Makes the stacks of one outline; equal ones are one object. With `is_written`, special tokens are written as
    names.

    `hold` is called with the number of new stacks, and raises an error if a limit is reached."""

    def __init__(self, hold: Callable[[int], None], *, is_written: bool) -> None:
        self._hold = hold
        self._is_written = is_written
        self._stacks: dict[tuple[str, int, int, int], Stack] = {}
        #: Parts made here, by the parts that they come from; kept, so that no id is used again.
        self._made: dict[tuple[str, int, int], Part] = {}
        self._opened: dict[int, Part] = {}
        self._leaves: dict[int, bool] = {}

    def of_part(self, part: Part) -> Stack:
        """The stack of one part with nothing behind it."""
        return self._push("part", part, 0, None)

    def opened(self, part: Part) -> Part:
        """The part, or the tree of parts of a combined grammar."""
        if id(part) not in self._opened:
            self._opened[id(part)] = opened(part)
        return self._opened[id(part)]

    def is_leaf(self, stack: Stack) -> bool:
        """Whether the next part is a leaf, read in one piece."""
        return stack.kind == "part" and self._is_leaf(stack.part)

    def reads(self, stack: Stack) -> Reads:
        """The notation of the next leaf's text."""
        below = stack.below
        is_named = below is not None and below.kind == "close" and self._is_value(below.part)
        return reads(self.opened(stack.part), is_named=is_named)

    def reads_parts(self, label: Part) -> Reads:
        """The notation of a value made of named parts; None for a single leaf, and for a name without a value."""
        assert isinstance(label, (Label, Capture))
        if isinstance(label, Label) and label.is_record:
            return "record"
        return "parts" if isinstance(label, Capture) and not self._is_leaf(label.item) else None

    def _is_value(self, label: Part) -> bool:
        """Whether the named part is one leaf."""
        assert isinstance(label, (Label, Capture))
        return self._is_leaf(label.item) and self.reads_parts(label) is None

    # -- what may follow ---------------------------------------------------------------------------------------------
    def follows(self, stack: Stack, here: int) -> list[Stack | None]:
        """The continuations of a stack at a place, in order of preference."""
        part, number, below = stack.part, stack.number, stack.below
        if isinstance(part, Seq) and stack.kind == "rest":
            if number == len(part.items):
                return [below]
            return [self._push("part", part.items[number], 0, self._push("rest", part, number + 1, below))]
        if isinstance(part, Repeat) and stack.kind == "rounds":
            return self._rounds(part, number, below)
        if isinstance(part, Tags) and stack.kind == "tags":
            return self._tags(part, number, below)
        return self._inside(self.opened(part), below, here)

    def _inside(self, part: Part, below: Stack | None, here: int) -> list[Stack | None]:
        match part:
            case Label(_, item) | Capture(_, item):
                return [self._push("part", item, 0, self._push("close", part, here, below))]
            case Until(triggers, forbidden, low, high, name):
                ends = tuple(map(self._written, triggers))
                until = self._make("until", part, 0, lambda: Until(ends, forbidden, low, high))
                inside = until if name is None else self._make("name", part, 0, lambda: Label(name, until))
                return [self._push("part", inside, 0, below)]
            case Special():
                return [self._push("part", self._make("name", part, 0, lambda: self._written(part)), 0, below)]
            case Template(_, whole):
                return [self._push("part", whole, 0, below)]
            case Choice(items):
                return [self._push("part", item, 0, below) for item in items]
            case Seq():
                return [self._push("rest", part, 0, below)]
            case Repeat():
                return [self._push("rounds", part, 0, below)]
            case Tags():
                return [self._push("tags", part, 0, below)]
        raise TypeError(f"no part: {type(part).__name__}")

    def _rounds(self, part: Repeat, count: int, below: Stack | None) -> list[Stack | None]:
        ways: list[Stack | None] = [below] if count >= part.low else []
        if part.high is None or count < part.high:
            after = self._push("rounds", part, min(count + 1, max(most(part), may_be_empty(part))), below)
            more = self._push("part", part.item, 0, after)
            if part.separator is not None and count:
                more = self._push("part", part.separator, 0, more)
            ways.insert(0, more)
        return ways

    def _tags(self, part: Tags, count: int, below: Stack | None) -> list[Stack | None]:
        """The continuations of tags: text up to the next trigger, or the end of all tags."""
        ways: list[Stack | None] = []
        if part.at_most is None or count < part.at_most:
            until = self._make("text", part, 0, lambda: Until(self._triggers(part), part.forbidden, 0, part.max_chars))
            ways.append(self._push("part", until, 0, self._push("trigger", part, count, below)))
        if count >= part.at_least:
            strings = (*part.triggers, *part.forbidden)
            rest = self._make("rest", part, 0, lambda: FreeText(strings, 0, part.max_chars))
            ways.append(self._push("part", rest, 0, below) if part.text_after or not count else below)
        return ways

    def _triggers(self, part: Tags) -> tuple[Lit | Special, ...]:
        begins = (self._written(begin) for begin, _ in part.tags if isinstance(begin, Special))
        return tuple(dict.fromkeys([*map(Lit, part.triggers), *begins]))

    def tags_begun(self, behind: Stack, text: bytes, names: frozenset[str]) -> list[Stack]:
        """The rest of each tag whose trigger ends the text, or is the special token of these names."""
        part = behind.part
        assert isinstance(part, Tags)
        words = (end.text for end in self._triggers(part) if isinstance(end, Lit) and text.endswith(end.text.encode()))
        trigger = max(words, key=len, default="")
        more = self._push("tags", part, min(behind.number + 1, most(part)), behind.below)
        found = []
        for number, (begin, content) in enumerate(part.tags):
            inside = self._push("part", content, 0, more)
            if isinstance(begin, Special):
                if begin.name in names or (self._is_written and begin.name == trigger):
                    found.append(inside)
            elif trigger and free_text.trigger_of(begin.text, part.triggers) == trigger:
                rest = Lit(begin.text[len(trigger) :])
                found.append(self._push("part", self._made.setdefault(("begin", id(part), number), rest), 0, inside))
        return found

    # -- parts and stacks --------------------------------------------------------------------------------------------
    def _is_leaf(self, part: Part) -> bool:
        known = self._leaves.get(id(part))
        if known is None:
            tree = self.opened(part)
            has_tokens = isinstance(tree, Until) and any(isinstance(end, Special) for end in tree.triggers)
            if isinstance(tree, Special) or has_tokens:
                known = not self._is_written and not (isinstance(tree, Until) and tree.name is not None)
            else:
                known = isinstance(tree, Whole) or is_plain(tree)
            self._leaves[id(part)] = known
        return known

    def _written(self, part: Lit | Special) -> Lit | Special:
        """A literal or special token in the form that it has in the text."""
        return Lit(part.name) if self._is_written and isinstance(part, Special) else part

    def _push(self, kind: str, part: Part, number: int, below: Stack | None) -> Stack:
        key = kind, id(part), number, id(below)
        if key not in self._stacks:
            self._hold(1)
            self._stacks[key] = Stack(kind, part, number, below)
        return self._stacks[key]

    def _make(self, kind: str, of: Part, number: int, make: Callable[[], Part]) -> Part:
        key = kind, id(of), number
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]
