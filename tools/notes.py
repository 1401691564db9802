"""A tag → the notes of its release: its section of the changelog, once the tag, the version and the section agree.

`python tools/notes.py v0.1.0` prints them, and says what is missing otherwise.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

#: A release's section has at most so many lines of text: what is longer belongs to the documents.
MOST = 15


class NotReady(Exception):
    """What keeps this tag from being a release."""


def notes(tag: str, cargo: str, changelog: str) -> str:
    """The section of the changelog for a tag, given the texts of Cargo.toml and CHANGELOG.md."""
    found = re.search(r'^version = "([^"]+)"$', cargo, re.MULTILINE)
    if found is None or tag != f"v{found[1]}":
        raise NotReady(f"the tag is {tag}, and Cargo.toml has version {found and found[1]}: set one of them right")
    version = re.escape(found[1])
    section = re.search(
        rf"^## \[{version}\] - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL
    )
    if section is None:
        raise NotReady(f"CHANGELOG.md has no section `## [{found[1]}] - YYYY-MM-DD`: name [Unreleased] so")
    text = section[1].strip()
    lines = [line for line in text.splitlines() if line.strip()]
    if not 0 < len(lines) <= MOST:
        raise NotReady(f"the section of {found[1]} has {len(lines)} lines of text: 1 to {MOST} make the notes")
    return text


def main(tag: str) -> None:
    root = Path(__file__).parents[1]
    texts = [(root / name).read_text(encoding="utf-8") for name in ("Cargo.toml", "CHANGELOG.md")]
    try:
        print(notes(tag, *texts))
    except NotReady as error:
        sys.exit(f"tools/notes.py: {error}")


if __name__ == "__main__":
    main(sys.argv[1])
