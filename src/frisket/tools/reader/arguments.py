"""Template → how the arguments of a call are written: one JSON object, a tag for each parameter, or keyword arguments.

The calls that are compared differ in their arguments only: one argument, two, and one for each type of value.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from frisket.errors import UnreadableTemplateError
from frisket.tools.reader.difference import common_end, common_start, decompose
from frisket.tools.reader.holes import ARGUMENTS, KEY, KIND, VALUE, as_template
from frisket.tools.reader.probe import KEYS, TEXTS, json_type

#: Sample values that show how the template writes each type.
SAMPLES: tuple[Any, ...] = (7, 2.5, True, None, ["x y", 1, None, True], {"k": "x y", "n": [None, False]})

Style: TypeAlias = Literal["json", "parameters", "python", "delimited"]
#: The text of a call with these arguments; None where the template refuses them.
Written: TypeAlias = Callable[[Mapping[str, Any]], str | None]

_DECODER = json.JSONDecoder()


@dataclass(frozen=True)
class Arguments:
    """The written form of arguments, in the fields of a Family."""

    style: Style
    parameter: str = ""
    """How one parameter is written, with holes for key, value and kind."""
    separator: str = ""
    text_kind: str = ""
    kinds: tuple[tuple[str, str], ...] = ()
    """(JSON type, its word in `$kind`), if a parameter states its type."""
    python_words: bool = False
    """Whether true, false and null are written as Python's words."""
    python_values: frozenset[str] = frozenset()
    """Which of the types `array` and `object` are written as Python prints them."""
    quote: str = ""
    """With `delimited`: the marker on both sides of a text."""

    def replaced(self, text: str, *arguments: Mapping[str, Any]) -> str:
        """The text of calls, with a hole in place of each call's arguments."""
        for each in arguments:
            if self.style == "json":
                text = _without_json(text, each) or text
            else:
                text = text.replace(self.written(each), ARGUMENTS)
        return text

    def written(self, arguments: Mapping[str, Any]) -> str:
        """The written form of arguments if all values are texts."""
        parameter = self.parameter.replace(KIND, self.text_kind)
        return self.separator.join(
            parameter.replace(KEY, key).replace(VALUE, value) for key, value in arguments.items()
        )


def read_arguments(written: Written) -> Arguments:
    """How the template writes arguments; UnreadableTemplateError if it cannot be told."""
    one, two = {KEYS[0]: TEXTS[0]}, dict(zip(KEYS, TEXTS, strict=True))
    text = _asked(written, one)
    if _without_json(text, one) is not None:
        return Arguments("json")
    text = _asked(written, two)
    places = [text.find(each) for each in (KEYS[0], TEXTS[0], KEYS[1], TEXTS[1])]
    if -1 in places or places != sorted(places):
        raise _unreadable("the arguments stand in another order than keys and values", text)
    cores = []
    for at, key, value in ((0, KEYS[0], TEXTS[0]), (2, KEYS[1], TEXTS[1])):
        stop = places[2] if at == 0 else len(text)
        ends = max(text.rfind(key, 0, stop) + len(key), places[at + 1] + len(value))
        cores.append((places[at], ends, text[places[at] : ends].replace(key, KEY).replace(value, VALUE)))
    (begins, ends, core), (next_begins, next_ends, next_core) = cores
    if core != next_core:
        raise _unreadable("the second parameter is written otherwise than the first", text)
    start, separator, end = decompose(text[:begins], text[ends:next_begins], text[next_ends:])
    joint = core.removeprefix(KEY).partition(VALUE)[0]
    if (start, joint, separator, end) == ("", "='", ", ", "'"):
        return _with_values(written, Arguments("python", f"{KEY}='{VALUE}'", separator))
    quote = joint.removeprefix(":")
    if (start, separator, end) == ("", ",", quote) and joint.startswith(":") and quote:
        words = {_asked(written, {KEYS[0]: {KEYS[1]: [value]}}) for value in (None, True)}
        null = "None" if any(f"{{{KEYS[1]}:[None]}}" in text for text in words) else "null"
        return Arguments("delimited", f"{KEY}{joint}{VALUE}{end}", separator, python_words=null == "None", quote=quote)
    if separator == "":
        return _with_values(written, Arguments("parameters", start + core + end))
    raise _unreadable(
        f"parameters are written one by one with {separator!r} between them, which is no format that frisket knows",
        text,
    )


def _with_values(written: Written, arguments: Arguments) -> Arguments:
    """The written form with the notation of each type of value added."""
    text = _asked(written, {KEYS[0]: TEXTS[0]})
    before, after = (side + "" for side in text.split(TEXTS[0], 1))
    head, joint = before.rpartition(KEYS[0])[0] + KEYS[0], before.rpartition(KEYS[0])[2]
    quote = "'" if arguments.style == "python" else ""
    joint, after = joint.removesuffix(quote), after.removeprefix(quote)
    kinds: dict[str, str] = {}
    text_kind = kind_start = kind_end = ""
    forms: dict[str, str] = {}
    for value in SAMPLES:
        said = _asked(written, {KEYS[0]: value})
        if not (said.startswith(head) and said.endswith(after)):
            raise _unreadable(f"a value of the type {json_type(value)} is written otherwise than a text", said)
        rest = said[len(head) : len(said) - len(after)]
        form, found = _form(rest, value)
        if form is None:
            raise _unreadable(f"a value of the type {json_type(value)} is neither JSON nor Python's", said)
        forms[json_type(value)] = form
        if found != joint:
            shared = common_start([joint, found])
            ended = common_end([joint[len(shared) :], found[len(shared) :]])
            text_kind = joint[len(shared) : len(joint) - len(ended)]
            kinds[json_type(value)] = found[len(shared) : len(found) - len(ended)]
            kind_start, kind_end = shared, ended
    parameter = arguments.parameter
    if kinds:
        kinds = {"string": text_kind, **kinds}
        parameter = parameter.replace(KEY + joint + VALUE, KEY + kind_start + KIND + kind_end + VALUE)
    return Arguments(
        arguments.style, parameter, arguments.separator, text_kind, tuple(kinds.items()),
        python_words=forms["boolean"] == "python",
        python_values=frozenset(name for name in ("array", "object") if forms[name] == "python"),
    )  # fmt: skip


def _form(rest: str, value: Any) -> tuple[Literal["json", "python"] | None, str]:
    """(the notation of the value at the end of a text: JSON, Python or None; the text before the value)."""
    for at in range(len(rest)):
        if rest[at].isspace():
            continue
        for form, read in (("json", json.loads), ("python", ast.literal_eval)):
            try:
                found = read(rest[at:])
            except (ValueError, SyntaxError):
                continue
            if found == value and type(found) is type(value):
                return form, rest[:at]  # type: ignore[return-value]
    return None, rest


def _without_json(text: str, arguments: Mapping[str, Any]) -> str | None:
    """The text with a hole for the JSON object that equals the arguments; None if it has none."""
    place = text.find("{")
    while place >= 0:
        try:
            value, end = _DECODER.raw_decode(text, place)
        except ValueError:
            value, end = None, place
        if value == arguments and arguments:
            return text[:place] + ARGUMENTS + text[end:]
        place = text.find("{", place + 1)
    return None


def _asked(written: Written, arguments: Mapping[str, Any]) -> str:
    text = written(arguments)
    if text is None:
        raise _unreadable("the template refuses a call with these arguments", json.dumps(arguments))
    return text


def _unreadable(message: str, text: str) -> UnreadableTemplateError:
    return UnreadableTemplateError(
        f"{message}: {as_template(text)!r}", where="arguments", hint="name the family, if the model has one"
    )
