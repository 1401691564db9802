"""Text × schema → prompt: one template for every task.

    keys: priority, category, needs_human, confidence
    input: My card was charged twice
    output:

The names come from the schema, so they tell the model what is wanted even if it was never trained on the schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from frisket.json_pointer import find

MOST_NAMES = 24


def render(text: str, keys: Sequence[str] = (), draft: str | None = None) -> str:
    """The prompt for `text`; line breaks in it become spaces, because the template is made of lines.

    >>> render("My card was charged twice", ["priority", "category"])
    'keys: priority, category\\ninput: My card was charged twice\\noutput: '
    """
    head = f"keys: {', '.join(keys)}\n" if keys else ""
    between = "" if draft is None else f"draft: {' '.join(draft.split())}\n"
    return f"{head}input: {' '.join(text.split())}\n{between}output: "


def wish(text: str, keys: Sequence[str] | None) -> str:
    """The user's message to a chat model: the text, and the names of the wanted properties.

    >>> wish("Charged twice", ["a", "b"])
    'Charged twice\\n\\nAnswer with one JSON value, keys: a, b.'
    """
    return f"{text}\n\nAnswer with one JSON value, keys: {', '.join(keys)}." if keys else text


def turns(text: str, keys: Sequence[str] | None, draft: str | None = None) -> list[dict[str, str]]:
    """The messages of a chat before the answer; a draft becomes the model's previous answer.

    >>> [turn["content"] for turn in turns("How much is 2 + 3?", ["sum"], "It is 5.")]
    ['How much is 2 + 3?', 'It is 5.', 'Write this answer as one JSON value, keys: sum.']
    """
    if draft is None:
        return [{"role": "user", "content": wish(text, keys)}]
    return [{"role": "user", "content": text}, *redraft(draft, keys)]


def redraft(draft: str, keys: Sequence[str] | None) -> list[dict[str, str]]:
    """The messages after a question: the model's draft, and the request to rewrite it."""
    again = f"Write this answer as one JSON value, keys: {', '.join(keys)}." if keys else REWRITE
    return [{"role": "assistant", "content": draft}, {"role": "user", "content": again}]


REWRITE = "Write this answer in the form that is asked for, and nothing else."
#: Sentence before a description of the answer, by style.
LEADS = {
    "typescript": "Answer with one JSON value of this type:",
    "prose": "Answer with one JSON value, as described here:",
    "json_schema": "Answer with one JSON value that is valid under this JSON Schema:",
    "example": "Answer with one JSON value of this form:",
}


def described(text: str, style: str, description: str) -> str:
    """The user's message with a description of the answer.

    >>> described("Charged twice", "typescript", "{a: number}")
    'Charged twice\\n\\nAnswer with one JSON value of this type:\\n{a: number}'
    """
    return f"{text}\n\n{LEADS[style]}\n{description}"


def property_names(schema: Any) -> list[str]:
    """Every property name of a JSON Schema, in reading order, each once; `$ref`s within the document are followed.

    >>> property_names({"properties": {"b": {"items": {"properties": {"c": {}}}}, "a": {}}})
    ['b', 'c', 'a']
    """
    names: dict[str, None] = {}
    followed: set[str] = set()
    # A stack instead of recursion: a schema may nest deeper than Python calls may.
    agenda: list[Any] = [schema]
    while agenda and len(names) < MOST_NAMES:
        match agenda.pop():
            case _Name(name):
                names[name] = None
            case list() as items:
                agenda += reversed(items)
            case Mapping() as node:
                agenda += reversed(list(_parts(node, schema, followed)))
    return list(names)


@dataclass(frozen=True)
class _Name:
    """A property name on the stack."""

    text: str


def _parts(node: Mapping[str, Any], root: Any, followed: set[str]) -> Iterator[Any]:
    """The nodes below a schema, in reading order. A reference is followed only once."""
    reference = node.get("$ref")
    if isinstance(reference, str) and reference.startswith("#") and reference not in followed:
        followed.add(reference)
        yield find(root, reference[1:])
    properties = node.get("properties")
    if isinstance(properties, Mapping):
        for name, value in properties.items():
            yield _Name(str(name))
            yield value
    for keyword in ("prefixItems", "items", "additionalProperties", "allOf", "anyOf", "oneOf"):
        yield node.get(keyword)
