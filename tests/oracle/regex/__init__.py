"""Regular expression → regular node."""

from tests.oracle.regex.ast import Dialect
from tests.oracle.regex.lower import lower_part, lower_regex
from tests.oracle.regex.parser import is_ecma_regex, parse

__all__ = ["Dialect", "is_ecma_regex", "lower_part", "lower_regex", "parse"]
