"""JSON Schema × a vendor's dialect → a schema that the vendor's API accepts, and a decoder of its values.

dialect   what a vendor enforces, as data          place     subschemas → places without `$ref` and `allOf`
reading   places → all their keywords              convert   places → parts and losses
scalar    strings, numbers, enums                  array, object   arrays and objects
part      decoders of values                       size      sizes that vendors limit
generate  request, decode, validate, repair        request   the fields of each vendor's API
sdk       the call of each vendor's package        connection   a client of such a package → typed answers
"""

from __future__ import annotations

from frisket.hosted.connection import Connection, connect
from frisket.hosted.convert import Converted, convert
from frisket.hosted.dialect import Dialect, dialect, dialects
from frisket.hosted.generate import Transport, generate

__all__ = ["Connection", "Converted", "Dialect", "Transport", "connect", "convert", "dialect", "dialects", "generate"]
