"""Real schemas × a tokenizer → what each style of description costs, and whether the types have lost anything."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import frisket
from experiments.describe.reading import lost
from frisket.description import Description
from frisket.description.prose import prose
from frisket.description.typescript import typescript
from frisket.errors import FrisketError
from tests.data import required_data_dir

#: One schema in so many is measured.
EVERY = 4
#: How a schema may stand in a prompt.
LAYOUTS = {
    "indented": {"indent": 2},
    "one line": {},
    "no white space": {"separators": (",", ":")},
}


@dataclass(frozen=True)
class Cost:
    """Tokens of one schema."""

    name: str
    schema: dict[str, int]
    """As JSON, by layout."""
    typescript: int
    prose: int
    example: int | None
    """None where frisket refuses the schema."""
    bare: dict[str, int]
    """Without descriptions: `typescript`, and the JSON by layout."""
    lost: tuple[str, ...]


def costs(every: int = EVERY, most: int | None = None) -> Iterator[Cost]:
    tokenizer = _tokenizer(required_data_dir() / "tokenizers" / "llama3" / "tokenizer.json")
    count = lambda text: Description(text).tokens(tokenizer)  # noqa: E731
    for name, schema in islice(schemas(), 0, None if most is None else most * every, every):
        bare = stripped(schema)
        text = typescript(schema)
        yield Cost(
            name,
            {layout: count(as_json(schema, layout)) for layout in LAYOUTS},
            count(text),
            count(prose(schema)),
            _example(schema, count),
            {"typescript": count(typescript(bare)), **{layout: count(as_json(bare, layout)) for layout in LAYOUTS}},
            tuple(lost(schema, text)),
        )


def schemas() -> Iterator[tuple[str, Any]]:
    with gzip.open(required_data_dir() / "maskbench" / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            yield entry["id"], entry["schema"]


def as_json(schema: Any, layout: str) -> str:
    return json.dumps(schema, ensure_ascii=False, **LAYOUTS[layout])  # type: ignore[arg-type]


def stripped(node: Any) -> Any:
    """The schema without what it says in sentences.

    >>> stripped({"description": "a", "title": "b", "properties": {"title": {"description": "c", "type": "null"}}})
    {'properties': {'title': {'type': 'null'}}}
    """
    if isinstance(node, dict):
        return {
            key: stripped(value)
            for key, value in node.items()
            if not (key in ("description", "title", "$comment") and isinstance(value, str))
        }
    return [stripped(one) for one in node] if isinstance(node, list) else node


def shares(found: Sequence[Cost], style: str, layout: str) -> list[float]:
    """Tokens of a style, by those of the schema."""
    if style == "typescript without descriptions":
        return [one.bare["typescript"] / one.schema[layout] for one in found]
    counts = [(getattr(one, style), one.schema[layout]) for one in found]
    return [count / whole for count, whole in counts if count is not None]


def _example(schema: Any, count: Any) -> int | None:
    try:
        return int(count(frisket.Grammar.from_json_schema(schema).describe("example")))
    except FrisketError:
        return None


def _tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(path))
