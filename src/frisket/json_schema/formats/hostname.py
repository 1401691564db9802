"""hostname (RFC 1123), idn-hostname (RFC 5890)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.json_schema.formats.format import Format
from frisket.json_schema.formats.idna import is_hostname, is_idn_hostname
from frisket.notations.regex import lower_regex

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

# A label of letters, digits and inner hyphens, 63 at most.
LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"

# The same without hyphens in both third and fourth place.
PLAIN_LABEL = (
    "[A-Za-z0-9](?:[A-Za-z0-9]|[A-Za-z0-9-][A-Za-z0-9](?:[A-Za-z0-9-]{0,59}[A-Za-z0-9])?"
    "|[A-Za-z0-9-]-[A-Za-z0-9](?:[A-Za-z0-9-]{0,58}[A-Za-z0-9])?)?"
)

LONGEST_NAME = 253


def name_node(builder: GrammarBuilder, label: str) -> int:
    """Labels with dots between them, within the length of a whole name."""
    return builder.bounded(lower_regex(builder, rf"{label}(?:\.{label})*", dialect="ecma"), 1, LONGEST_NAME)


def _hostname(builder: GrammarBuilder, python: bool) -> int:
    return name_node(builder, PLAIN_LABEL)


FORMATS = (
    Format(
        "hostname",
        _hostname,
        exact=False,
        sound=True,
        reason="names with a label like xn--… are left out: which of those are valid is Punycode arithmetic",
        check=is_hostname,
    ),
    Format(
        "idn-hostname",
        None,
        exact=False,
        sound=False,
        reason="its length is counted in Punycode, which is no regular property",
        check=is_idn_hostname,
    ),
)

# Drafts before 7 know nothing of IDNA: RFC 1034 and 1123 alone.
LEGACY_HOSTNAME = Format("hostname", lambda builder, python: name_node(builder, LABEL))
