"""Inputs made to hurt: answered, or refused by a limit that is named, in a bounded number of steps."""

from __future__ import annotations

import signal
from collections.abc import Callable
from itertools import pairwise, product
from types import FrameType

import pytest

from frisket import Grammar, JSONSchemaOptions, Limits
from frisket._core import GrammarBuilder, Vocabulary
from frisket.errors import LimitExceededError, TokenRejectedError, UnsatisfiableSchemaError

VOCABULARY = Vocabulary([*(bytes([value]) for value in range(256)), None], eos=[256])


def test_counts_of_counts_are_the_sums_of_their_parts() -> None:
    """(a{low,high}){least,most} and a third count around it, for all small counts."""
    spans = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (0, None), (1, None), (2, None)]
    top = 14

    def counts(inner: set[int], low: int, high: int | None) -> set[int]:
        reached, all_reached = {0}, {0} if low == 0 else set()
        for copies in range(1, (top + 1 if high is None else high) + 1):
            reached = {a + b for a in reached for b in inner if a + b <= top}
            all_reached |= reached if copies >= low else set()
        return all_reached

    for first, second, third in product(spans, repeat=3):
        builder = GrammarBuilder()
        node, expected = builder.literal(b"a"), {1}
        for low, high in (first, second, third):
            node, expected = builder.repeat(node, low, high), counts(expected, low, high)
        found = {length for length in range(top + 1) if builder.accepts(node, b"a" * length)}
        assert found == expected, (first, second, third)


def test_nested_counts_stay_small() -> None:
    compiled = Grammar.from_regex("((a{0,100}){0,100}){0,100}").compile(VOCABULARY)
    matcher = compiled.matcher()
    for _ in range(300):
        matcher.advance(ord("a"))
        assert matcher.allowed() == [ord("a"), 256]
    assert compiled.memory_bytes < 10_000_000


def test_a_chain_of_dependencies_is_followed_to_its_end() -> None:
    names = [f"p{number:03}" for number in range(400)]
    chain = {"dependentRequired": {one: [two] for one, two in pairwise(names)}}
    schema = {"type": "object", "properties": {name: {"const": 1} for name in names}, **chain}
    matcher = Grammar.from_json_schema(schema).compile(VOCABULARY).matcher()
    for name in names[-3:]:
        matcher.advance_bytes(b'%b"%b":1' % (b"{" if name == names[-3] else b",", name.encode()))
        assert matcher.try_advance(ord("}")) == (name == names[-1])


def test_a_dependency_on_what_cannot_come_cannot_come_either() -> None:
    names = [f"p{number}" for number in range(50)]
    chain = {"dependentRequired": {one: [two] for one, two in pairwise(names)}}
    properties = {name: {"const": 1} for name in names[:-1]} | {names[-1]: False, "free": {"const": 1}}
    grammar = Grammar.from_json_schema({"type": "object", "properties": properties, **chain})
    assert grammar.accepts("{}") and grammar.accepts('{"free":1}')
    assert not any(grammar.accepts_prefix(f'{{"{name}"') for name in names)


@pytest.mark.parametrize("pattern", ["ab?" * 20_000, "(?:a|b)" * 20_000, "[a-z]{1,9}" * 5_000])
def test_long_chains_are_walked_without_recursion(pattern: str) -> None:
    grammar = Grammar.from_regex(pattern)
    assert grammar.accepts_prefix("aaaa" if "?" in pattern else "abab")


def test_a_long_run_of_what_may_be_left_out_is_refused_not_overflown() -> None:
    builder = GrammarBuilder()
    letters = [builder.repeat(builder.literal(bytes([97 + place % 26])), 0, 1) for place in range(50_000)]
    with pytest.raises(LimitExceededError, match="nesting"):
        builder.cat(letters)
    rules = [builder.rule(f"r{place}") for place in range(20_000)]
    for rule in rules:
        builder.define(rule, builder.alt([builder.epsilon(), builder.special("x")]))
    row = builder.seq([*rules, builder.literal(b"end")])
    assert builder.build(row).accepts(b"end")


