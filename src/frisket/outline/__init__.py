"""Named parts of a grammar × a text so far → the place in which it stands, and the events in its values."""

from frisket.outline.leaf import schemas
from frisket.outline.place import Path, Place, named, pointer
from frisket.outline.reader import Reader

__all__ = ["Path", "Place", "Reader", "named", "pointer", "schemas"]
