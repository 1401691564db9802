"""Content of a schema → its rules, from disk if they were made before.

A file holds the omissions and notes of the report as JSON, and the grammar as the engine writes it, which takes less
time to read than to compile. Only rules are kept: what ended in an error, a limit above all, is tried again. Off unless
FRISKET_GRAMMAR_CACHE_BYTES says how large the folder may grow (asked when the first schema is compiled); and most
schemas are compiled in less time than a file takes to read.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from frisket import _core, disk
from frisket.errors import FrisketError
from frisket.json_schema.compile import entries_of, prelude_of
from frisket.json_schema.report import Entry, Note, Report

if TYPE_CHECKING:
    from frisket.json_schema.options import JSONSchemaOptions

_MAGIC = b"frisket grammar 5\n"
_BOUND = "FRISKET_GRAMMAR_CACHE_BYTES"

#: Bytes of the length of the report, which stands before the grammar.
_LENGTH = 8

#: Seconds. What is compiled sooner is not kept.
WORTH = 0.02


@functools.cache
def wanted() -> bool:
    """Whether anything is to be kept on disk: the environment is asked once, since it is all read for an answer."""
    return _BOUND in os.environ


def fetched(
    content: bytes, options: JSONSchemaOptions, make: Callable[[], tuple[_core.Grammar, Report]]
) -> tuple[_core.Grammar, Report]:
    """The rules of a schema of that content: from disk, or made, and kept if that took long."""
    folder = _folder()
    if folder is None:
        return make()
    name = _name(content, options)
    data = folder.load(name)
    kept = _read(data, content, options) if data is not None else None
    if kept is not None:
        return kept
    began = time.perf_counter()
    made = make()
    if time.perf_counter() - began > WORTH:
        folder.store(name, _written(*made))
    return made


def _folder() -> disk.Folder | None:
    bound = disk.limit_bytes(_BOUND, 0)
    return disk.Folder(disk.directory("grammars"), ".grammar", _MAGIC, bound) if bound > 0 else None


def _name(content: bytes, options: JSONSchemaOptions) -> str:
    return hashlib.sha256(f"{options!r} {version()}\n".encode() + content).hexdigest()


def _written(grammar: _core.Grammar, report: Report) -> bytes:
    omissions = [
        [[entry.pointer, entry.keyword, entry.slips] for entry in some] for some in (report.loosened, report.narrowed)
    ]
    notes = [[note.code, str(note), *note.pointers] for note in report.notes]
    told = json.dumps([*omissions, notes], separators=(",", ":")).encode()
    return len(told).to_bytes(_LENGTH, "little") + told + grammar.to_bytes()


def _read(data: bytes, content: bytes, options: JSONSchemaOptions) -> tuple[_core.Grammar, Report] | None:
    end = _LENGTH + int.from_bytes(data[:_LENGTH], "little")
    try:
        loosened, narrowed, notes = json.loads(data[_LENGTH:end])
        for texts in (*notes, *loosened, *narrowed):
            _check_texts(texts)
        report = Report(
            [Entry(pointer, keyword, "loosened", slips) for pointer, keyword, slips in loosened],
            [Entry(pointer, keyword, "narrowed", slips) for pointer, keyword, slips in narrowed],
            [Note(text, code, pointers) for code, text, *pointers in notes],
            functools.partial(entries_of, prelude_of(options), None, content, None),
        )
        return _core.Grammar.from_bytes(data[end:]), report
    except (ValueError, TypeError, RecursionError, FrisketError):
        return None


def _check_texts(texts: Sequence[str]) -> None:
    if type(texts) is not list or not all(type(text) is str for text in texts):
        raise TypeError("not a list of texts")


@functools.cache
def version() -> str:
    """The engine and the front end, as installed: either may make other rules of the same schema tomorrow."""
    package = Path(_core.__file__).parent
    files = [*package.glob("_core*"), *package.glob("json_schema/**/*.py"), *package.glob("notations/**/*.py")]
    states = [(file.name, status.st_size, status.st_mtime_ns) for file in sorted(files) for status in (file.stat(),)]
    return f"{_core.core_version()} {hashlib.sha256(repr(states).encode()).hexdigest()}"
