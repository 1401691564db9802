"""Formula × the parameter of a parametric rule → a number or a truth value.

A parameter has 64 bits. Conditions and functions are those of llguidance.

Source: github.com/guidance-ai/llguidance, docs/parametric.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from frisket.notations.lark.ast import Formula
from frisket.notations.lark.literal import Literals
from frisket.notations.production.source import Source

_ALL = 2**64 - 1
_WORD = re.compile(r"[a-z_]+")
_SPACE = re.compile(r"[ \t]*")
#: The parameter of the rule that is defined.
_OWN = re.compile(r"_(?![A-Za-z0-9_])")

Bits: TypeAlias = tuple[int, int]


def _mask(bits: Bits) -> int:
    return (1 << (bits[1] - bits[0])) - 1


def _part(value: int, bits: Bits) -> int:
    return (value >> bits[0]) & _mask(bits)


def _increment(value: int, bits: Bits) -> int:
    return value if _part(value, bits) == _mask(bits) else value + (1 << bits[0])


def _decrement(value: int, bits: Bits) -> int:
    return value if _part(value, bits) == 0 else value - (1 << bits[0])


#: Each function with the kinds of its operands: a bit's number, a number, bits from one to before another.
_FUNCTIONS: dict[str, tuple[str, Callable[..., int]]] = {
    "set_bit": ("k", lambda value, bit: value | 1 << bit),
    "clear_bit": ("k", lambda value, bit: value & ~(1 << bit)),
    "bit_and": ("n", lambda value, other: value & other),
    "bit_or": ("n", lambda value, other: value | other),
    "incr": ("b", _increment),
    "decr": ("b", _decrement),
}
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda left, right: left == right,
    "ne": lambda left, right: left != right,
    "lt": lambda left, right: left < right,
    "le": lambda left, right: left <= right,
    "gt": lambda left, right: left > right,
    "ge": lambda left, right: left >= right,
}
_CONDITIONS: dict[str, tuple[str, Callable[..., bool]]] = {
    "true": ("", lambda value: True),
    "bit_clear": ("k", lambda value, bit: not value >> bit & 1),
    "bit_set": ("k", lambda value, bit: bool(value >> bit & 1)),
    "is_ones": ("b", lambda value, bits: _part(value, bits) == _mask(bits)),
    "is_zeros": ("b", lambda value, bits: _part(value, bits) == 0),
    "and": ("cc", lambda value, left, right: left and right),
    "or": ("cc", lambda value, left, right: left or right),
    "not": ("c", lambda value, operand: not operand),
}
for _name, _compare in _COMPARED.items():
    _CONDITIONS[_name] = "bn", lambda value, bits, number, compare=_compare: compare(_part(value, bits), number)
    _CONDITIONS[f"bit_count_{_name}"] = (
        "bn",
        lambda value, bits, number, compare=_compare: compare(_part(value, bits).bit_count(), number),
    )

#: Deepest nesting of conditions, which are parsed by recursion.
_DEEPEST = 50


def parse_parameter(source: Source, literals: Literals) -> Formula:
    """The argument behind `::` where a rule is called: `_`, a number or a function of the caller's parameter."""
    at = source.at
    if source.peek().isdigit():
        number = literals.number("a number")
        if number > _ALL:
            source.fail("a parameter has 64 bits", at)
        return Formula("number", (number,), at)
    if source.match(_OWN) is not None:
        return Formula("_", (), at)
    return _call(source, literals, _FUNCTIONS, "a function of the parameter", 0)


def parse_condition(source: Source, literals: Literals, depth: int = 0) -> Formula:
    """The condition behind `%if`."""
    return _call(source, literals, _CONDITIONS, "a condition", depth)


def _call(
    source: Source, literals: Literals, known: Mapping[str, tuple[str, Callable[..., int]]], kind: str, depth: int
) -> Formula:
    at = source.at
    if depth > _DEEPEST:
        source.fail("conditions nest too deep", at)
    name = source.match(_WORD) or ""
    if name not in known:
        source.at = at
        source.fail(f"expected {kind}, found {name or source.found()}", at, f"there are {', '.join(sorted(known))}")
    operands: list[Formula | int | Bits] = []
    source.match(_SPACE)
    kinds = known[name][0]
    if kinds or source.peek() == "(":
        source.expect("(", f"after {name}")
        for number, operand in enumerate(kinds):
            source.match(_SPACE)
            if number:
                source.expect(",", "between the operands")
                source.match(_SPACE)
            place = source.at
            if operand == "c":
                operands.append(parse_condition(source, literals, depth + 1))
            elif operand == "b":
                operands.append(_bits(source, literals))
            else:
                value = literals.number("a number")
                if value > (63 if operand == "k" else _ALL):
                    source.fail("a parameter has 64 bits", place)
                operands.append(value)
        source.match(_SPACE)
        source.expect(")", f"after the operands of {name}")
    return Formula(name, tuple(operands), at)


def _bits(source: Source, literals: Literals) -> Bits:
    at = source.at
    if source.take("_"):
        return 0, 64
    source.expect("[", "or _", "bits are [from:to], the last one not included, or _ for all")
    low = literals.number("the first bit")
    source.expect(":", "between the bits")
    high = literals.number("the bit behind the last one")
    source.expect("]", "after the bits")
    if not low < high <= 64:
        source.fail(f"there are no bits from {low} to before {high}", at, "as in [0:3], up to 64")
    return low, high


def evaluate(formula: Formula, value: int | None, source: Source) -> int:
    """The value of a formula or condition; `value` is the rule's parameter, if it has one."""
    if formula.function == "number":
        (number,) = formula.operands
        assert isinstance(number, int)
        return number
    if value is None:
        source.fail("this rule has no parameter to compute with", formula.at, "write name::_ where it is defined")
    if formula.function == "_":
        return value
    operands = [evaluate(part, value, source) if isinstance(part, Formula) else part for part in formula.operands]
    known = _FUNCTIONS if formula.function in _FUNCTIONS else _CONDITIONS
    return known[formula.function][1](value, *operands) & _ALL
