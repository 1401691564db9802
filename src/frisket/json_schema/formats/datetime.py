"""date, time, date-time, duration (RFC 3339), true to the calendar.

A leap second exists only in the last minute of a UTC day, so its local time follows from the offset. On which days
there is one, nobody knows ahead of time; it is allowed on all. For Python there are no leap seconds and no year 0, since
`datetime` holds neither.
"""

from __future__ import annotations

from itertools import pairwise
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
    """23:59:60 of UTC in local time: its minute and hour each follow from the offset's, two relations to intersect."""
    literal, cat, alt = builder.literal, builder.cat, builder.alt
    fraction = lower_regex(builder, _FRACTION, dialect="ecma")
    two = lower_regex(builder, "[0-9]{2}", dialect="ecma")
    second = cat([literal(b":60"), fraction])
    zulu = cat([literal(b"23:59"), second, lower_regex(builder, "[Zz]", dialect="ecma")])
    hours = [b"%02d" % hour for hour in range(24)]
    minutes = [b"%02d" % minute for minute in range(60)]

    def relation(pairs: list[tuple[bytes, bytes]], sign: bytes, *, of_hours: bool) -> int:
        parts = []
        for local, offset in pairs:
            if of_hours:
                parts.append(cat([literal(local + b":"), two, second, literal(sign + offset + b":"), two]))
            else:
                parts.append(cat([two, literal(b":" + local), second, literal(sign), two, literal(b":" + offset)]))
        return alt(parts)

    # West of Greenwich: local = 23:59 - offset never borrows.
    west = builder.and_(
        [
            relation(list(zip(minutes[::-1], minutes, strict=True)), b"-", of_hours=False),
            relation(list(zip(hours[::-1], hours, strict=True)), b"-", of_hours=True),
        ]
    )
    # East: offset minutes carry into the hour, except 00.
    east = builder.and_(
        [
            relation(list(pairwise(minutes)), b"+", of_hours=False),
            relation(list(zip(hours, hours, strict=True)), b"+", of_hours=True),
        ]
    )
    east_full = alt(
        [cat([literal(hours[hour - 1] + b":59"), second, literal(b"+" + hours[hour] + b":00")]) for hour in range(24)]
    )
    return alt([zulu, west, east, east_full])


FORMATS = (
    Format("date", _date),
    Format("time", _time),
    Format("date-time", _date_time),
    by_pattern("duration", _DURATION, python=_DURATION.replace("[0-9]+", "[0-9]{1,4}")),
)
