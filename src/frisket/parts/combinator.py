"""Texts and grammars → the Grammar of a combination: a sequence, a choice, a repetition, free text, tags.

A part is a text, which stands for itself, or a grammar in any notation. Every combination can be a part again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, overload

from frisket.argument_name import explain_slips
from frisket.errors import EmptyGrammarError, GrammarSyntaxError, LimitExceededError
from frisket.grammar import PATTERN_SLIPS, Grammar, option_slips
from frisket.limit import Limits, Meter
from frisket.misuse import instead_of_type
from frisket.notations.combination import free_text
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
    Until,
)

if TYPE_CHECKING:
    from typing_extensions import TypeForm

    from frisket.json_schema import JSONSchemaOptions

__all__ = [
    "GrammarPart",
    "capture",
    "choice",
    "json",
    "lit",
    "optional",
    "regex",
    "repeat",
    "seq",
    "special",
    "tags",
    "text",
    "until",
]

T = TypeVar("T")

GrammarPart: TypeAlias = str | Grammar
"""An argument of a combinator: a text that stands for itself, or a grammar."""


def lit(text: str) -> Grammar[str]:
    """Exactly this text. A combinator also accepts a plain str for it.

    >>> lit("yes").accepts("yes")
    True
    """
    if not isinstance(text, str):
        raise TypeError(f"a literal is a str, got {type(text).__name__}")
    return Grammar._from_part(Lit.of(text))


@explain_slips("parts.regex", PATTERN_SLIPS)
def regex(
    pattern: str | re.Pattern[str],
    *,
    dialect: Literal["python", "ecma"] = "python",
    search: bool = False,
    limits: Limits | None = None,
) -> Grammar[str]:
    """The texts that a regular expression matches: `Grammar.from_regex` under a short name.

    >>> seq("#", regex("[0-9]{1,3}")).accepts("#42")
    True
    """
    return Grammar.from_regex(pattern, dialect=dialect, search=search, limits=limits)


@overload
def json(schema: type[T], options: JSONSchemaOptions | None = ..., *, limits: Limits | None = ...) -> Grammar[T]: ...
@overload
def json(
    schema: Mapping[str, Any] | bool | str, options: JSONSchemaOptions | None = ..., *, limits: Limits | None = ...
) -> Grammar[Any]: ...
@overload
def json(
    schema: TypeForm[T], options: JSONSchemaOptions | None = ..., *, limits: Limits | None = ...
) -> Grammar[T]: ...
@explain_slips("parts.json", option_slips)
def json(schema: Any, options: JSONSchemaOptions | None = None, *, limits: Limits | None = None) -> Grammar[Any]:
    """The JSON documents of a schema (a dict, a bool, or the schema as JSON text) or of a Python type.

    >>> seq("answer: ", json({"type": "boolean"})).accepts("answer: true")
    True
    """
    if isinstance(schema, (Mapping, bool, str)):
        grammar = Grammar.from_json_schema(schema, options, limits=limits)
        if grammar.report is not None:
            grammar.report.check_asks()
        return grammar
    return Grammar.from_type(schema, options, limits=limits)


def choice(*parts: GrammarPart) -> Grammar[str]:
    """A text of any one of the parts.

    >>> choice("yes", regex("no+")).accepts("noo")
    True
    """
    if not parts:
        raise EmptyGrammarError("there is nothing to choose from", where="choice", hint="give at least one part")
    return Grammar._from_part(Choice(_parts("choice", parts)))


def seq(*parts: GrammarPart) -> Grammar[str]:
    """A text of each part, one after another; without parts the empty text.

    >>> seq("id: ", regex("[0-9]+"), ";").accepts("id: 7;")
    True
    """
    return Grammar._from_part(Seq(_parts("seq", parts)))


def repeat(
    part: GrammarPart, low: int = 0, high: int | None = None, separator: GrammarPart | None = None
) -> Grammar[str]:
    """`low` to `high` texts of a part (None for no limit), with the separator between each two.

    >>> row = repeat(regex("[0-9]+"), 1, 3, separator=", ")
    >>> row.accepts("1, 22"), row.accepts("1, 2, 3, 4")
    (True, False)
    """
    _check_counts("repeat", low, high)
    between = None if separator is None else _part("repeat separator", separator)
    return Grammar._from_part(Repeat(_part("repeat", part), low, high, between))


def optional(part: GrammarPart) -> Grammar[str]:
    """A text of the part, or nothing.

    >>> seq("1", optional(".0")).accepts("1")
    True
    """
    return Grammar._from_part(Repeat(_part("optional", part), 0, 1))


def text(
    *,
    forbidden: Iterable[str] = (),
    min_chars: int = 0,
    max_chars: int | None = None,
    limits: Limits | None = None,
) -> Grammar[str]:
    """Free text of `min_chars` to `max_chars` characters that contains none of the forbidden strings.

    >>> text(forbidden=["http://"], max_chars=80).accepts("see http://example.org")
    False
    """
    _check_counts("text", min_chars, max_chars)
    strings = _forbidden("text", [], forbidden, limits)
    return Grammar._from_part(FreeText(strings, min_chars, max_chars), limits=limits)


def until(
    *triggers: GrammarPart,
    forbidden: Iterable[str] = (),
    min_chars: int = 0,
    max_chars: int | None = None,
    name: str | None = None,
    limits: Limits | None = None,
) -> Grammar[str]:
    """Free text that ends with the first trigger; triggers are texts, or special tokens (`special`).

    >>> thought = seq("<think>", until("</think>"), regex("[0-9]+"))
    >>> thought.accepts("<think>6 * 7 <is/> easy</think>42"), thought.accepts("<think></think></think>42")
    (True, False)

    The text has `min_chars` to `max_chars` characters before the trigger, and contains no forbidden string, not even
    one that ends inside the trigger. `name` captures the text without the trigger. Any tokens may spell a trigger, and
    a token may begin before it or end after it.
    """
    _check_counts("until", min_chars, max_chars)
    if not triggers:
        raise EmptyGrammarError("the text has no end", where="until", hint="give a trigger, or use frisket.parts.text")
    ends = tuple(_trigger("until", place, trigger) for place, trigger in enumerate(triggers))
    words = [end.text for end in ends if isinstance(end, Lit)]
    strings = _forbidden("until", words, forbidden, limits)
    until = Until(ends, strings, min_chars, max_chars, None if name is None else _name(name))
    return Grammar._from_part(until, limits=limits)


def tags(
    tags: Mapping[str, GrammarPart] | Iterable[tuple[GrammarPart, GrammarPart]],
    *,
    triggers: Iterable[str] | None = None,
    forbidden: Iterable[str] = (),
    at_least: int = 0,
    at_most: int | None = None,
    max_chars: int | None = None,
    text_after: bool = True,
    limits: Limits | None = None,
) -> Grammar[str]:
    """Free text with tags in it. A tag is a begin (a text, or a special token) and the part that follows it.

    >>> calls = tags({"<add>": seq(regex("[0-9]+"), "</add>"), "<stop>": ""}, at_most=2)
    >>> calls.accepts("Let me see: <add>3</add> and <stop>."), calls.accepts("<add>x</add>"), calls.accepts("none")
    (True, False, True)

    A `trigger` ends free text: one of the tags that begin with it must follow. By default every begin is a trigger.
    With `triggers=["<"]` free text cannot contain any other `<`. There are `at_least` to `at_most` tags. Before each is
    a text of at most `max_chars` characters, which may be empty and contains no forbidden string. After the last tag
    comes text, or with `text_after=False` nothing. Hundreds of tags cost no more than one.
    """
    _check_counts("tags", at_least, at_most)
    _check_counts("tags", 0, max_chars)
    pairs = list(tags.items()) if isinstance(tags, Mapping) else list(tags)
    if not pairs:
        raise EmptyGrammarError("there are no tags", where="tags", hint="give a tag, or use frisket.parts.text")
    checked = tuple(_tag(place, pair) for place, pair in enumerate(pairs))
    begins = [begin.text for begin, _ in checked if isinstance(begin, Lit)]
    # Every prefix of a begin is looked up among the triggers.
    free_text.spend_for(begins, Meter(limits))
    words = free_text.shortest(begins) if triggers is None else list(dict.fromkeys(triggers))
    strings = _forbidden("tags", words, forbidden, limits)
    known, unused = set(words), set(words)
    for place, begin in enumerate(begins):
        try:
            unused.discard(free_text.trigger_of(begin, known))
        except KeyError:
            raise GrammarSyntaxError(
                f"the tag {begin!r} begins with none of the triggers",
                where=f"tags, tag {place}",
                hint="leave the triggers out, and each begin is one",
            ) from None
    for trigger in unused:
        raise GrammarSyntaxError(
            f"no tag begins with the trigger {trigger!r}", where="tags", hint="leave it out, or forbid it"
        )
    part = Tags(checked, tuple(words), strings, at_least, at_most, max_chars, text_after)
    return Grammar._from_part(part, limits=limits)


def special(token_name: str) -> Grammar[str]:
    """The special token with this name in the vocabulary; ordinary text never matches it.

    >>> special("<|eot_id|>").accepts("<|eot_id|>")
    False

    Compiling the grammar for a vocabulary without this token raises a VocabularyError.
    """
    if not isinstance(token_name, str):
        raise TypeError(f"a special token has a str for a name, got {type(token_name).__name__}")
    if not token_name:
        raise GrammarSyntaxError("the name of a special token is empty", where="special")
    return Grammar._from_part(Special(token_name))


def capture(name: str, part: GrammarPart) -> Grammar[str]:
    """The part, with a name under which its text can be found.

    >>> capture("year", regex("[0-9]{4}")).accepts("2026")
    True
    """
    return Grammar._from_part(Capture(_name(name), _part(f"capture {name!r}", part)))


#: Greatest count: native counts have 64 bits, and one more text may be counted.
_LARGEST = 2**63


def _part(where: str, part: GrammarPart, call: str = "") -> Part:
    if isinstance(part, Grammar):
        return part._part
    if isinstance(part, str):
        return Lit.of(part, where)
    raise TypeError(f"{where}: a part is a str or a Grammar, got {type(part).__name__}{_advice(part)}")


def _advice(target: object) -> str:
    """Advice for a target that `generate` accepts and combinators do not: the part to write instead."""
    if isinstance(target, list | tuple) and all(isinstance(one, str) for one in target):
        return ": write choice(*texts)"
    if isinstance(target, re.Pattern):
        return ": write regex(pattern)"
    if isinstance(target, int | float) and not isinstance(target, bool):
        return f": write the text {str(target)!r}"
    if isinstance(target, Mapping | bool) or instead_of_type(target) is None:
        return ": write json(…) for its documents"
    return ""


def _parts(where: str, parts: tuple[GrammarPart, ...]) -> tuple[Part, ...]:
    if len(parts) == 1 and isinstance(parts[0], list | tuple):
        raise TypeError(f"{where} takes its parts one by one: write {where}(*parts) for a list of them")
    return tuple(_part(f"{where}, part {place}", part) for place, part in enumerate(parts))


def _trigger(where: str, place: int, trigger: GrammarPart) -> Lit | Special:
    part = _part(f"{where}, trigger {place}", trigger)
    if isinstance(part, (Lit, Special)):
        return part
    raise TypeError(f"{where}: a trigger is a str or a special token, got {trigger!r}")


def _tag(place: int, pair: tuple[GrammarPart, GrammarPart]) -> tuple[Lit | Special, Part]:
    where = f"tags, tag {place}"
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise TypeError(f"{where}: a tag is a begin and a part, got {type(pair).__name__}")
    begin = _part(f"{where}, begin", pair[0])
    if not isinstance(begin, (Lit, Special)):
        raise TypeError(f"{where}: a begin is a str or a special token, got {pair[0]!r}")
    if begin == Lit(""):
        raise GrammarSyntaxError("the begin of a tag is empty", where=where, hint="every text holds the empty one")
    name = begin.text if isinstance(begin, Lit) else begin.name
    return begin, Label(name, _part(where, pair[1]))


def _forbidden(where: str, triggers: list[str], forbidden: Iterable[str], limits: Limits | None) -> tuple[str, ...]:
    if isinstance(forbidden, str):
        raise TypeError(f"{where}: forbidden strings are several: write [text] for one")
    strings = tuple(forbidden)
    for string in strings:
        if not isinstance(string, str):
            raise TypeError(f"{where}: a forbidden string is a str, got {type(string).__name__}")
    free_text.check_strings(where, triggers, strings, limits)
    return strings


def _check_counts(where: str, low: int, high: int | None) -> None:
    for count in (low, high):
        if count is not None and (not isinstance(count, int) or isinstance(count, bool)):
            raise TypeError(f"{where}: a count is an int, got {type(count).__name__}")
        if count is not None and count > _LARGEST:
            raise LimitExceededError(
                f"{where}: a count is at most {_LARGEST:,}", where=where, hint="leave it out where any number will do"
            )
    if low < 0:
        raise ValueError(f"{where}: a count is at least 0, got {low}")
    if high is not None and high < low:
        raise EmptyGrammarError(
            f"at least {low} and at most {high} is never", where=where, hint="the smaller count comes first"
        )


def _name(name: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"a capture has a str for a name, got {type(name).__name__}")
    if not name:
        raise GrammarSyntaxError("the name of a capture is empty", where="capture")
    return name
