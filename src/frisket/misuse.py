"""An argument that was meant for another call → the hint of an error: what to write instead.

Python types, JSON Schemas, lists of texts and models are easily confused in the API. A caller who confuses them should
not get the advice of an inner library, which cannot know what was meant.
"""

from __future__ import annotations

import dataclasses
import os
import re
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum, EnumMeta
from numbers import Number
from typing import Any, Literal, TypeAlias

from frisket.errors import GrammarSyntaxError

__all__ = [
    "explaining_rules",
    "given",
    "instead_of_choices",
    "instead_of_class",
    "instead_of_dialect",
    "instead_of_function",
    "instead_of_rules",
    "instead_of_schema",
    "instead_of_type",
    "instead_of_vocabulary",
]

#: Most of the given values that a hint shows.
_SHOWN = 5
#: Most characters of a value in an error.
_SHOWN_CHARACTERS = 40
#: Notations of rules: GBNF, Lark in all dialects, ABNF, and EBNF in three dialects.
Notation: TypeAlias = Literal["gbnf", "lark", "abnf", "w3c", "iso", "xgrammar"]
#: A pattern of what only ABNF has.
_OF_ABNF = r"(%[bdxsi][\d\"]|=/|\*\d*(ALPHA|DIGIT|HEXDIG|OCTET|VCHAR|WSP)\b)"
#: Sign in a text that cannot be read → notations that have it, and what to write instead. The first sign counts.
_SIGNS: tuple[tuple[re.Pattern[str], tuple[Notation, ...], str], ...] = (
    (re.compile(r"\A\s*\{\s*[\"}]"), (), "this is JSON: Grammar.from_json_schema reads JSON Schemas"),
    (
        re.compile(r"\A(?=.*::=).*(\b(Regex|Substring|TagDispatch)\(|\w\[lazy\]\s*::=)", re.DOTALL),
        ("xgrammar",),
        'Regex(…), TagDispatch(…) and [lazy] are xgrammar\'s: Grammar.from_ebnf(text, dialect="xgrammar") reads them',
    ),
    (
        re.compile(r"^[ \t]*<[\w -]+>[ \t]*::=", re.MULTILINE),
        (),
        "names in <…> are BNF: leave the brackets out, and Grammar.from_ebnf reads the rules",
    ),
    (
        re.compile(r"\A(?=.*::=).*/\*", re.DOTALL),
        ("w3c",),
        "comments in /* … */ are the W3C's EBNF: Grammar.from_ebnf reads it",
    ),
    (
        re.compile(r"\A(?=.*::=).*(^[ \t]*#(?!x[\dA-Fa-f])|[\])\"\w]\{\d+(,\d*)?\})", re.DOTALL | re.MULTILINE),
        ("gbnf", "xgrammar"),
        "comments with # and repetitions in {…} are GBNF: Grammar.from_gbnf reads it",
    ),
    (
        re.compile(r"^[ \t]*[\w-]+[ \t]*::=", re.MULTILINE),
        ("gbnf", "w3c", "xgrammar"),
        "rules with ::= are GBNF or EBNF: Grammar.from_gbnf or Grammar.from_ebnf reads them",
    ),
    (
        re.compile(r"\A(?!.*:=)(?=.*;\s*\Z).*^[ \t]*\w+\s*:", re.DOTALL | re.MULTILINE),
        (),
        "rules that end with ; are ANTLR's: end each with its line, and Grammar.from_lark reads most of them",
    ),
    (
        re.compile(r"\A(?!.*:=).*^[ \t]*[?!]?\w+[ \t]*:(?!:)", re.DOTALL | re.MULTILINE),
        ("lark",),
        "rules with a colon are Lark: Grammar.from_lark reads them",
    ),
    (
        re.compile(
            rf"\A(?!.*{_OF_ABNF})(?=\s*(\(\*|\w[\w -]*=)).*[;.]\s*(\(\*.*)?\Z",
            re.DOTALL,
        ),
        ("iso",),
        'rules with = that end with ; are ISO\'s EBNF: Grammar.from_ebnf(text, dialect="iso") reads them',
    ),
    (
        re.compile(
            rf"\A(?=.*^[ \t]*[A-Za-z][\w-]*[ \t]*=).*{_OF_ABNF}",
            re.DOTALL | re.MULTILINE,
        ),
        ("abnf",),
        "rules with = and %x41 or 1*DIGIT are ABNF: Grammar.from_abnf reads them",
    ),
    (
        re.compile(r"^[ \t]*[A-Za-z][\w-]*[ \t]*=", re.MULTILINE),
        ("abnf", "iso"),
        'rules with = are ABNF or ISO\'s EBNF: Grammar.from_abnf or Grammar.from_ebnf(text, dialect="iso") reads them',
    ),
)
#: Modules of annotations other than classes: `Literal["a"]`, `int | None`, `list[int]`.
_ANNOTATIONS = ("typing", "typing_extensions", "types", "annotationlib")


