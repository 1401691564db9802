"""JSON text → the place of each value; edits → the text, changed only at those places.

The rest of the text keeps its white space, escapes and spelling of numbers, which `json.dumps` would change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from json import JSONDecoder
from typing import Any

from frisket.json_pointer import escape, unescape
from frisket.lint.finding import Add, Edit, Replace

_STRINGS = JSONDecoder()
_BLANK = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"[^\s,\]}]+")


@dataclass
class Node:
    """One value: where it starts and ends in the text, and its members or items in the order of the text.

    `entry` is where its member begins, with the key; for an item it equals `start`.
    """

    start: int
    end: int = 0
    entry: int = 0
    kind: str = ""
    names: list[str] = field(default_factory=list)
    below: list[Node] = field(default_factory=list)
    _by_name: dict[str, Node] | None = None

    def at(self, token: str) -> Node | None:
        """The member or item that a part of a JSON pointer names; if names repeat, the last one, as in JSON readers."""
        if self.kind == "[":
            return self.below[int(token)] if token.isdecimal() and int(token) < len(self.below) else None
        if self._by_name is None:
            self._by_name = {escape(name): below for name, below in zip(self.names, self.below, strict=True)}
        return self._by_name.get(token)


class Repeated(Exception):
    """A name occurs twice in one object, so a pointer is ambiguous."""


class JSONText:
    """The text of a JSON value, and the place of every value in it.

    >>> from frisket.lint.finding import Reorder
    >>> text = JSONText('{"a": [1, 2]}')
    >>> text.place("/a/1")
    (1, 11)
    >>> text.edited([Reorder("/a", (1, 0)), Add("/b", True)])
    '{"a": [2, 1], "b": true}'
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.root = self._scan()

    def place(self, pointer: str) -> tuple[int, int]:
        """Line and column of a value, or of the innermost existing value around its place; both begin at 1."""
        offset = self.nodes(pointer)[-1].entry
        return self.text.count("\n", 0, offset) + 1, offset - self.text.rfind("\n", 0, offset)

    def nodes(self, pointer: str) -> list[Node]:
        """The root, and each existing value on the way of the pointer."""
        found = [self.root]
        for token in pointer.split("/")[1:]:
            below = found[-1].at(token)
            if below is None:
                break
            found.append(below)
        return found

    def node(self, pointer: str) -> Node:
        """The value at a pointer; KeyError if there is none."""
        found = self.nodes(pointer)
        if len(found) <= pointer.count("/"):
            raise KeyError(pointer)
        return found[-1]

    def edited(self, edits: Sequence[Edit]) -> str:
        """The text after the edits, which must not overlap.

        Raises Repeated if an object to be reordered has one name twice.
        """
        changes = [change for edit in edits for change in self._changes(edit)]
        text = self.text
        for start, end, new in sorted(changes, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def _changes(self, edit: Edit) -> list[tuple[int, int, str]]:
        if isinstance(edit, Replace):
            node = self.node(edit.pointer)
            return [(node.start, node.end, dumped(edit.value))]
        if isinstance(edit, Add):
            return [self._added(edit)]
        node = self.node(edit.pointer)
        if len(set(node.names)) < len(node.names):
            raise Repeated(edit.pointer)
        slots = [(below.entry, below.end) for below in node.below]
        pairs = zip(slots, edit.order, strict=True)
        return [(*slot, self.text[slice(*slots[old])]) for slot, old in pairs if slot != slots[old]]

    def _added(self, edit: Add) -> tuple[int, int, str]:
        above, _, token = edit.pointer.rpartition("/")
        node = self.node(above)
        key = "" if node.kind == "[" else f"{json.dumps(unescape(token))}: "
        new = key + dumped(edit.value)
        if not node.below:
            return node.start + 1, node.start + 1, new
        last = node.below[-1]
        # A new member copies the white space between the last two members, or before the only one.
        before = node.below[-2].end if len(node.below) > 1 else node.start + 1
        between = self.text[before : last.entry]
        between = between if len(node.below) > 1 else "," + (between or " ")
        return last.end, last.end, between + new

    def _scan(self) -> Node:
        """All values, found without recursion: a schema may nest deeper than Python calls may."""
        text = self.text
        at = self._skip(0)
        root = Node(at, entry=at)
        stack: list[Node] = []
        node: Node | None = root
        while node is not None or stack:
            if node is not None:
                first = text[node.start]
                if first in "{[":
                    node.kind = first
                    at = self._skip(node.start + 1)
                    stack.append(node)
                elif first == '"':
                    _, at = _STRINGS.raw_decode(text, node.start)
                    node.end = at
                else:
                    scalar = _SCALAR.match(text, node.start)
                    assert scalar is not None
                    node.end = at = scalar.end()
                node = None
            holder = stack[-1] if stack else None
            if holder is None:
                break
            at = self._skip(at)
            if text[at] in "}]":
                stack.pop()
                at += 1
                holder.end = at
                continue
            if text[at] == ",":
                at = self._skip(at + 1)
            entry = at
            if holder.kind == "{":
                name, at = _STRINGS.raw_decode(text, at)
                holder.names.append(name)
                at = self._skip(self._skip(at) + 1)
            node = Node(at, entry=entry)
            holder.below.append(node)
        return root

    def _skip(self, at: int) -> int:
        blank = _BLANK.match(self.text, at)
        assert blank is not None
        return blank.end()


def dumped(value: Any) -> str:
    """The text of a new value."""
    return json.dumps(value, ensure_ascii=False)
