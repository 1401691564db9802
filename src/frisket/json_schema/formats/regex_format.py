"""regex (ECMA-262, Unicode mode): nested parentheses are not regular, so only single texts can be decided."""

from __future__ import annotations

from frisket.json_schema.formats.format import Format
from frisket.notations.regex import is_ecma_regex

FORMATS = (
    Format(
        "regex",
        None,
        exact=False,
        sound=False,
        reason="regular expressions nest, and no regular expression describes that",
        check=is_ecma_regex,
    ),
)