def test_braces_that_bound_nothing_are_text_however_many_they_are() -> None:
    for many in ("{" * 5_000, "{1" * 3_000, "{1,,2}" * 1_000):
        grammar = Grammar.from_json_schema({"type": "string", "pattern": f"^{many}$"})
        assert grammar.accepts(f'"{many}"') and not grammar.accepts(f'"{many[:-1]}"')


def test_alternatives_that_are_constants_are_not_compared_each_with_each() -> None:
    for values in (range(3_000), [f"v{number}" for number in range(3_000)]):
        doubled = [{"const": value} for value in [*values, values[7]]]
        grammar = Grammar.from_json_schema({"oneOf": doubled})
        for place, value in enumerate(values):
            text = f'"{value}"' if isinstance(value, str) else str(value)
            assert place % 100 > 9 or grammar.accepts(text) == (place != 7)


def test_what_is_refused_is_refused_again_and_more_steps_are_more() -> None:
    pattern = "(?=.*a.{9})(?=.*b.{9})(?=.*a.{8}d)(?!.*dcb)[a-d]{12,40}"
    for _ in range(2):
        with pytest.raises(LimitExceededError, match=r"steps of one call \(2000\)"):
            Grammar.from_regex(pattern, limits=Limits(steps=2_000))
    assert Grammar.from_regex(pattern).accepts("abcabcabcdabcabcabcd")


def _levels(count: int, last: dict[str, object], required: list[str]) -> dict[str, object]:
    """Definitions each of which refers to the next more than once: twice as many ways to the last with every level."""
    levels = {
        f"d{level}": {
            "type": "object",
            "properties": {name: {"$ref": f"#/$defs/d{level + 1}"} for name in "abc"},
            "required": required,
        }
        for level in range(count)
    }
    return {"$ref": "#/$defs/d0", "$defs": {**levels, f"d{count}": last}}


def _nested(levels: int) -> dict[str, object]:
    schema: dict[str, object] = {"type": "integer"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema, "minItems": 2}
    return schema


STEPS = Limits(steps=2_000_000)


@pytest.mark.parametrize("required", [["a"], ["a", "b"]])
def test_what_definitions_share_is_judged_once(required: list[str]) -> None:
    grammar = Grammar.from_json_schema(_levels(100, {"type": "integer"}, required), limits=STEPS)
    assert grammar.accepts_prefix('{"a":' * 100 + "1") and not grammar.accepts_prefix('{"a":' * 100 + "true")
    back = {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}
    with pytest.raises(UnsatisfiableSchemaError):
        Grammar.from_json_schema(_levels(100, back, required), limits=STEPS)


def test_what_arrays_share_is_judged_once() -> None:
    assert Grammar.from_json_schema(_nested(300), limits=STEPS).accepts_prefix("[" * 300 + "1,2]")


def test_judging_rules_takes_steps() -> None:
    """Steps end it, and so do time and cancellation, which are looked at between them."""
    builder = GrammarBuilder(limits=Limits(steps=2_000))
    rules = [builder.rule(f"r{number}") for number in range(2_000)]
    for rule, after in pairwise(rules):
        builder.define(rule, builder.seq([builder.literal(b"a"), after]))
    builder.define(rules[-1], builder.literal(b"z"))
    with pytest.raises(LimitExceededError, match="steps"):
        builder.build(rules[0])


def test_rules_that_share_parts_are_judged_once() -> None:
    builder = GrammarBuilder(limits=STEPS)
    never = builder.rule("never")
    builder.define(never, builder.seq([builder.literal(b"a"), never]))
    node = empty = never
    for level in range(60):
        mark = builder.special(f"s{level}")
        node = builder.alt([builder.seq([node, builder.literal(b"x"), node]), builder.seq([never, mark])])
        empty = builder.alt([builder.seq([empty, empty]), mark])
    assert builder.is_empty(node) and not builder.is_empty(empty)


