"""Template → how one call is written, what stands around and between calls, and where text may stand beside them.

Names, identifiers and arguments of a rendering become holes. The texts before the first call, between two calls, and
after the last one are then split into the call itself, the separator, and the section around all calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from frisket.errors import UnreadableTemplateError
from frisket.tools.reader.arguments import Arguments, read_arguments
from frisket.tools.reader.difference import TAG, common_start, decompose
from frisket.tools.reader.holes import COUNT, ID, NAME, as_template, core_of, with_counts, with_hole, with_numbers
from frisket.tools.reader.probe import CONTENT, IDS, KEYS, NAMES, NEXT_USER, TEXTS, Call, Probe, Said
from frisket.tools.reader.turn import Content, Frame, split_stop, without_next_turn

#: Sample identifiers with their patterns, widest first: a template that accepts the sample is taken to accept its
#: pattern.
_IDS = (("call_1-b", "[A-Za-z0-9_-]{1,64}"), ("abc123", "[A-Za-z0-9]{1,64}"), (IDS[0], "[A-Za-z0-9]{9}"))
_CALLS = tuple(Call(name, {KEYS[0]: text}, id) for name, text, id in zip(NAMES, TEXTS, IDS, strict=True))
#: The pattern of a number that counts calls.
_COUNT_PATTERN = "[0-9]{1,4}"


@dataclass(frozen=True)
class Beside:
    """Where text may stand beside calls."""

    before: bool
    between: bool
    preamble: tuple[str, str] | None
    """The markers around text before the first call."""
    is_always_marked: bool = False
    """Whether the markers stand before every call, even without text."""


@dataclass(frozen=True)
class Calls:
    """The written form of calls, in the fields of a Family."""

    call: str
    section: str
    separator: str
    is_parallel: bool
    lead: str
    """The text before the name of the first call."""
    arguments: Arguments
    id: str
    stop: str
    beside: Beside


def read_calls(probe: Probe, frame: Frame, content: Content) -> Calls:
    """How the template writes calls; UnreadableTemplateError if it cannot be told."""

    def written(arguments: Mapping[str, Any]) -> str | None:
        return _body(probe, frame, Said(calls=(Call(arguments=arguments),)))

    arguments = read_arguments(written)
    single, stop = _closed(probe, frame, content, arguments, 1)
    before, core, after = core_of(single)
    many, last_stop = _closed(probe, frame, content, arguments, 2)
    is_parallel = many.count(NAME) == 2 * single.count(NAME)
    call, section, separator = single, "$calls", ""
    if is_parallel:
        counted, numbers = with_counts(many)
        before, core, after = core_of(with_counts(single)[0])
        parts = counted.split(core)
        if len(parts) != 3 or parts[0] != before or parts[2] != after or stop != last_stop:
            raise UnreadableTemplateError(
                f"two calls are written otherwise than one: {as_template(many)!r}, {as_template(single)!r}",
                where="calls",
                hint="name the family, if the model has one",
            )
        start, separator, end = decompose(before, parts[1], after)
        call, section = start + core + end, before.removesuffix(start) + "$calls" + after.removeprefix(end)
        call, section, separator = _with_numbers(call, section, separator, numbers)
    lead = section.partition("$calls")[0] + call.partition(NAME)[0]
    beside = _text_beside(probe, frame, content)
    if beside.is_always_marked and beside.preamble is not None:
        section = section.removeprefix("".join(beside.preamble))
    pattern = _COUNT_PATTERN if COUNT in call else _id_pattern(probe) if ID in call else ""
    return Calls(as_template(call), section, separator, is_parallel, lead, arguments, pattern, stop, beside)


def _closed(probe: Probe, frame: Frame, content: Content, arguments: Arguments, count: int) -> tuple[str, str]:
    """(the text of `count` calls with holes, the token that ends the message); empty if the template refuses them."""
    said = Said(calls=_CALLS[:count])
    for turn in probe.turns(said):
        body = frame.body(turn)
        if body is None or NAMES[0] not in body:
            continue
        before, core, after = core_of(_with_holes(body, arguments))
        followed = probe.turn(said, follow="tool")
        rest = "" if followed is None else followed.written.partition(NEXT_USER)[0]
        rest = rest.rpartition(after if after in rest else NAMES[count - 1])[2]
        written, after = after, without_next_turn(turn, after, after + rest)
        if after != written and not after.endswith(content.stop):
            return before + core + after, content.stop
        tags = [found[0] for found in TAG.finditer(turn.prompt_tail)]
        if tags[:1] == [content.stop] and tags[1:2] != tags[:1] and any(tag in after for tag in tags[1:2]):
            # Messages of the user and of the model end with the same tag, so the next tag ends the turn.
            return before + core + after.partition(tags[1])[0], tags[1]
        if content.stop and content.stop in after:
            return before + core + after.partition(content.stop)[0], content.stop
        if content.is_stop_written:
            after, stop = split_stop(after)
            return before + core + after, stop
        found = TAG.match(rest.lstrip())
        return before + core + after, found[0] if found else ""
    if count > 1:
        return "", ""
    raise UnreadableTemplateError(
        "the template writes a call otherwise than its prompt begins a message",
        where="calls",
        hint="name the family, if the model has one",
    )


def _with_holes(text: str, arguments: Arguments) -> str:
    text = arguments.replaced(text, *(call.arguments for call in _CALLS))
    return with_hole(with_hole(text, NAME, *NAMES), ID, *IDS)


def _body(probe: Probe, frame: Frame, said: Said) -> str | None:
    """The text of a message after its reasoning, in the first mode whose rendering begins as the prompt does."""
    for turn in probe.turns(said):
        body = frame.body(turn)
        if body is not None and said.calls[0].name in body:
            return body
    return None


def _with_numbers(call: str, section: str, separator: str, numbers: list[str]) -> tuple[str, str, str]:
    """The templates with their numbers: a number that differs between two calls counts calls, any other is text."""
    first, last = section.split("$calls")
    sizes = [first.count(COUNT), call.count(COUNT), separator.count(COUNT), call.count(COUNT), last.count(COUNT)]
    groups: list[list[str]] = []
    for size in sizes:
        groups.append(numbers[:size])
        numbers = numbers[size:]
    counts = [one if one == other else None for one, other in zip(groups[1], groups[3], strict=True)]
    if counts.count(None) + (ID in call) > 1:
        raise UnreadableTemplateError(
            f"a call has several identifiers: {as_template(call)!r}",
            where="id",
            hint="name the family, if it has a name",
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


def _text_beside(probe: Probe, frame: Frame, content: Content) -> Beside:
    """Where text may stand beside calls, read from a message that has both."""
    with_text = _body(probe, frame, Said(CONTENT, calls=_CALLS[:1]))
    alone = _body(probe, frame, Said(calls=_CALLS[:1]))
    if with_text is None or alone is None or CONTENT not in with_text:
        return Beside(False, False, None)
    if with_text.index(CONTENT) > with_text.index(NAMES[0]):
        return Beside(True, True, None)
    if not content.begin:
        return Beside(True, False, None)
    begin, _, rest = with_text.partition(CONTENT)
    after, lead = rest.partition(NAMES[0])[0], alone.partition(NAMES[0])[0]
    if lead == begin + after:
        return Beside(True, False, (begin, common_start([content.end, after])), True)
    return Beside(True, False, (begin, after.removesuffix(lead)))
