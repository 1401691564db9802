"""Model × HTTP → OpenAI's API, in which every answer is valid by construction."""

from frisket.server.application import make_application
from frisket.server.settings import Settings

__all__ = ["Settings", "make_application"]
