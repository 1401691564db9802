"""Matcher × token or text → how much of it is allowed, the alternatives, and the keyword that forbids the rest."""

from frisket.explanation.explanation import Explanation, captures, explain, path

__all__ = ["Explanation", "captures", "explain", "path"]
