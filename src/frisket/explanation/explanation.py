"""Matcher × token or text → Explanation."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from frisket.events.partial_value import PartialValue
from frisket.events.span import Span, TokenText
from frisket.explanation.expectation import expected, takes
from frisket.explanation.place import Path
from frisket.explanation.reason import Reason, reason
from frisket.json_pointer import to_pointer
from frisket.limit import Limits, Meter
from frisket.notations.combination.part import Whole
from frisket.outline import Reader, named
from frisket.token_name import token_name, token_names

if TYPE_CHECKING:
    from frisket._core import Matcher
    from frisket.grammar import Grammar


@dataclass(frozen=True)
class Explanation:
    """Whether a text may come next, and if not: from which byte on, why, and what may come instead.

    >>> from frisket import Grammar, Vocabulary
    >>> letters = Vocabulary.from_bytes([bytes([value]) for value in range(256)] + [None], eos=[256])
    >>> schema = {"properties": {"age": {"type": "integer", "maximum": 120}}, "required": ["age"]}
    >>> matcher = Grammar.from_json_schema(schema).compile(letters).matcher()
    >>> matcher.advance_bytes(b'{"age":')
    >>> print(matcher.explain("130"))
    '130' may not come next: '13' may, then not '0'
    in the document at /age
    forbidden by /properties/age/maximum (120)
    expected instead: white space, ',', '}'
    """

    text: bytes
    """The text in question; empty for a special token."""
    taken: int
    """The number of its bytes that may come next."""
    allowed: bool
    expected: tuple[str, ...]
    """Continuations after the bytes that may come: a few texts in quotes, or kinds of characters."""
    path: str
    """The place of the refused byte, in the form of `Matcher.path`: names of parts and a JSON Pointer, or rules."""
    reason: Reason | None
    """The reason for the refusal; None if the text is allowed, if no single keyword forbids it, and in rules."""
    special: str | None = None
    """The name of the special token in question; None for a text."""

    def as_dict(self) -> dict[str, Any]:
        """The explanation as JSON values; bytes are text, with escapes for incomplete characters."""
        said = asdict(self)
        said["text"] = self.text.decode("utf-8", "backslashreplace")
        return said

    def __str__(self) -> str:
        asked = f"the special token {self.special}" if self.special is not None else _shown(self.text)
        if self.allowed:
            return f"{asked} may come next"
        lines = [f"{asked} may not come next"]
        if self.taken:
            lines[0] += f": {_shown(self.text[: self.taken])} may, then not {_shown(self.text[self.taken :][:20])}"
        if self.path.startswith("/"):
            lines.append(f"in the document at {self.path}")
        elif self.path:
            lines.append(f"in {self.path}")
        if self.reason is not None:
            lines.append(f"forbidden by {self.reason}")
        lines.append(f"expected instead: {', '.join(self.expected)}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from frisket.markup import notebook, shown

        return notebook(f"<pre>{shown(str(self))}</pre>")


def path(matcher: Matcher) -> str:
    """The value of `Matcher.path`. It takes as long as reading the text so far, within the matcher's limits."""
    return _stands(matcher, matcher.limits.started())[0]


def captures(matcher: Matcher) -> dict[str, list[Span]]:
    """The value of `Matcher.captures`."""
    grammar, vocabulary = matcher.compiled.grammar, matcher.compiled.vocabulary
    if grammar is None:
        return {}
    pieces = [token_names(vocabulary, piece) if isinstance(piece, int) else piece for piece in _inputs(matcher)]
    return cast("Grammar", grammar)._captures(TokenText(pieces), Meter(matcher.limits), has_tokens=True)


def _inputs(matcher: Matcher) -> list[bytes | int]:
    """The steps of the text without end tokens."""
    inputs, eos = matcher.inputs, set(matcher.compiled.vocabulary.eos)
    while matcher.ended and inputs and inputs[-1] in eos:
        inputs.pop()
    return inputs


def explain(matcher: Matcher, given: int | str | bytes) -> Explanation:
    """The explanation for a token (by its id) or a text; the matcher stays where it is.

    Meant for people: to find the keyword, it compiles parts of the schema, which takes milliseconds.
    """
    limits = matcher.limits.started()
    vocabulary = matcher.compiled.vocabulary
    special = None
    if isinstance(given, int):
        if not 0 <= given < vocabulary.size:
            raise ValueError(f"token ids are 0 to {vocabulary.size - 1}, not {given}")
        data = vocabulary.token(given)
        if data is None:
            special = token_name(vocabulary, given) or f"of id {given}"
        fork = matcher.fork()
        allowed = fork.try_advance(given)
        data = data or b""
    else:
        data = given.encode("utf-8", "surrogatepass") if isinstance(given, str) else bytes(given)
        allowed = takes(matcher.fork(), data)
    reached = matcher.fork()
    taken = len(data) if allowed else _taken(reached, data)
    why, stands = None, ""
    if not allowed and not matcher.ended:
        stands, document = _stands(reached, limits)
        if document is not None and special is None:
            why = reason(document.grammar, document.text + data[taken : taken + 1], document.path, Meter(limits))
    return Explanation(data, taken, allowed, expected(reached), stands, why, special)


def _taken(matcher: Matcher, data: bytes) -> int:
    """Advance the matcher to the first byte it refuses; return the number of bytes. Pieces double, and then halve."""
    taken, size, grows = 0, 1, True
    while size and taken < len(data):
        piece = data[taken : taken + size]
        if takes(matcher, piece):
            taken += len(piece)
        else:
            grows = False
        size = 2 * size if grows else size // 2
    return taken


class _Document(NamedTuple):
    """A JSON document that has begun, and the place of the text's end in it."""

    grammar: Grammar
    text: bytes
    path: Path


def _stands(matcher: Matcher, limits: Limits) -> tuple[str, _Document | None]:
    """(the place of the text, the document around it, if there is one)."""
    # A grammar that was built node by node has no Python object.
    grammar = matcher.compiled.grammar
    if grammar is None:
        return "", None
    if grammar.schema is not None:
        partial, text = PartialValue(), matcher.text
        partial.feed(text)
        return to_pointer(partial.path), _Document(grammar, text, partial.path)
    if not grammar._has_outline:
        return named(grammar.open_rules(matcher.text, limits=limits)), None
    reader = Reader(grammar._outline, matcher.compiled.vocabulary.special, meter=Meter(limits))
    for piece in matcher.inputs:
        reader.feed(token_names(matcher.compiled.vocabulary, piece) if isinstance(piece, int) else piece)
    place, first = reader.place, reader.first
    inner = None if first is None else first.leaf
    if first is None or not isinstance(inner, Whole):
        return str(place), None
    text = reader.text(first.value.begin)
    if inner.grammar.schema is not None:
        return str(place), _Document(inner.grammar, text, place.value)
    return named((*place.names, *inner.grammar.open_rules(text, limits=limits))), None


def _shown(data: bytes) -> str:
    return repr(data.decode("utf-8", "backslashreplace"))
