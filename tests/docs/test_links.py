"""Every link from one of our documents to another file of the repository → a file, and a heading, that is there."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from .document import ROOT, linked_documents

#: A page of the site links to files outside `docs/` by their address.
HOME = re.compile(r"https://github\.com/frisket/frisket/(?:blob|tree)/main/")
_FENCED = re.compile(r"^(`{3,}|~{3,}).*?^\1\s*$", re.DOTALL | re.MULTILINE)
_TARGET = re.compile(r"\]\(([^)\s]+)[^)]*\)")


@pytest.mark.parametrize("path", linked_documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_inside_the_repository_lead_somewhere(path: Path) -> None:
    assert not [target for target in links(path) if is_broken(path, target)]


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One title\n[a](page.md#one-title) [b](#two) [c](gone.md) [d](https://example.org)\n", "utf-8")
    gone = "https://github.com/frisket/frisket/blob/main/gone.py"
    assert [target for target in [*links(page), gone] if is_broken(page, target)] == ["#two", "gone.md", gone]


def links(path: Path) -> list[str]:
    """The targets of a document's links, code aside."""
    return _TARGET.findall(_FENCED.sub("", path.read_text(encoding="utf-8")))


def is_broken(path: Path, target: str) -> bool:
    """Whether a link of a document names a file of the repository, or a heading, that is not there."""
    inside = HOME.sub(f"{ROOT}/", target)
    if "://" in inside:
        return False
    name, _, heading = inside.partition("#")
    file = path.parent / name if name else path
    if not file.exists():
        return True
    return bool(heading) and file.suffix == ".md" and heading not in headings(file)


def headings(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site both write them."""
    prose = _FENCED.sub("", path.read_text(encoding="utf-8"))
    return {anchor(title) for title in re.findall(r"^#+ (.+)$", prose, re.MULTILINE)}


def anchor(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())