TEXT = "é" * 100_000


@pytest.mark.parametrize(
    "schema",
    [
        {"const": TEXT},
        {"enum": [TEXT + "a", TEXT + "b"]},
        {"const": {"a": TEXT}},
        {"type": "string", "minLength": len(TEXT), "maxLength": len(TEXT)},
        {"type": "string", "pattern": "^é{100000}$"},
    ],
)
def test_long_texts_cost_their_length(schema: dict[str, object]) -> None:
    """Steps would not tell: what each place in a literal took was no step. What it costs now would fill no memory."""
    compiled = Grammar.from_json_schema(schema).compile(VOCABULARY, limits=Limits(memory_bytes=128 << 20))
    matcher = compiled.matcher()
    text = matcher.completion()
    assert text is not None and 100_000 < len(text) < 210_000
    assert Grammar.from_json_schema(schema).accepts(text)
    matcher.advance_bytes(text)
    assert matcher.can_end
    matcher.reset()
    matcher.advance_bytes(text[:9])
    assert matcher.forced_bytes() == b"" or text[9:].startswith(matcher.forced_bytes())


@pytest.mark.parametrize("ends", [["a", "b"], ["", "a"], ["xyz", "xb", "xyc"]])
def test_what_long_words_share_is_one_step(ends: list[str]) -> None:
    schema = {"enum": [TEXT + end for end in ends]}
    compiled = Grammar.from_json_schema(schema).compile(VOCABULARY, limits=Limits(steps=10_000_000))
    matcher = compiled.matcher()
    assert matcher.completion() == f'"{TEXT}{min(ends, key=len)}"'.encode()
    matcher.advance_bytes(f'"{TEXT}'.encode())
    assert matcher.completion() == f'{min(ends, key=len)}"'.encode()


def test_reading_one_word_of_several_fills_no_memory() -> None:
    """Every byte of a word in quotes was two terms."""
    schema = {"enum": [TEXT + "a", TEXT + "b"]}
    grammar = Grammar.from_json_schema(schema, JSONSchemaOptions(escapes="free"))
    matcher = grammar.compile(VOCABULARY, limits=Limits(memory_bytes=16 << 20)).matcher()
    matcher.advance_bytes(f'"{TEXT}b'.encode())
    assert matcher.allowed() == [ord('"')]
    matcher.reset()
    with pytest.raises(TokenRejectedError):
        matcher.advance_bytes(f'"{TEXT}c'.encode())
    matcher.advance_bytes(f'"{TEXT[:-1]}\\u00e9a"'.encode())
    assert matcher.can_end


def test_completions_of_what_is_counted_are_the_shortest() -> None:
    for schema, shortest in [
        ({"type": "string", "minLength": 3}, 5),
        ({"type": "array", "items": {"enum": ["aa", "bbb"]}, "minItems": 3}, 16),
        ({"type": "string", "pattern": "^(a|bc){4}d$"}, 7),
        ({"const": 'a"\n\x01'}, 13),
        ({"type": "object", "required": ["a", "b"], "properties": {"a": {"const": 1}}}, 13),
    ]:
        grammar = Grammar.from_json_schema(schema)
        text = grammar.compile(VOCABULARY).matcher().completion()
        assert text is not None and grammar.accepts(text)
        assert len(text) == shortest, text


@pytest.mark.parametrize("levels", [23, 45, 70, 200])
def test_a_completion_that_no_memory_holds_is_a_limit(levels: int) -> None:
    schema = _levels(levels, {"type": "integer"}, ["a", "b"])
    matcher = Grammar.from_json_schema(schema).compile(VOCABULARY).matcher()
    with pytest.raises(LimitExceededError, match="completion"):
        matcher.completion()


