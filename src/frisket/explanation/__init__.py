"""Matcher × token or text → what of it may come next, what may come instead, and which keyword forbids the rest."""

from frisket.explanation.explanation import Explanation, captures, explain, path

__all__ = ["Explanation", "captures", "explain", "path"]
