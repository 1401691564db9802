"""A plan → a grammar, made twice: by the engine and by the reference.

A plan is a nested tuple that prints as what it is, so that a failing test shows its own reproduction:

    ("cat", (("literal", b"a"), ("repeat", ("chars", ((98, 99),)), 0, None)))
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from frisket import reference
from frisket._core import Grammar, GrammarBuilder, Vocabulary
from frisket.reference import EPSILON, NOTHING, GeneralMask, Node, Rule

Plan: TypeAlias = tuple[Any, ...]

#: One, two, three and four bytes, two that share their first bytes, and what JSON must escape.
CHARACTERS = 'ab"\\\n\x01é€₭😀😁'
#: What JSON values are made of here.
LETTERS = sorted({*CHARACTERS.encode(), *b'{}[]:, "12.0e-ulnxtrfaseu\\06'})
#: Items of unique arrays have at most so many spellings, so that the reference can try them one by one.
FEW = 10


@dataclass(frozen=True)
class Case:
    """A grammar and a vocabulary."""

    rules: Mapping[str, Plan]
    root: Plan
    tokens: tuple[bytes | None, ...]
    eos: tuple[int, ...]
    special: Mapping[str, int]

    def engine(self) -> Grammar:
        """The grammar by the engine; EmptyGrammarError if it matches nothing."""
        builder = GrammarBuilder()
        rules = {name: builder.rule(name) for name in self.rules}
        for name, body in self.rules.items():
            builder.define(rules[name], to_engine(body, builder, rules))
        return builder.build(to_engine(self.root, builder, rules))

    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the engine; three rows more than there are tokens."""
        return Vocabulary(self.tokens, special=dict(self.special), eos=self.eos, size=len(self.tokens) + 3)

    def reference(self) -> GeneralMask:
        """The same by the reference."""
        return GeneralMask(self.node(), self.tokens, eos=self.eos, special=self.special)

    def node(self) -> Node:
        """The reference's node."""
        rules = {name: Rule(name) for name in self.rules}
        for name, body in self.rules.items():
            rules[name].body = to_reference(body, rules)
        return to_reference(self.root, rules)


def to_engine(plan: Plan, builder: GrammarBuilder, rules: Mapping[str, int]) -> int:
    """The plan's node in the engine's builder."""

    def each(plans: Iterable[Plan]) -> list[int]:
        return [to_engine(part, builder, rules) for part in plans]

    def valued(values: Iterable[tuple[Plan, int]]) -> list[tuple[int, int]]:
        return [(to_engine(value, builder, rules), marks) for value, marks in values]

    match plan:
        case ("empty",):
            return builder.empty()
        case ("epsilon",):
            return builder.epsilon()
        case ("literal", text):
            return builder.literal(text)
        case ("words", texts):
            return builder.words(texts)
        case ("bytes", ranges):
            return builder.byte_class(ranges)
        case ("chars", ranges):
            return builder.char_class(ranges)
        case ("text",):
            return builder.any_text()
        case ("cat", parts):
            return builder.cat(each(parts))
        case ("seq", parts):
            return builder.seq(each(parts))
        case ("alt", options):
            return builder.alt(each(options))
        case ("repeat", item, least, most):
            return builder.repeat(to_engine(item, builder, rules), least, most)
        case ("and", parts):
            return builder.and_(each(parts))
        case ("not", item):
            return builder.not_(to_engine(item, builder, rules))
        case ("bounded", item, least, most):
            return builder.bounded(to_engine(item, builder, rules), least, most)
        case ("quoted", item):
            return builder.quoted(to_engine(item, builder, rules))
        case ("rule", name):
            return rules[name]
        case ("special", name):
            return builder.special(name)
        case ("object", fields):
            parts = {
                name: to_engine(fields[name], builder, rules) for name in ("open", "close", "colon", "comma", "empty")
            }
            keywords: dict[str, Any] = {**parts, **{name: fields[name] for name in OBJECT_OPTIONS}}
            return builder.object(
                [(key, needed, valued(values)) for key, needed, values in fields["properties"]],
                [(builder.words([key.encode() for key in keys]), valued(values)) for keys, values in fields["extras"]],
                **keywords,
            )
        case ("array", fields):
            return builder.array(
                each(fields["prefix"]),
                None if fields["rest"] is None else to_engine(fields["rest"], builder, rules),
                **{name: to_engine(fields[name], builder, rules) for name in ("open", "close", "comma", "empty")},
                min_items=fields["min_items"],
                max_items=fields["max_items"],
                unique=fields["unique"],
            )
    raise AssertionError(plan)


def to_reference(plan: Plan, rules: Mapping[str, Rule]) -> Node:
    """The plan's node in the reference's algebra."""

    def each(plans: Iterable[Plan]) -> list[Node]:
        return [to_reference(part, rules) for part in plans]

    match plan:
        case ("empty",):
            return NOTHING
        case ("epsilon",):
            return EPSILON
        case ("literal", text):
            return reference.literal(text)
        case ("words", texts):
            return reference.words(*texts)
        case ("bytes", ranges):
            return reference.byte(*ranges)
        case ("chars", ranges):
            return reference.char(*ranges)
        case ("text",):
            return reference.ANY_TEXT
        case ("cat" | "seq", parts):
            return reference.cat(*each(parts))
        case ("alt", options):
            return reference.alt(*each(options))
        case ("repeat", item, least, most):
            return reference.repeat(to_reference(item, rules), least, most)
        case ("and", parts):
            return reference.both(*each(parts))
        case ("not", item):
            return reference.complement(to_reference(item, rules))
        case ("bounded", item, least, most):
            return reference.bounded(to_reference(item, rules), least, most)
        case ("quoted", item):
            return reference.quoted(to_reference(item, rules))
        case ("rule", name):
            return rules[name]
        case ("special", name):
            return reference.special(name)
        case ("object", fields):
            return _object(fields, rules)
        case ("array", fields):
            return _array(fields, rules)
    raise AssertionError(plan)