def test_a_completion_that_takes_a_special_token_is_none() -> None:
    builder = GrammarBuilder()
    special = builder.special("<|call|>")
    root = builder.seq([builder.repeat(builder.literal(b"a"), 3, None), special])
    words = Vocabulary([*(bytes([value]) for value in range(256)), None, None], eos=[256], special={"<|call|>": 257})
    assert builder.build(root).compile(words).matcher().completion() is None


def test_many_required_members_are_a_sum() -> None:
    names = [f"p{number}" for number in range(3_000)]
    schema = {"type": "object", "properties": {name: {"const": 1} for name in names}, "required": names}
    grammar = Grammar.from_json_schema(schema)
    # A list of what must still come for each of the states would take more by itself.
    matcher = grammar.compile(VOCABULARY, limits=Limits(memory_bytes=32 << 20)).matcher()
    text = matcher.completion()
    assert text is not None and grammar.accepts(text)


# -- signals -----------------------------------------------------------------------------------------------------------


class Interrupted(Exception):
    """Raised by a signal's handler."""


def _interrupt(call: Callable[[], object], handler: Callable[[], None]) -> None:
    def handle(signum: int, frame: FrameType | None) -> None:
        handler()
        raise Interrupted

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_signals_end_calls_that_gave_the_gil_away() -> None:
    endless = Limits(steps=10**15, memory_bytes=1 << 40)
    grammar = Grammar.from_regex("(.*a){40}z")
    matcher = grammar.compile(VOCABULARY, limits=endless).matcher()
    other = grammar.compile(VOCABULARY).matcher()
    seen: list[object] = []

    def handler() -> None:
        seen.append(other.completion())
        with pytest.raises(RuntimeError, match="handler"):
            matcher.advance_bytes(b"a")

    with pytest.raises(Interrupted):
        _interrupt(lambda: matcher.advance_bytes(b"ab" * 10_000_000), handler)
    assert seen == [b"a" * 40 + b"z"] and matcher.steps == 0
    matcher.advance_bytes(b"a")
    with pytest.raises(Interrupted):
        _interrupt(lambda: [grammar.accepts(b"ab" * 1_000_000) for _ in range(10_000)], lambda: None)


def shared(levels: int, around: Callable[[object], object], last: object) -> object:
    for _ in range(levels):
        last = around(last)
    return last


@pytest.mark.parametrize("levels", [60, 250])
@pytest.mark.parametrize("limits", [None, Limits()])
@pytest.mark.parametrize(
    "around",
    [
        lambda last: {"type": "object", "properties": {"a": last, "b": last}},
        lambda last: {"anyOf": [last, {"properties": {"a": last}}]},
        lambda last: {"enum": [[last, last]]},
    ],
)
@pytest.mark.parametrize("last", [{}, {"minimum": 2**70}])
def test_a_dict_that_holds_others_several_times_is_not_written_out(
    levels: int, limits: Limits | None, around: Callable[[object], object], last: object
) -> None:
    """2^60 places in sixty dicts: a walk of all of them never ends, whether the values are plain or not."""
    schema = shared(levels, around, last)
    assert isinstance(schema, dict)
    with pytest.raises(LimitExceededError, match="too large") as caught:
        Grammar.from_json_schema(schema, limits=limits)
    assert "$defs" in caught.value.hint


def test_a_few_shared_levels_are_as_if_nothing_was_shared() -> None:
    schema = shared(8, lambda last: {"type": "object", "properties": {"a": last, "b": last}}, {"type": "integer"})
    assert isinstance(schema, dict)
    grammar = Grammar.from_json_schema(schema)
    assert grammar.accepts('{"a":' * 8 + "1" + "}" * 8)
    assert not grammar.accepts('{"b":' * 8 + "true" + "}" * 8)


def test_a_search_for_a_completion_pays_for_what_it_holds() -> None:
    """Thousands of alternatives in one position, and no bound that leads through them: the steps are used up early."""
    compiled = Grammar.from_regex("((((.*a){1,3}){30,30}){3,3}){1000,1000}b").compile(VOCABULARY)
    matcher = compiled.matcher()
    for text in (b"", b"x", b"a"):
        matcher.advance_bytes(text)
        with pytest.raises(LimitExceededError, match="steps"):
            matcher.completion()
    assert compiled.memory_bytes < 80_000_000
    assert matcher.try_advance(ord("a"))


