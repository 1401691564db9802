"""One place of a schema → its own conditions, its in-place applicators, and what it evaluates.

The keywords that count are `keywords`; here is what they have in common: the values that they may have.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from frisket.errors import FrisketError, GrammarSyntaxError, InvalidSchemaError
from frisket.lint.resolve import DRAFT7, Site
from tests.oracle.json_schema import array, data, interval, object, string
from tests.oracle.json_schema.keywords import RULES, applicator
from tests.oracle.json_schema.reading import Reading
from tests.oracle.json_schema.value import ANY, Case, Goal

if TYPE_CHECKING:
    from tests.oracle.json_schema.algebra import Algebra


def read(algebra: Algebra, site: Site) -> Reading:
    """The conditions of one place."""
    return Reader(algebra, site).read()


class Reader:
    """Collects the conditions while the keywords are read."""

    def __init__(self, algebra: Algebra, site: Site) -> None:
        self.algebra = algebra
        self.site = site
        self.schema: dict[str, Any] = site.schema
        self.draft: int = site.resource.draft
        self.reading = Reading()
        self.mask = ANY
        self.numbers: list[interval.NumberAtom] = []
        self.strings: list[string.StringAtom] = []
        self.arrays: list[array.ArrayAtom] = []
        self.objects: list[object.ObjectAtom] = []
        self.fields_read = False
        self.items_read = False

    def read(self) -> Reading:
        reading = self.reading
        if self.draft <= DRAFT7 and "$ref" in self.schema:
            applicator.read_ref(self, self.schema["$ref"])
            reading.keywords.append("$ref")
            return reading
        rules = RULES[self.draft, self.site.resource.asserts]
        for keyword, value in self.schema.items():
            rule = rules.get(keyword)
            if rule is None:
                if type(keyword) is not str:
                    self.text(None, keyword)
            else:
                rule(self, value)
                reading.keywords.append(keyword)
        if self.mask != ANY or self.numbers or self.strings or self.arrays or self.objects:
            reading.case = Case(
                self.mask, tuple(self.numbers), tuple(self.strings), tuple(self.arrays), tuple(self.objects)
            )
        return reading

    def invalid(self, keyword: str, expected: str, hint: str | None = None) -> InvalidSchemaError:
        return InvalidSchemaError(
            f"{keyword} must be {expected}",
            where=f"{self.site.pointer}/{keyword}",
            hint=hint or f"correct it, or leave {keyword} out",
        )

    def goal(self, schema: Any, *tokens: str) -> Goal:
        return self.algebra.below(self.site, schema, *tokens)

    def bound(self, keyword: str, value: Any) -> Fraction:
        """A number; draft 4 wrote a flag in its place."""
        if isinstance(value, bool):
            other = "minimum" if keyword.endswith("Minimum") else "maximum"
            instead = f"put the bound of {other} here" if value else f"leave {keyword} out"
            draft4 = '"$schema": "http://json-schema.org/draft-04/schema#"'
            raise self.invalid(keyword, "a number", f"{instead}, or say that this is draft 4: {draft4}")
        return self.number(keyword, value)

    def count(self, keyword: str, value: Any) -> int:
        """A non-negative integer (2.0 is one)."""
        if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)) or not data.is_finite(value):
            raise self.invalid(keyword, "a non-negative integer")
        # No text is that long, and 1e999999999 need not be written out.
        if value > 1 << 62:
            return 1 << 62
        if value < 0 or value != int(value):
            raise self.invalid(keyword, "a non-negative integer")
        return int(value)

    def number(self, keyword: str, value: Any) -> Fraction:
        if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
            raise self.invalid(keyword, "a number")
        data.check_number(value, f"{self.site.pointer}/{keyword}")
        return interval.exact(value)

    def text(self, keyword: str | None, key: Any) -> str:
        """A name of a member, of the keyword's value or of the schema itself; it must have a spelling in UTF-8."""
        where = self.site.pointer if keyword is None else f"{self.site.pointer}/{keyword}"
        return data.check_key(key, where)

    def schemas(self, keyword: str, value: Any) -> list[Goal]:
        if not isinstance(value, list) or not value:
            raise self.invalid(keyword, "a non-empty array of schemas")
        return [self.goal(item, keyword, str(i)) for i, item in enumerate(value)]

    def mapping(self, keyword: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.invalid(keyword, "an object")
        for key in value:
            self.text(keyword, key)
        return value

    def keys(self, keyword: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(key, str) for key in value):
            raise self.invalid(keyword, "an array of strings")
        return tuple(dict.fromkeys(self.text(keyword, key) for key in value))

    def pattern(self, keyword: str, pattern: Any, *tokens: str) -> int | None:
        """The node of a regular expression, or None if it cannot be exact (and that was noted)."""
        if not isinstance(pattern, str):
            raise self.invalid(keyword, "a regular expression")
        known = self.algebra.patterns
        if pattern not in known:
            from frisket.notations.regex import lower_regex

            try:
                known[pattern] = lower_regex(self.algebra.builder, pattern, dialect="ecma", search=True)
            except GrammarSyntaxError as error:
                where = "/".join([self.site.pointer, keyword, *tokens])
                from frisket.notations.regex import is_ecma_regex

                if not is_ecma_regex(pattern):
                    raise InvalidSchemaError(
                        f"not a regular expression: {error.message}",
                        where=where,
                        hint=error.hint or "patterns are read as JavaScript reads them",
                    ) from error
                self.algebra.unsupported(where, keyword, f"{error.message}; any text could slip through")
                known[pattern] = None
            except FrisketError as error:
                # Who cancels, or has no more time, is not told of a pattern that cannot be exact.
                self.algebra.builder.check()
                where = "/".join([self.site.pointer, keyword, *tokens])
                self.algebra.unsupported(where, keyword, f"{error.message}; any text could slip through")
                known[pattern] = None
        node = known[pattern]
        if node is None:
            where = "/".join([self.site.pointer, keyword, *tokens])
            if not any(place == where for place, _ in self.algebra.places):
                self.algebra.unsupported(where, keyword, f"the pattern {pattern!r} cannot be exact")
        return node
