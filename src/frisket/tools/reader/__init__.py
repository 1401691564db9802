"""Chat template → Family: how a model writes its messages, read from the template that it was trained with.

A template is a program, and the reader does not look into it. It renders messages that differ in one thing and takes
what differs for the part: the precedent is the automatic parser of llama.cpp (common/chat-auto-parser). Names and
values of the probes are words that no template writes by itself, so that their places are plain.

difference   texts → what they have in common, in whole tags
probe        a message → its rendering, in the spelling that the template takes
turn         where a message begins, the markers of reasoning and of text, what ends the message
calls        one call, what stands around and between calls, text beside them
arguments    one JSON object, a tag for each parameter, or keyword arguments; how each type of value is written
holes        a rendering → a template of the family
check        the Family × cases of its own → nothing, or an error: which case, what text

A reading is checked before it is given: the family's grammar accepts each case as the template writes it, and parses it
back to the same parts. What cannot be told, or is told wrong, is an UnreadableTemplateError that names the part.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from frisket.errors import ToolError, UnreadableTemplateError
from frisket.tools.family import Family
from frisket.tools.reader.arguments import Arguments
from frisket.tools.reader.calls import read_calls
from frisket.tools.reader.check import check
from frisket.tools.reader.holes import as_template
from frisket.tools.reader.probe import UNNAMED_EOS, Probe
from frisket.tools.reader.turn import Frame, read_content, read_frame

__all__ = ["read_family"]

#: The names that a call in Python's syntax can have.
_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*"


def read_family(text: str, name: str, variables: dict[str, Any], special: frozenset[str] = frozenset()) -> Family:
    """The family of a chat template's text; UnreadableTemplateError where the template does not tell it."""
    probe = Probe(text, variables)
    _ = probe.spelling
    frame = read_frame(probe)
    content = read_content(probe, frame)
    calls = read_calls(probe, frame, content)
    beside, arguments = calls.beside, calls.arguments
    within = "".join((*(frame.thinking or ()), calls.call, calls.section, calls.separator, *(beside.preamble or ())))
    # A token inside messages ends a part of a message, not the message.
    parts = {stop for stop in (content.stop, calls.stop) if stop and stop in within}
    end, section = (
        template + stop if stop in parts else template
        for template, stop in ((content.end, content.stop), (calls.section, calls.stop))
    )
    stops = [stop for stop in (content.stop, calls.stop) if stop and stop != UNNAMED_EOS and stop not in parts]
    if parts and not content.begin and calls.lead.startswith(tuple(parts)):
        # Stopping at that token would prevent calls, so the tokenizer's end token ends the turn.
        stops = [_end_token(variables, parts, calls.stop)]
        end, section = end + content.behind, section + content.behind
    texts = (
        calls.call,
        section,
        calls.separator,
        arguments.quote,
        *(beside.preamble or ()),
        as_template(arguments.parameter),
        content.begin,
        end,
        *(frame.thinking or ()),
    )
    try:
        family = Family(
            name=name,
            models="the model of this chat template",
            sources=("its chat template",),
            call=(calls.call,),
            calls=section,
            separators=(calls.separator,),
            arguments=arguments.style,
            parameter=as_template(arguments.parameter) if arguments.style == "parameters" else "",
            kinds=_kinds(arguments),
            quote=arguments.quote,
            python_words=arguments.python_words and arguments.style != "python",
            python_values=arguments.python_values,
            special=frozenset(token for token in special if any(token in text for text in texts)),
            id=calls.id,
            name_pattern=_IDENTIFIER if arguments.style == "python" else Family.name_pattern,
            opener=calls.lead[0] if not content.begin and calls.lead.startswith(("{", '["', "[{")) else "",
            text_before=beside.before,
            text_between=beside.between,
            content=(content.begin, end),
            preamble=beside.preamble,
            has_empty_preamble=beside.is_always_marked,
            thinking=frame.thinking,
            turn=frame.turn,
            parallel=calls.is_parallel,
            stops=tuple(dict.fromkeys(stops)),
        )
    except ToolError as error:
        raise UnreadableTemplateError(
            error.message, where="calls", hint="name the family, if the model has one"
        ) from error
    return _checked(probe, frame, family)


def _end_token(variables: dict[str, Any], parts: set[str], stop: str) -> str:
    """The tokenizer's end token; UnreadableTemplateError if it is not told, or is one that begins a call."""
    end = variables.get("eos_token")
    if isinstance(end, str) and end and end not in parts:
        return end
    raise UnreadableTemplateError(
        f"{stop!r}, which ends messages, begins a call, too: which token ends the turn is not said",
        where="stops",
        hint="give eos_token, the end token of the tokenizer, or name the family, if the model has one",
    )


def _checked(probe: Probe, frame: Frame, family: Family) -> Family:
    """The checked family; its note lists what the template writes and the family cannot."""
    try:
        notes = check(probe, frame, family)
    except UnreadableTemplateError as error:
        if family.thinking is None or not (error.where or "").startswith("reasoning"):
            raise
        family = replace(family, thinking=None, turn=None)
        notes = [f"reasoning is not read: {error.message}", *check(probe, frame, family)]
    return replace(family, note="; ".join(notes))


def _kinds(arguments: Arguments) -> tuple[tuple[str, str], ...]:
    """The words by which parameters state their types, if they state more than text or not."""
    said = {name: kind for name, kind in arguments.kinds if name != "integer"}
    is_plain = said.get("string") == "true" and set(said.values()) == {"true", "false"}
    return () if is_plain else tuple(said.items())
