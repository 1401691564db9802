"""Structural tag → part."""

from frisket.notations.structural_tag.reader import TagText, load_structural_tag, read_structural_tag

__all__ = ["TagText", "load_structural_tag", "read_structural_tag"]
