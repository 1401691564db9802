"""JSON Schema × a vendor's dialect → a schema that the vendor's API takes, and values of the original schema back.

dialect   what a vendor enforces, as data          place     references and `allOf` → places
reading   places → what they say together          convert   places → parts, with what is lost
scalar    strings, numbers, enums                  array, object   containers
part      decoders, the way back                   size      what vendors limit
generate  ask, decode, validate, repair            request   the fields of each vendor's API
sdk       how each vendor's package is asked       connection   a client of such a package → typed answers
"""

from __future__ import annotations

from frisket.hosted.connection import Connection, connect
from frisket.hosted.convert import Converted, convert
from frisket.hosted.dialect import Dialect, dialect, dialects
from frisket.hosted.generate import Transport, generate

__all__ = ["Connection", "Converted", "Dialect", "Transport", "connect", "convert", "dialect", "dialects", "generate"]
