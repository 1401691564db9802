"""The name of a terminal in Lark's library `common` → its pattern: each one a single regular language.

Lark writes strings and comments of C with lazy quantifiers, so that they end as soon as they can. The patterns here say
the same without: an end that may come earlier is no part of the text.

Source: lark-parser.readthedocs.io, grammar reference, `%import common`.
"""

from __future__ import annotations

from frisket.notations.lark.ast import LarkDialect

_EXPONENT = "[eE][+-]?[0-9]+"
_DECIMAL = r"(?:[0-9]+\.[0-9]*|\.[0-9]+)"
_FLOAT = f"(?:[0-9]+{_EXPONENT}|{_DECIMAL}(?:{_EXPONENT})?)"
_NUMBER = f"(?:{_FLOAT}|[0-9]+)"

#: Insides of strings, which match lazily: a terminal that contains one keeps only its shortest texts.
LAZY = {"_STRING_INNER": r"[^\n]*", "_STRING_ESC_INNER": r"(?:[^\\\n]|\\[^\n])*"}

_PATTERNS = {
    "DIGIT": "[0-9]",
    "HEXDIGIT": "[0-9A-Fa-f]",
    "INT": "[0-9]+",
    "SIGNED_INT": "[+-]?[0-9]+",
    "DECIMAL": _DECIMAL,
    "_EXP": _EXPONENT,
    "FLOAT": _FLOAT,
    "SIGNED_FLOAT": f"[+-]?{_FLOAT}",
    "NUMBER": _NUMBER,
    "SIGNED_NUMBER": f"[+-]?{_NUMBER}",
    **LAZY,
    "ESCAPED_STRING": r'"(?:[^"\\\n]|\\[^\n])*"',
    "LCASE_LETTER": "[a-z]",
    "UCASE_LETTER": "[A-Z]",
    "LETTER": "[A-Za-z]",
    "WORD": "[A-Za-z]+",
    "CNAME": "[A-Za-z_][A-Za-z_0-9]*",
    "WS_INLINE": r"[ \t]+",
    "WS": r"[ \t\f\r\n]+",
    "CR": r"\r",
    "LF": r"\n",
    "NEWLINE": r"(?:\r?\n)+",
    "SH_COMMENT": r"#[^\n]*",
    "CPP_COMMENT": r"//[^\n]*",
    "C_COMMENT": r"/\*(?:[^*]|\*+[^*/])*\*+/",
    "SQL_COMMENT": r"--[^\n]*",
}

#: llguidance's strings may contain line ends, except behind a backslash.
_OTHERS: dict[LarkDialect, dict[str, str]] = {"llguidance": {"ESCAPED_STRING": r'"(?:[^"\\]|\\[^\n])*"'}}


def library_pattern(name: str, dialect: LarkDialect) -> str | None:
    """The pattern of a terminal in Python's dialect; None for a name that the library does not have."""
    return _OTHERS.get(dialect, {}).get(name) or _PATTERNS.get(name)


def library_names() -> list[str]:
    """The names of all terminals, in the order of Lark's documentation."""
    return list(_PATTERNS)