@pytest.mark.parametrize("keyword", ["const", "enum"])
@pytest.mark.parametrize("kind", ["lists", "dicts", "both"])
def test_a_value_that_holds_parts_several_times_takes_the_steps_of_its_parts(keyword: str, kind: str) -> None:
    """Small in memory, half a million values when written out."""
    value: object = 1
    for level in range(19):
        lists = kind == "lists" or (kind == "both" and level % 2)
        value = [value, value] if lists else {"a": value, "b": value}
    schema = {keyword: value if keyword == "const" else [value]}
    if kind == "lists":
        # A list is one expression with its items: that is what it takes.
        with pytest.raises(LimitExceededError, match="steps"):
            Grammar.from_json_schema(schema, limits=Limits(steps=1_000_000))
    else:
        grammar = Grammar.from_json_schema(schema, limits=Limits(steps=1_000_000))
        assert grammar.core.node_count < 2_000


def test_many_values_take_few_steps() -> None:
    objects = [{"a": number, "b": {"c": str(number)}, "d": [number]} for number in range(3_000)]
    grammar = Grammar.from_json_schema({"enum": objects}, limits=Limits(steps=20_000_000))
    assert grammar.accepts('{"a": 2999, "b": {"c": "2999"}, "d": [2999]}')
    assert not grammar.accepts('{"a": 2999, "b": {"c": "2998"}, "d": [2999]}')


def test_reading_a_schema_takes_steps() -> None:
    schema = {"not": {"anyOf": [{"properties": {f"k{number}": {"minimum": number}}} for number in range(60)]}}
    with pytest.raises(LimitExceededError, match="steps of a whole build"):
        Grammar.from_json_schema(schema, limits=Limits(steps=10_000))
    Grammar.from_json_schema(schema, limits=Limits(steps=10_000_000))


def test_searches_for_contradictions_take_steps() -> None:
    """Alternatives of alternatives, each pruned against what all others demand."""
    last: dict[str, object] = {"type": "object", "required": ["x"]}
    made = {"d30": last}
    for level in range(30):
        after = {"$ref": f"#/$defs/d{level + 1}"}
        keyword = "oneOf" if level % 3 else "allOf"
        made[f"d{level}"] = {keyword: [after, {"properties": {f"k{level}": after}}]}
    with pytest.raises(LimitExceededError, match="steps of a whole build"):
        Grammar.from_json_schema({"$ref": "#/$defs/d0", "$defs": made}, limits=Limits(steps=2_000_000))


def _each(count: int, alternative: Callable[..., object]) -> dict[str, object]:
    return {"anyOf": [alternative(place) for place in range(count)]}


@pytest.mark.parametrize(
    ("schema", "limit"),
    [
        (
            {"allOf": [_each(2_000, lambda place, name=name: {"required": [f"{name}{place}"]}) for name in "ab"]},
            "alternatives",
        ),
        (
            {"allOf": [_each(2_000, lambda place, name=name: {"pattern": f"{name}{place}x"}) for name in "ab"]},
            "alternatives",
        ),
        ({"allOf": [{"minLength": place} for place in range(15_000)]}, "steps"),
        (
            {
                "properties": {f"ax{place}": {"type": "string"} for place in range(3_000)},
                "patternProperties": {f"x{place}$": {"minLength": place} for place in range(3_000)},
            },
            "steps",
        ),
        (
            {"type": "integer", "not": _each(3_000, lambda place: {"minimum": 9 * place, "maximum": 9 * place + 5})},
            "steps",
        ),
    ],
    ids=["keys", "patterns", "conditions", "patterns of properties", "gaps"],
)
def test_products_of_thousands_are_refused_while_they_are_made(schema: dict[str, object], limit: str) -> None:
    with pytest.raises(LimitExceededError, match=limit):
        Grammar.from_json_schema(schema)


