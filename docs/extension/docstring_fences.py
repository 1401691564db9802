"""Docstring → the same docstring with its examples and trees fenced as code, for the site.

Our docstrings are plain text with doctests. Markdown reads a line that begins with `>>>` as a quotation.
"""

from __future__ import annotations

from typing import Any

import griffe


class DocstringFences(griffe.Extension):
    """Fences every docstring that griffe loads."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(docstring: str) -> str:
    """The docstring with each paragraph that holds an example or a tree as a code block.

    >>> print(fenced("One.\\n>>> 1\\n1"))
    One.
    <BLANKLINE>
    ```pycon
    >>> 1
    1
    ```
    """
    return "\n\n".join(map(_fenced_paragraph, docstring.split("\n\n")))


def _fenced_paragraph(paragraph: str) -> str:
    lines = paragraph.split("\n")
    if any(line.lstrip("│ ").startswith(("├──", "└──")) for line in lines):
        return "\n".join(["```text", *lines, "```"])
    first = next((number for number, line in enumerate(lines) if line.startswith(">>> ")), None)
    if first is None:
        return paragraph
    code = "\n".join(["```pycon", *lines[first:], "```"])
    return "\n".join([*lines[:first], "", code]) if first else code
