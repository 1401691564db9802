"""A source of chance → a random pattern as a tree, its spelling in a dialect, and texts that come near it.

Every assertion, every kind of repetition, classes, groups and flags may stand in every other.
"""

from __future__ import annotations

import random
import re
from typing import Any

#: (kind, …): "text" s, "set" spelling, "seq" items, "alt" items, "group" opening item, "repeat" item low high mark,
#: "assert" spelling, "look" opening item, "capture" name item.
Node = tuple[Any, ...]

#: Characters of patterns and texts. Letters that fold into each other stand together.
ALPHABETS = ("ab", "ab ", "ab-", "aB_", "ab\n", "a1 ", "a\n ", "abc", "aé-", "a😀b", "a\r\n", "a\u2028b")
FOLDED = ("iIİı", "aAbB", "kK\u212a", "sSſ", "éÉe", "ßẞs", "σςΣ", "ǆǅǄ", "µμΜ")
#: Classes beside those of the alphabet's own letters.
SETS = ("\\w", "\\W", "\\d", "\\D", "\\s", "\\S", ".", "[^\\w]", "[\\d_]", "[\\s\\S]", "[^\\s\\S]", "[\\W\\d]")
COUNTS = ((0, None), (1, None), (0, 1), (1, 1), (2, 2), (0, 2), (1, 2), (2, 3), (2, None), (0, 0), (3, None), (1, 4))
LOOKS = ("(?=", "(?!", "(?<=", "(?<!")


class Maker:
    """Draws the parts of one pattern from left to right."""

    def __init__(self, draw: random.Random, dialect: str, alphabet: str) -> None:
        self.draw, self.dialect, self.alphabet = draw, dialect, alphabet
        self.groups = 0
        #: What stands more often in this pattern than in others.
        self.assertive = draw.choice((0.1, 0.25, 0.45))

    def alternatives(self, depth: int) -> Node:
        """One branch or several."""
        count = self.draw.choice((1, 1, 1, 2, 2, 3))
        return self.branch(depth) if count == 1 else ("alt", [self.branch(depth) for _ in range(count)])

    def branch(self, depth: int) -> Node:
        """Parts one after the other; sometimes none."""
        return ("seq", [self.part(depth) for _ in range(self.draw.choice((0, 1, 1, 2, 2, 2, 3, 3, 4)))])

    def part(self, depth: int) -> Node:
        """A single part, which may hold others down to this depth."""
        draw = self.draw
        if draw.random() < self.assertive:
            return self.assertion(depth)
        if depth == 0 or draw.random() < 0.4:
            return self.atom()
        if draw.random() < 0.55:
            item = self.atom() if draw.random() < 0.4 else self.group(depth - 1)
            low, high = draw.choice(COUNTS)
            return ("repeat", item, low, high, draw.choice(("", "", "?", "?")))
        return self.group(depth - 1)

    def group(self, depth: int) -> Node:
        """Alternatives in parentheses of some kind."""
        kinds = ["(?:", "(?:", "("]
        if self.dialect == "python":
            kinds += ["(?i:", "(?s:", "(?m:", "(?-i:"]
        kind = self.draw.choice(kinds)
        if kind != "(":
            return ("group", kind, self.alternatives(depth))
        self.groups += 1
        return ("capture", self.draw.choice(("", "", f"n{self.groups}")), self.alternatives(depth))

    def assertion(self, depth: int) -> Node:
        """An anchor, a boundary or a look to one side."""
        if depth > 0 and self.draw.random() < 0.45:
            return ("look", self.draw.choice(LOOKS), self.alternatives(depth - 1))
        kinds = ["^", "$", "\\b", "\\b", "\\B"] + (["\\A", "\\Z"] if self.dialect == "python" else [])
        return ("assert", self.draw.choice(kinds))

    def atom(self) -> Node:
        """A character, a class or a short text."""
        draw, letters = self.draw, self.alphabet
        kind = draw.random()
        if kind < 0.5:
            return ("text", draw.choice(letters))
        if kind < 0.65:
            return ("text", draw.choice(letters) + draw.choice(letters))
        if kind < 0.8:
            return ("set", draw.choice(SETS))
        members = "".join(escaped(letter) for letter in draw.sample(letters, draw.randint(1, len(letters))))
        return ("set", f"[{draw.choice(('', '', '^'))}{members}]")


