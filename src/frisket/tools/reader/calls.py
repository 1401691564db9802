"""Template → how one call is written, what stands around and between calls, and where text may stand beside them.

Names, identifiers and arguments of a rendering become holes. What stands before the first call, between two and after
the last one then falls into the call itself, the separator, and the section of all calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from frisket.errors import UnreadableTemplateError
from frisket.tools.reader.arguments import Arguments, read_arguments
from frisket.tools.reader.difference import TAG, decompose
from frisket.tools.reader.holes import COUNT, ID, NAME, as_template, core_of, with_counts, with_hole, with_numbers
from frisket.tools.reader.probe import CONTENT, IDS, KEYS, NAMES, NEXT_USER, TEXTS, Call, Probe, Said
from frisket.tools.reader.turn import Content, Frame, split_stop, without_next_prompt

#: Identifiers, the widest pattern first: those that a template lets pass show what it asks for.
_IDS = (("call_1-b", "[A-Za-z0-9_-]{1,64}"), ("abc123", "[A-Za-z0-9]{1,64}"), (IDS[0], "[A-Za-z0-9]{9}"))
_CALLS = tuple(Call(name, {KEYS[0]: text}, id) for name, text, id in zip(NAMES, TEXTS, IDS, strict=True))
#: The pattern of a number that counts calls.
_COUNT_PATTERN = "[0-9]{1,4}"


@dataclass(frozen=True)
class Calls:
    """How calls are written, in the fields of a Family."""

    call: str
    section: str
    separator: str
    parallel: bool
    arguments: Arguments
    id: str
    stop: str
    text_before: bool
    text_between: bool
    preamble: tuple[str, str] | None


def read_calls(probe: Probe, frame: Frame, content: Content) -> Calls:
    """How calls are written; UnreadableTemplateError where that cannot be told."""

    def written(arguments: Mapping[str, Any]) -> str | None:
        return _body(probe, frame, Said(calls=(Call(arguments=arguments),)))

    arguments = read_arguments(written)
    single, stop = _one_call(probe, frame, content, arguments)
    before, core, after = core_of(single)
    both = _body(probe, frame, Said(calls=_CALLS))
    many = "" if both is None else _with_holes(both, arguments)
    if many.count(NAME) != 2 * single.count(NAME):
        call, section, separator = before + core + after, "$calls", ""
    else:
        counted, numbers = with_counts(many)
        before, core, after = core_of(with_counts(single)[0])
        parts = counted.split(core)
        if len(parts) != 3 or not parts[2].startswith(after):
            raise UnreadableTemplateError(
                f"two calls are written otherwise than one: {as_template(many)!r}, {as_template(single)!r}",
                where="calls",
                hint="name the family, if the model has one",
            )
        start, separator, end = decompose(parts[0], parts[1], after)
        call, section = start + core + end, parts[0].removesuffix(start) + "$calls" + after.removeprefix(end)
        call, section, separator = _with_numbers(call, section, separator, numbers)
    lead = section.partition("$calls")[0] + call.partition(NAME)[0]
    return Calls(
        as_template(call),
        section,
        separator,
        section != "$calls" or separator != "" or call != before + core + after,
        arguments,
        _COUNT_PATTERN if COUNT in call else _id_pattern(probe) if ID in call else "",
        stop,
        *_text_beside(probe, frame, content, lead),
    )


def _one_call(probe: Probe, frame: Frame, content: Content, arguments: Arguments) -> tuple[str, str]:
    """(the text of one call with holes, the token that ends the message)"""
    said = Said(calls=_CALLS[:1])
    for turn in probe.turns(said):
        body = frame.body(turn)
        if body is None or NAMES[0] not in body:
            continue
        before, core, after = core_of(_with_holes(body.lstrip("\n"), arguments))
        after = without_next_prompt(turn, after)
        if content.stop and content.stop in after:
            return before + core + after.partition(content.stop)[0], content.stop
        if content.is_stop_written:
            after, stop = split_stop(after)
            return before + core + after, stop
        followed = probe.turn(said, follow="tool")
        rest = "" if followed is None else followed.text.partition(NEXT_USER)[0].rpartition(after)[2].lstrip()
        found = TAG.match(rest)
        return before + core + after, found[0] if found else ""
    raise UnreadableTemplateError(
        "the template writes a call otherwise than its prompt begins a message",
        where="calls",
        hint="name the family, if the model has one",
    )


def _with_holes(text: str, arguments: Arguments) -> str:
    text = arguments.replaced(text, *(call.arguments for call in _CALLS))
    return with_hole(with_hole(text, NAME, *NAMES), ID, *IDS)


def _body(probe: Probe, frame: Frame, said: Said) -> str | None:
    """The first rendering of a message that begins as the prompt does, after its reasoning."""
    for turn in probe.turns(said):
        body = frame.body(turn)
        if body is not None and said.calls[0].name in body:
            return body.lstrip("\n")
    return None


def _with_numbers(call: str, section: str, separator: str, numbers: list[str]) -> tuple[str, str, str]:
    """The templates with their numbers: those that differ between two calls count them, all others are text."""
    first, last = section.split("$calls")
    sizes = [first.count(COUNT), call.count(COUNT), separator.count(COUNT), call.count(COUNT), last.count(COUNT)]
    groups: list[list[str]] = []
    for size in sizes:
        groups.append(numbers[:size])
        numbers = numbers[size:]
    counts = [one if one == other else None for one, other in zip(groups[1], groups[3], strict=True)]
    if counts.count(None) + (ID in call) > 1:
        raise UnreadableTemplateError(
            f"a call has several identifiers: {as_template(call)!r}", where="id", hint="name the family, if it has a name"
        )
    section = with_numbers(first, groups[0]) + "$calls" + with_numbers(last, groups[4])
    return with_numbers(call, counts), section, with_numbers(separator, groups[2])


def _id_pattern(probe: Probe) -> str:
    """The pattern of the widest identifiers that the template takes."""
    for identifier, pattern in _IDS:
        call = Call(NAMES[0], {KEYS[0]: TEXTS[0]}, identifier)
        turn = probe.turn(Said(calls=(call,)))
        if turn is not None and identifier in turn.text:
            return pattern
    raise UnreadableTemplateError("the template takes no identifier of a call", where="id", hint="name the family")


def _text_beside(
    probe: Probe, frame: Frame, content: Content, lead: str
) -> tuple[bool, bool, tuple[str, str] | None]:
    """(whether text may stand before the calls, after them, and the markers around it)"""
    body = _body(probe, frame, Said(CONTENT, calls=_CALLS[:1]))
    if body is None or CONTENT not in body:
        return False, False, None
    if body.index(CONTENT) > body.index(NAMES[0]):
        return True, True, None
    if not content.begin:
        return True, False, None
    begin, _, rest = body.partition(CONTENT)
    return True, False, (begin, rest.partition(NAMES[0])[0].removesuffix(lead))