OBJECT_OPTIONS = (
    "min_properties",
    "max_properties",
    "required_marks",
    "clauses",
    "implies",
    "any_order",
    "extras_last",
    "orders",
)


def _object(fields: Mapping[str, Any], rules: Mapping[str, Rule]) -> Node:
    """Every way to write the members, one after the other: the keys are few, so all sets of them are tried."""
    open_, close, colon, comma, empty = (
        to_reference(fields[name], rules) for name in ("open", "close", "colon", "comma", "empty")
    )
    properties, most = fields["properties"], fields["max_properties"]
    named = [key for key, _, _ in properties]
    extras: dict[str, list[tuple[Plan, int]]] = {}
    for keys, values in fields["extras"]:
        for key in set(keys) - set(named):
            extras.setdefault(key, []).extend(values)
    known: dict[tuple[frozenset[str], bool, int], Node] = {}
    orders = fields["orders"] or (tuple(range(len(named))),)

    def may_close(used: frozenset[str], marks: int) -> bool:
        return (
            len(used) >= fields["min_properties"]
            and marks & fields["required_marks"] == fields["required_marks"]
            and all(premises & ~marks or conclusions & marks for premises, conclusions in fields["clauses"])
            and all(key in used for key, required, _ in properties if required)
            and all(named[b] in used for a, b in fields["implies"] if named[a] in used)
        )

    def in_turn(index: int, used: frozenset[str]) -> bool:
        lists = (order[order.index(index) :] for order in orders if index in order)
        return not any(named[other] in used for later in lists for other in later)

    def candidates(used: frozenset[str], closed: bool) -> Iterable[tuple[str, list[tuple[Plan, int]], bool]]:
        for index, (key, _, values) in enumerate(properties):
            if key not in used and (fields["any_order"] or (not closed and in_turn(index, used))):
                yield key, values, False
        for key, values in extras.items():
            if key not in used:
                last = fields["extras_last"] and not fields["any_order"]
                yield key, values, last

    def members(used: frozenset[str], closed: bool, marks: int) -> Node:
        state = (used, closed, marks)
        if state not in known:
            options = [close if may_close(used, marks) else NOTHING]
            if most is None or len(used) < most:
                for key, values, after in candidates(used, closed):
                    for value, more in values:
                        name = reference.quoted(reference.literal(key.encode()))
                        left = members(used | {key}, after, marks | more)
                        options.append(reference.cat(comma, name, colon, to_reference(value, rules), left))
            known[state] = reference.alt(*options)
        return known[state]

    options = [empty if may_close(frozenset(), 0) else NOTHING]
    if most is None or most > 0:
        for key, values, after in candidates(frozenset(), False):
            for value, more in values:
                name = reference.quoted(reference.literal(key.encode()))
                left = members(frozenset({key}), after, more)
                options.append(reference.cat(open_, name, colon, to_reference(value, rules), left))
    return reference.alt(*options)


def _array(fields: Mapping[str, Any], rules: Mapping[str, Rule]) -> Node:
    open_, close, comma, empty = (to_reference(fields[name], rules) for name in ("open", "close", "comma", "empty"))
    prefix, rest, unique = fields["prefix"], fields["rest"], fields["unique"]
    least, most = fields["min_items"], fields["max_items"]
    known: dict[tuple[int, frozenset[str]], Node] = {}

    def item_at(count: int) -> Any:
        return prefix[count] if count < len(prefix) else rest

    def items(count: int, used: frozenset[str]) -> Node:
        """What may follow `count` items; without `unique`, a run without a maximum ends in a loop."""
        end = (empty if count == 0 else close) if count >= least else NOTHING
        item = item_at(count)
        if item is None or count == most:
            return end
        before = open_ if count == 0 else comma
        if not unique and most is None and count >= max(len(prefix), least, 1):
            return reference.cat(reference.repeat(reference.cat(comma, to_reference(item, rules)), 0), close)
        if (count, used) not in known:
            options = [end]
            for node, value in _items(item, rules) if unique else [(to_reference(item, rules), None)]:
                if value is None or value not in used:
                    more = used if value is None else used | {value}
                    options.append(reference.cat(before, node, items(count + 1, more)))
            known[count, used] = reference.alt(*options)
        return known[count, used]

    return items(0, frozenset())


def _items(item: Plan, rules: Mapping[str, Rule]) -> list[tuple[Node, str]]:
    texts = item[1] if item[0] == "words" else listed(to_reference(item, rules))
    assert texts is not None, "unique items are listed, so that each can be compared"
    return [(reference.literal(text), same_json(json.loads(text))) for text in texts]


def listed(node: Node) -> list[bytes] | None:
    """All texts of a node, None if they are not few."""
    mask = GeneralMask(node, [])
    texts, agenda = [], [b""]
    while agenda:
        text = agenda.pop()
        if mask.can_end(text):
            texts.append(text)
        agenda += [longer for byte in LETTERS if mask.can_begin(longer := text + bytes([byte]))]
        if len(texts) + len(agenda) > FEW:
            return None
    return texts


def same_json(value: Any) -> str:
    """One text for all spellings of a JSON value: 1 and 1.0 are equal, the order of keys is nothing."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return json.dumps(float(value))
    if isinstance(value, list):
        return "[" + ",".join(map(same_json, value)) + "]"
    return "{" + ",".join(sorted(json.dumps(key) + ":" + same_json(item) for key, item in value.items())) + "}"
