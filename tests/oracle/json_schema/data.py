"""A Python value that should be JSON → checked, or InvalidSchemaError with its place.

`json.loads` gives infinities for numbers that no double holds, and lone surrogates for half an escape; a dict made in
Python may hold anything. What the schema says as data (const, enum, bounds, names) is checked here, once.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from frisket.errors import InvalidSchemaError, LimitExceededError
from frisket.lint.resolve import escape

#: Digits of a number before and behind its point. The longest exact value of a double has 1,074 behind it. Python
#: converts 4,300 digits at most, and a bound is scaled by up to 10^324.
DIGITS = 2000

#: Levels of lists and dicts in one value, each of which becomes a place of the schema.
DEPTH = 1000

NUMBER_HINT = "the largest double is 1.7976931348623157e+308; leave the number out where you mean no bound"


def check(value: Any, where: str) -> None:
    """InvalidSchemaError unless the value is JSON that UTF-8 can spell; a string with a lone surrogate may stand.

    (No document holds such a string, so that it means nothing as a value: `string.encoded` leaves it out.)
    """
    stack = [(value, where, 0)]
    #: Lists and dicts that were met, and how deep: Python may share them, and one may hold itself.
    met: set[tuple[int, int]] = set()
    while stack:
        value, where, depth = stack.pop()
        if isinstance(value, (list, tuple, dict)):
            if (id(value), depth) in met:
                continue
            met.add((id(value), depth))
        if value is None or isinstance(value, (str, bool)):
            continue
        if isinstance(value, (int, float, Decimal)):
            check_number(value, where)
        elif isinstance(value, (list, tuple)):
            stack += [(item, f"{where}/{place}", depth + 1) for place, item in enumerate(value)]
        elif isinstance(value, dict):
            stack += [(item, f"{where}/{escape(check_key(key, where))}", depth + 1) for key, item in value.items()]
        else:
            raise InvalidSchemaError(
                f"a value must be JSON, not {type(value).__name__}",
                where=where,
                hint="JSON has null, booleans, numbers, strings, lists and dicts",
            )
        if depth > DEPTH:
            raise LimitExceededError(
                f"a value nests deeper than {DEPTH:,} levels",
                where=where,
                hint="describe its inner parts by schemas in $defs",
            )


def check_number(value: int | float | Decimal, where: str) -> None:
    """InvalidSchemaError unless the number is finite; LimitExceededError if it has too many digits."""
    if isinstance(value, int):
        # A digit is more than three bits: most numbers are known as short without a power of ten.
        if value.bit_length() <= 3 * DIGITS or abs(value) < 10**DIGITS:
            return
    elif not is_finite(value):
        raise InvalidSchemaError(f"a number must be finite, not {value}", where=where, hint=NUMBER_HINT)
    elif isinstance(value, float):
        return
    else:
        # 1e999999999 is short as a text only.
        _, digits, exponent = value.as_tuple()
        if value.adjusted() < DIGITS and -int(exponent) <= DIGITS and len(digits) <= 2 * DIGITS:
            return
    raise LimitExceededError(
        f"a number has more than {DIGITS:,} digits before or behind its point",
        where=where,
        hint="describe a long numeral as a string with a pattern",
    )


def is_finite(value: int | float | Decimal) -> bool:
    """Whether it is a number at all; a Decimal need not fit a float."""
    return value.is_finite() if isinstance(value, Decimal) else isinstance(value, int) or math.isfinite(value)


def shown(value: Any) -> str:
    """A value in a message: short texts and numbers as they are, of anything else what it is."""
    if isinstance(value, str) and len(value) <= 60:
        return ascii(value)
    if value is None or isinstance(value, (bool, float)) or (isinstance(value, int) and value.bit_length() < 200):
        return str(value)
    return f"a value of type {type(value).__name__}"


def check_key(key: Any, where: str) -> str:
    """The key, if it is a string with a spelling in UTF-8; otherwise InvalidSchemaError."""
    if not isinstance(key, str):
        raise InvalidSchemaError(
            f"a name must be a string, not {shown(key) if isinstance(key, (int, float)) else type(key).__name__}",
            where=where,
            hint="JSON has no others",
        )
    if not key.isascii():
        try:
            key.encode()
        except UnicodeEncodeError:
            raise InvalidSchemaError(
                f"the name {ascii(key)[:60]} has a lone surrogate, which UTF-8 cannot spell",
                where=where,
                hint="write characters beyond U+FFFF as they are, or as two \\u escapes",
            ) from None
    return key
