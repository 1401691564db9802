"""Content of a schema → its rules, from disk if they were made before.

What is kept is what the front end told the builder, call by call, as JSON; it is told again, and anything but the same
nodes is as if nothing had been kept. Only rules are kept: what ended in an error, a limit above all, is tried again.
Off unless FRISKET_GRAMMAR_CACHE_BYTES says how large the folder may grow (asked when the first schema is compiled); and
most schemas are compiled in less time than a file takes to read.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from frisket import _core, disk
from frisket.errors import FrisketError
from frisket.json_schema import room
from frisket.json_schema.prelude import prelude_of
from frisket.json_schema.report import Entry, Report

if TYPE_CHECKING:
    from frisket.json_schema.options import JSONSchemaOptions

_MAGIC = b"frisket grammar 2\n"
_BOUND = "FRISKET_GRAMMAR_CACHE_BYTES"

#: What a builder can be told; anything else is no record of ours.
_CALLS = frozenset(name for name in dir(_core.GrammarBuilder) if name[0] != "_") - {
    "build",
    "check",
    "count_earlier",
    "fork",
}

#: Seconds. What is compiled sooner is not kept.
WORTH = 0.02


@functools.cache
def wanted() -> bool:
    """Whether anything is to be kept on disk: the environment is asked once, since it is all read for an answer."""
    return _BOUND in os.environ


def fetch(content: bytes, options: JSONSchemaOptions) -> tuple[_core.Grammar, Report] | None:
    """The rules of a schema of that content, if they were kept."""
    folder = _folder()
    data = folder.load(_name(content, options)) if folder is not None else None
    return None if data is None else _told(data, options)


def keep(schema: dict[str, Any] | bool, content: bytes, options: JSONSchemaOptions) -> None:
    """Lower the schema once more, and keep what the builder is told."""
    folder = _folder()
    told = _recorded(schema, options) if folder is not None else None
    if folder is not None and told is not None:
        folder.store(_name(content, options), told)


class Recorder:
    """A builder that remembers what it was told."""

    def __init__(self, builder: _core.GrammarBuilder) -> None:
        self.builder = builder
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any], Any]] = []
        #: Whether some call ended in an error that the front end lived with: it depends on limits.
        self.failed = False

    def __getattr__(self, name: str) -> Any:
        call = getattr(self.builder, name)

        def recorded(*arguments: Any, **keywords: Any) -> Any:
            try:
                made = call(*arguments, **keywords)
            except FrisketError:
                self.failed = True
                raise
            if name != "check":
                # The caller may go on to change a list that it gave.
                self.calls.append((name, _copied(arguments), _copied(keywords), made))
            return made

        self.__dict__[name] = recorded  # asked for once, then at hand
        return recorded


def _folder() -> disk.Folder | None:
    bound = disk.limit_bytes(_BOUND, 0)
    return disk.Folder(disk.directory("grammars"), ".grammar", _MAGIC, bound) if bound > 0 else None


def _name(content: bytes, options: JSONSchemaOptions) -> str:
    return hashlib.sha256(f"{options!r} {version()}\n".encode() + content).hexdigest()


def _recorded(schema: dict[str, Any] | bool, options: JSONSchemaOptions) -> bytes | None:
    from frisket.json_schema import lower_json_schema

    prelude = prelude_of(options)
    recorder = Recorder(prelude.fork())
    try:
        node, report = lower_json_schema(cast("_core.GrammarBuilder", recorder), schema, options, None, prelude)
    except FrisketError:
        return None
    if recorder.failed:
        return None
    said = report.source() if report.source is not None else ()
    entries = [
        [[entry.pointer, entry.keyword, entry.status, entry.slips, entry.note] for entry in some]
        for some in (report.loosened, report.narrowed, said)
    ]
    told = {"calls": recorder.calls, "root": node, "report": [*entries, report.notes]}
    try:
        return room.call(lambda: json.dumps(told, default=_spelled, separators=(",", ":")).encode())
    except (TypeError, ValueError):
        return None


def _told(data: bytes, options: JSONSchemaOptions) -> tuple[_core.Grammar, Report] | None:
    try:
        content = json.loads(data, object_hook=_read)
        builder = prelude_of(options).fork()
        for name, arguments, keywords, made in content["calls"]:
            if name not in _CALLS or getattr(builder, name)(*_tuples(arguments), **_tuples(keywords)) != made:
                return None
        *entries, notes = content["report"]
        loosened, narrowed, said = ([Entry(*entry) for entry in some] for some in entries)
        told = [*notes, *(text for entry in (*loosened, *narrowed, *said) for text in vars(entry).values())]
        if not all(type(text) is str for text in told):
            return None
        report = Report(loosened, narrowed, notes, lambda: said)
        return builder.build(content["root"]), report
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError, FrisketError):
        return None


def _copied(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_copied(item) for item in value]
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return value


def _tuples(value: Any) -> Any:
    """As the builder takes it: JSON knows lists only."""
    if isinstance(value, list):
        return tuple(map(_tuples, value))
    return {key: _tuples(item) for key, item in value.items()} if isinstance(value, dict) else value


def _spelled(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"": value.decode("latin-1")}
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} is not kept")


def _read(pairs: dict[str, Any]) -> Any:
    return pairs[""].encode("latin-1") if "" in pairs else pairs


@functools.cache
def version() -> str:
    """The engine and the front end, as installed: either may make other rules of the same schema tomorrow."""
    package = Path(_core.__file__).parent
    files = [*package.glob("_core*"), *package.glob("json_schema/**/*.py"), *package.glob("notations/**/*.py")]
    states = [(file.name, status.st_size, status.st_mtime_ns) for file in sorted(files) for status in (file.stat(),)]
    return f"{_core.core_version()} {hashlib.sha256(repr(states).encode()).hexdigest()}"
