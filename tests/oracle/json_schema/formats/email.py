"""email (RFC 5321, Mailbox), idn-email (RFC 6531).

For Python an email is what Pydantic's EmailStr takes: no quotes, no address literals, a name with a public top level.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.notations.regex import lower_regex
from tests.oracle.json_schema.formats.format import Format
from tests.oracle.json_schema.formats.hostname import (
    LABEL,
    LONGEST_NAME,
    PLAIN_LABEL,
    international_node,
    international_outer,
    name_node,
)
from tests.oracle.json_schema.formats.ip import IPV4, IPV6

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder

_ATOM = "A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-"
_LOCAL = r'[{atom}]+(?:\.[{atom}]+)*|"(?:[ !#-\[\]-~{more}]|\\[ -~])*"'
_BEYOND_ASCII = r"\u0080-\u{10FFFF}"
_LITERAL = rf"\[(?:{IPV4}|[Ii][Pp][Vv]6:{IPV6})\]"

# Octets before the @.
_LONGEST_LOCAL = 64


# Top-level domains that are reserved, which EmailStr refuses (RFC 6761 and its kin).
_RESERVED = r"(?i:(?:arpa|invalid|local|localhost|onion|test))"

# Of the whole address, for EmailStr.
_LONGEST_ADDRESS = 254


def _email(builder: GrammarBuilder, python: bool) -> int:
    if python:
        return _python_email(builder)
    local = lower_regex(builder, _LOCAL.format(atom=_ATOM, more=""), dialect="ecma")
    literal = lower_regex(builder, _LITERAL, dialect="ecma")
    domain = builder.alt([name_node(builder, LABEL), literal])
    return builder.cat([builder.bounded(local, 1, _LONGEST_LOCAL), builder.literal(b"@"), domain])


def _python_email(builder: GrammarBuilder) -> int:
    local = lower_regex(builder, rf"[{_ATOM}]+(?:\.[{_ATOM}]+)*", dialect="ecma")
    top = builder.and_(
        [
            lower_regex(builder, "[A-Za-z](?:[A-Za-z0-9]{0,61}[A-Za-z])?", dialect="ecma"),
            builder.not_(lower_regex(builder, _RESERVED, dialect="ecma")),
        ]
    )
    name = builder.cat([lower_regex(builder, rf"(?:{PLAIN_LABEL}\.)+", dialect="ecma"), top])
    address = [builder.bounded(local, 1, _LONGEST_LOCAL), builder.literal(b"@"), builder.bounded(name, 1, LONGEST_NAME)]
    return builder.bounded(builder.cat(address), 1, _LONGEST_ADDRESS)


def _idn_email(builder: GrammarBuilder, python: bool) -> int:
    local = lower_regex(builder, _LOCAL.format(atom=_ATOM + _BEYOND_ASCII, more=_BEYOND_ASCII), dialect="ecma")
    octets = builder.repeat(builder.byte_class([(0, 255)]), 1, _LONGEST_LOCAL)
    domain = builder.alt([international_node(builder), lower_regex(builder, _LITERAL, dialect="ecma")])
    return builder.cat([builder.and_([local, octets]), builder.literal(b"@"), domain])


def _idn_email_outer(builder: GrammarBuilder) -> int:
    local = lower_regex(builder, _LOCAL.format(atom=_ATOM + _BEYOND_ASCII, more=_BEYOND_ASCII), dialect="ecma")
    domain = builder.alt([international_outer(builder), lower_regex(builder, _LITERAL, dialect="ecma")])
    return builder.cat([builder.bounded(local, 1, _LONGEST_LOCAL), builder.literal(b"@"), domain])


FORMATS = (
    Format("email", _email, python_narrows=True),
    Format(
        "idn-email",
        _idn_email,
        exact=False,
        reason="of the domains only those that are left of idn-hostname",
        outer=_idn_email_outer,
    ),
)
