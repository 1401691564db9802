"""Models × HTTP → a page that shows masks token by token."""

from frisket.play.application import make_application
from frisket.play.settings import Settings

__all__ = ["Settings", "make_application"]
