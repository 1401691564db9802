"""date, time, date-time, duration (RFC 3339), true to the calendar.

A leap second exists only in the last minute of a UTC day, so its local time follows from the offset. On which days
there is one, nobody knows ahead of time; it is allowed on all. For Python there are no leap seconds and no year 0,
since `datetime` holds neither.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from frisket.json_schema.formats.format import Format, by_pattern
from frisket.notations.regex import lower_regex

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

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
_FRACTION = r"(?:\.[0-9]+)?"
_TIME = f"{_HOUR}:[0-5][0-9]:[0-5][0-9]{_FRACTION}(?:[Zz]|[+-]{_HOUR}:[0-5][0-9])"

_CLOCK = "T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)"
_DURATION = f"P(?:(?:[0-9]+D|[0-9]+M(?:[0-9]+D)?|[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?)(?:{_CLOCK})?|{_CLOCK}|[0-9]+W)"


def _date(builder: GrammarBuilder, python: bool) -> int:
    return lower_regex(builder, _PYTHON_DATE if python else _DATE, dialect="ecma")


def _time(builder: GrammarBuilder, python: bool) -> int:
    usual = lower_regex(builder, _TIME, dialect="ecma")
    return usual if python else builder.alt([usual, _leap_second(builder)])


def _date_time(builder: GrammarBuilder, python: bool) -> int:
    separator = builder.byte_class([(ord("T"), ord("T")), (ord("t"), ord("t"))])
    return builder.cat([_date(builder, python), separator, _time(builder, python)])


def _leap_second(builder: GrammarBuilder) -> int:
    """23:59:60 of UTC in local time: each of its parts follows from a part of the offset, relations to intersect."""
    cat, alt, literal = builder.cat, builder.alt, builder.literal
    hour = [literal(b"%02d" % value) for value in range(24)]
    digit = [literal(b"%d" % value) for value in range(10)]
    any_digit, one_to_nine = (builder.byte_class([(ord(low), ord("9"))]) for low in "01")
    any_number, colon = cat([any_digit, any_digit]), literal(b":")
    last_minute = literal(b":59")
    second = cat([literal(b":60"), lower_regex(builder, _FRACTION, dialect="ecma")])
    west_of, east_of = cat([second, literal(b"-")]), cat([second, literal(b"+")])

    def hours(sign: int, here: Iterable[int]) -> int:
        """The local hour for the offsets 00, 01, …"""
        return alt([cat([hour[h], colon, any_number, sign, hour[o], colon, any_number]) for o, h in enumerate(here)])

    def tens(sign: int, ways: Iterable[tuple[int, int, int]]) -> int:
        """The local minute's first digit for the offset's two."""
        return alt([cat([any_number, colon, m, any_digit, sign, any_number, colon, *offset]) for m, *offset in ways])

    def units(sign: int, here: Iterable[int]) -> int:
        """The local minute's second digit for the offset's 0, 1, …"""
        head, middle = cat([any_number, colon, any_digit]), cat([sign, any_number, colon, any_digit])
        return alt([cat([head, digit[m], middle, digit[o]]) for o, m in enumerate(here)])

    zulu = cat([hour[23], last_minute, second, builder.byte_class([(ord("Z"), ord("Z")), (ord("z"), ord("z"))])])
    # West of Greenwich, local = 23:59 - offset never borrows.
    west = builder.and_(
        [
            hours(west_of, range(23, -1, -1)),
            tens(west_of, [(digit[5 - n], digit[n], any_digit) for n in range(6)]),
            units(west_of, range(9, -1, -1)),
        ]
    )
    # East of it, local = offset - 1 minute, which borrows an hour only where the offset's minute is 00.
    east = builder.and_(
        [
            hours(east_of, range(24)),
            tens(
                east_of,
                [(digit[n], digit[n], one_to_nine) for n in range(6)]
                + [(digit[n - 1], digit[n], digit[0]) for n in range(1, 6)],
            ),
            units(east_of, [9, *range(9)]),
        ]
    )
    on_the_hour = [cat([hour[o - 1], last_minute, east_of, hour[o], colon, digit[0], digit[0]]) for o in range(24)]
    return alt([zulu, west, east, *on_the_hour])


FORMATS = (
    Format("date", _date),
    Format("time", _time),
    Format("date-time", _date_time),
    by_pattern("duration", _DURATION, python=_DURATION.replace("[0-9]+", "[0-9]{1,4}")),
)
