"""Parts → the reference's nodes, by the definition of each part; and random parts.

Free text before a trigger is defined by the whole text: no string ends in it before its last byte, and of those that
end there the trigger is the longest. The engine splits it into a text and a trigger instead.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

from frisket import Grammar
from frisket.errors import GrammarSyntaxError
from frisket.notations.combination import part as parts
from frisket.notations.combination.free_text import trigger_of
from frisket.parts import choice, lit, optional, regex, repeat, seq, special, tags, text, until
from frisket.reference import (
    ANY_CHAR,
    ANY_TEXT,
    EPSILON,
    NOTHING,
    Node,
    alt,
    both,
    bounded,
    cat,
    complement,
    literal,
    parse_regex,
)
from frisket.reference import repeat as repeated
from frisket.reference import special as special_node

EVERYTHING = complement(NOTHING)


def to_reference(part: parts.Part) -> Node:
    """The texts of a part; of other notations regular expressions alone are known."""
    match part:
        case parts.Lit(text):
            return literal(text.encode())
        case parts.Whole(grammar):
            return parse_regex(grammar._origin.argument)  # type: ignore[union-attr]
        case parts.Special(name):
            return special_node(name)
        case parts.Seq(items):
            return cat(*map(to_reference, items))
        case parts.Choice(items):
            return alt(*map(to_reference, items))
        case parts.Capture(_, item) | parts.Label(_, item):
            return to_reference(item)
        case parts.Repeat(item, low, high, None):
            return repeated(to_reference(item), low, high)
        case parts.Repeat(item, low, high, separator):
            first, more = to_reference(item), cat(to_reference(separator), to_reference(item))
            some = cat(first, repeated(more, max(low - 1, 0), None if high is None else max(high - 1, 0)))
            return alt(*([EPSILON] if low == 0 else []), *([some] if high != 0 else []))
        case parts.FreeText(forbidden, low, high):
            return _text(forbidden, low, high)
        case parts.Until(triggers, forbidden, low, high):
            words = [trigger.text for trigger in triggers if isinstance(trigger, parts.Lit)]
            ways = [_ended(word, words, forbidden, low, high) for word in words]
            names = [trigger.name for trigger in triggers if isinstance(trigger, parts.Special)]
            return alt(*ways, *(cat(_text([*words, *forbidden], low, high), special_node(name)) for name in names))
        case parts.Tags():
            return _tags(part)
    raise TypeError(type(part).__name__)


def _text(strings: Iterable[str], low: int = 0, high: int | None = None) -> Node:
    held = [cat(EVERYTHING, literal(string.encode()), EVERYTHING) for string in strings]
    return bounded(both(ANY_TEXT, *map(complement, held)), low, high)


def _ended(word: str, words: Iterable[str], forbidden: Iterable[str], low: int, high: int | None) -> Node:
    """Texts that the trigger ends."""
    strings = {*words, *forbidden}
    earlier = [cat(EVERYTHING, literal(string.encode()), ANY_CHAR, EVERYTHING) for string in strings]
    longer = [cat(EVERYTHING, literal(string.encode())) for string in strings if len(string) > len(word)]
    length = bounded(ANY_TEXT, low + len(word), None if high is None else high + len(word))
    whole = cat(EVERYTHING, literal(word.encode()))
    return both(length, whole, *map(complement, [*earlier, *longer]))


def _tags(part: parts.Tags) -> Node:
    ways = []
    for begin, content in part.tags:
        if isinstance(begin, parts.Special):
            text = _text([*part.triggers, *part.forbidden], 0, part.max_chars)
            ways.append(cat(text, special_node(begin.name), to_reference(content)))
        else:
            trigger = trigger_of(begin.text, part.triggers)
            text = _ended(trigger, part.triggers, part.forbidden, 0, part.max_chars)
            ways.append(cat(text, literal(begin.text[len(trigger) :].encode()), to_reference(content)))
    tagged, text = alt(*ways), _text([*part.triggers, *part.forbidden], 0, part.max_chars)
    if part.text_after:
        return cat(repeated(tagged, part.at_least, part.at_most), text)
    some = repeated(tagged, max(part.at_least, 1), part.at_most)
    return alt(some, *([text] if part.at_least == 0 else []))


LETTERS = "ab<é"
SPECIALS = ("<|x|>", "<|y|>")


def random_grammar(rng: random.Random, depth: int = 3) -> Grammar:
    """A combination of all parts."""
    while True:
        try:
            return _grammar(rng, depth)
        except GrammarSyntaxError:  # a trigger that can never come
            continue


def _word(rng: random.Random, longest: int = 3) -> str:
    return "".join(rng.choices(LETTERS, k=rng.randint(1, longest)))


def _words(rng: random.Random, most: int) -> list[str]:
    return [_word(rng) for _ in range(rng.randint(0, most))]


def _bounds(rng: random.Random) -> tuple[int, int | None]:
    low = rng.choice((0, 0, 0, 1, 2))
    return low, rng.choice((None, None, low + rng.randint(0, 3)))


def _grammar(rng: random.Random, depth: int) -> Grammar:
    kind = rng.choice(
        (
            "lit",
            "regex",
            "special",
            "text",
            "until",
            *(("seq", "choice", "repeat", "optional", "tags") * 2)[: 10 * (depth > 0)],
        )
    )
    low, high = _bounds(rng)
    match kind:
        case "lit":
            return lit(_word(rng))
        case "regex":
            return regex(rng.choice(("[ab]+", "a*<?", "é|b{2}", "(ab|<)*")))
        case "special":
            return special(rng.choice(SPECIALS))
        case "text":
            return text(forbidden=_words(rng, 3), min_chars=low, max_chars=high)
        case "until":
            ends = [
                special(rng.choice(SPECIALS)) if rng.random() < 0.2 else lit(_word(rng))
                for _ in range(rng.randint(1, 3))
            ]
            return until(*ends, forbidden=_words(rng, 2), min_chars=low, max_chars=high)
        case "seq":
            return seq(*[_grammar(rng, depth - 1) for _ in range(rng.randint(1, 3))])
        case "choice":
            return choice(*[_grammar(rng, depth - 1) for _ in range(rng.randint(1, 3))])
        case "optional":
            return optional(_grammar(rng, depth - 1))
        case "repeat":
            between = _grammar(rng, 0) if rng.random() < 0.5 else None
            return repeat(_grammar(rng, depth - 1), low, high, between)
    begins = [
        special(rng.choice(SPECIALS)) if rng.random() < 0.2 else lit(_word(rng)) for _ in range(rng.randint(1, 3))
    ]
    return tags(
        [(begin, _grammar(rng, depth - 1)) for begin in begins],
        forbidden=_words(rng, 1),
        at_least=low,
        at_most=high,
        max_chars=rng.choice((None, None, 2)),
        text_after=rng.random() < 0.7,
    )
