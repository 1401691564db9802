"""A number → a family of grammars on one vocabulary, walked with every mask verified by the engine.

The members of a family differ by small edits, so that their positions ask for nearly the same masks. In the verifying
mode (`FRISKET_VERIFY_MASKS=1`) the engine composes each mask anew without caches, and reads every token of a small
vocabulary byte by byte: a mask that one member got from another must equal its own.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import mistral_common

from frisket import FrisketError, Grammar, JSONSchemaOptions
from frisket import Vocabulary as RealVocabulary
from frisket._core import Matcher, Vocabulary
from frisket.errors import EmptyGrammarError
from frisket.limit import Limits
from tests.fuzz.case import Result
from tests.property.plans import Case, Plan
from tests.property.random_cases import SPECIAL, case, grammar_plan, json_plan, regex_text, regular_plan

from . import barren, conditional, schemas, unique

#: What a number becomes, by its place in this list.
KINDS = (
    ("schema",) * 9
    + ("unique",) * 2
    + ("schema",) * 2
    + ("rules", "rules", "json", "json", "regular", "regex", "tekken")
    + ("barren",) * 3
    + ("patterns",) * 2
    + ("conditional",) * 2
)

#: Members of a family.
SIZE = 10

LIMITS = Limits(steps=3_000_000)


def run(number: int) -> Result:
    """The family of this number."""
    if os.environ.get("FRISKET_VERIFY_MASKS") != "1":
        raise RuntimeError("nothing is verified: set FRISKET_VERIFY_MASKS=1")
    draw, result = random.Random(f"hunt {number}"), Result()
    kind = KINDS[number % len(KINDS)]
    vocabulary: Vocabulary | RealVocabulary | None = None
    try:
        for shown, grammar, small in barren_members(draw) if kind == "barren" else members(kind, draw):
            result.log.append(shown)
            grammar, twin = grammar if isinstance(grammar, tuple) else (grammar, None)
            vocabulary = tekken() if kind == "tekken" else vocabulary or small
            try:
                compiled = grammar.compile(vocabulary, limits=LIMITS)
                beside = twin and twin.compile(vocabulary, limits=LIMITS)
                for _ in range(3):
                    longest = draw.choice((4, 8, 16))
                    result.steps += walk(draw, compiled.matcher(), longest, beside and beside.matcher())
            except FrisketError:
                continue
    except BaseException as error:  # a panic is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        result.broken = f"{type(error).__name__}: {error}"
    return result


def walk(draw: random.Random, matcher: Matcher, longest: int, twin: Matcher | None = None) -> int:
    """Random tokens, structure before text; how many masks were verified. `twin` must allow the same ones."""
    steps = 0
    while steps < longest:
        allowed = matcher.allowed()
        steps += 1
        if twin is not None:
            assert twin.allowed() == allowed, f"{allowed}, and without what nothing can fill {twin.allowed()}"
        if not allowed or matcher.ended:
            break
        if len(allowed) > 40 and draw.random() < 0.5:
            allowed = allowed[: len(allowed) // 8]
        token = draw.choice(allowed)
        matcher.advance(token)
        if twin is not None:
            twin.advance(token)
    return steps


def members(kind: str, draw: random.Random) -> Iterator[tuple[str, Grammar, Vocabulary | None]]:
    """(what it is, the grammar, a vocabulary that suits it); what is refused is left out."""
    if kind == "unique" and draw.random() < 0.5:
        texts = schemas.tokens(draw, unique.PIECES)
        small = Vocabulary([*texts, None], eos=[len(texts)])
        depth = draw.choice((1, 1, 2))
        root = unique.plan(draw, depth)
        for _ in range(SIZE):
            with suppress(FrisketError):
                yield f"{root!r}", Grammar(Case({}, root, (), (), {}).engine()), small
            root = unique.edited(draw, root, depth)
    elif kind == "conditional":
        texts = schemas.tokens(draw, conditional.PIECES)
        small = Vocabulary([*texts, None], eos=[len(texts)])
        schema = conditional.schema(draw)
        for _ in range(SIZE):
            options = conditional.options(draw)
            with suppress(FrisketError):
                yield f"{json.dumps(schema)} {options}", Grammar.from_json_schema(schema, options, limits=LIMITS), small
            schema = conditional.edited(draw, schema)
    elif kind in ("schema", "unique", "patterns", "tekken"):
        first = unique.schema(draw, draw.choice((1, 1, 2))) if kind == "unique" else None
        first = barren.schema(draw) if kind == "patterns" else first
        texts = schemas.tokens(draw, unique.PIECES if kind == "unique" else schemas.PIECES)
        small = None if kind == "tekken" else Vocabulary([*texts, None], eos=[len(texts)])
        options = draw.choice(
            (None, None, JSONSchemaOptions(whitespace="compact"), JSONSchemaOptions(property_order="any"))
        )
        for schema in schemas.family(draw, SIZE, first):
            try:
                grammar = Grammar.from_json_schema(schema, options=options, limits=LIMITS)
            except FrisketError:
                continue
            yield f"{json.dumps(schema)} {options or ''}", grammar, small
    elif kind == "regex":
        texts = sorted(
            {bytes([byte]) for byte in b'ab"\\\n]'} | {part.encode()[:5] for part in ("aé", "bab", "€a", "ab")}
        )
        small = Vocabulary([*texts, None], eos=[len(texts)])
        pattern = regex_text(draw, 4)
        for _ in range(SIZE):
            with suppress(FrisketError):
                yield pattern, Grammar.from_regex(pattern, limits=LIMITS), small
            place = draw.randrange(len(pattern) + 1)
            pattern = pattern[:place] + draw.choice(("", "a", ".", "|", "?", "*", "{0,2}", "b")) + pattern[place + 1 :]
    else:
        yield from planned(kind, draw)


def barren_members(draw: random.Random) -> Iterator[tuple[str, tuple[Grammar, Grammar], Vocabulary]]:
    """Rules with what nothing can fill, and the same ones without; both are empty or neither."""
    texts = barren.tokens(draw)
    small = Vocabulary([*texts, None], special={SPECIAL: len(texts) + 1}, eos=[len(texts)], size=len(texts) + 2)
    rules, root = barren.plans(draw)
    for _ in range(SIZE):
        made = []
        for make in (lambda plan: plan, lambda _: ("empty",)):
            case = Case(barren.replaced(rules, make), barren.replaced(root, make), (), (), {})
            try:
                made.append(case.engine())
            except EmptyGrammarError:
                made.append(None)
        full, twin = made
        assert (full is None) == (twin is None), f"one of the two is empty: {rules!r} {root!r}"
        if full is not None and twin is not None:
            yield f"{rules!r} {root!r}", (Grammar(full), Grammar(twin)), small
        name = draw.choice(list(rules))
        if draw.random() < 0.5:
            rules[name] = barren.edited(draw, rules[name], list(rules))
        else:
            root = barren.edited(draw, root, list(rules))


def planned(kind: str, draw: random.Random) -> Iterator[tuple[str, Grammar, Vocabulary | None]]:
    """Grammars of the builder's nodes, context-free ones among them."""
    first = case(draw.randrange(10**9), kind)
    small = first.vocabulary()
    rules, root = dict(first.rules), first.root
    if kind == "rules":
        rules["dead"] = ("seq", (("literal", b"b"), ("rule", "dead")))
    for _ in range(SIZE):
        made = Case(rules, root, first.tokens, first.eos, first.special)
        with suppress(FrisketError):
            yield f"{made.rules!r} {made.root!r}", Grammar(made.engine()), small
        if first.rules and draw.random() < 0.8:
            name = draw.choice([name for name in rules if name != "dead"])
            rules[name] = changed(draw, kind, rules[name])
        else:
            root = changed(draw, kind, root)


