"""Structural tag → part."""

from frisket.notations.structural_tag.reader import load_structural_tag, read_structural_tag

__all__ = ["load_structural_tag", "read_structural_tag"]
