"""Options for the spelling of documents: choices that a schema leaves open."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Literal

from frisket.argument_name import explain_fields

#: The letters of all escapes that `raw` writes.
ESCAPES = 'bfnrtu"\\'


#: Options as other libraries name them → what to write instead.
SLIPS = {
    "any_whitespace": 'write whitespace="free" for any and whitespace="compact" for none',
    "whitespace_flexible": 'write whitespace="free"',
    "whitespace_pattern": 'whitespace is "bounded", "compact", "pretty" or "free"',
    **dict.fromkeys(("compact", "pretty"), 'write whitespace="{name}"'),
    "max_whitespace_cnt": "write max_whitespace={value}",
    **dict.fromkeys(
        ("strict", "strict_mode", "additional_properties", "additionalProperties"),
        "closed_objects=True leaves out members that the schema does not list",
    ),
    **dict.fromkeys(("order", "any_order", "key_order"), 'property_order is "schema", "declared" or "any"'),
    **dict.fromkeys(("policy", "lenient"), "relaxed=True leaves out what cannot be enforced, and lists it"),
    **dict.fromkeys(("item_separator", "key_separator"), 'write separators=(", ", ": ")'),
}


@explain_fields(SLIPS)
@dataclass(frozen=True, repr=False)
class JSONSchemaOptions:
    """How the documents of a schema are spelled; each field says in one sentence how it changes the language.

    The defaults give the texts that models usually write, without endless loops. `JSONSchemaOptions.free()` gives every
    JSON text with unique keys that the schema validates, up to the digits that `max_*` allow.

        >>> JSONSchemaOptions(property_order="any").property_order
        'any'
    """

    property_order: Literal["schema", "declared", "any"] = "schema"
    """The order of an object's members. `declared`: the members that one `properties` names come in that order, or in
    any order if its `required` contradicts it. Members that nothing names come last, and names that begin with `$`
    anywhere. `schema`: the same, but the document's own `$schema` and `$id` may come anywhere, even if nothing names
    them. Members come in any order if all names of the schema are in alphabetical order and too many for chance (for
    example 10 in one object): then a tool has sorted them, and the author's order is lost. `any`: any order."""

    closed_objects: bool = False
    """Whether an object has no other members than its schema lists (`properties`, `patternProperties`), unless the
    schema has a keyword about others (`additionalProperties`, `unevaluatedProperties`, `propertyNames`). So a model
    invents no members. All subschemas that apply to the object count together, and required names count as listed."""

    whitespace: Literal["bounded", "compact", "pretty", "free"] = "bounded"
    """White space around brackets, commas and colons. `bounded`: at most two blanks, or one line break with at most 40
    blanks or tabs; `compact`: none; `pretty`: one member or item per line, `": "`, and `indent` blanks per level;
    `free`: any, also before and after the document."""

    max_whitespace: int | None = None
    """Under `bounded` and `free`: the most characters of white space at one place; None for no further limit."""

    separators: tuple[str, str] | None = None
    """The exact texts between items, and between key and value, as `json.dumps(separators=…)` takes them: `(", ", ":
    ")`. The only other white space then is that of `pretty`. Not allowed together with `free`."""

    leading_space: bool = False
    """Whether one blank may come before the document. SentencePiece tokenizers (Llama 2) write one before every text
    that they encode (`Vocabulary.prepends_space`), and their models may write it, too."""

    indent: int = 2
    """Blanks per level under `pretty`. Values more than 24 levels deep are written on one line, with `", "`."""

    escapes: Literal["raw", "free"] = "raw"
    """`raw`: each string has one spelling, in UTF-8; `free`: every escape of RFC 8259 is allowed."""

    escape_letters: str = ESCAPES
    """Under `raw`: the letters that may follow a backslash. Texts and keys cannot have characters that need another
    escape, unless the schema lists them. For example, without `u` the only control characters are those with a letter
    of their own, such as tab and line break. JSON inside strings keeps all escapes."""

    numbers: Literal["plain", "free"] = "plain"
    """`plain`: integers have only digits; `free`: also `1.0` and `1e2`, and multiples with an exponent. With bounds or
    multiples, an exponent beyond ±4 allows only one digit before the point. Multiples of a number with large factors
    other than 2 and 5, and numbers that must not be a multiple, have no exponent."""

    max_integer_digits: int = 40
    """The most digits before the point of a number without bounds (a bound with more digits raises it), and of each
    number in the format `duration` (at most 4 for Python's types; a text that the schema lists may have more)."""

    max_fraction_digits: int = 40
    """About the most digits after the point of a number (a bound or multiple with more digits raises it)."""

    max_exponent_digits: int = 3
    """The most digits of an exponent; 0 forbids exponents. 3 allows what a double can hold: a number with a three-digit
    exponent has one digit before the point, and is between e-324 and 1.7976931348623157e308. So it allows every
    float that `json.dumps` writes. 4 and more allow numbers that no double can hold."""

    max_second_digits: int = 9
    """The most digits after the point of a second, in the formats `time` and `date-time`. Python's types allow at most
    6. (RFC 3339 allows any number; a text that the schema lists may have more.)"""

    max_items: int | None = None
    """The most items of an array without `maxItems`; an array that needs more items may have more."""

    formats: Literal["assert", "annotate", "openapi", "python"] = "assert"
    """`assert`: the formats of JSON Schema are enforced, in older drafts, too, and of OpenAPI's formats those of
    integers (int32 …). `annotate`: none is enforced. `openapi`: all formats of OpenAPI and Pydantic are, too (byte,
    double …). `python`: as `openapi`, without values that Python's own types cannot hold (leap seconds). The report
    lists the formats that are not enforced."""

    nullable: bool = False
    """Whether OpenAPI 3.0's `nullable: true` adds null to `type`; JSON Schema itself ignores that keyword."""

    relaxed: bool = False
    """Whether keywords that cannot be enforced exactly are left out and reported; by default they refuse the schema."""

    forbidden_texts: tuple[str, ...] = ()
    """Texts that occur in no string of a document, and in no key that the schema does not name. For example, a program
    that looks for the markers of tool calls before it reads JSON would take such a text for the end of the document."""

    escaped_texts: tuple[str, ...] = ()
    """Texts that never occur literally in strings and keys: their first character is spelled `\\u00xx`, and only there.
    Each must begin with a printable ASCII character other than a quote and a backslash. All values stay possible, and a
    program that looks for tags before it reads JSON sees none."""

    max_alternatives: int = 4000
    """The most alternatives that one value may split into (overlapping oneOf, not, if) before LimitExceededError.
    Ways to split that need at most 256 are tried first."""

    def __post_init__(self) -> None:
        for field in fields(self):
            name, value = field.name, getattr(self, field.name)
            if name in ("separators", "escape_letters") or (field.default is None and value is None):
                continue
            # Checked by the type of the default, so that new options are checked, too.
            if isinstance(field.default, bool):
                if not isinstance(value, bool):
                    raise TypeError(f"{name} is a bool, got {type(value).__name__}")
            elif isinstance(field.default, int) or field.default is None:
                least, most = RANGES[name]
                if type(value) is not int:
                    raise TypeError(f"{name} is an int, got {type(value).__name__}")
                if not least <= value <= most:
                    raise ValueError(f"{name} is from {least:,} to {most:,}")
            elif isinstance(field.default, tuple):
                if not isinstance(value, tuple) or not all(isinstance(text, str) and text for text in value):
                    raise TypeError(f"{name} are a tuple of texts that are not empty, got {type(value).__name__}")
            elif not isinstance(value, str) or value not in CHOICES[name]:
                got = ascii(value)[:60] if isinstance(value, str) else type(value).__name__
                raise ValueError(f"{name} is one of {', '.join(CHOICES[name])}; got {got}")
        self._check_whitespace()
        self._check_separators()
        self._check_escapes()
        odd = next((text for text in self.escaped_texts if not is_escapable(text)), None)
        if odd is not None:
            raise ValueError(
                f"an escaped text begins with printable ASCII, no quote or backslash; got {ascii(odd)[:60]}"
            )

    def _check_whitespace(self) -> None:
        if self.max_whitespace is not None and self.whitespace in ("compact", "pretty"):
            raise ValueError(f'max_whitespace is for "bounded" and "free", and whitespace="{self.whitespace}" is exact')
        if self.indent != type(self).indent and self.whitespace != "pretty":
            raise ValueError(f'indent is for whitespace="pretty", and whitespace is "{self.whitespace}"')

    def _check_separators(self) -> None:
        pair = self.separators
        if pair is None:
            return
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(one, str) for one in pair)):
            raise TypeError('separators are two texts, as in (", ", ": ")')
        for one, mark in zip(pair, ",:", strict=True):
            if one.strip(" \t\n\r") != mark or len(one) > 100:
                raise ValueError(f"a separator is {mark!r} with white space beside it; got {ascii(one)[:60]}")
        if self.whitespace == "free":
            raise ValueError("separators are exact, whitespace is free: choose one of them")

    def _check_escapes(self) -> None:
        if not isinstance(self.escape_letters, str):
            raise TypeError(f"escape_letters is a str, got {type(self.escape_letters).__name__}")
        if odd := set(self.escape_letters) - set(ESCAPES):
            raise ValueError(f"escape_letters are of {ESCAPES}; got {min(odd)!a}")
        if self.escapes == "free" and set(self.escape_letters) != set(ESCAPES):
            raise ValueError('escape_letters choose among the escapes of `raw`; escapes="free" has them all')

    def __repr__(self) -> str:
        """The call that makes the object, with only those fields that differ from the default."""
        said = [f"{name}={value!r}" for name, value in self.changes().items()]
        return f"JSONSchemaOptions({', '.join(said)})"

    def changes(self) -> dict[str, object]:
        """The fields that differ from the default.

        >>> JSONSchemaOptions(whitespace="pretty", indent=4).changes()
        {'whitespace': 'pretty', 'indent': 4}
        """
        values = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: value for name, (value, default) in values.items() if value != default}

    @classmethod
    def free(cls, **changes: object) -> JSONSchemaOptions:
        """Every spelling: any order, white space, escapes and numerals."""
        base = cls(property_order="any", whitespace="free", escapes="free", numbers="free", max_second_digits=40)
        return replace(base, **changes)  # type: ignore[arg-type]


