"""Regular expression → regular node."""

from frisket.notations.regex.ast import Dialect
from frisket.notations.regex.lower import lower_part, lower_regex
from frisket.notations.regex.parser import is_ecma_regex, parse

__all__ = ["Dialect", "is_ecma_regex", "lower_part", "lower_regex", "parse"]
