"""Exception of `json.loads` → the fault of the text, and advice.

Python's reader also fails on valid JSON: a text may nest deeper than it recurses, and an integer may have more digits
than it converts. Such a text exceeds a limit, and callers should not call it "not JSON".
"""

from __future__ import annotations

import json
from dataclasses import dataclass

__all__ = ["BOM", "BOM_HINT", "JSONFault", "json_fault"]

BOM = "\ufeff"
BOM_HINT = 'read the file with encoding="utf-8-sig", which leaves the mark out'


@dataclass(frozen=True, slots=True)
class JSONFault:
    """Why a text was not read. `is_limit`: it may be valid JSON, but is too deep or has too long a number."""

    message: str
    """A clause about the text, such as `nests too deep` or `is not JSON: Expecting value`."""
    where: str | None = None
    """Line and column of the fault; None if unknown."""
    hint: str | None = None
    is_limit: bool = False


def json_fault(error: ValueError | RecursionError) -> JSONFault:
    """The fault of a text, from the error that `json.loads` raised on it.

    >>> json_fault(RecursionError()).message, json_fault(RecursionError()).is_limit
    ('nests too deep', True)
    """
    if isinstance(error, RecursionError):
        return JSONFault("nests too deep", hint="use fewer levels", is_limit=True)
    if isinstance(error, UnicodeDecodeError):
        return JSONFault(f"is not JSON: byte {error.start} is no UTF-8")
    if not isinstance(error, json.JSONDecodeError):
        if "set_int_max_str_digits" in str(error):
            return JSONFault("holds an integer of thousands of digits", hint="write it as a string", is_limit=True)
        return JSONFault(f"is not JSON: {error}")
    where = f"{error.lineno}:{error.colno}"
    if error.doc.startswith(BOM) and error.pos == 0:
        return JSONFault("begins with a byte order mark, which is no JSON", where, BOM_HINT)
    hint = "more text follows the document: leave it out" if error.msg == "Extra data" else None
    if error.doc.lstrip().startswith("```"):
        hint = "it stands in a fence of Markdown: leave the fence out"
    return JSONFault(f"is not JSON: {error.msg}", where, hint)