def given(value: object) -> str:
    """A value as an error shows it: a short text or a bool itself, otherwise its type, since a `repr` may be endless.

    >>> given("larc"), given(True), given([1, 2])
    ("'larc'", 'True', 'list')
    """
    return repr(value)[:_SHOWN_CHARACTERS] if type(value) in (str, float, bool) else type(value).__name__


def instead_of_type(value: object) -> str | None:
    """Advice for a value in the place of a type; None if it may be a type.

    >>> instead_of_type({"type": "object"})
    'Grammar.from_json_schema reads JSON Schemas'
    >>> instead_of_type(5)
    'pass the type int, or Literal[5] for this value alone'
    """
    if isinstance(value, type):
        return None
    if isinstance(value, Mapping) or (isinstance(value, str) and value.lstrip().startswith("{")):
        return "Grammar.from_json_schema reads JSON Schemas"
    if _is_instance(value):
        return f"pass its class, {type(value).__name__}"
    if isinstance(value, Enum | Number):
        name = type(value).__name__
        return f"pass the type {name}" + (
            f", or {_literal([value])} for this value alone" if _has_literal(value) else ""
        )
    if isinstance(value, list | tuple | set | frozenset | Iterator):
        return "choices are a list of texts, for `generate` or Grammar.from_choices; other values are Literal[…]"
    if isinstance(value, str) or value is None or _is_annotation(value):
        return None
    if hasattr(value, "__get_pydantic_core_schema__"):
        return None
    if callable(value):
        return instead_of_function(getattr(value, "__name__", "…"))
    if isinstance(value, os.PathLike):
        return f"read the schema in it: json.loads(Path({os.fspath(value)!r}).read_text())"
    if type(value).__name__ in ("CompiledGrammar", "Matcher"):
        return "pass the Grammar that it was compiled from; what was compiled for a vocabulary is remembered"
    return f"pass its class, {type(value).__name__}"


def instead_of_function(name: str) -> str:
    """Advice for a function in the place of a type; Pydantic would call it with the answer.

    >>> instead_of_function("now")
    'for a call of it, Grammar.from_tools([now], family), which runs nothing; for a value, pass its type'
    """
    return f"for a call of it, Grammar.from_tools([{name}], family), which runs nothing; for a value, pass its type"


def instead_of_class(value: object) -> str | None:
    """Advice for a class whose fields Pydantic cannot read; None for any other class.

    >>> class Point:
    ...     __attrs_attrs__ = ()
    >>> instead_of_class(Point)
    'msgspec reads it: Grammar.from_json_schema(msgspec.json.schema(Point)), msgspec.json.decode(text, type=Point)'
    """
    if not any(hasattr(value, mark) for mark in ("__struct_fields__", "__attrs_attrs__")):
        return None
    name = _name(value)
    return (
        f"msgspec reads it: Grammar.from_json_schema(msgspec.json.schema({name})), "
        f"msgspec.json.decode(text, type={name})"
    )


def instead_of_schema(value: object) -> str | None:
    """Advice for a value in the place of a JSON Schema; None if no better advice is known.

    >>> instead_of_schema(int)
    'Grammar.from_type reads types: Grammar.from_type(int)'
    """
    if isinstance(value, Mapping):
        return None
    if isinstance(value, os.PathLike):
        return f"pass what stands in the file: Path({os.fspath(value)!r}).read_text()"
    if isinstance(value, type) or _is_annotation(value):
        return f"Grammar.from_type reads types: Grammar.from_type({_name(value)})"
    if _is_instance(value):
        return f"Grammar.from_type reads types: Grammar.from_type({type(value).__name__})"
    return None


