"""A dict's keys: the texts that Pydantic reads, and of these the ones that it writes."""

from __future__ import annotations

import enum
from typing import Annotated, Any, Literal

import pytest
from typing_extensions import TypeAliasType

from frisket.grammar import Grammar

pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 20


class Right(enum.IntFlag):
    READ = 1
    WRITE = 2


class Share(float, enum.Enum):
    HALF = 0.5
    ALL = 1.0


class Plain(enum.Enum):
    HALF = 0.5


class Mixed(enum.Enum):
    ONE = 1
    B = "b"


LEVELS = TypeAliasType("LEVELS", Level)
COUNT = TypeAliasType("COUNT", int)


@pytest.mark.parametrize(
    "key",
    [Level, Right, Share, Plain, Mixed, LEVELS, COUNT, Level | None, Literal[Level.LOW], int, bool, float],
)
def test_keys_are_what_pydantic_reads_and_writes(key: Any) -> None:
    tp = dict[key, bool]
    grammar, adapter = Grammar.from_type(tp), pydantic.TypeAdapter(tp)
    assert grammar.accepts("{}")
    written = []
    for text in ("1", "2", "20", "3", "0.5", "1.0", "b", "LOW", "None", "true", "01"):
        document = f'{{"{text}": true}}'
        try:
            value = adapter.validate_json(document)
        except pydantic.ValidationError:
            assert not grammar.accepts(document), text
            continue
        if adapter.dump_json(value).decode() == document.replace(" ", ""):
            written.append(text)
            assert grammar.accepts(document), text
    names = grammar.schema["propertyNames"]
    assert bool(written) == (names is not False)
    if key is Plain:
        assert [entry.slips for entry in grammar.report.entries if entry.status == "narrowed"] == [
            "left out: every key, since Pydantic reads no Plain from a text"
        ]


def test_a_key_that_a_function_checks_is_reported() -> None:
    def even(value: int) -> int:
        if value % 2:
            raise ValueError("odd")
        return value

    grammar = Grammar.from_type(dict[Annotated[int, pydantic.AfterValidator(even)], bool])
    assert grammar.accepts('{"2": true}') and not grammar.accepts('{"a": true}')
    assert "keys that even() refuses" in [entry.slips for entry in grammar.report.loosened]