def is_escapable(text: str) -> bool:
    """Whether a JSON escape can replace the first character of a text, and leave the rest as it is.

    >>> is_escapable("</call>"), is_escapable("")
    (True, False)
    """
    return " " <= text[:1] <= "~" and text[0] not in '"\\'


#: The values of each option that is a choice.
CHOICES: dict[str, tuple[str, ...]] = {
    "property_order": ("schema", "declared", "any"),
    "whitespace": ("bounded", "compact", "pretty", "free"),
    "escapes": ("raw", "free"),
    "numbers": ("plain", "free"),
    "formats": ("assert", "annotate", "openapi", "python"),
}
#: Bounds of each number. Python converts at most 4,300 digits; no indented line needs a hundred blanks per level.
RANGES = {
    "indent": (0, 100),
    "max_integer_digits": (1, 2000),
    "max_fraction_digits": (0, 2000),
    "max_exponent_digits": (0, 9),
    "max_second_digits": (0, 2000),
    "max_whitespace": (0, 1000),
    "max_items": (0, 1 << 32),
    "max_alternatives": (1, 1 << 32),
}

#: The options of a caller that gives none.
DEFAULT = JSONSchemaOptions()


def own_slips() -> dict[str, str]:
    """What to write where an option is passed to a constructor of grammars itself, by whichever name."""
    own = {one.name: "write options=frisket.JSONSchemaOptions({name}={value})" for one in fields(JSONSchemaOptions)}
    return {name: f"in options=frisket.JSONSchemaOptions(…), {advice}" for name, advice in SLIPS.items()} | own
