"""Chat template → Family: how a model writes its messages, read from its own template.

A template is a program, and the reader does not read its source. It renders messages that differ in one part, and takes
the difference for that part, as the automatic parser of llama.cpp does (common/chat-auto-parser). The probes' names
and values are words that no template writes by itself, so their places are easy to find.

difference   texts → their common beginning and end, in whole tags
probe        a message → its rendering, in the spelling that the template takes
turn         where a message begins, the markers of reasoning and of text, the end of the message
calls        one call, the markers around and between calls, text beside them
arguments    one JSON object, a tag for each parameter, or keyword arguments; how each type of value is written
holes        a rendering → a template of the family
check        the Family × test messages → nothing, or an error: which message, what text

A family is checked before it is returned: its grammar must accept each test message as the template writes it, and
parse it into the same parts. UnreadableTemplateError names the part that could not be read, or was read wrongly.
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

#: The names that a tool can have in Python's syntax.
_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*"


def read_family(text: str, name: str, variables: dict[str, Any], special: frozenset[str] = frozenset()) -> Family:
    """The family of a chat template's text; UnreadableTemplateError if a part cannot be read from it."""
    probe = Probe(text, variables)
    _ = probe.spelling
    frame = read_frame(probe)
    content = read_content(probe, frame)
    calls = read_calls(probe, frame, content)
    beside, arguments = calls.beside, calls.arguments
    within = "".join((*(frame.thinking or ()), calls.call, calls.section, calls.separator, *(beside.preamble or ())))
    # A stop token that also occurs inside messages ends a part of the message only.
    parts = {stop for stop in (content.stop, calls.stop) if stop and stop in within}
    end, section = (
        template + stop if stop in parts else template
        for template, stop in ((content.end, content.stop), (calls.section, calls.stop))
    )
    stops = [stop for stop in (content.stop, calls.stop) if stop and stop != UNNAMED_EOS and stop not in parts]
    if parts and not content.begin and calls.lead.startswith(tuple(parts)):
        # The stop token also begins calls. The tokenizer's end token ends the turn instead.
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
    """The tokenizer's end token; UnreadableTemplateError if it is not given, or also begins a call."""
    end = variables.get("eos_token")
    if isinstance(end, str) and end and end not in parts:
        return end
    raise UnreadableTemplateError(
        f"{stop!r}, which ends messages, begins a call, too: which token ends the turn is not said",
        where="stops",
        hint="give eos_token, the end token of the tokenizer, or name the family, if the model has one",
    )


def _checked(probe: Probe, frame: Frame, family: Family) -> Family:
    """The family after the check; its `note` lists what the template writes and the family cannot."""
    try:
        notes = check(probe, frame, family)
    except UnreadableTemplateError as error:
        if family.thinking is None or not (error.where or "").startswith("reasoning"):
            raise
        family = replace(family, thinking=None, turn=None)
        notes = [f"reasoning is not read: {error.message}", *check(probe, frame, family)]
    return replace(family, note="; ".join(notes))


def _kinds(arguments: Arguments) -> tuple[tuple[str, str], ...]:
    """The words by which parameters state their types; empty if they only say whether the value is text."""
    said = {name: kind for name, kind in arguments.kinds if name != "integer"}
    is_plain = said.get("string") == "true" and set(said.values()) == {"true", "false"}
    return () if is_plain else tuple(said.items())
