"""Triggers and forbidden strings × GrammarBuilder → free text up to the first trigger, and what follows each trigger.

The text is one regular node: all UTF-8 that contains none of the strings. Its derivatives are the states of the
automaton that searches for all strings at once (Aho and Corasick, *Efficient string matching: an aid to bibliographic
search*, 1975). A state is made when a text reaches it, so 500 triggers cost as few states as one.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

from frisket.errors import GrammarSyntaxError
from frisket.limit import Meter
from frisket.notations.combination.part import Lit, Special

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder


#: Bytes copied per limit step; and limit steps of a test whether a piece of a text is one of the strings.
_COPIED, _STEPS_PER_PIECE = 256, 3


class FreeTexts:
    """Texts without any trigger or forbidden string, before a trigger or on their own."""

    def __init__(
        self,
        builder: GrammarBuilder,
        triggers: Iterable[str],
        forbidden: Sequence[str] = (),
        min_chars: int = 0,
        max_chars: int | None = None,
    ) -> None:
        self.builder = builder
        self.triggers = [trigger.encode() for trigger in dict.fromkeys(triggers)]
        self.forbidden = [text.encode() for text in dict.fromkeys(forbidden)]
        self.bounds = min_chars, max_chars

    def text(self, ends: Iterable[bytes] = ()) -> int:
        """The node of the free texts that do not end with any of `ends`."""
        builder = self.builder
        strings, last = [*self.triggers, *self.forbidden], list(ends)
        any_text, excluded = builder.any_text(), []
        everything = builder.not_(builder.empty())
        if strings:
            excluded.append(builder.not_(builder.cat([everything, builder.words(strings), everything])))
        if last:
            excluded.append(builder.not_(builder.cat([everything, builder.words(last)])))
        node = builder.and_([any_text, *excluded]) if excluded else any_text
        return node if self.bounds == (0, None) else builder.bounded(node, *self.bounds)

    def dispatched(self, after: Iterable[tuple[Lit | Special, int]]) -> list[int]:
        """Alternatives, each of a text, a trigger, and the node that follows this trigger.

        The first occurrence of a trigger ends the text. If the text's end and the beginning of the trigger could make
        another string, such ends are excluded from the text; triggers with equal excluded ends share one text.
        """
        builder = self.builder
        avoided = ends_to_avoid(self.triggers, self.forbidden)
        groups: dict[frozenset[bytes], list[tuple[bytes, int]]] = {}
        alternatives: dict[frozenset[bytes], list[int]] = {}
        for trigger, node in after:
            if isinstance(trigger, Special):
                alternatives.setdefault(frozenset(), []).append(builder.seq([builder.special(trigger.name), node]))
            else:
                word = trigger.text.encode()
                groups.setdefault(avoided[word], []).append((word, node))
        for ends, continued in groups.items():
            alternatives.setdefault(ends, []).append(branches(builder, continued))
        return [builder.seq([self.text(ends), builder.alt(nodes)]) for ends, nodes in alternatives.items()]


def ends_to_avoid(triggers: Sequence[bytes], forbidden: Sequence[bytes]) -> dict[bytes, frozenset[bytes]]:
    """For each trigger: the ends of a text that make another string together with a beginning of the trigger, or with
    all of it. That string would have ended the text earlier."""
    longest = max(map(len, triggers), default=0)
    by_suffix: dict[bytes, list[bytes]] = {}
    for string in (*triggers, *forbidden):
        for cut in range(max(1, len(string) - longest), len(string)):
            by_suffix.setdefault(string[cut:], []).append(string[:cut])
    found: dict[bytes, frozenset[bytes]] = {}
    for trigger in triggers:
        beginnings = (trigger[:end] for end in range(1, len(trigger) + 1))
        found[trigger] = frozenset(text for beginning in beginnings for text in by_suffix.get(beginning, ()))
    return found


def branches(builder: GrammarBuilder, continued: Sequence[tuple[bytes, int]]) -> int:
    """The node of (a text, the node after it) for each pair, with common beginnings read once (a radix tree)."""
    whole = [node for text, node in continued if not text]
    below: dict[int, list[tuple[bytes, int]]] = {}
    for text, node in continued:
        if text:
            below.setdefault(text[0], []).append((text, node))
    for group in below.values():
        shared = _common_prefix([text for text, _ in group])
        rest = branches(builder, [(text[len(shared) :], node) for text, node in group])
        whole.append(builder.seq([builder.literal(shared), rest]))
    return builder.alt(whole)


def _common_prefix(texts: Sequence[bytes]) -> bytes:
    first, last = min(texts), max(texts)
    length = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[:length]


def trigger_of(begin: str, triggers: Container[str]) -> str:
    """The trigger that a tag starts with; KeyError if there is none."""
    for end in range(1, len(begin) + 1):
        if begin[:end] in triggers:
            return begin[:end]
    raise KeyError(begin)


def shortest(begins: Iterable[str]) -> list[str]:
    """The shortest begins of tags; every other begin starts with one of them, so they can serve as triggers."""
    found: dict[str, None] = {}
    for begin in sorted(set(begins), key=len):
        if not any(begin[:end] in found for end in range(1, len(begin))):
            found[begin] = None
    return list(found)


def spend_for(strings: Sequence[str], meter: Meter) -> None:
    """Spend the limits' steps and bytes for all prefixes and suffixes of the strings."""
    squares = sum(len(string) ** 2 for string in strings)
    meter.spend(sum(map(len, strings)) + squares // _COPIED, squares)


def check_strings(where: str, triggers: Sequence[str], forbidden: Sequence[str], meter: Meter | None = None) -> None:
    """GrammarSyntaxError for a string that can never be found, since another one always ends before it."""
    meter = Meter() if meter is None else meter
    spend_for([*triggers, *forbidden], meter)
    for kind, strings in (("trigger", triggers), ("forbidden string", forbidden)):
        for place, string in enumerate(strings):
            at = f"{where}, {kind} {place}"
            if not string:
                raise GrammarSyntaxError(f"a {kind} is empty", where=at, hint="every text holds the empty one")
            try:
                string.encode()
            except UnicodeEncodeError:
                raise GrammarSyntaxError("a lone surrogate has no UTF-8 form", where=at) from None
    for other, verb, hint in (
        (triggers, "ends the text before it", "leave one of the two out"),
        (forbidden, "is forbidden", "a trigger ends the text, so that nothing of it need be forbidden"),
    ):
        lengths = sorted({len(string) for string in other})
        known, begins = set(other), {string[0] for string in other}
        meter.spend(len(lengths) * sum(map(len, triggers)) * _STEPS_PER_PIECE)
        for place, trigger in enumerate(triggers):
            last = len(trigger) - (other is triggers)  # of two triggers with the same end, the shorter one comes first
            found = next(
                (
                    trigger[at : at + length]
                    for at in range(len(trigger))
                    if trigger[at] in begins
                    for length in lengths
                    if at + length <= last and trigger[at : at + length] in known
                ),
                None,
            )
            if found is not None:
                raise GrammarSyntaxError(
                    f"the trigger {trigger!r} never comes: {found!r} {verb}",
                    where=f"{where}, trigger {place}",
                    hint=hint,
                )
