"""The caller's options for the text, beyond what the schema says of the value."""

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
    """How the documents of a schema are spelled; each field says in one sentence what it does to the language.

    The defaults give texts that a model writes by habit and cannot loop in; `JSONSchemaOptions.free()` gives every
    JSON text with unique keys that the schema validates, up to the digits that `max_*` allow.

        >>> JSONSchemaOptions(property_order="any").property_order
        'any'
    """

    property_order: Literal["schema", "declared", "any"] = "schema"
    """`declared`: what one `properties` names comes in that order, unless its `required` says otherwise (then in any),
    keys that nothing names come last, and names that begin with `$` wherever; `schema`: so too, but the document's own
    `$schema` and `$id` may come among the named ones even where nothing names them, and all come in any order if the
    names of the whole schema are in alphabetical order and too many for chance (10 in one object, say: a tool sorted
    them, and what its author meant is lost); `any`: in every order."""

    closed_objects: bool = False
    """Whether an object whose schema lists members (`properties`, `patternProperties`) and says nothing of others
    (`additionalProperties`, `unevaluatedProperties`, `propertyNames`) has no others, so that a model invents none. What
    is listed by all places that hold of an object counts together, and so do required names."""

    whitespace: Literal["bounded", "compact", "pretty", "free"] = "bounded"
    """`bounded`: around every bracket, comma and colon inside the document at most two blanks, or one line break with
    at most 40 blanks or tabs; `compact`: none; `pretty`: one member or item a line, `": "`, `indent` blanks a level;
    `free`: any, before and after the document too."""

    max_whitespace: int | None = None
    """Under `bounded` and `free`, at most so many characters of white space at one place; None: as these words say."""

    separators: tuple[str, str] | None = None
    """The text between items and between a key and its value, to the blank, as `json.dumps(separators=…)` takes it:
    `(", ", ": ")`. There is then no other white space but the lines of `pretty`; not together with `free`."""

    leading_space: bool = False
    """Whether one blank may come before the document. Tokenizers of SentencePiece (Llama 2) begin every text that they
    encode with one (`Vocabulary.prepends_space`), and their models may do so, too."""

    indent: int = 2
    """Blanks for each level under `pretty`; below 24 levels it writes `", "` on one line."""

    escapes: Literal["raw", "free"] = "raw"
    """`raw`: one spelling for each string, in UTF-8; `free`: every escape of RFC 8259."""

    escape_letters: str = ESCAPES
    """Under `raw`, the letters that may follow a backslash: characters that need another escape do not occur in texts
    and keys, other than those that the schema lists. Without `u`, say, no control character but tab and line breaks;
    JSON inside of strings keeps all."""

    numbers: Literal["plain", "free"] = "plain"
    """`plain`: integers as digits only; `free`: also as `1.0` and `1e2`, and multiples with an exponent (where bounds
    or multiples are asked for, an exponent beyond ±4 goes with one digit before the point; multiples of a number with
    large factors other than 2 and 5, and what is none of them, have none)."""

    max_integer_digits: int = 40
    """An unbounded number has at most so many digits before the point (a bound with more digits raises it), and so has
    each number of the format `duration` (at most 4 for Python's types; a text that the schema lists may have more)."""

    max_fraction_digits: int = 40
    """A number has at most about so many digits after the point (a bound or multiple with more digits raises it)."""

    max_exponent_digits: int = 3
    """An exponent has at most so many digits; 0 forbids exponents. 3 admits what a double holds: an exponent of three
    digits goes with one digit before the point, from e-324 to 1.7976931348623157e308: so
    `json.dumps` writes every float. 4 and more admit numbers that no double holds."""

    max_second_digits: int = 9
    """A second of the formats `time` and `date-time` has at most so many digits after the point, and at most 6 for
    Python's types (RFC 3339 allows any number; a text that the schema lists may have more)."""

    max_items: int | None = None
    """An array whose schema gives it no `maxItems` has at most so many items (more where it must have more)."""

    formats: Literal["assert", "annotate", "openapi", "python"] = "assert"
    """`assert`: JSON Schema's formats are enforced, in the drafts before them too, and of OpenAPI's those of integers
    (int32 …); `annotate`: none is; `openapi`: also all others of OpenAPI and Pydantic (byte, double …); `python`: as
    `openapi`, without what Python's own types cannot hold (leap seconds). The report lists those that are not."""

    nullable: bool = False
    """Whether OpenAPI 3.0's `nullable: true` adds null to `type`; the drafts ignore the word."""

    relaxed: bool = False
    """Whether what cannot be enforced exactly is left out, and reported, where the default refuses the schema."""

    forbidden_texts: tuple[str, ...] = ()
    """Texts that no string of a document holds, nor a key that the schema does not name: markers that would end the
    document for those who look for them before they read JSON, as tools for tool calls do."""

    escaped_texts: tuple[str, ...] = ()
    """Texts that stand in no string or key as they are: where one occurs, its first character is spelled `\\u00xx`, and
    only there. Each begins with a printable ASCII character other than a quote and a backslash. Values lose nothing by
    this, and a reader that looks for tags before it reads JSON sees none."""

    max_alternatives: int = 4000
    """How many alternatives one value may split into before LimitExceededError (overlapping oneOf, not, if). Ways of
    splitting that take 256 at most are tried first."""

    def __post_init__(self) -> None:
        for field in fields(self):
            name, value = field.name, getattr(self, field.name)
            if name in ("separators", "escape_letters") or (field.default is None and value is None):
                continue
            # By the default's type: an option that is new is checked, too.
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
        self._check_separators()
        self._check_escapes()
        odd = next((text for text in self.escaped_texts if not is_escapable(text)), None)
        if odd is not None:
            raise ValueError(
                f"an escaped text begins with printable ASCII, no quote or backslash; got {ascii(odd)[:60]}"
            )

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
        """The call that makes it: what is as by default is not shown."""
        said = [f"{name}={value!r}" for name, value in self.changes().items()]
        return f"JSONSchemaOptions({', '.join(said)})"

    def changes(self) -> dict[str, object]:
        """The fields that are not as by default.

        >>> JSONSchemaOptions(indent=4).changes()
        {'indent': 4}
        """
        values = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: value for name, (value, default) in values.items() if value != default}

    @classmethod
    def free(cls, **changes: object) -> JSONSchemaOptions:
        """Every spelling: any order, whitespace, escapes and numerals."""
        base = cls(property_order="any", whitespace="free", escapes="free", numbers="free", max_second_digits=40)
        return replace(base, **changes)  # type: ignore[arg-type]


def is_escapable(text: str) -> bool:
    """Whether an escape may replace the first character of a text in JSON, and nothing else would.

    >>> is_escapable("</call>"), is_escapable("")
    (True, False)
    """
    return " " <= text[:1] <= "~" and text[0] not in '"\\'


#: The values of each choice.
CHOICES: dict[str, tuple[str, ...]] = {
    "property_order": ("schema", "declared", "any"),
    "whitespace": ("bounded", "compact", "pretty", "free"),
    "escapes": ("raw", "free"),
    "numbers": ("plain", "free"),
    "formats": ("assert", "annotate", "openapi", "python"),
}
#: How large each number may be. Python converts 4,300 digits at most; no indented line needs a hundred blanks a level.
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

#: The options where nobody says otherwise.
DEFAULT = JSONSchemaOptions()


def own_slips() -> dict[str, str]:
    """What to write where an option is passed to a constructor of grammars itself, by whichever name."""
    own = {one.name: "write options=frisket.JSONSchemaOptions({name}={value})" for one in fields(JSONSchemaOptions)}
    return {name: f"in options=frisket.JSONSchemaOptions(…), {advice}" for name, advice in SLIPS.items()} | own