def changed(draw: random.Random, kind: str, plan: Plan) -> Plan:
    """The plan with one part put in the place of another; now and then one that matches nothing."""
    inner = [place for place, part in enumerate(plan) if isinstance(part, tuple) and part and part[0] in NODES]
    lists = [place for place, part in enumerate(plan) if is_list(part)]
    if inner and draw.random() < 0.8:
        place = draw.choice(inner)
        return (*plan[:place], changed(draw, kind, plan[place]), *plan[place + 1 :])
    if lists and draw.random() < 0.8:
        place = draw.choice(lists)
        parts = list(plan[place])
        at = draw.randrange(len(parts))
        parts[at] = changed(draw, kind, parts[at])
        return (*plan[:place], tuple(parts), *plan[place + 1 :])
    if draw.random() < 0.2:
        return draw.choice(DEAD_ENDS if kind == "rules" else DEAD_ENDS[:1])
    if kind == "json":
        return json_plan(draw, 1)
    if kind == "regular":
        return regular_plan(draw, 1)
    return draw.choice((("special", SPECIAL), ("literal", b"ab"), grammar_plan(draw)[1], regular_plan(draw, 1)))


#: What matches nothing: the second one cannot be seen to, but by a look at all rules.
DEAD_ENDS: tuple[Plan, ...] = (("empty",), ("seq", (("literal", b"a"), ("rule", "dead"))))

NODES = (
    "empty", "epsilon", "literal", "words", "bytes", "chars", "text", "cat", "alt", "and", "not", "repeat", "bounded",
    "quoted", "seq", "rule", "special", "object", "array",
)  # fmt: skip


def is_list(part: object) -> bool:
    return (
        isinstance(part, tuple)
        and bool(part)
        and all(isinstance(each, tuple) and each and each[0] in NODES for each in part)
    )


@cache
def tekken() -> RealVocabulary:
    """Mistral's vocabulary of 131,072 tokens, from the package mistral-common: one for all families of this process."""
    folder = Path(mistral_common.__file__).parent / "data"
    return RealVocabulary.from_mistral(folder / "tekken_240911.json")
