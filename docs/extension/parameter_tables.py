"""Signature and docstring → a table of parameters below the docstring, for the site.

Our docstrings explain parameters in sentences that begin with the name of one. The table has these sentences beside
types and defaults; a parameter that its name explains has none.
"""

from __future__ import annotations

import re

import griffe

#: Parameters: a signature with fewer parameters is read at a glance.
FEWEST = 2


class ParameterTables(griffe.Extension):
    """Adds a table to each function and each dataclass whose docstring explains a parameter or a field.

    It comes after what rewrites docstrings, as functions and classes come after all objects.
    """

    def on_function(self, *, func: griffe.Function, **_: object) -> None:
        parameters = [one for one in func.parameters if one.name not in ("self", "cls")]
        _add(func, [_row(one.name, one.annotation, one.default, func, one.kind) for one in parameters])

    def on_class(self, *, cls: griffe.Class, **_: object) -> None:
        if not any("dataclass" in str(one.value) for one in cls.decorators):
            return
        fields = [one for one in cls.members.values() if isinstance(one, griffe.Attribute) and one.is_public]
        fields = [one for one in fields if "instance-attribute" in one.labels]
        if not any(one.docstring for one in fields):
            _add(cls, [_row(one.name, one.annotation, one.value, cls) for one in fields])


def _add(documented: griffe.Object, rows: list[griffe.DocstringParameter]) -> None:
    docstring = documented.docstring
    if docstring is not None and len(rows) >= FEWEST and any(one.description for one in rows):
        # The parser reads no sections, and is not asked any more.
        docstring.__dict__["parsed"] = [
            griffe.DocstringSectionText(docstring.value),
            griffe.DocstringSectionParameters(rows),
        ]


def _row(
    name: str,
    annotation: str | griffe.Expr | None,
    default: str | griffe.Expr | None,
    documented: griffe.Object,
    kind: griffe.ParameterKind | None = None,
) -> griffe.DocstringParameter:
    if kind is griffe.ParameterKind.var_keyword:
        # Their names are those of a table that all calls share.
        description = "any of the [options](options.md)" if "Unpack" in str(annotation) else ""
        return griffe.DocstringParameter(f"**{name}", description=description, annotation=annotation, value="{}")
    text = "" if documented.docstring is None else documented.docstring.value
    value = None if default is None else str(default)
    return griffe.DocstringParameter(name, description=sentence(name, text), annotation=annotation, value=value)


def sentence(name: str, docstring: str) -> str:
    """The first sentence that begins with this name; "" if there is none.

    >>> sentence("most", "Words.\\n\\n`most`: how many,\\nat most. `least` is fewer.")
    'how many, at most'
    >>> sentence("least", "Words. `least` is fewer.")
    '`least` is fewer'
    """
    prose = re.sub(r"```.*?```", "", docstring, flags=re.DOTALL)
    found = re.search(
        rf"(?:\A|\n\n|[.;]\s+)`{name}`(?=[:, ])(:?)(.*?)(?:;(?=\s)|\.(?=\s+[A-Z`])|\n\n|[.;]?\Z)", prose, re.DOTALL
    )
    if found is None:
        return ""
    words = " ".join(found[2].split())
    return words if found[1] else f"`{name}` {words}"
