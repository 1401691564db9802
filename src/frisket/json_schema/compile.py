"""JSON Schema × options → rules and their report, by the native compiler (crates/schema).

A schema is read once; after that the compile does not hold the GIL. The report on each keyword is made when somebody
asks for it, so a compile spends no time on it.
"""

from __future__ import annotations

import importlib.util
import json
import marshal
import re
from collections.abc import Callable
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frisket import _core
from frisket._core import front_end
from frisket.errors import InvalidSchemaError
from frisket.json_schema.options import DEFAULT, JSONSchemaOptions
from frisket.json_schema.report import Entry, Note, Report

if TYPE_CHECKING:
    from frisket._core import Grammar, GrammarBuilder, Limits
    from frisket._core.front_end import Prelude

#: (JSON pointer of a keyword, the keyword, what is not enforced)
Omission = tuple[str, str, str]

#: (draft, part of a vocabulary or None)
_METASCHEMA = re.compile(r"https?://json-schema\.org/draft[-/](\d\d|\d{4}-\d\d)/(?:schema|meta/([a-z-]+))#?")

#: Limits of a report: the schema has been compiled already, perhaps within larger limits.
_ANY_STEPS = _core.Limits(steps=2**63)


def compile_json_schema(
    schema: dict[str, Any] | bool | str,
    options: JSONSchemaOptions = DEFAULT,
    registry: Any = None,
    limits: Limits | None = None,
    content: bytes | None = None,
) -> tuple[Grammar, Report]:
    """The grammar of a schema's documents, and the report of what is enforced; the schema is a value or its text.

    `registry` is a `referencing.Registry` with the documents that `$ref` may lead to; nothing is ever fetched.
    `content` is the result of `frisket.recent.content` for the schema, if the caller has it.
    Raises InvalidSchemaError, UnsupportedSchemaError (with all places), UnsatisfiableSchemaError, LimitExceededError.
    """
    prelude = prelude_of(options)
    grammar, loosened, narrowed, notes = prelude.compile(schema, documents_of(registry), limits)
    return grammar, _report(prelude, schema, content, registry, loosened, narrowed, notes)


def lower_json_schema(
    builder: GrammarBuilder,
    schema: dict[str, Any] | bool,
    options: JSONSchemaOptions = DEFAULT,
    registry: Any = None,
    *,
    is_fork: bool = False,
) -> tuple[int, Report]:
    """The node of the schema's documents in a builder, and the report; raises the errors of `compile_json_schema`.

    `is_fork`: whether the builder is a fork of the options' prelude. If not, `forbidden_texts` and `escaped_texts`
    apply to everything that the builder makes from now on.
    """
    if isinstance(schema, str):
        raise InvalidSchemaError(
            "a schema is an object or a boolean, not a string",
            where="",
            hint="true is the schema of any value, false that of none",
        )
    prelude = prelude_of(options)
    node, loosened, narrowed, notes = prelude.embed(builder, schema, documents_of(registry), is_fork=is_fork)
    return node, _report(prelude, schema, None, registry, loosened, narrowed, notes)


def prelude_of(options: JSONSchemaOptions) -> Prelude:
    """The rules that all schemas with these options share, made once."""
    # Hashing options takes as long as compiling a small schema, so the default options are recognised by identity.
    return _prelude_of_default() if options is DEFAULT else _prelude_of(options)


@lru_cache(maxsize=32)
def _prelude_of(options: JSONSchemaOptions) -> Prelude:
    return front_end.Prelude(options)


@cache
def _prelude_of_default() -> Prelude:
    return _prelude_of(DEFAULT)


def documents_of(registry: Any) -> Callable[[str], Any]:
    """A function that returns the document of a URI, or None: from the registry, or an installed metaschema."""
    return _metaschema if registry is None else partial(_document, registry)


def _document(registry: Any, uri: str) -> Any:
    try:
        return registry.contents(uri)
    except (LookupError, ValueError):
        return _metaschema(uri)


@cache
def _metaschema(uri: str) -> Any:
    """A metaschema of JSON Schema, from one file of `jsonschema_specifications`; that package itself would load all."""
    named = _METASCHEMA.fullmatch(uri)
    package = importlib.util.find_spec("jsonschema_specifications") if named else None
    if named is None or package is None or package.origin is None:
        return None
    draft, part = named[1].lstrip("0").replace("-", ""), named[2]
    file = Path(package.origin).parent / "schemas" / f"draft{draft}"
    file /= f"vocabularies/{part}" if part else "metaschema.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None


def _report(
    prelude: Prelude,
    schema: Any,
    content: bytes | None,
    registry: Any,
    loosened: list[Omission],
    narrowed: list[Omission],
    notes: list[tuple[str, str, list[str]]],
) -> Report:
    source = partial(entries_of, prelude, schema, content, registry)
    return Report(
        [_entry(*omission, "loosened") for omission in loosened],
        [_entry(*omission, "narrowed") for omission in narrowed],
        [Note(text, code, pointers) for code, text, pointers in notes],
        source,
    )


def _entry(pointer: str, keyword: str, slips: str, status: str) -> Entry:
    """An omission as an entry of the report, whose pointer leads to the schema and not to the keyword."""
    if pointer.endswith(f"/{keyword}"):
        pointer = pointer[: -len(keyword) - 1]
    return Entry(pointer, keyword, status, slips)


def entries_of(prelude: Prelude, schema: Any, content: bytes | None, registry: Any) -> list[Entry]:
    """The outcome of each keyword of a schema that compiles; its `content`, if given, is used instead of the schema."""
    # The caller may have changed the schema meanwhile, but not its content.
    schema = schema if content is None else marshal.loads(content)
    found = front_end.schema_report(schema, prelude, documents_of(registry), _ANY_STEPS)
    return [Entry(*entry) for entry in found]
