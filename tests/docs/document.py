"""Markdown → blocks of code, each with its place and what it is shown to print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)$")


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its lines and the first line's number."""

    path: Path
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True)
class Command:
    """One `$ …` line of a console block and the output shown below it."""

    place: str
    line: str
    shown: str


def documents() -> list[Path]:
    """All Markdown whose blocks run."""
    names = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
    below = [path for folder in ("docs", "examples", "training") for path in sorted((ROOT / folder).rglob("*.md"))]
    return [path for path in (ROOT / name for name in names) if path.exists()] + below


def linked_documents() -> list[Path]:
    """All Markdown whose links must lead somewhere: the documents, and pages that programs or GitHub's forms hold."""
    beside = [path for folder in ("benchmarks", ".github") for path in sorted((ROOT / folder).rglob("*.md"))]
    return documents() + beside


def blocks(path: Path) -> Iterator[Block]:
    """The fenced blocks of a document, in order."""
    fence = ""
    start = 0
    info: list[str] = []
    body: list[str] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not fence:
            if match := _FENCE.match(line.strip()):
                fence, start, info, body = match["fence"], number + 1, match["info"].split(), []
        elif line.strip() == fence:
            yield Block(path, start, " ".join(info), "\n".join(body) + "\n")
            fence = ""
        else:
            body.append(line)
    if fence:
        raise ValueError(f"{path.name}:{start}: the block is never closed")


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block; a line that ends in a backslash goes on in the next."""
    lines = block.text.splitlines()
    index = 0
    while index < len(lines):
        if not lines[index].startswith("$ "):
            raise ValueError(f"{block.place}: a console block begins with a `$ ` line")
        place = f"{block.path.relative_to(ROOT)}:{block.line + index}"
        line = lines[index][2:]
        index += 1
        while line.endswith("\\"):
            line = line[:-1].rstrip() + " " + lines[index].strip()
            index += 1
        shown: list[str] = []
        while index < len(lines) and not lines[index].startswith("$ "):
            shown.append(lines[index])
            index += 1
        yield Command(place, line, "\n".join(shown))
