"""A grammar's text in one notation → the same rules in GBNF or in the W3C's EBNF."""

from __future__ import annotations

from typing import Any

from frisket.errors import GrammarError
from frisket.limit import Meter
from frisket.notations.abnf import parse_abnf, with_core
from frisket.notations.ebnf import parse_ebnf
from frisket.notations.gbnf import parse_gbnf
from frisket.notations.lark import parse_lark
from frisket.notations.production.ast import Productions
from frisket.notations.production.printer import GBNF, W3C
from frisket.notations.production.source import STEPS_PER_CHARACTER, Source

#: Constructors whose grammars are production rules.
NOTATIONS = frozenset({"from_abnf", "from_ebnf", "from_gbnf", "from_lark"})


def to_gbnf(constructor: str, argument: Any, keywords: dict[str, Any], meter: Meter) -> str:
    """The rules of a grammar, given as the call of its constructor, in GBNF."""
    return GBNF(*productions(constructor, argument, keywords, meter)).text()


def to_ebnf(constructor: str, argument: Any, keywords: dict[str, Any], meter: Meter) -> str:
    """The rules of a grammar, given as the call of its constructor, in the W3C's EBNF."""
    return W3C(*productions(constructor, argument, keywords, meter)).text()


def productions(constructor: str, argument: Any, keywords: dict[str, Any], meter: Meter) -> tuple[Productions, str]:
    """(the rules by name, the root) of a grammar, given as its constructor's call; GrammarError if it has none."""
    if constructor in NOTATIONS:
        meter.spend(STEPS_PER_CHARACTER * len(argument))
    if constructor == "from_lark":
        return parse_lark(Source(argument), limits=meter.limits, **keywords)
    root = keywords.get("root")
    if constructor == "from_gbnf":
        return parse_gbnf(Source(argument)), root or "root"
    if constructor == "from_abnf":
        rules = with_core(parse_abnf(Source(argument), keywords["values"]), keywords["values"])
        return rules, root.lower() if root else next(iter(rules))
    if constructor == "from_ebnf":
        rules = parse_ebnf(Source(argument), keywords["dialect"])
        return rules, root or ("root" if keywords["dialect"] == "xgrammar" else next(iter(rules)))
    raise GrammarError(
        "only rules can be written in another notation", where=constructor, hint="`dump` shows what others become"
    )
