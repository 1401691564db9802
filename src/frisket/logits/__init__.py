"""Logits × bitmask → logits with −∞ where the bit is 0; one module per array library, each imported when used."""

from typing import TYPE_CHECKING

from frisket.foreign_name import missing

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        raise missing("frisket.logits", name)
