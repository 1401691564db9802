"""Name of a property → its likely content, by the words in the name.

Rules about order and meaning read names, as a person does. The lists are short on purpose: a word with other meanings
in real schemas is left out, or counts only together with another sign.
"""

from __future__ import annotations

import re
from functools import lru_cache

#: Names under which a model reasons, whatever properties stand beside them.
REASONING = frozenset(
    (
        *("reasoning", "rationale", "thinking", "thought", "thoughts", "thought process", "chain of thought", "cot"),
        *("scratchpad", "step by step", "reasoning steps", "deliberation"),
    )
)
#: Names under which a model may reason; they count only beside the name of an answer.
EXPLANATION = frozenset(
    ("reason", "reasons", "explanation", "justification", "analysis", "evidence", "why", "steps", "critique", "working")
)
#: Names of conclusions.
ANSWER = frozenset(
    (
        *("answer", "final answer", "verdict", "decision", "conclusion", "label", "classification", "prediction"),
        *("category", "sentiment", "choice", "judgement", "judgment", "diagnosis", "score", "rating", "grade"),
        *("outcome", "result", "correct", "is correct", "solution"),
    )
)
#: Names of long texts.
TEXT = frozenset(
    (
        "description",
        "content",
        "contents",
        "text",
        "body",
        "message",
        "summary",
        "comment",
        "comments",
        "notes",
        "details",
    )
)
#: Names that identify the subject of an object.
IDENTIFIER = frozenset(("id", "uuid", "guid", "key", "slug", "name", "identifier", "sku"))
#: Names of classes into which a text is sorted; none of these is a closed list by nature.
CLASS = frozenset(
    (
        *("category", "classification", "class", "label", "intent", "topic", "theme", "sentiment", "emotion", "genre"),
        *("department", "cause", "diagnosis", "industry", "occupation", "profession"),
    )
)
#: Words of `CLASS` that name closed lists if another word stands before them (`storage_class`).
CLOSED = frozenset(("class", "label"))
#: Names that say nothing about their content.
VAGUE = frozenset(
    (
        *("data", "value", "val", "info", "field", "obj", "object", "misc", "tmp", "foo", "bar", "baz"),
        *("param", "arg", "var", "stuff", "thing", "payload", "extra", "flag"),
    )
)
#: Words of `VAGUE` that mean the value of the property around them.
VALUE = frozenset(("value", "val"))
#: Names of quantities that cannot be written without a unit.
QUANTITY = frozenset(
    (
        *("duration", "timeout", "interval", "delay", "distance", "weight", "temperature", "temp", "speed", "elapsed"),
        *("height", "width", "depth", "radius", "altitude", "pressure", "memory", "bandwidth", "latency"),
    )
)
#: Sides of a shape: two of them together have the same unit.
SIDES = frozenset(("height", "width", "length", "depth", "radius", "diameter", "base", "side"))
#: Short names that everybody understands.
KNOWN_SHORT = frozenset(
    (
        *("id", "x", "y", "z", "ip", "os", "url", "uri", "to", "no", "by", "cc", "bcc", "db", "ok", "of", "in", "on"),
        *("at", "up", "go", "pk", "us", "uk", "tv", "pc", "hr", "ui", "ux", "or", "and", "not", "if", "is", "as"),
    )
)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")


@lru_cache(maxsize=65536)
def words(name: str) -> str:
    """The words of a name in small letters, with a blank between them.

    >>> words("chainOfThought"), words("is_correct"), words("HTTPStatus2")
    ('chain of thought', 'is correct', 'http status 2')
    """
    return " ".join(part.lower() for part in _PARTS.findall(name))


def is_among(name: str, known: frozenset[str]) -> bool:
    """Whether a name is one of the known ones, however it is spelled.

    >>> is_among("finalAnswer", ANSWER), is_among("answer_key", ANSWER)
    (True, False)
    """
    return words(name) in known
