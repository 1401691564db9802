"""A step → the numerals of its multiples."""

from __future__ import annotations

from fractions import Fraction
from math import gcd

from tests.oracle.json_schema.digits import Digits, part_length

#: The largest divisor whose remainders become states. A text that comes near its greatest length is searched for a way
#: to end, through as many states at worst.
REMAINDERS = 100_000
#: The same where a point may come between the digits, so that their number says less.
POINTED = 5000
#: Endings that are listed one by one.
ENDINGS = 5000


class TooManyRemainders(Exception):
    """multipleOf needs more states than anybody should pay for."""


def multiples(numerals: Digits, step: Fraction, *, point: bool) -> int:
    """Unsigned numerals that are multiples of `step`; with a fractional part if `point`.

    step = c · 2^a · 5^b / 10^k with c prime to ten. The twos and fives look only at the last max(a, b) digits
    before place k behind the point; c looks at all digits and, ten being invertible, does not mind the point. Where
    there is no such place, both ask for something or the endings are too many, one remainder of all digits says it all.
    """
    b = numerals.builder
    places = part_length(step)
    if not point:
        places, step = 0, Fraction(step.numerator)
    scaled = int(step * 10**places)
    rest, twos = strip(scaled, 2)
    rest, fives = strip(rest, 5)
    watched = max(twos, fives)
    if 10**watched // (scaled // rest) > ENDINGS or (rest > 1 and (watched or not places) and scaled <= REMAINDERS):
        return by_remainder(numerals, scaled, places, point)
    node = by_ending(numerals, scaled // rest, watched, places, point)
    if rest == 1:
        return node
    return b.and_([node, remainder(numerals, rest, point)])


def remainder(numerals: Digits, divisor: int, point: bool) -> int:
    """Digits, with a point among them if `point`, that read as one number are a multiple of the divisor."""
    most = POINTED if point else REMAINDERS
    if divisor > most:
        raise TooManyRemainders(divisor, most)
    return numerals.builder.multiple(divisor, point=point)


def by_remainder(numerals: Digits, scaled: int, places: int, point: bool) -> int:
    """Numerals by how many digits they have behind the point, zeros at the end left out.

    With j of them the digits, read as one number, times 10^(places - j) are a multiple of `scaled`.
    """
    b = numerals.builder
    zeros = b.repeat(b.literal(b"0"), 0, numerals.part)
    whole = b.and_([numerals.any_whole(), remainder(numerals, scaled // gcd(scaled, 10**places), False)])
    nodes = [b.cat([whole, numerals.zero_part()]) if point else whole]
    for count in range(1, places + 1):
        digits = b.cat([numerals.any_whole(), b.literal(b"."), b.repeat(numerals.digit, count, count)])
        divisor = scaled // gcd(scaled, 10 ** (places - count))
        nodes.append(b.cat([b.and_([digits, remainder(numerals, divisor, True)]), zeros]))
    return b.alt(nodes)


def by_ending(numerals: Digits, step: int, watched: int, places: int, point: bool) -> int:
    b = numerals.builder
    zeros = b.repeat(b.literal(b"0"), 0, numerals.part)
    if step == 1:
        if not point:
            return numerals.any_whole()
        if not places:
            return b.cat([numerals.any_whole(), numerals.zero_part()])
        part = b.cat([b.literal(b"."), b.repeat(numerals.digit, 1, places), zeros])
        return b.cat([numerals.any_whole(), numerals.optional(part)])
    length = max(watched, places)
    padding = 10 ** (length - watched)
    if padding > 1 and 10**watched // step * padding > ENDINGS:
        return by_long_ending(numerals, step, watched, places)
    endings: dict[str, list[str]] = {}
    for ending in range(0, 10**length, step):
        text = str(ending).zfill(length)
        head_text, figures = text[: length - places], text[length - places :]
        endings.setdefault(head_text, []).append(figures.rstrip("0"))
    nodes: list[int] = []
    groups: dict[tuple[str, ...], list[str]] = {}
    for head_text, parts in endings.items():
        groups.setdefault(tuple(sorted(set(parts))), []).append(head_text)
    for parts_key, wholes in groups.items():
        head = whole_ending(numerals, wholes)
        alternatives: list[int] = []
        pointed = [p.encode() for p in parts_key if p]
        if pointed:
            alternatives.append(b.cat([b.literal(b"."), b.words(pointed), zeros]))
        if "" in parts_key:
            alternatives.append(numerals.zero_part() if point else b.epsilon())
        nodes.append(b.cat([head, b.alt(alternatives)]))
    return b.alt(nodes)


def by_long_ending(numerals: Digits, step: int, watched: int, places: int) -> int:
    """Many places, few of them watched: free digits, then a watched group, then zeros; shorter parts are padded."""
    b = numerals.builder
    zeros = b.repeat(b.literal(b"0"), 0, numerals.part)
    groups = [str(n).zfill(watched).rstrip("0").encode() for n in range(0, 10**watched, step)]
    lead = b.repeat(numerals.digit, places - watched, places - watched)
    exact_part = b.cat([lead, b.words(groups), zeros])
    short_part = b.cat([b.repeat(numerals.digit, 1, places - watched), zeros])
    part = b.cat([b.literal(b"."), b.alt([exact_part, short_part])])
    return b.cat([numerals.any_whole(), numerals.optional(part)])


def whole_ending(numerals: Digits, endings: list[str]) -> int:
    """Integers without leading zeros whose last digits (padded with zeros) are among these."""
    b = numerals.builder
    length = len(endings[0])
    if length == 0:
        return numerals.any_whole()
    short = sorted({str(int(text)).encode() for text in endings})
    full = [text.encode() for text in endings]
    lead = b.cat([numerals.digits(1, 9), b.repeat(numerals.digit, 0, max(numerals.whole - length - 1, 0))])
    return b.alt([b.words(short), b.cat([lead, b.words(full)])])


def far_multiples(numerals: Digits, step: Fraction, beyond: int) -> int | None:
    """Numerals d.ddde+x with x > beyond and so few decimals that every one is a multiple of `step`."""
    places = part_length(step)
    rest, twos = strip(int(step * 10**places), 2)
    rest, fives = strip(rest, 5)
    if rest > POINTED:
        return None
    b = numerals.builder
    by_rest = b.multiple(rest, point=True) if rest > 1 else None
    nodes: list[int] = []
    first = beyond + 1
    while first <= numerals.exponents[1]:
        decimals = first - max(twos, fives) + places
        last = numerals.exponents[1] if decimals >= numerals.part else first
        if decimals >= 0:
            digits = b.cat([numerals.digits(1, 9), numerals.padded_part(decimals)])
            digits = digits if by_rest is None else b.and_([digits, by_rest])
            nodes.append(b.cat([digits, numerals.exponent(first, last)]))
        first = last + 1
    return numerals.signed(b.alt(nodes)) if nodes else None


def strip(value: int, prime: int) -> tuple[int, int]:
    count = 0
    while value % prime == 0:
        value //= prime
        count += 1
    return value, count
