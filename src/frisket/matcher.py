"""CompiledGrammar → Matcher: one sequence's position.

The engine's own class under its public name, without a wrapper: a mask costs about as much as one call of a Python
method, so a layer in between would be half the bill.
"""

from frisket._core import Matcher, fill_masks

__all__ = ["Matcher", "fill_masks"]
