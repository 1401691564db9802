"""Slow readings in Python that the engine is compared with."""
