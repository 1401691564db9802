"""Text as it grows → the value so far, its events, and the places of its parts.

event           a value opens, its text grows, it is whole      span  the place of a capture
partial_value   text → the value so far                         partial_object  type × value so far → object
"""

from frisket.events.event import Closed, Event, Events, Grew, Opened
from frisket.events.partial_value import PartialValue
from frisket.events.span import Span

__all__ = ["Closed", "Event", "Events", "Grew", "Opened", "PartialValue", "Span"]
