"""What a grammar may take (steps, memory, time), and who may end its calls.

The engine's own classes under their public names.
"""

from frisket._core import Cancellation, Limits

__all__ = ["Cancellation", "Limits"]