def instead_of_rules(text: str, notation: Notation) -> str | None:
    """Advice for a text in the place of rules in a notation; None if it may be in that notation.

    >>> instead_of_rules('root ::= "a"', "lark")
    'rules with ::= are GBNF or EBNF: Grammar.from_gbnf or Grammar.from_ebnf reads them'
    >>> instead_of_rules('start: "a"', "gbnf")
    'rules with a colon are Lark: Grammar.from_lark reads them'
    >>> instead_of_rules("rules.lark", "lark")
    "pass what stands in the file: Path('rules.lark').read_text()"
    """
    if re.fullmatch(r"\S+\.(lark|gbnf|ebnf|abnf|txt)", text):
        return f"pass what stands in the file: Path({text!r}).read_text()"
    for sign, notations, advice in _SIGNS:
        if sign.search(text):
            return None if notation in notations else advice
    return None


@contextmanager
def explaining_rules(text: str, notation: Notation) -> Iterator[None]:
    """A GrammarSyntaxError for a text in another notation says which one, and what reads it."""
    try:
        yield
    except GrammarSyntaxError as error:
        error.hint = instead_of_rules(text, notation) or error.hint
        raise


def instead_of_dialect(dialect: object) -> str:
    """Advice for a notation in the place of a dialect, to follow its name; empty for any other value.

    >>> instead_of_dialect("gbnf")
    ', which Grammar.from_gbnf reads'
    """
    return f", which Grammar.from_{dialect} reads" if dialect in ("gbnf", "abnf", "ebnf", "lark") else ""


def instead_of_choices(values: Sequence[object]) -> str | None:
    """Advice for choices that are not all texts; None if they are.

    >>> instead_of_choices([1, 2])
    'for these values pass the type Literal[1, 2]'
    """
    if all(isinstance(value, str) for value in values):
        return None
    if all(isinstance(value, type) or _is_annotation(value) for value in values):
        names = [_name(value) for value in values[:_SHOWN]]
        if len(values) == 1:
            return f"for a value of the type pass {names[0]}, for a list of them list[{names[0]}]"
        return f"for one of several types pass their union, {' | '.join([*names, *_rest(values)])}"
    if all(callable(value) for value in values):
        return instead_of_function(", ".join(getattr(value, "__name__", "…") for value in values[:_SHOWN]))
    kind: Any = type(values[0])
    if isinstance(kind, EnumMeta) and list(kind) == list(values):
        return f"for the members of an Enum pass the type {kind.__name__}"
    if all(_has_literal(value) for value in values):
        return f"for these values pass the type {_literal(values)}"
    return 'for values pass the schema {"enum": […]}'


def instead_of_vocabulary(value: object) -> str | None:
    """Advice for a value in the place of a vocabulary; None if no better advice is known."""
    if hasattr(value, "vocabulary"):
        return "pass its vocabulary, as in model.vocabulary"
    if hasattr(value, "encode"):
        return "make one of it, as in Vocabulary.from_huggingface(tokenizer)"
    return None


def _is_instance(value: object) -> bool:
    """Whether this is an object of a dataclass or of a Pydantic model."""
    kind = type(value)
    return not isinstance(value, type) and (
        dataclasses.is_dataclass(kind)
        or hasattr(kind, "__pydantic_core_schema__")
        or hasattr(kind, "__pydantic_fields__")
    )


def _is_annotation(value: object) -> bool:
    return typing.get_origin(value) is not None or (
        type(value).__module__ in _ANNOTATIONS and not isinstance(value, types.ModuleType)
    )


def _name(value: object) -> str:
    """The type as a program writes it."""
    return value.__name__ if isinstance(value, type) and typing.get_origin(value) is None else str(value)


def _has_literal(value: object) -> bool:
    return value is None or isinstance(value, bool | int | str | Enum)


def _literal(values: Sequence[object]) -> str:
    shown = [f"{type(one).__name__}.{one.name}" if isinstance(one, Enum) else repr(one) for one in values[:_SHOWN]]
    return f"Literal[{', '.join([*shown, *_rest(values)])}]"


def _rest(values: Sequence[object]) -> list[str]:
    return ["…"] if len(values) > _SHOWN else []
