"""Names and properties → sets of code points.

A set is a sorted tuple of disjoint, non-adjacent inclusive ranges, so equal sets are equal values. What Python's own
database knows (`unicodedata`) is derived once, on demand; scripts, which it does not know, come from a table.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from itertools import groupby

from tests.oracle.regex.scripts import script

CharSet = tuple[tuple[int, int], ...]

LAST = 0x10FFFF
ALL: CharSet = ((0, LAST),)
NONE: CharSet = ()

DIGIT: CharSet = ((0x30, 0x39),)
WORD: CharSet = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
ASCII_SPACE: CharSet = ((0x09, 0x0D), (0x20, 0x20))
ECMA_SPACE: CharSet = (
    (0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029),
    (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip
ECMA_LINE_END: CharSet = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
NEWLINE: CharSet = ((0x0A, 0x0A),)


def normalize(ranges: Iterable[tuple[int, int]]) -> CharSet:
    """The set of the given ranges, in any order and overlapping as they may."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            if high > result[-1][1]:
                result[-1] = (result[-1][0], high)
        else:
            result.append((low, high))
    return tuple(result)


def union(*sets: CharSet) -> CharSet:
    """Code points in any of the sets."""
    return normalize(part for item in sets for part in item)


def complement(ranges: CharSet) -> CharSet:
    """Code points not in the set."""
    result: list[tuple[int, int]] = []
    start = 0
    for low, high in ranges:
        if low > start:
            result.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        result.append((start, LAST))
    return tuple(result)