def test_two_lists_of_thousands_meet_in_nothing() -> None:
    schema = {"allOf": [_each(2_000, lambda place, name=name: {"enum": [f"{name}{place}"]}) for name in "ab"]}
    with pytest.raises(UnsatisfiableSchemaError):
        Grammar.from_json_schema(schema)


def test_one_of_hundreds_of_open_patterns() -> None:
    grammar = Grammar.from_json_schema({"oneOf": [{"pattern": f"a{place}b"} for place in range(200)]})
    assert grammar.accepts('"a5b"') and not grammar.accepts('"a5ba7b"') and not grammar.accepts('"a"')


def test_a_chain_of_alternatives_is_compared_by_what_they_demand() -> None:
    schema: dict[str, object] = {"const": 1}
    for place in range(150):
        name = f"k{place}"
        chosen = {"properties": {name: {"const": place}}, "required": [name]}
        schema = {"if": chosen, "then": {"required": [f"t{place}"]}, "else": schema}
    grammar = Grammar.from_json_schema(schema)
    assert grammar.accepts('{"k7":7,"t7":1}') and grammar.accepts("1") and not grammar.accepts('{"k7":7}')


@pytest.mark.parametrize(
    "schema",
    [
        {"propertyNames": {"pattern": "^[ab]{1,10}$"}, "minProperties": 2046},
        {"propertyNames": {"enum": [f"n{place}" for place in range(3_000)]}, "minProperties": 3_000},
    ],
    ids=["pattern", "enum"],
)
def test_as_many_keys_as_there_are_take_a_look_at_each(schema: dict[str, object]) -> None:
    matcher = Grammar.from_json_schema({"type": "object", **schema}).compile(VOCABULARY).matcher()
    matcher.advance_bytes(b'{"')
    assert matcher.allowed() == ([ord("a"), ord("b")] if "pattern" in str(schema) else [ord("n")])


def test_long_documents_of_unique_items_are_read_without_recursion() -> None:
    grammar = Grammar.from_json_schema({"type": "array", "uniqueItems": True})
    items = [f'"{place}"' for place in range(20_000)]
    assert grammar.accepts(f"[{','.join(items)}]")
    assert not grammar.accepts(f"[{','.join([*items, items[7]])}]")


def test_rules_with_parameters_take_steps_while_they_are_made() -> None:
    calls = [f'| "a{bit}" orders::set_bit({bit}) %if bit_clear({bit})' for bit in range(20)]
    grammar = "\n".join(['start: orders::0x0\norders::_: "" %if is_ones([0:20])', *calls])
    with pytest.raises(LimitExceededError, match="steps"):
        Grammar.from_lark(grammar, limits=Limits(steps=100_000))


def test_what_thousands_of_keys_need_is_followed_once() -> None:
    needs = [(f"a{place}", [f"a{place + 1}"]) for place in range(20_000)]
    grammar = Grammar.from_json_schema({"required": ["a0"], "dependentRequired": dict(reversed(needs))})
    assert grammar.accepts_prefix('{"a0":1,"a1":1') and not grammar.accepts('{"a0":1,"a1":1}')


def test_a_chain_of_references_to_the_two_that_follow_is_one_conjunction() -> None:
    count = 2_000
    chain = {
        f"d{place}": {
            "allOf": [{"$ref": f"#/$defs/d{place + 1}"}, {"$ref": f"#/$defs/d{place + 2}"}],
            "properties": {f"p{place}": {"const": place}},
        }
        for place in range(count)
    }
    ends = {f"d{count}": {"type": "object"}, f"d{count + 1}": {"type": "object"}}
    grammar = Grammar.from_json_schema({"$defs": {**chain, **ends}, "$ref": "#/$defs/d0"})
    assert grammar.accepts(f'{{"p7":7,"p{count - 1}":{count - 1}}}') and not grammar.accepts('{"p7":8}')
