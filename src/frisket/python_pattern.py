"""Texts that Python types accept → ECMA 262 patterns: keys, sizes, bounds of times, patterns in Rust's dialect."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, time, timezone
from typing import Any

DECIMAL = r"[0-9]{1,40}(\.[0-9]{0,40})?"
#: A fraction; a denominator of zeros is not allowed.
FRACTION = rf"^[+-]?(?:{DECIMAL}|[0-9]{{1,40}}/0{{0,20}}[1-9][0-9]{{0,19}})$"
#: The pattern by which pydantic_extra_types describes a latitude or longitude as text.
COORDINATE = r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$"
BOUNDS = ("gt", "ge", "lt", "le", "multiple_of")
KEYS = {
    "int": "^(0|-?[1-9][0-9]{0,17})$",
    "float": r"^-?[0-9]{1,20}(\.[0-9]{1,20})?$",
    "bool": "^(true|false)$",
    "decimal": r"^-?[0-9]{1,20}(\.[0-9]{1,20})?$",
}
POSITIVE: dict[tuple[tuple[str, Any], ...], str] = {
    (("gt", 0),): "^[1-9][0-9]{0,17}$",
    (("ge", 1),): "^[1-9][0-9]{0,17}$",
    (("ge", 0),): "^(0|[1-9][0-9]{0,17})$",
    (("lt", 0),): "^-[1-9][0-9]{0,17}$",
}


# -- texts ----------------------------------------------------------------------------------------------------------
_BLANK = r"[^\s\x85]"
STRIPPED = rf"^(?:{_BLANK}(?:[\s\S]*{_BLANK})?)?$"
_TWO = "[A-Za-f](?:[A-HQ-Xg-n]|[w-z0-3])"
_THIRD = "[ABEFIJMNQRUVYZcdghklopstwx014589]"
_ANY = r"[A-Za-z0-9+/_\-]"
#: Base64 of bytes below 128, three at a time: the highest bit of byte 1, 2 and 3 is in letter 1, 2 and 3.
BASE64_OF_ASCII = f"^(?:{_TWO}{_THIRD}{_ANY})*(?:[A-Za-f][AQgw]==|{_TWO}[AEIMQUYcgkosw048]=)?$"
#: Pydantic's own pattern allows any text at the end, reads it as a unit, and then does not know that unit.
SIZE = "^[0-9]{1,15}(\\.[0-9]{1,6})? ?([kmgtpe]?b|[KMGTPE]?B|[KMGTPE]iB)?$"
_SPACE = r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_WORD = r"\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\u200c\u200d\u24b6-\u24e9\u{1f130}-\u{1f189}"
#: Atom in Rust's dialect → ECMA 262: on its own, in a class, and in a negated class.
ALONE = {
    r"\A": "^",
    r"\z": "$",
    r"\a": r"\x07",
    r"\x{": r"\u{",
    r"\Z": "$",
    "(?P<": "(?<",
    r"\s": f"[{_SPACE}]",
    r"\S": r"[^\s\x85]",
    r"\D": r"\P{Nd}",
    r"\W": f"[^{_WORD}]",
}
INCLUDED = {
    r"\a": r"\x07",
    r"\x{": r"\u{",
    r"\s": _SPACE,
    r"\S": r"!-~\xa1-\u167f\u1681-\u1fff\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\u{10ffff}",
    r"\D": r"\P{Nd}",
    r"\W": r"\x00-/:-@\x5b-\x5e`\x7b-\x7f",
}
EXCLUDED = {r"\a": r"\x07", r"\x{": r"\u{", r"\s": r"\s\x85", r"\d": r"\p{Nd}", r"\w": _WORD}
_LABEL = "[A-Za-z](?:[A-Za-z0-9]{0,40}[A-Za-z])?"
HOST = rf"{_LABEL}(?:\.{_LABEL}){{0,4}}(?::[1-9][0-9]{{0,3}})?"


_ATOM = re.compile(r"\\x\{|\\.|\(\?P<|\(\?[A-Za-z-]+[:)]|\[\^?\]?|\]|&&|--|~~|.", re.DOTALL)
#: Flags of Rust's dialect without effect here, and flags that ECMA has, too; no others can be written there.
_IDLE, _KNOWN = "Uu", "imsUu-"


def ecma(pattern: str) -> str | None:
    """A pattern of Rust's or Python's dialect in ECMA 262; None if it combines classes, or sets other flags.

    `\\d`, `\\w` and `\\s` mean all of Unicode there, and ASCII here; the result has only characters that are in both.

    >>> ecma("^(?i)a|b$"), ecma("(a(?s)b)c")
    ('^(?i:a)|(?i:b$)', '(a(?s:b))c')
    """
    written: list[str] = []
    inside: dict[str, str] | None = None
    # For each open group: the flags that were set inside it, which apply up to its end, in all its alternatives.
    scopes: list[list[str]] = [[]]
    for atom in _ATOM.findall(pattern):
        if inside is not None and (atom[0] == "[" or atom in ("&&", "--", "~~")):
            return None
        if inside is not None:
            written.append(inside.get(atom, atom))
            inside = None if atom == "]" else inside
        elif atom[0] == "[":
            inside = EXCLUDED if atom[1:2] == "^" else INCLUDED
            written.append(atom[:-1] + r"\]" if atom[-1] == "]" else atom)
        elif atom[:2] == "(?" and atom[-1] in ":)":
            flags = _flags(atom[2:-1])
            if flags is None and (written or atom[-1] == ":"):
                return None
            if flags is None:
                written.append(atom)  # flags at the start in Python's dialect, which the reader knows
            elif atom[-1] == ":":
                scopes.append([])
                written.append(f"(?{flags}:")
            elif flags:
                scopes[-1].append(f"(?{flags}:")
                written.append(f"(?{flags}:")
        elif atom == "|":
            written.append(f"{')' * len(scopes[-1])}|{''.join(scopes[-1])}")
        elif atom == ")" and len(scopes) > 1:
            written.append(")" * (len(scopes.pop()) + 1))
        else:
            if atom[0] == "(":
                scopes.append([])
            written.append(ALONE.get(atom, atom))
    return "".join(written) + ")" * len(scopes[0])


def _flags(letters: str) -> str | None:
    """The flags that ECMA 262 has, too; None if any other flag would change what the pattern matches."""
    on, _, off = letters.partition("-")
    if not set(letters) <= set(_KNOWN) or "u" in off:
        return None
    kept = ["".join(letter for letter in part if letter not in _IDLE) for part in (on, off)]
    return f"{kept[0]}-{kept[1]}" if kept[1] else kept[0]


# -- times ----------------------------------------------------------------------------------------------------------
NOTHING = r"[^\s\S]"
NO_LEAP_SECOND = "^[^:]*:[^:]*:[0-5]"
_LEAP = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)"
_YEAR = "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
_DAY = "(?:[0][1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31"
_CLOCK = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?"
NAIVE = f"^(?:{_YEAR}-(?:{_DAY})|{_LEAP}-02-29)[Tt]{_CLOCK}$"
NAIVE_TIME = f"^{_CLOCK}$"


def _later_texts(date: str) -> str:
    """The texts of the same shape that are later in alphabetical order; for dates, the later days."""
    return _beyond(date, "9", lambda digit: f"{chr(ord(digit) + 1)}-9")


def _earlier(date: str) -> str:
    return _beyond(date, "0", lambda digit: f"0-{chr(ord(digit) - 1)}")


def _beyond(date: str, last: str, others: Callable[[str], str]) -> str:
    places = [
        f"{re.escape(date[:index])}[{others(digit)}]"
        for index, digit in enumerate(date)
        if digit.isdigit() and digit != last
    ]
    return f"^(?:{'|'.join(places)})" if places else NOTHING


DATE_BOUNDS: dict[str, Callable[[str], str]] = {
    "gt": _later_texts,
    "ge": lambda date: f"{_later_texts(date)}|^{date}",
    "lt": _earlier,
    "le": lambda date: f"{_earlier(date)}|^{date}",
}


def moments(schema: Any, zone: str) -> list[str]:
    """The patterns for the bounds of a datetime or a time, for texts in one time zone."""
    found = []
    for name in DATE_BOUNDS:
        bound: datetime | time | None = schema.get(name)
        if bound is None:
            continue
        if isinstance(bound, datetime) and bound.tzinfo is not None:
            bound = bound.astimezone(timezone.utc)
        upward = name in ("gt", "ge")
        second = bound.replace(microsecond=0, tzinfo=None)
        text = second.isoformat()
        same = "" if bound.microsecond or name in ("gt", "lt") else rf"|^{text}"
        if name == "lt" and bound.microsecond:
            same = rf"|^{text}{zone}$"
        if same and not upward:
            same = rf"|^{text}{zone}$"
        found.append((_later_texts(text) if upward else _earlier(text)) + same)
    return [*found, f"{zone}$"] if found and zone else found
