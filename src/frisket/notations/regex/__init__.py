"""Regular expression → regular node."""

from frisket.notations.regex.ast import Dialect
from frisket.notations.regex.lower import lower_regex
from frisket.notations.regex.parser import parse

__all__ = ["Dialect", "lower_regex", "parse"]
