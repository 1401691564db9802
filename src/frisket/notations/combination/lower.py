"""Part × GrammarBuilder → the node of exactly its texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket import _core
from frisket._core import front_end
from frisket.errors import LimitExceededError
from frisket.notations.combination.part import (
    AnyTokens,
    Capture,
    Choice,
    FreeText,
    Label,
    Lit,
    Part,
    Repeat,
    Rules,
    Seq,
    Special,
    Tags,
    Template,
    Until,
    Whole,
)

if TYPE_CHECKING:
    from frisket._core import Grammar, GrammarBuilder
    from frisket.limit import Limits


def build_part(part: Part, limits: Limits | None = None) -> Grammar:
    """The grammar rules that match exactly a part's texts."""
    builder = _builder(part, limits)
    return builder.build(lower_part(builder, part))


def _builder(part: Part, limits: Limits | None) -> GrammarBuilder:
    """A builder that starts from the prelude shared by the JSON Schema grammars among the parts."""
    agenda = [part]
    known = {id(part)}
    for each in agenda:
        options = each.grammar.options if isinstance(each, Whole) else None
        if options is not None:
            from frisket.json_schema import prelude_of

            return prelude_of(options).fork(limits)
        for inner in each.parts():
            if id(inner) not in known:
                known.add(id(inner))
                agenda.append(inner)
    return _core.GrammarBuilder(limits=limits)


def lower_part(builder: GrammarBuilder, part: Part) -> int:
    """The node of a part's texts; LimitExceededError if parts nest deeper than Python calls may."""
    try:
        return _Lowering(builder).node(part)
    except RecursionError:
        raise LimitExceededError("the parts nest too deeply", hint="build the grammar from fewer levels") from None


class _Lowering:
    """Lowers parts; a part that occurs in several places is lowered once."""

    def __init__(self, builder: GrammarBuilder) -> None:
        self.builder = builder
        self._known: dict[int, int] = {}

    def node(self, part: Part) -> int:
        """The node of a part, found by `id(part)`; the tree stays alive meanwhile, so no id is used twice."""
        known = self._known.get(id(part))
        if known is None:
            known = self._known[id(part)] = self._lowered(part)
        return known

    def _lowered(self, part: Part) -> int:
        builder = self.builder
        match part:
            case Lit(text):
                return builder.literal(text.encode())
            case Whole(grammar):
                return builder.embed(grammar.core)
            case Special(name):
                return builder.special(name)
            case Seq(items):
                return builder.seq([self.node(item) for item in items])
            case Choice(items):
                return builder.alt([self.node(item) for item in items])
            case Repeat():
                return self._repeat(part)
            case Capture(_, item) | Label(_, item):
                return self.node(item)
            case Rules(core):
                return builder.embed(core)
            case Template(_, whole):
                return self.node(whole)
            case FreeText(forbidden, low, high):
                return front_end.lower_text(builder, None, forbidden, low, high)
            case AnyTokens(excluded):
                for name in excluded:
                    builder.special(name)  # compiling for a vocabulary without this special token raises an error
                return builder.any_text()
            case Until(triggers, forbidden, low, high):
                return front_end.lower_text(builder, list(map(_named, triggers)), forbidden, low, high)
            case Tags():
                tags = [(_named(begin), self.node(content)) for begin, content in part.tags]
                bounds = part.max_chars, part.at_least, part.at_most, part.text_after
                return front_end.lower_tags(builder, tags, part.triggers, part.forbidden, *bounds)
        raise TypeError(f"no part: {type(part).__name__}")

    def _repeat(self, part: Repeat) -> int:
        builder = self.builder
        item, (low, high) = self.node(part.item), (part.low, part.high)
        if part.separator is None or high == 0:
            return builder.repeat(item, low, high)
        more = builder.seq([self.node(part.separator), item])
        rest = builder.repeat(more, max(low - 1, 0), None if high is None else high - 1)
        some = builder.seq([item, rest])
        return some if low > 0 else builder.alt([builder.epsilon(), some])


def _named(begin: Lit | Special) -> tuple[bool, str]:
    return (True, begin.name) if isinstance(begin, Special) else (False, begin.text)
