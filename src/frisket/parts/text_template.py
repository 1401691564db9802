"""Fixed text with typed holes → a Grammar whose texts are read back as one typed object."""

from __future__ import annotations

import dataclasses
import enum
import re
import string
from collections import Counter
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints, overload

from frisket.errors import GrammarSyntaxError
from frisket.grammar import Grammar
from frisket.notations.combination.part import Capture, Choice, FreeText, Lit, Part, Seq, Template, Until
from frisket.target import as_grammar

__all__ = ["template"]

T = TypeVar("T")

_BREAKS = ("\n", "\r")


@overload
def template(text: str, into: type[T], /, **holes: Any) -> Grammar[T]: ...
@overload
def template(text: str, into: None = None, /, **holes: Any) -> Grammar[Any]: ...
def template(text: str, into: type | None = None, /, **holes: Any) -> Grammar[Any]:
    r"""The texts of a template with its holes filled, written as an f-string: `{name}` is a hole, `{{` a brace.

    >>> person = template("Name: {name}\nAge: {age}\n", name=str, age=int)
    >>> person.accepts("Name: Ada\nAge: 36\n"), person.accepts("Name: Ada\nAge: old\n")
    (True, False)
    >>> person.value("Name: Ada\nAge: 36\n")
    Filled(name='Ada', age=36)

    A hole is a type or any other target of `generate`. `str` is text within a line, up to the fixed text that follows;
    a Literal or Enum of texts is one of these texts, without quotes; every other type is JSON. `into`, a class with
    annotations, gives the types of the holes, and `value` returns an object of it; by default that is a frozen
    dataclass. A template may be used wherever a grammar may, for example in `generate`. GrammarSyntaxError for a
    malformed hole.
    """
    if not isinstance(text, str):
        raise TypeError(f"a template is a str, got {type(text).__name__}")
    types = {**(_annotations(into) if into is not None else {}), **holes}
    pieces = _pieces(text)
    names = [name for _, name in pieces if name is not None]
    for unused in holes.keys() - set(names):
        known = f"; its holes are {', '.join(names)}" if names else ""
        raise GrammarSyntaxError(
            f"the template has no hole {unused!r}{known}", where=unused, hint=f"write {{{unused}}}"
        )
    parts: list[Part] = []
    readers: list[tuple[str, Any]] = []
    made: dict[int, tuple[Any, Part]] = {}
    """`id` of a type → its reader and part: templates often have many holes of few types."""
    begun = 0  # number of characters at the start of the next fixed text that already end the last hole
    for place, (fixed, name) in enumerate(pieces):
        if fixed[begun:]:
            parts.append(Lit.of(fixed[begun:], "the text before a hole" if name is not None else "the text at the end"))
        begun = 0
        if name is None:
            continue
        if name not in types:
            raise GrammarSyntaxError(f"nothing is said of the hole {name!r}", where=name, hint=f"give {name}=str")
        if types[name] is str:
            part, begun = _line(name, pieces[place + 1] if place + 1 < len(pieces) else ("", None))
            readers.append((name, _Text()))
        else:
            of = types[name]
            if id(of) not in made:
                made[id(of)] = _hole(name, of)
            reader, inner = made[id(of)]
            part = Capture(name, inner)
            readers.append((name, reader))
        parts.append(part)
    return Grammar._from_part(Template(text, Seq(tuple(parts)), tuple(readers), into or _Maker(tuple(names))))


@dataclasses.dataclass(frozen=True)
class _Text:
    """Reads a hole of text."""

    def value(self, text: str) -> str:
        return text


@dataclasses.dataclass(frozen=True)
class _Members:
    """Reads a hole that is one of several texts, each of which stands for a value."""

    members: tuple[tuple[str, Any], ...]

    def value(self, text: str) -> Any:
        return dict(self.members)[text]


@dataclasses.dataclass(frozen=True)
class _Maker:
    """Makes a frozen dataclass with the values of the holes as its fields."""

    names: tuple[str, ...]

    def __call__(self, **values: Any) -> Any:
        return _filled(self.names)(**values)


@cache
def _filled(names: tuple[str, ...]) -> type:
    return dataclasses.make_dataclass("Filled", names, frozen=True)


def _annotations(into: type) -> dict[str, Any]:
    if not isinstance(into, type):
        raise TypeError(f"a template is filled into a class, got {type(into).__name__}")
    return get_type_hints(into, include_extras=True)


def _texts(of: Any) -> dict[str, Any] | None:
    """Text → value, for a Literal or Enum that has only texts."""
    if get_origin(of) is Literal and all(isinstance(value, str) for value in get_args(of)):
        return {value: value for value in get_args(of)}
    if isinstance(of, type) and issubclass(of, enum.Enum) and all(isinstance(member.value, str) for member in of):
        return {member.value: member for member in of}
    return None


def _pieces(text: str) -> list[tuple[str, str | None]]:
    """Pairs of (fixed text, the hole after it)."""
    found: list[tuple[str, str | None]] = []
    try:
        for fixed, name, spec, conversion in string.Formatter().parse(text):
            if name is not None and (not name.isidentifier() or spec or conversion):
                raise GrammarSyntaxError(
                    f"{{{name}}} is no hole", where=name or "{}", hint="a hole is a name in braces; a brace is {{"
                )
            found.append((fixed, name))
    except ValueError as error:
        if isinstance(error, GrammarSyntaxError):
            raise
        raise GrammarSyntaxError(f"the template cannot be read: {error}", hint="a brace is written {{ or }}") from None
    names = Counter(name for _, name in found if name is not None)
    for name, count in names.items():
        if count > 1:
            raise GrammarSyntaxError(f"the hole {name!r} stands twice", where=name, hint="give each hole its own name")
    return found


def _hole(name: str, of: Any) -> tuple[Any, Part]:
    """(the reader of a hole's text, the part of its texts)."""
    if isinstance(of, str):
        raise TypeError(f"the hole {name!r}: give a type or a grammar; a fixed text stands in the template itself")
    texts = _texts(of)
    if texts:
        return _Members(tuple(texts.items())), Choice(tuple(map(Lit, texts)))
    grammar = as_grammar(of)
    return grammar, grammar._part


def _line(name: str, follows: tuple[str, str | None]) -> tuple[Part, int]:
    """(text within a line, how many characters of the fixed text after it end it: those of its first line)."""
    fixed, hole = follows
    if not fixed and hole is not None:
        raise GrammarSyntaxError(
            f"the hole {name!r} has no end: the hole {hole!r} follows at once",
            where=name,
            hint="put a text between the two, or give a grammar that ends by itself",
        )
    end = re.split("[\r\n]", fixed, maxsplit=1)[0]
    if not end:
        return Capture(name, FreeText(_BREAKS)), 0
    return Until((Lit(end),), _BREAKS, name=name), len(end)
