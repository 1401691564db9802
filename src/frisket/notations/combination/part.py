"""Combined grammar → tree of parts: plain data that can be compared, printed and pickled.

Rules belong to one builder, but a part can be used in any number of other parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from frisket.errors import GrammarSyntaxError

if TYPE_CHECKING:
    from frisket import _core
    from frisket.grammar import Grammar


class Part:
    """A language, stored as the constructor call that makes it."""

    __slots__ = ()

    def parts(self) -> tuple[Part, ...]:
        """The direct subparts."""
        return ()


@dataclass(frozen=True, slots=True)
class Lit(Part):
    """Exactly this text."""

    text: str

    @classmethod
    def of(cls, text: str, where: str | None = None) -> Lit:
        """A literal of `text`; GrammarSyntaxError if UTF-8 cannot encode it."""
        try:
            text.encode()
        except UnicodeEncodeError as error:
            place = f"offset {error.start}" if where is None else f"{where}, offset {error.start}"
            raise GrammarSyntaxError("a lone surrogate has no UTF-8 form", where=place, hint="leave it out") from None
        return cls(text)

    def __str__(self) -> str:
        return repr(self.text)


@dataclass(frozen=True, slots=True)
class Whole(Part):
    """The texts of a grammar in another notation."""

    grammar: Grammar

    def __str__(self) -> str:
        return repr(self.grammar).strip("<>")


@dataclass(frozen=True, slots=True)
class Special(Part):
    """The special token of that name."""

    name: str

    def __str__(self) -> str:
        return f"special({self.name!r})"


@dataclass(frozen=True, slots=True)
class Seq(Part):
    """One part after another."""

    items: tuple[Part, ...]

    def parts(self) -> tuple[Part, ...]:
        return self.items

    def __str__(self) -> str:
        return f"seq({', '.join(map(str, self.items))})"


@dataclass(frozen=True, slots=True)
class Choice(Part):
    """Any one of the parts."""

    items: tuple[Part, ...]

    def parts(self) -> tuple[Part, ...]:
        return self.items

    def __str__(self) -> str:
        return f"choice({', '.join(map(str, self.items))})"


@dataclass(frozen=True, slots=True)
class Repeat(Part):
    """`low` to `high` repetitions of a part (None: no limit), with a separator between two of them."""

    item: Part
    low: int
    high: int | None
    separator: Part | None = None

    def parts(self) -> tuple[Part, ...]:
        return (self.item,) if self.separator is None else (self.item, self.separator)

    def __str__(self) -> str:
        if (self.low, self.high, self.separator) == (0, 1, None):
            return f"optional({self.item})"
        between = "" if self.separator is None else f", separator={self.separator}"
        return f"repeat({self.item}, {self.low}, {self.high}{between})"


@dataclass(frozen=True, slots=True)
class FreeText(Part):
    """Any text in which none of these strings occurs."""

    forbidden: tuple[str, ...] = ()
    min_chars: int = 0
    max_chars: int | None = None

    def __str__(self) -> str:
        return f"text({', '.join(_keywords(self.forbidden, self.min_chars, self.max_chars))})"


@dataclass(frozen=True, slots=True)
class AnyTokens(Part):
    """Any tokens except special ones; `excluded` names tokens that must be special in the vocabulary."""

    excluded: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"any_tokens(excluded={list(self.excluded)!r})"


@dataclass(frozen=True, slots=True)
class Until(Part):
    """Free text up to and including its first trigger. `name` names the text without the trigger."""

    triggers: tuple[Lit | Special, ...]
    forbidden: tuple[str, ...] = ()
    min_chars: int = 0
    max_chars: int | None = None
    name: str | None = None

    def __str__(self) -> str:
        keywords = _keywords(self.forbidden, self.min_chars, self.max_chars)
        keywords += [f"name={self.name!r}"] if self.name is not None else []
        return f"until({', '.join([*map(str, self.triggers), *keywords])})"


@dataclass(frozen=True, slots=True)
class Tags(Part):
    """Free text with tags in it. A tag is a begin and the part after it. A begin is a special token, or starts with one
    of the triggers, which end the free text."""

    tags: tuple[tuple[Lit | Special, Part], ...]
    triggers: tuple[str, ...]
    forbidden: tuple[str, ...] = ()
    at_least: int = 0
    at_most: int | None = None
    max_chars: int | None = None
    text_after: bool = True

    def parts(self) -> tuple[Part, ...]:
        return tuple(part for _, part in self.tags)

    def __str__(self) -> str:
        tags = ", ".join(f"({begin}, {part})" for begin, part in self.tags)
        keywords = [f"triggers={list(self.triggers)!r}", *_keywords(self.forbidden, 0, self.max_chars)]
        keywords += [f"at_least={self.at_least}"] if self.at_least else []
        keywords += [f"at_most={self.at_most}"] if self.at_most is not None else []
        keywords += [] if self.text_after else ["text_after=False"]
        return f"tags([{tags}], {', '.join(keywords)})"


@dataclass(frozen=True, slots=True)
class Capture(Part):
    """A part whose text is captured under a name."""

    name: str
    item: Part

    def parts(self) -> tuple[Part, ...]:
        return (self.item,)

    def __str__(self) -> str:
        return f"capture({self.name!r}, {self.item})"


@dataclass(frozen=True, slots=True)
class Label(Part):
    """A part with a name in paths and events that captures nothing."""

    name: str
    item: Part
    is_record: bool = False
    """Whether the names inside the part are members of one value."""

    def parts(self) -> tuple[Part, ...]:
        return (self.item,)

    def __str__(self) -> str:
        return str(self.item)


@dataclass(frozen=True, slots=True, eq=False)
class Rules(Part):
    """The texts of native rules, for which there is no constructor call. One of the markers `ends` closes each text,
    and is not part of its value."""

    core: _core.Grammar
    reads: Literal["text", "json", "python"] = "text"
    """The notation of the texts."""
    ends: tuple[str, ...] = ()
    schema: Any = None
    """The schema of the texts' values, if it is known."""

    def __str__(self) -> str:
        return f"rules of {self.core.node_count:,} nodes"


@dataclass(frozen=True, slots=True)
class Template(Part):
    """Fixed text with holes. `whole` captures each hole under its name; `holes` read the captured texts (`value`), and
    `into` makes the object of a filled template from the results."""

    source: str
    whole: Seq
    holes: tuple[tuple[str, Any], ...]
    into: Callable[..., Any]

    def parts(self) -> tuple[Part, ...]:
        return (self.whole,)

    def __str__(self) -> str:
        return f"template({self.source!r})"


def size(part: Part) -> int:
    """The number of parts in a printed tree: a part in several places counts once for each place."""
    sizes: dict[int, int] = {}
    agenda = [part]
    while agenda:
        inner = agenda[-1].parts()
        unknown = [one for one in inner if id(one) not in sizes]
        agenda += unknown
        if not unknown:
            sizes[id(agenda.pop())] = 1 + sum(sizes[id(one)] for one in inner)
    return sizes[id(part)]


def _keywords(forbidden: tuple[str, ...], min_chars: int, max_chars: int | None) -> list[str]:
    said = [f"forbidden={list(forbidden)!r}"] if forbidden else []
    said += [f"{min_chars=}"] if min_chars else []
    return said + ([f"{max_chars=}"] if max_chars is not None else [])
