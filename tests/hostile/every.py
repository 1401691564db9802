"""All cases, by entrance."""

from __future__ import annotations

from .case import Case
from .constructors import CONSTRUCTORS
from .endpoints import ENDPOINTS
from .explanations import EXPLANATIONS
from .matchers import MATCHERS
from .parts import PARTS
from .schemas import SCHEMAS

CASES: tuple[Case, ...] = (*CONSTRUCTORS, *MATCHERS, *EXPLANATIONS, *SCHEMAS, *PARTS, *ENDPOINTS)
