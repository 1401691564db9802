"""date, time, date-time, duration (RFC 3339), true to the calendar.

A leap second exists only in the last minute of a UTC day, so its local time follows from the offset. On which days
there is one, nobody knows ahead of time; it is allowed on all. For Python there are no leap seconds and no year 0,
since `datetime` holds neither.

RFC 3339 bounds neither the fraction of a second nor the numbers of a duration, so a text could go on for ever: the
options bound the digits of what is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.notations.regex import lower_regex
from tests.oracle.json_schema.formats.format import Format

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.json_schema.options import JSONSchemaOptions

_DAYS = (
    "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    "|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
_LEAP_YEAR = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DATE = f"(?:[0-9]{{4}}-{_DAYS}|{_LEAP_YEAR}-02-29)"
_YEAR_ONE = "(?:[0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"
_LEAP_YEAR_ONE = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)"
_PYTHON_DATE = f"(?:{_YEAR_ONE}-{_DAYS}|{_LEAP_YEAR_ONE}-02-29)"

_HOUR = "(?:[01][0-9]|2[0-3])"
#: Digits of a second that Python's `datetime` and `time` hold.
_MICROSECONDS = 6

_CLOCK = "T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)"
_DURATION = f"P(?:(?:[0-9]+D|[0-9]+M(?:[0-9]+D)?|[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?)(?:{_CLOCK})?|{_CLOCK}|[0-9]+W)"
#: Digits of a duration's numbers that Python's `timedelta` surely holds.
_PYTHON_DURATION_DIGITS = 4


def _date(builder: GrammarBuilder, python: bool) -> int:
    return lower_regex(builder, _PYTHON_DATE if python else _DATE, dialect="ecma")


def _time(builder: GrammarBuilder, python: bool, digits: int | None = None) -> int:
    """`digits`: how many a second has at most behind the point, None for any number of them."""
    if digits is not None and python:
        digits = min(digits, _MICROSECONDS)
    fraction = "" if digits == 0 else rf"(?:\.[0-9]{{1,{'' if digits is None else digits}}})?"
    clock = f"{_HOUR}:[0-5][0-9]:[0-5][0-9]{fraction}(?:[Zz]|[+-]{_HOUR}:[0-5][0-9])"
    usual = lower_regex(builder, clock, dialect="ecma")
    return usual if python else builder.alt([usual, _leap_second(builder, fraction)])


def _date_time(builder: GrammarBuilder, python: bool, digits: int | None = None) -> int:
    separator = builder.byte_class([(ord("T"), ord("T")), (ord("t"), ord("t"))])
    return builder.cat([_date(builder, python), separator, _time(builder, python, digits)])


def _leap_second(builder: GrammarBuilder, fraction: str) -> int:
    """23:59:60 of UTC in local time: its hour and its minute each restrict the offset, relations to intersect."""
    cat, alt = builder.cat, builder.alt
    number = [builder.literal(b"%02d" % value) for value in range(60)]
    colon, west_of, east_of = (builder.literal(mark) for mark in (b":", b"-", b"+"))
    any_number = lower_regex(builder, "[0-9]{2}", dialect="ecma")
    past_the_hour = lower_regex(builder, "0[1-9]|[1-9][0-9]", dialect="ecma")
    second = lower_regex(builder, f":60{fraction}", dialect="ecma")

    # West of Greenwich, local = 23:59 - offset never borrows. East of it, local = offset - 1 minute, which borrows an
    # hour only where the offset's minute is 00.
    def of_hour(local: int) -> int:
        west = cat([west_of, number[23 - local], colon, any_number])
        east = cat([east_of, number[local], colon, past_the_hour])
        borrowed = cat([east_of, number[(local + 1) % 24], colon, number[0]])
        return cat([number[local], colon, any_number, second, alt([west, east, borrowed])])

    def of_minute(local: int) -> int:
        west = cat([west_of, any_number, colon, number[59 - local]])
        east = cat([east_of, any_number, colon, number[(local + 1) % 60]])
        return cat([number[local], second, alt([west, east])])

    hours = alt([of_hour(local) for local in range(24)])
    minutes = cat([any_number, colon, alt([of_minute(local) for local in range(60)])])
    zulu = lower_regex(builder, f"23:59:60{fraction}[Zz]", dialect="ecma")
    return alt([zulu, builder.and_([hours, minutes])])


def _written_time(builder: GrammarBuilder, options: JSONSchemaOptions) -> int:
    return _time(builder, options.formats == "python", options.max_second_digits)


def _written_date_time(builder: GrammarBuilder, options: JSONSchemaOptions) -> int:
    return _date_time(builder, options.formats == "python", options.max_second_digits)


def _second_note(options: JSONSchemaOptions) -> str:
    most = options.max_second_digits
    if options.formats == "python":
        most = min(most, _MICROSECONDS)
    return f"a second has at most {most} digits after the point"


def _duration(builder: GrammarBuilder, python: bool, digits: int | None = None) -> int:
    """`digits`: how many each of its numbers has at most, None for any number of them."""
    if python:
        digits = _PYTHON_DURATION_DIGITS if digits is None else min(digits, _PYTHON_DURATION_DIGITS)
    pattern = _DURATION if digits is None else _DURATION.replace("[0-9]+", f"[0-9]{{1,{digits}}}")
    return lower_regex(builder, pattern, dialect="ecma")


def _written_duration(builder: GrammarBuilder, options: JSONSchemaOptions) -> int:
    return _duration(builder, options.formats == "python", options.max_integer_digits)


def _duration_note(options: JSONSchemaOptions) -> str:
    most = options.max_integer_digits
    if options.formats == "python":
        most = min(most, _PYTHON_DURATION_DIGITS)
    return f"each number has at most {most} digits"


FORMATS = (
    Format("date", _date),
    Format("time", _time, written=_written_time, note=_second_note),
    Format("date-time", _date_time, written=_written_date_time, note=_second_note),
    Format("duration", _duration, written=_written_duration, note=_duration_note, python_narrows=True),
)
