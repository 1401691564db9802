"""Place → whether the length of its values is bounded."""

from __future__ import annotations

from frisket.lint.document import Document, Subschema
from frisket.lint.pattern import ends

#: Formats whose texts are bounded in length.
FORMATS = frozenset(
    (
        *("date", "time", "date-time", "duration", "uuid", "ipv4", "ipv6", "hostname", "idn-hostname", "email"),
        *("idn-email", "color", "mac"),
    )
)


def is_string(document: Document, place: Subschema) -> bool:
    """Whether the place itself restricts its values to strings."""
    said = place.said.get("type")
    return said == "string" or (isinstance(said, list) and "string" in said)


def is_bounded_string(document: Document, place: Subschema) -> bool:
    """Whether some keyword that applies to the text bounds its length."""
    for one in document.conjuncts(place):
        said = one.said
        if "maxLength" in said or "enum" in said or "const" in said or said.get("format") in FORMATS:
            return True
        pattern = said.get("pattern")
        if isinstance(pattern, str) and ends(pattern).bounded:
            return True
    return False


def says(document: Document, place: Subschema, *keywords: str) -> bool:
    """Whether one of the keywords applies to the value."""
    return any(keyword in one.said for one in document.conjuncts(place) for keyword in keywords)
