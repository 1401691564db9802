"""Named parts of a grammar × a text so far → the place at its end, and the events in its values."""

from frisket.outline.event import OutlineEvents
from frisket.outline.leaf import schemas
from frisket.outline.place import Path, Place, named
from frisket.outline.reader import Reader

__all__ = ["OutlineEvents", "Path", "Place", "Reader", "named", "schemas"]
