"""ipv4 (RFC 2673, no leading zeros), ipv6 (RFC 4291, no zone)."""

from __future__ import annotations

from tests.oracle.json_schema.formats.format import by_pattern

_OCTET = "(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])"
IPV4 = rf"(?:{_OCTET}\.){{3}}{_OCTET}"

_GROUP = "[0-9A-Fa-f]{1,4}"
_LAST_TWO = f"(?:{_GROUP}:{_GROUP}|{IPV4})"
IPV6 = "(?:" + "|".join(
    [
        f"(?:{_GROUP}:){{6}}{_LAST_TWO}",
        f"::(?:{_GROUP}:){{5}}{_LAST_TWO}",
        f"(?:{_GROUP})?::(?:{_GROUP}:){{4}}{_LAST_TWO}",
        *(
            f"(?:(?:{_GROUP}:){{0,{before}}}{_GROUP})?::(?:{_GROUP}:){{{3 - before + 1}}}{_LAST_TWO}"
            for before in (1, 2, 3, 4)
        ),
        f"(?:(?:{_GROUP}:){{0,5}}{_GROUP})?::{_GROUP}",
        f"(?:(?:{_GROUP}:){{0,6}}{_GROUP})?::",
    ]
) + ")"  # fmt: skip

FORMATS = (by_pattern("ipv4", IPV4), by_pattern("ipv6", IPV6))
