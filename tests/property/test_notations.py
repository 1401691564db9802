"""Random rules, spelled in every notation of the BNF family = the reference's masks of the same rules.

The reference never sees the notation: the rules are spelled from a plan, which becomes its nodes by another way.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from frisket import Grammar
from frisket._core import Vocabulary
from frisket.errors import GrammarError
from frisket.reference import GeneralMask, Rule
from tests.property.plans import Plan, to_reference
from tests.property.random_cases import SPECIAL, tokens_for
from tests.property.test_masks_equal_reference import compare

#: Letters of one and two cases, one to four bytes, and signs that some notation must escape.
TEXTS = ("a", "b", "ab", "B", "é", "€", "😀", '"', "'", "\\", "-", "]", "^", "[", "\n", "{", "<")
ALPHABET = sorted({*"".join(TEXTS).encode(), *b"A"})
NAMES = ("r0", "r1", "r2", "r3")


def random_rules(rng: random.Random, *, token: bool) -> dict[str, Plan]:
    """Rules that call each other in every way: left-recursive, ambiguous, nullable in cycles."""
    names = NAMES[: rng.randrange(1, 5)]

    def plan(depth: int) -> Plan:
        leaves = ("literal", "literal", "chars", "rule", "epsilon", "special" if token else "literal")
        inner = ("seq", "seq", "seq", "alt", "alt", "repeat")
        kind = rng.choice(leaves if depth == 0 or rng.random() < 0.2 else inner)
        match kind:
            case "seq" | "alt":
                return kind, tuple(plan(depth - 1) for _ in range(rng.choice((2, 2, 3))))
            case "repeat":
                least = rng.randrange(3)
                return kind, plan(depth - 1), least, rng.choice((None, least, least + 2))
            case "chars":
                ranges = []
                for _ in range(rng.randrange(1, 3)):
                    low, high = sorted(ord(rng.choice(TEXTS)[0]) for _ in range(2))
                    ranges.append((low, high))
                return kind, tuple(ranges)
            case "rule":
                return kind, rng.choice(names)
            case "special":
                return kind, SPECIAL
            case "epsilon":
                return (kind,)
        return "literal", rng.choice(TEXTS).encode()

    return {name: plan(3) for name in names}


# -- spelling ---------------------------------------------------------------------------------------------------------


def gbnf(rules: dict[str, Plan], rng: random.Random) -> str:
    def escaped(char: str) -> str:
        code = ord(char)
        ways = [f"\\U{code:08X}", *([f"\\u{code:04x}"] if code < 0x10000 else []), *([f"\\x{code:02x}"] * (code < 256))]
        if char in '\\"[]-':
            ways.append(f"\\{char}")
        elif char == "\n":
            ways.append("\\n")
        elif char != "^":
            ways += [char] * 3
        return rng.choice(ways)

    def spell(plan: Plan) -> str:
        match plan:
            case ("seq", items):
                return "(" + rng.choice((" ", "\n ", " # one\n")).join(map(spell, items)) + ")"
            case ("alt", items):
                return "( " + rng.choice((" | ", "|", "\n| ")).join(map(spell, items)) + " )"
            case ("repeat", item, least, most):
                usual = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((least, most))
                counted = f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"
                return f"{spell(item)}{rng.choice((usual or counted, counted))}"
            case ("chars", ranges):
                if rng.random() < 0.5:
                    return "[" + "".join(f"{escaped(chr(low))}-{escaped(chr(high))}" for low, high in ranges) + "]"
                return "[^" + "".join(f"{escaped(chr(low))}-{escaped(chr(high))}" for low, high in others(ranges)) + "]"
            case ("rule" | "special", name):
                return str(name)
            case ("epsilon",):
                return rng.choice(('""', "()", '("a"){0}'))
        return '"' + "".join(map(escaped, plan[1].decode())) + '"'

    lines = [f"{name} ::= {spell(body)}" for name, body in rules.items()]
    return "\n".join(["# rules", *lines, "root ::= r0"])


def abnf(rules: dict[str, Plan], rng: random.Random) -> str:
    def spell(plan: Plan) -> str:
        match plan:
            case ("seq", items):
                return "(" + rng.choice((" ", "\n   ", " ; one\n    ")).join(map(spell, items)) + ")"
            case ("alt", items):
                return "( " + rng.choice((" / ", "\n   / ")).join(map(spell, items)) + " )"
            case ("repeat", item, least, most):
                if (least, most) == (0, 1):
                    return f"[{spell(item)}]"
                counted = str(least) if least == most else f"{least or ''}*{'' if most is None else most}"
                one = spell(item)
                return counted + (f"({one})" if one[0] in "*0123456789" else one)
            case ("chars", ranges):
                return "(" + " / ".join(f"%x{low:x}-{high:X}" for low, high in ranges) + ")"
            case ("rule", name):
                return str(rng.choice((name, name.upper())))
            case ("epsilon",):
                return rng.choice(('""', '0"a"', '%s""'))
        text = plan[1].decode()
        if text.isascii() and text.isprintable() and '"' not in text and rng.random() < 0.5:
            return f'%s"{text}"' if text.isalpha() else f'"{text}"'
        base, digits = rng.choice((("x", "X"), ("d", "d"), ("b", "b")))
        return f"%{base}" + ".".join(format(ord(char), digits) for char in text)

    return "\n".join(f"  {name} = {spell(body)}" for name, body in rules.items())


def w3c(rules: dict[str, Plan], rng: random.Random) -> str:
    def spell(plan: Plan) -> str:
        match plan:
            case ("seq", items):
                return "(" + rng.choice((" ", "\n", " /* one */ ")).join(map(spell, items)) + ")"
            case ("alt", items):
                return "(" + " | ".join(map(spell, items)) + ")"
            case ("repeat", item, least, most):
                usual = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((least, most))
                if usual:
                    return spell(item) + usual
                more = [spell(item) + ("*" if most is None else "?")] * (1 if most is None else most - least)
                return "(" + " ".join([spell(item)] * least + more) + ")"
            case ("chars", ranges):
                first, *rest = ranges
                if rng.random() < 0.5:
                    kept = "".join(f"#x{low:X}-#x{high:x}" for low, high in others(ranges))
                    return f"([#x0-#x10FFFF] - [{kept}])"
                return (
                    f"([#x{first[0]:X}-#x{first[1]:x}]"
                    + "".join(f" | [#x{low:X}-#x{high:X}]" for low, high in rest)
                    + ")"
                )
            case ("rule", name):
                return str(name)
            case ("epsilon",):
                return rng.choice(("''", "()"))
        text = plan[1].decode()
        quote = "'" if '"' in text else '"'
        return rng.choice((f"{quote}{text}{quote}", " ".join(f"#x{ord(char):x}" for char in text).join("()")))

    return "\n".join(f"[{number}] {name} ::= {spell(body)}" for number, (name, body) in enumerate(rules.items()))


def iso(rules: dict[str, Plan], rng: random.Random) -> str:
    def spell(plan: Plan) -> str:
        match plan:
            case ("seq", items):
                return "(" + rng.choice((",", " , ", "\n, (* one *) ")).join(map(spell, items)) + ")"
            case ("alt", items):
                return "(" + rng.choice(("|", " / ", "!")).join(map(spell, items)) + ")"
            case ("repeat", item, least, most):
                once = spell(item)
                # A count of a count needs a group.
                parts = [f"{least} * {f'({once})' if once[0].isdigit() else once}"] if least else []
                if most is None:
                    parts.append(f"{{{spell(item)}}}")
                else:
                    parts += [rng.choice((f"[{spell(item)}]", f"(/ {spell(item)} /)"))] * (most - least)
                return "(" + ",".join(parts) + ")"
            case ("chars", ranges):
                characters = [
                    char for char in map(chr, POINTS) if any(low <= ord(char) <= high for low, high in ranges)
                ]
                return "(" + "|".join(f"'{char}'" if char != "'" else f'"{char}"' for char in characters) + ")"
            case ("rule", name):
                return str(name)
            case ("epsilon",):
                return rng.choice(("''", "()", '(0 * "a")'))
        text = plan[1].decode()
        quote = "'" if '"' in text else '"'
        return f"{quote}{text}{quote}"

    return "\n".join(f"{name} = {spell(body)};" for name, body in rules.items())


def lark(rules: dict[str, Plan], rng: random.Random) -> str:
    def escaped(char: str) -> str:
        code = ord(char)
        ways = [f"\\u{code:04x}"] if code < 0x10000 else []
        ways += [f"\\x{code:02x}"] if code < 0x100 else []
        if char in '\\"\n':
            ways.append({"\\": "\\\\", '"': '\\"', "\n": "\\n"}[char])
        else:
            ways += [char] * 3
        return rng.choice(ways)

    def spell(plan: Plan) -> str:
        match plan:
            case ("seq", items):
                return "(" + rng.choice((" ", "\n ", " // one\n")).join(map(spell, items)) + ")"
            case ("alt", items):
                return "( " + rng.choice((" | ", "|", "\n| ")).join(map(spell, items)) + " )"
            case ("repeat", item, least, most):
                usual = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((least, most))
                counted = f"{{{least}}}" if least == most else f"{{{least},{'' if most is None else most}}}"
                tilde = [] if most is None else [f" ~ {least}..{most}"]
                return f"({spell(item)}){rng.choice((usual or counted, counted, *tilde))}"
            case ("chars", ranges):
                if rng.random() < 0.5:
                    return (
                        "(" + " | ".join(f'"{escaped(chr(low))}".."{escaped(chr(high))}"' for low, high in ranges) + ")"
                    )
                negated = rng.random() < 0.5
                points = others(ranges) if negated else ranges
                inside = "".join(f"\\x{{{low:x}}}-\\u{{{high:X}}}" for low, high in points)
                return f"/[{'^' if negated else ''}{inside}]/"
            case ("rule" | "special", name):
                return str(name)
            case ("epsilon",):
                return rng.choice(('""', "()", '"a"~0'))
        return '"' + "".join(map(escaped, plan[1].decode())) + '"'

    lines = [f"{name}: {spell(body)}" for name, body in rules.items()]
    return "\n".join(["// rules", *lines, "start: r0"])


def xgrammar(rules: dict[str, Plan], rng: random.Random) -> str:
    """GBNF, in which an item is repeated by one sign."""
    return gbnf({name: grouped(body) for name, body in rules.items()}, rng)


def grouped(plan: Plan) -> Plan:
    """The plan with a group around what is repeated."""
    match plan:
        case ("seq" | "alt", items):
            return plan[0], tuple(map(grouped, items))
        case ("repeat", item, least, most):
            return "repeat", ("seq", (grouped(item),)), least, most
    return plan


#: ISO's dialect has no classes: ranges hold these characters only.
POINTS = sorted({ord(char) for text in TEXTS for char in text})


def others(ranges: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """The code points in none of the ranges; none of the ranges here holds all."""
    found, start = [], 0
    for low, high in sorted(ranges):
        if start < low:
            found.append((start, low - 1))
        start = max(start, high + 1)
    return [*found, (start, 0x10FFFF)]


def few(plan: Plan) -> Plan:
    """The plan with classes of `POINTS` only."""
    match plan:
        case ("chars", ranges):
            return "chars", tuple(
                (point, point) for point in POINTS if any(low <= point <= high for low, high in ranges)
            )
        case ("seq" | "alt", items):
            return plan[0], tuple(map(few, items))
        case ("repeat", item, least, most):
            return "repeat", few(item), least, most
    return plan


NOTATIONS: dict[str, tuple[Callable[[dict[str, Plan], random.Random], str], Callable[[str], Grammar]]] = {
    "gbnf": (gbnf, Grammar.from_gbnf),
    "abnf": (abnf, Grammar.from_abnf),
    "w3c": (w3c, Grammar.from_ebnf),
    "iso": (iso, lambda text: Grammar.from_ebnf(text, dialect="iso")),
    "xgrammar": (xgrammar, lambda text: Grammar.from_ebnf(text, dialect="xgrammar")),
    "lark": (lark, Grammar.from_lark),
}


def check(notation: str, seed: int) -> int:
    """One random grammar, several walks; how many positions were compared."""
    rng = random.Random(f"{notation} {seed}")
    spell, read = NOTATIONS[notation]
    rules = random_rules(rng, token=notation in ("gbnf", "lark"))
    if notation == "iso":
        rules = {name: few(body) for name, body in rules.items()}
    text = spell(rules, rng)
    nodes = {name: Rule(name) for name in rules}
    for name, body in rules.items():
        nodes[name].body = to_reference(body, nodes)
    try:
        grammar = read(text)
    except GrammarError as error:
        assert "matches nothing" in error.message, text
        name = error.message.split()[2]
        assert not GeneralMask(nodes[name], []).can_begin(b""), f"{text}\n{name} matches something"
        return 0
    tokens = (*tokens_for(rng, nodes["r0"], bytes(ALPHABET)), None, None)
    special = {SPECIAL: len(tokens) - 2}
    expected = GeneralMask(nodes["r0"], tokens, eos=[len(tokens) - 1], special=special)
    compiled = grammar.compile(Vocabulary(tokens, special=special, eos=expected.eos))
    return sum(compare(compiled, expected, random.Random(seed + walk), text) for walk in range(3))


@pytest.mark.parametrize("block", range(6))
@pytest.mark.parametrize("notation", NOTATIONS)
def test_random_rules(notation: str, block: int) -> None:
    positions = [check(notation, seed) for seed in range(6 * block, 6 * block + 6)]
    assert sum(positions) >= 10 and positions.count(0) <= 4, "the cases have become too small to say anything"


@pytest.mark.parametrize("block", range(6))
def test_random_rules_in_other_notations(block: int) -> None:
    """GBNF → EBNF → GBNF: the same masks as the first."""
    compared = 0
    for seed in range(8 * block, 8 * block + 8):
        rng = random.Random(f"transcript {seed}")
        rules = random_rules(rng, token=False)
        nodes = {name: Rule(name) for name in rules}
        for name, body in rules.items():
            nodes[name].body = to_reference(body, nodes)
        try:
            ebnf = Grammar.from_gbnf(gbnf(rules, rng)).to_ebnf()
        except GrammarError as error:
            assert "matches nothing" in error.message
            continue
        text = Grammar.from_ebnf(ebnf).to_gbnf()
        tokens = (*tokens_for(rng, nodes["r0"], bytes(ALPHABET)), None)
        expected = GeneralMask(nodes["r0"], tokens, eos=[len(tokens) - 1])
        for grammar in (Grammar.from_ebnf(ebnf), Grammar.from_gbnf(text)):
            compiled = grammar.compile(Vocabulary(tokens, eos=expected.eos))
            compared += compare(compiled, expected, random.Random(seed), text)
    assert compared >= 20, "the cases have become too small to say anything"
