"""JSON Schema × a vendor's dialect → a schema that the vendor's API takes, and values of the original schema back.

dialect   what a vendor enforces, as data          place     references and `allOf` → places
reading   places → what they say together          convert   places → parts, with what is lost
scalar    strings, numbers, enums                  array, object   containers
part      decoders, the way back                   size      what vendors limit
"""

from __future__ import annotations

from frisket.hosted.convert import Converted, convert
from frisket.hosted.dialect import Dialect, dialect, dialects

__all__ = ["Converted", "Dialect", "convert", "dialect", "dialects"]