def intersection(left: CharSet, right: CharSet) -> CharSet:
    """Code points in both sets."""
    result: list[tuple[int, int]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        low = max(left[i][0], right[j][0])
        high = min(left[i][1], right[j][1])
        if low <= high:
            result.append((low, high))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return tuple(result)


def difference(left: CharSet, right: CharSet) -> CharSet:
    """Code points in the first set only."""
    return intersection(left, complement(right))


def includes(ranges: CharSet, point: int) -> bool:
    """Whether the code point is in the set."""
    return any(low <= point <= high for low, high in ranges)


def property_set(name: str, value: str | None = None) -> CharSet | None:
    """`\\p{name}` or `\\p{name=value}`; None when this Python has no exact data for it."""
    if value is not None:
        key = _loose(name)
        if key in ("gc", "generalcategory"):
            return category(value)
        if key in ("sc", "script"):
            return script(value)
        return None
    found = category(name)
    if found is None:
        found = _binary(_loose(name))
    return found if found is not None else script(name)


def category(name: str) -> CharSet | None:
    """The code points of a general category, by short or long name."""
    key = _loose(name)
    codes = _GROUPS.get(_CATEGORY_NAMES.get(key, key))
    if codes is None:
        return None
    table = _categories()
    return normalize(part for code in codes.split() for part in table.get(code, ()))


def python_word() -> CharSet:
    """Python's Unicode `\\w`: `str.isalnum` and the underscore."""
    return _matched(r"\w+")


def python_space() -> CharSet:
    """Python's Unicode `\\s`: `str.isspace`."""
    return _matched(r"\s+")


def python_digit() -> CharSet:
    """Python's Unicode `\\d`: general category Nd."""
    return _matched(r"\d+")


def fold(ranges: CharSet, *, ecma: bool, ascii_only: bool = False) -> CharSet:
    """All code points that match some member of the set when case is ignored, by the rules of the dialect; with
    `ascii_only`, only letters of ASCII have cases."""
    if not ranges:
        return ranges
    if ascii_only:
        upper, lower = intersection(ranges, ((0x41, 0x5A),)), intersection(ranges, ((0x61, 0x7A),))
        lowered, raised = (
            tuple((low + step, high + step) for low, high in letters) for letters, step in ((upper, 32), (lower, -32))
        )
        return union(ranges, lowered, raised)
    if ranges[-1][1] < 0x80:
        return _fold_ascii(ranges, ecma=ecma)
    classes = _folds(ecma)
    extra = [mates for low, high in ranges for mates in _mates(classes, low, high)]
    return union(ranges, *extra) if extra else ranges


@lru_cache(maxsize=1024)
def _fold_ascii(ranges: CharSet, *, ecma: bool) -> CharSet:
    lower = intersection(ranges, ((0x61, 0x7A),))
    upper = intersection(ranges, ((0x41, 0x5A),))
    letters = union(lower, tuple((low + 32, high + 32) for low, high in upper))
    result = union(ranges, letters, tuple((low - 32, high - 32) for low, high in letters))
    if includes(letters, ord("k")):
        result = union(result, ((0x212A, 0x212A),))
    if includes(letters, ord("s")):
        result = union(result, ((0x17F, 0x17F),))
    if includes(letters, ord("i")) and not ecma:
        result = union(result, ((0x130, 0x131),))
    return result


def _mates(classes: dict[int, CharSet], low: int, high: int) -> list[CharSet]:
    if high - low > len(classes):
        return [mates for point, mates in classes.items() if low <= point <= high]
    return [classes[point] for point in range(low, high + 1) if point in classes]


@cache
def _folds(ecma: bool) -> dict[int, CharSet]:
    """Code point → its class of case variants, for those that have any."""
    key = _simple_fold if ecma else _python_key
    groups: dict[int, list[int]] = {}
    for point in range(_CASED_END):
        char = chr(point)
        if char.lower() != char or char.upper() != char or char.casefold() != char:
            groups.setdefault(key(char), []).append(point)
    return {
        point: normalize((mate, mate) for mate in group)
        for group in groups.values()
        if len(group) > 1
        for point in group
    }


def _simple_fold(char: str) -> int:
    """Status C and S of CaseFolding.txt: the full folding where it is one character, else the lower case."""
    folded = char.casefold()
    if len(folded) == 1:
        return ord(folded)
    lower = char.lower()
    return ord(lower) if len(lower) == 1 else ord(char)


def _python_key(char: str) -> int:
    """`re` compares lower cases, and takes lower cases with one upper case for the same."""
    lower = "i" if char == "İ" else char.lower()
    upper = lower.upper()
    if len(upper) == 1:
        return ord(upper)
    return _PYTHON_TWINS.get(lower, ord(lower))


# `re` also knows these pairs, whose upper cases are two characters long.
_PYTHON_TWINS = {"\u1fd3": 0x390, "\u1fe3": 0x3B0, "\ufb05": 0xFB06}

# No character beyond has case: Adlam ends there.
_CASED_END = 0x1E944


@cache
def _categories() -> dict[str, CharSet]:
    table: dict[str, list[tuple[int, int]]] = {"Cn": [], "Co": [(0xF0000, 0xFFFFD), (0x100000, 0x10FFFD)]}
    for begin, end in (*_ASSIGNED, (0xFFFFE, 0x100000), (0x10FFFE, LAST + 1)):
        # One string of all codes, two letters each: to find its runs takes a fraction of the time of a loop.
        codes = "".join(map(unicodedata.category, _characters(begin, end)))
        for run in re.finditer(r"(..)\1*", codes):
            table.setdefault(run[1], []).append((begin + run.start() // 2, begin + run.end() // 2 - 1))
    previous = 0
    for begin, end in (*_ASSIGNED, (0xF0000, LAST + 1)):
        if begin > previous:
            table["Cn"].append((previous, begin - 1))
        previous = end
    return {code: normalize(ranges) for code, ranges in table.items()}


def _characters(begin: int, end: int) -> str:
    """All characters of a range of code points, one after the other."""
    import numpy as np

    return np.arange(begin, end, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")


@cache
def _matched(pattern: str) -> CharSet:
    """The assigned characters that this Python's `re` finds."""
    return tuple(
        (begin + run.start(), begin + run.end() - 1)
        for begin, end in _ASSIGNED
        for run in re.finditer(pattern, _characters(begin, end))
    )


# Outside these, and the two planes of private use, nothing is assigned up to Unicode 17.
_ASSIGNED = ((0, 0x34000), (0xE0000, 0xE0200))


def _where(test: Callable[[str], bool]) -> CharSet:
    result: list[tuple[int, int]] = []
    for begin, end in _ASSIGNED:
        for good, run in groupby(range(begin, end), lambda point: test(chr(point))):
            points = list(run)
            if good:
                result.append((points[0], points[-1]))
    return normalize(result)


@cache
def _binary(key: str) -> CharSet | None:
    if key == "any":
        return ALL
    if key == "ascii":
        return ((0, 0x7F),)
    if key == "assigned":
        return complement(_categories()["Cn"])
    if key in ("asciihexdigit", "ahex"):
        return ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66))
    if key in ("whitespace", "space", "wspace"):
        return difference(union(ECMA_SPACE, ((0x85, 0x85),)), ((0xFEFF, 0xFEFF),))
    if key in ("uppercase", "upper"):
        return _where(str.isupper)
    if key in ("lowercase", "lower"):
        return _where(str.islower)
    if key in ("xidstart", "xids"):
        return difference(_where(str.isidentifier), ((0x5F, 0x5F),))
    if key in ("xidcontinue", "xidc"):
        return _where(lambda char: ("a" + char).isidentifier())
    return None


def _loose(name: str) -> str:
    return name.lower().replace("_", "").replace(" ", "").replace("-", "")


_CATEGORY_NAMES = {
    "other": "c", "control": "cc", "cntrl": "cc", "format": "cf", "unassigned": "cn", "privateuse": "co",
    "surrogate": "cs", "letter": "l", "casedletter": "lc", "l&": "lc", "lowercaseletter": "ll", "modifierletter": "lm",
    "otherletter": "lo", "titlecaseletter": "lt", "uppercaseletter": "lu", "mark": "m",
    "combiningmark": "m", "spacingmark": "mc",
    "enclosingmark": "me", "nonspacingmark": "mn", "number": "n", "decimalnumber": "nd", "digit": "nd",
    "letternumber": "nl", "othernumber": "no", "punctuation": "p", "punct": "p", "connectorpunctuation": "pc",
    "dashpunctuation": "pd", "closepunctuation": "pe", "finalpunctuation": "pf", "initialpunctuation": "pi",
    "otherpunctuation": "po", "openpunctuation": "ps", "symbol": "s", "currencysymbol": "sc", "modifiersymbol": "sk",
    "mathsymbol": "sm", "othersymbol": "so", "separator": "z", "lineseparator": "zl", "paragraphseparator": "zp",
    "spaceseparator": "zs",
}  # fmt: skip

_GROUPS = {
    "c": "Cc Cf Cn Co Cs", "l": "Ll Lm Lo Lt Lu", "lc": "Ll Lt Lu", "m": "Mc Me Mn", "n": "Nd Nl No",
    "p": "Pc Pd Pe Pf Pi Po Ps", "s": "Sc Sk Sm So", "z": "Zl Zp Zs",
}  # fmt: skip
_GROUPS |= {code.lower(): code for group in tuple(_GROUPS.values()) for code in group.split()}
