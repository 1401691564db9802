"""uri, uri-reference (RFC 3986), iri, iri-reference (RFC 3987), uri-template (RFC 6570)."""

from __future__ import annotations

from tests.oracle.json_schema.formats.format import by_pattern
from tests.oracle.json_schema.formats.ip import IPV6

_UNRESERVED = r"A-Za-z0-9._~\-"
_DELIMITERS = r"!$&'()*+,;="
_ENCODED = "%[0-9A-Fa-f]{2}"
_UCS = (
    r"\u00A0-\uD7FF\uF900-\uFDCF\uFDF0-\uFFEF"
    r"\u{10000}-\u{1FFFD}\u{20000}-\u{2FFFD}\u{30000}-\u{3FFFD}\u{40000}-\u{4FFFD}\u{50000}-\u{5FFFD}"
    r"\u{60000}-\u{6FFFD}\u{70000}-\u{7FFFD}\u{80000}-\u{8FFFD}\u{90000}-\u{9FFFD}\u{A0000}-\u{AFFFD}"
    r"\u{B0000}-\u{BFFFD}\u{C0000}-\u{CFFFD}\u{D0000}-\u{DFFFD}\u{E1000}-\u{EFFFD}"
)
_PRIVATE = r"\uE000-\uF8FF\u{F0000}-\u{FFFFD}\u{100000}-\u{10FFFD}"


def _pattern(beyond: str, private: str, *, reference: bool) -> str:
    """The grammar of RFC 3986; `beyond` are the characters that an IRI has more, `private` those of its query."""
    base = _UNRESERVED + _DELIMITERS + beyond
    char = f"(?:[{base}:@]|{_ENCODED})"
    path = f"(?:[{base}:@/]|{_ENCODED})*"
    future = rf"[Vv][0-9A-Fa-f]+\.[{_UNRESERVED}{_DELIMITERS}:]+"
    host = rf"(?:\[(?:{IPV6}|{future})\]|(?:[{base}]|{_ENCODED})*)"
    authority = f"(?:(?:[{base}:]|{_ENCODED})*@)?{host}(?::[0-9]*)?(?:/{path})?"
    tail = rf"(?:\?(?:[{base}:@/?{private}]|{_ENCODED})*)?(?:#(?:[{base}:@/?]|{_ENCODED})*)?"
    absolute = rf"[A-Za-z][A-Za-z0-9+.\-]*:(?://{authority}|/?(?:{char}{path})?)"
    if not reference:
        return absolute + tail
    relative = f"//{authority}|/(?:{char}{path})?|(?:[{base}@]|{_ENCODED})+(?:/{path})?|"
    return f"(?:{absolute}|{relative}){tail}"


_VARIABLE_CHAR = f"(?:[A-Za-z0-9_]|{_ENCODED})"
_VARIABLE = rf"{_VARIABLE_CHAR}(?:\.?{_VARIABLE_CHAR})*(?:\*|:[1-9][0-9]{{0,3}})?"
_EXPRESSION = rf"\{{[+#./;?&=,!@|]?{_VARIABLE}(?:,{_VARIABLE})*\}}"
# The apostrophe is erratum 6937.
_TEMPLATE = rf"(?:[!#$&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~{_UCS}{_PRIVATE}]|{_ENCODED}|{_EXPRESSION})*"

FORMATS = (
    by_pattern("uri", _pattern("", "", reference=False)),
    by_pattern("uri-reference", _pattern("", "", reference=True)),
    by_pattern("iri", _pattern(_UCS, _PRIVATE, reference=False)),
    by_pattern("iri-reference", _pattern(_UCS, _PRIVATE, reference=True)),
    by_pattern("uri-template", _TEMPLATE),
)
