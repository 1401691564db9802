"""byte, binary, password, path … and int32, int64, float, double: what OpenAPI and Pydantic write.

JSON Schema knows none of these names, and lets an implementation enforce more formats than its own. The integer
formats of OpenAPI's registry are enforced wherever formats are: each is a set of integers, the names mean nothing else,
and what reads the document breaks beyond them. The others are annotations unless OpenAPI or Pydantic is asked for:
`float` and `double` name a precision, to which any number is rounded, and authors mean various things by names such as
`path`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from ipaddress import IPv4Interface, IPv4Network, IPv6Interface, IPv6Network

from frisket.notations.regex import lower_regex
from tests.oracle.json_schema.formats.format import Format, by_pattern
from tests.oracle.json_schema.formats.ip import IPV4, IPV6

#: The bits that pad the last group are zero (RFC 4648, 3.5): decoders may refuse all else, and some do.
BASE64 = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?"
_BASE64_URL = BASE64.replace("+/", r"_\-")
_HEX = "[0-9A-Fa-f]"


_LENGTH_V4 = "(?:/(?:[0-9]|[12][0-9]|3[0-2]))?"
_LENGTH_V6 = "(?:/(?:[0-9]|[1-9][0-9]|1[01][0-9]|12[0-8]))?"


def _uuid(version: int) -> str:
    return f"{_HEX}{{8}}-{_HEX}{{4}}-{version}{_HEX}{{3}}-[89ABab]{_HEX}{{3}}-{_HEX}{{12}}"


def _network_v4() -> str:
    """Addresses whose bits beyond the prefix are 0, in the order of prefix lengths."""
    octet = "(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])"
    ways = []
    for length in range(33):
        whole, bits = divmod(length, 8)
        parts = [octet] * whole
        if bits:
            step = 1 << (8 - bits)
            parts.append("(?:" + "|".join(str(value) for value in range(0, 256, step)) + ")")
        parts += ["0"] * (4 - len(parts))
        ways.append(r"\.".join(parts) + f"/{length}")
    return "|".join([IPV4, *ways])


def _subset(name: str, pattern: str, outer: str, read: tuple[Callable[[str], object], ...], reason: str) -> Format:
    """Some of the texts that one of `read` takes without ValueError; `outer` is a pattern of more than those."""

    def check(text: str) -> bool:
        for parse in read:
            try:
                parse(text)
            except ValueError:
                continue
            return True
        return False

    return replace(
        _pattern(name, pattern),
        exact=False,
        reason=reason,
        check=check,
        outer=lambda builder: lower_regex(builder, outer, dialect="ecma"),
    )


_OUTER_V4 = f"{IPV4}(?:/[0-9.]+)?"
_OUTER_V6 = "[0-9A-Fa-f:.]+(?:%[^/]*)?(?:/[0-9]+)?"
_OUTER_ANY = f"{_OUTER_V4}|{_OUTER_V6}"


_NO_MASKS = "networks with a written-out mask are left out"


def _pattern(name: str, pattern: str) -> Format:
    return by_pattern(name, pattern, vocabulary="openapi")


FORMATS = (
    _pattern("byte", BASE64),
    _pattern("base64", BASE64),
    _pattern("base64url", _BASE64_URL),
    _pattern("binary", r"[\s\S]*"),
    _pattern("password", r"[\s\S]*"),
    _pattern("path", r"[^\0]*"),
    _pattern("ipvanyaddress", f"{IPV4}|{IPV6}"),
    _subset("ipv4network", _network_v4(), _OUTER_V4, (IPv4Network,), _NO_MASKS),
    _subset(
        "ipv6network", f"{IPV6}(?:/128)?", _OUTER_V6, (IPv6Network,), "networks of more than one address are left out"
    ),
    _subset(
        "ipvanynetwork",
        f"{_network_v4()}|{IPV6}(?:/128)?",
        _OUTER_ANY,
        (IPv4Network, IPv6Network),
        "larger IPv6 networks are left out",
    ),
    _subset("ipv4interface", f"{IPV4}{_LENGTH_V4}", _OUTER_V4, (IPv4Interface,), _NO_MASKS),
    _pattern("ipv6interface", f"{IPV6}{_LENGTH_V6}"),
    _subset(
        "ipvanyinterface",
        f"{IPV4}{_LENGTH_V4}|{IPV6}{_LENGTH_V6}",
        _OUTER_ANY,
        (IPv4Interface, IPv6Interface),
        _NO_MASKS,
    ),
    *(_pattern(f"uuid{version}", _uuid(version)) for version in (1, 3, 4, 5, 6, 7, 8)),
)

#: The least and the largest of the integers that a format names.
INTEGERS: dict[str, tuple[int, int]] = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint8": (0, 2**8 - 1),
    "uint16": (0, 2**16 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}

_PRECISIONS: dict[str, tuple[float, float]] = {
    "float": (-3.4028234663852886e38, 3.4028234663852886e38),
    "double": (-1.7976931348623157e308, 1.7976931348623157e308),
}


def numeric_format(name: str, *, openapi: bool = True) -> tuple[int, int] | tuple[float, float] | None:
    """The least and the largest number of a numeric format; None if the name is not one. Where they are integers, so
    are all numbers between. Without `openapi`, only those that are enforced in any JSON Schema.

    >>> numeric_format("int32"), numeric_format("float", openapi=False)
    ((-2147483648, 2147483647), None)
    """
    return INTEGERS.get(name) or (_PRECISIONS.get(name) if openapi else None)
