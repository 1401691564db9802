"""Steps, memory, time → Limits; another thread → Cancellation.

The engine's own classes under their public names.
"""

from frisket._core import Cancellation, Limits

__all__ = ["Cancellation", "Limits"]
