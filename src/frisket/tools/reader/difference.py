"""Texts → their common beginning and end, compared in whole tags, words and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: A tag: the form in which templates write markers, such as `<tool_call>` or `[INST]`.
TAG = re.compile(r"<[^<>\n]*>|\[/?[A-Z_]+\]")
#: A unit, which is compared as a whole: a tag, a word, a number, or any other character.
_UNIT = re.compile(rf"{TAG.pattern}|[^\W\d_]+|\d+|.", re.DOTALL)


def units(text: str) -> list[str]:
    """The tags, words, numbers and single characters of a text.

    >>> units("<tool_call>\\n{at: 12}")
    ['<tool_call>', '\\n', '{', 'at', ':', ' ', '12', '}']
    """
    return _UNIT.findall(text)


def common_start(texts: Iterable[str]) -> str:
    """The longest beginning of all texts, in whole units.

    >>> common_start(["</call><call>", "</call></calls>"])
    '</call>'
    """
    return "".join(_shared([units(text) for text in texts]))


def common_end(texts: Iterable[str]) -> str:
    """The longest end of all texts, in whole units.

    >>> common_end(["<calls><call>", "</call><call>"])
    '<call>'
    """
    return "".join(reversed(_shared([units(text)[::-1] for text in texts])))


def decompose(before: str, between: str, after: str) -> tuple[str, str, str]:
    """(start, separator, end) of an item, from the texts before the first item, between two, and after the last.

    A text that could belong to start or end belongs to end.

    >>> decompose("[<call>", "</call>, <call>", "</call>]")
    ('<call>', ', ', '</call>')
    """
    end = common_start([between, after])
    start = common_end([before, between[len(end) :]])
    return start, between[len(end) : len(between) - len(start)], end


def _shared(lists: list[list[str]]) -> list[str]:
    shared: list[str] = []
    for column in zip(*lists, strict=False):
        if len(set(column)) > 1:
            break
        shared.append(column[0])
    return shared