def escaped(letter: str) -> str:
    """A character that stands for itself in and outside of classes, in every dialect and under every flag."""
    return {"\n": "\\n", "\r": "\\r", " ": "\\x20", "-": "\\x2d"}.get(letter, letter)


def spelled(node: Node, dialect: str) -> str:
    """The text of a pattern. `dialect` is python, ecma or rust."""
    match node:
        case ("text", text):
            return "".join(map(escaped, text))
        case ("set", spelling):
            return str(spelling)
        case ("seq", items):
            return "".join(_in_sequence(item, dialect) for item in items)
        case ("alt", items):
            return "|".join(spelled(item, dialect) for item in items)
        case ("group" | "look", opening, item):
            return f"{opening}{spelled(item, dialect)})"
        case ("capture", name, item):
            opening = f"(?{'P' if dialect == 'python' else ''}<{name}>" if name else "("
            return f"{opening}{spelled(item, dialect)})"
        case ("repeat", item, low, high, mark):
            text = spelled(item, dialect)
            single = item[0] in ("set", "group", "capture") or (item[0] == "text" and len(item[1]) == 1)
            return (text if single else f"(?:{text})") + _count(low, high) + mark
        case ("assert", spelling):
            return str(spelling)
    raise AssertionError(node)


def _in_sequence(item: Node, dialect: str) -> str:
    return f"(?:{spelled(item, dialect)})" if item[0] == "alt" else spelled(item, dialect)


def _count(low: int, high: int | None) -> str:
    short = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((low, high))
    if short is not None:
        return short
    return f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"


def sampled(node: Node, draw: random.Random, alphabet: str) -> str:
    """A text of the pattern without its assertions."""
    match node:
        case ("text", text):
            return str(text)
        case ("set", spelling):
            members = [letter for letter in alphabet if re.fullmatch(spelling, letter)]
            return draw.choice(members or list(alphabet))
        case ("seq", items):
            return "".join(sampled(item, draw, alphabet) for item in items)
        case ("alt", items):
            return sampled(draw.choice(items), draw, alphabet)
        case ("group" | "capture", _, item):
            return sampled(item, draw, alphabet)
        case ("repeat", item, low, high, _):
            count = draw.randint(low, max(low, min(low + 2, low + 2 if high is None else high)))
            return "".join(sampled(item, draw, alphabet) for _ in range(count))
    return ""


def texts(node: Node, draw: random.Random, alphabet: str, samples: int) -> list[str]:
    """All texts of at most two characters, and longer ones that come near the pattern."""
    found = ["", *alphabet, *(one + other for one in alphabet for other in alphabet)]
    for _ in range(samples):
        text = sampled(node, draw, alphabet)[:LONGEST]
        at = draw.randint(0, len(text))
        letter = draw.choice(alphabet)
        found += [text, text[:at] + letter + text[at:], text[:at] + text[at + 1 :], text[:at] + letter + text[at + 1 :]]
    return list(dict.fromkeys(found))


#: Longer texts would let the judges backtrack for long.
LONGEST = 9


def drawn(draw: random.Random, dialect: str) -> tuple[Node, str, str]:
    """A pattern, the letters of its flags, and its alphabet."""
    folds = draw.random() < 0.12
    # In Rust the i with a dot and the one without fold into no other letter.
    alphabet = draw.choice((FOLDED[1:] if dialect == "rust" else FOLDED) if folds else ALPHABETS)
    flags = ("i" if folds else "") + "".join(flag for flag in "ms" if draw.random() < 0.1)
    if dialect == "python" and draw.random() < 0.05:
        flags += "a"
    made = Maker(draw, dialect, alphabet)
    return made.alternatives(draw.choice((1, 2, 2, 3))), flags, alphabet
