"""Schema × document → what two independent validators say, and why where they differ.

Both judges read numbers as they are written (Decimal): a judge that rounds to doubles would call right documents wrong.
Both read patterns as the specification wants them, as ECMA 262 does, by `ecma` and `rust`. What is left are formats,
which the two judges read differently; a document that one of them refuses is judged again by that one with the other's
opinion of a format in place of its own. If that is the whole difference, it counts as `explained` under the format's
name; so does what jsonschema refuses as 2019-09 and accepts as 2020-12 where both say the same. In every other case the
document is wrong. `uuid` and `duration` count in the drafts before them too, and the integer formats of OpenAPI's
registry in all, as frisket has it.
"""

from __future__ import annotations

import contextlib
import decimal
import importlib
import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache
from typing import Any

import jsonschema
import jsonschema_rs

# Exact for every numeral that the default options let through: 40 digits on both sides and exponents below 1,000.
CONTEXT = decimal.Context(prec=2500, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
DRAFTS = {
    "http://json-schema.org/draft-04/schema": jsonschema.Draft4Validator,
    "http://json-schema.org/draft-06/schema": jsonschema.Draft6Validator,
    "http://json-schema.org/draft-07/schema": jsonschema.Draft7Validator,
    "https://json-schema.org/draft/2019-09/schema": jsonschema.Draft201909Validator,
    "https://json-schema.org/draft/2020-12/schema": jsonschema.Draft202012Validator,
}

#: Formats that came after the draft that a schema names: known, and asserted, all the same.
LATER = ("uuid", "duration")
NEWEST = "https://json-schema.org/draft/2020-12/schema"
#: Keywords whose values are no schemas.
DATA = ("const", "enum", "default", "examples")
#: What says something else in 2020-12 than in 2019-09; a schema without these means the same in both.
CHANGED = {"items", "additionalItems", "$recursiveRef", "$recursiveAnchor", "$dynamicRef"}


def _read_decimals(cls: Any) -> None:
    """Decimals are numbers, and whole ones integers (not in draft 4), wherever a draft's validator is used.

    A class of our own would not do: jsonschema goes on with its own one where a `$ref` leads to another draft.
    """

    def number(_: Any, value: Any) -> bool:
        return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)

    def integer(_: Any, value: Any) -> bool:
        if isinstance(value, Decimal):
            return cls is not jsonschema.Draft4Validator and value == value.to_integral_value()
        if isinstance(value, float):
            return cls is not jsonschema.Draft4Validator and value.is_integer()
        return isinstance(value, int) and not isinstance(value, bool)

    def multiple(_: Any, divisor: Any, instance: Any, schema: Any) -> Iterator[Any]:
        if number(_, instance) and Decimal(instance) % Decimal(divisor):
            yield jsonschema.ValidationError(f"{instance} is not a multiple of {divisor}")

    cls.TYPE_CHECKER = cls.TYPE_CHECKER.redefine_many({"number": number, "integer": integer})
    cls.VALIDATORS["multipleOf"] = multiple


for _class in DRAFTS.values():
    _read_decimals(_class)

# jsonschema asks the module `re`; its drop-in `regex` also knows \p{…}, as ECMA does under `u`.
with contextlib.suppress(ImportError):
    for _name in ("jsonschema._keywords", "jsonschema._utils", "jsonschema._legacy_keywords"):
        importlib.import_module(_name).re = importlib.import_module("regex")


def with_integer_formats(schema: Any, *, is_old: bool) -> Any:
    """The schema with the integer formats of OpenAPI's registry as bounds: the judges know no format of numbers.

    `is_old`: whether nothing counts beside `$ref`, as it is up to draft 7.
    """
    if isinstance(schema, list):
        return [with_integer_formats(part, is_old=is_old) for part in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {key: part if key in DATA else with_integer_formats(part, is_old=is_old) for key, part in schema.items()}
    name = schema.get("format")
    found = re.fullmatch(r"(u?)int(8|16|32|64)", name) if isinstance(name, str) else None
    if found is not None and not (is_old and "$ref" in schema) and isinstance(schema.get("allOf", []), list):
        bits = int(found[2]) - (not found[1])
        bounds = {"minimum": 0 if found[1] else -(1 << bits), "maximum": (1 << bits) - 1, "multipleOf": 1}
        copy["allOf"] = [*copy.get("allOf", []), {"anyOf": [{"not": {"type": "number"}}, bounds]}]
    return copy


class NoJudge(Exception):
    """A validator does not take the schema, or cannot answer."""


class Judges:
    """jsonschema-rs and the Python jsonschema for one schema."""

    def __init__(self, schema: Any, *, formats: bool = True, registry: Any = None) -> None:
        uri = schema.get("$schema", "") if isinstance(schema, dict) else ""
        self.uri = uri.rstrip("#") if uri.rstrip("#") in DRAFTS else "https://json-schema.org/draft/2020-12/schema"
        is_old = not self.uri.endswith(("2019-09/schema", "2020-12/schema"))
        schema = with_integer_formats(schema, is_old=is_old) if formats else schema
        self._exact = json.loads(json.dumps(schema), parse_float=Decimal)
        self._formats = formats
        self._registry = registry
        self._rust = self._rust_judge({})
        self._python = self._python_judge({})

    def wrong(self, text: bytes) -> tuple[str, list[str]]:
        """What is wrong with a document ("" if nothing), and the disagreements of the judges that were explained."""
        try:
            document = read(text)
        except ValueError as error:
            return str(error), []
        with decimal.localcontext(CONTEXT):
            problems = {
                "jsonschema-rs": self._ask(self._rust, document),
                "jsonschema": self._ask(self._python, document),
            }
            explained = []
            for name, problem in problems.items():
                if problem:
                    reason = self._explain(name, document)
                    if reason is None:
                        return f"{name}: {problem}", explained
                    explained.append(reason)
        return "", explained

    def refused_by_all(self, text: bytes) -> bool:
        """Whether both judges refuse a document, whatever each thinks of formats."""
        with decimal.localcontext(CONTEXT):
            document = read(text)
            return bool(self._ask(self._rust, document) and self._ask(self._python, document))

    def accepts(self, text: bytes) -> bool:
        """Whether jsonschema-rs, the quicker one, accepts a document."""
        with decimal.localcontext(CONTEXT):
            return not self._ask(self._rust, read(text))

    def _ask(self, judge: Any, document: Any) -> str:
        try:
            if judge.is_valid(document):
                return ""
            return str(next(iter(judge.iter_errors(document))).message)[:300] or "invalid"
        except RecursionError as error:
            raise NoJudge("RecursionError") from error
        except Exception as error:
            raise NoJudge(f"{type(error).__name__}: {str(error)[:200]}") from error

    def _explain(self, name: str, document: Any) -> str | None:
        """The formats that are the whole reason why one judge refuses, in the other's opinion; None if they are not."""
        names = sorted(_format_names(self._exact)) if self._formats else []
        for formats in [*([one] for one in names), names]:
            if name == "jsonschema-rs":
                judge = self._rust_judge({one: _python_format(one, self._knows(one)) for one in formats})
            else:
                judge = self._python_judge({one: _rust_format(one, self._knows(one)) for one in formats})
            if formats and not self._ask(judge, document):
                return f"{name} refuses the format {' '.join(formats)}"
        plain = _one_dialect(self._exact)
        # It must not stand where no resource begins (core 2020-12, 8.1.1); jsonschema changes the draft there.
        if name == "jsonschema" and plain != self._exact and not self._ask(self._python_judge({}, plain), document):
            return "jsonschema heeds a $schema where no resource begins"
        if name == "jsonschema" and self.uri.endswith("2019-09/schema") and not _mentions(self._exact, CHANGED):
            # Its 2019-09 takes the keywords of an `additionalProperties` for the members that it evaluates.
            newer = jsonschema.Draft202012Validator(python_patterns(self._exact), **self._keywords())
            if _mentions(self._exact, {"unevaluatedProperties"}) and not self._ask(newer, document):
                return "jsonschema reads unevaluatedProperties in 2019-09 otherwise than in 2020-12"
        return None

    def _knows(self, name: str) -> str:
        """The draft whose opinion of a format counts."""
        return NEWEST if name in LATER else self.uri

    def _later(self, format_of: Callable[[str, str], Callable[[str], bool]]) -> dict[str, Callable[[str], bool]]:
        older = not self.uri.endswith(("2019-09/schema", "2020-12/schema"))
        return {name: format_of(name, NEWEST) for name in LATER} if older else {}

    def _rust_judge(self, formats: dict[str, Callable[[str], bool]]) -> Any:
        formats = {**self._later(_rust_format), **formats}
        registry = self._registry
        options: dict[str, Any] = {
            "formats": formats,
            "validate_formats": self._formats,
            "retriever": None if registry is None else lambda uri: registry.get_or_retrieve(uri).value.contents,
            "offline": registry is None,
        }
        try:
            return jsonschema_rs.validator_for(_respelled(self._exact, rust), **options)
        except Exception as error:
            raise NoJudge(f"jsonschema-rs: {type(error).__name__}: {str(error)[:200]}") from error

    def _python_judge(self, formats: dict[str, Callable[[str], bool]], schema: Any = None) -> Any:
        cls: Any = DRAFTS[self.uri]
        checker = None
        if self._formats:
            checker = jsonschema.FormatChecker(())
            checker.checkers = dict(cls.FORMAT_CHECKER.checkers)
            formats = {**self._later(_python_format), **formats}
            for name, accepts in formats.items():
                checker.checkers[name] = (lambda value, a=accepts: not isinstance(value, str) or a(value), ())
        schema = self._exact if schema is None else schema
        return cls(python_patterns(schema), format_checker=checker, **self._keywords())

    def _keywords(self) -> dict[str, Any]:
        return {} if self._registry is None else {"registry": self._registry}


def read(text: bytes) -> Any:
    """The document, every number as it is written; a ValueError if a key comes twice or it is no JSON."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a key comes twice")
        return found

    def constant(name: str) -> Any:
        raise ValueError(f"{name} is no JSON number")

    def decimal_of(spelled: str) -> Decimal:
        # Of a draft 4 that tells 1 and 1.0 apart, 1e0 is 1.0; as a Decimal it would be printed as 1.
        number = Decimal(spelled)
        return Decimal(f"{number}.0") if number.as_tuple().exponent == 0 else number

    return json.loads(text.decode(), parse_float=decimal_of, parse_constant=constant, object_pairs_hook=members)


def _one_dialect(schema: Any, *, root: bool = True) -> Any:
    """The schema without `$schema` where neither the document nor a resource begins."""
    if isinstance(schema, list):
        return [_one_dialect(item, root=False) for item in schema]
    if not isinstance(schema, dict):
        return schema
    begins = root or "$id" in schema or "id" in schema
    kept = {key: value for key, value in schema.items() if begins or key != "$schema" or not isinstance(value, str)}
    return {key: _one_dialect(value, root=False) for key, value in kept.items()}


def _mentions(schema: Any, keywords: set[str]) -> bool:
    if isinstance(schema, list):
        return any(_mentions(item, keywords) for item in schema)
    if not isinstance(schema, dict):
        return False
    return not keywords.isdisjoint(schema) or any(_mentions(value, keywords) for value in schema.values())


def _format_names(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return set().union(*map(_format_names, schema))
    if not isinstance(schema, dict):
        return set()
    own = schema.get("format")
    return set().union(*map(_format_names, schema.values()), {own} if isinstance(own, str) else ())


@cache
def _rust_format(name: str, uri: str) -> Callable[[str], bool]:
    judge = jsonschema_rs.validator_for({"$schema": uri, "format": name}, validate_formats=True)
    return lambda value: bool(judge.is_valid(value))


@cache
def _python_format(name: str, uri: str) -> Callable[[str], bool]:
    checker = DRAFTS[uri].FORMAT_CHECKER
    return lambda value: bool(checker.conforms(value, name))


def python_patterns(schema: Any) -> Any:
    """The schema with its patterns as Python's dialect spells them."""
    return _respelled(schema, ecma)


def _respelled(schema: Any, spell: Callable[[str], str]) -> Any:
    if isinstance(schema, list):
        return [_respelled(item, spell) for item in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {}
    for key, value in schema.items():
        if key == "pattern" and isinstance(value, str):
            changed[key] = spell(value)
        elif key == "patternProperties" and isinstance(value, dict):
            changed[key] = {spell(pattern): _respelled(inner, spell) for pattern, inner in value.items()}
        elif key in ("enum", "const", "default", "examples"):
            changed[key] = value
        else:
            changed[key] = _respelled(value, spell)
    return changed


_PART = re.compile(r"\\[pPu]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|[\]{}]|.", re.DOTALL)


@cache
def rust(pattern: str) -> str:
    """A pattern of ECMA 262 as jsonschema-rs reads it: `.` is all but `\\n` there, no bracket stands alone.

    Such a bracket means itself (annex B.1.2).
    """
    spelled = {"]": r"\]", "{": r"\{", "}": r"\}", ".": r"[^\n\r\u2028\u2029]"}
    return "".join(spelled.get(atom, atom) for atom in _PART.findall(pattern))


_SPACES = "\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"
_INSIDE = {"d": "0-9", "w": "A-Za-z0-9_", "s": _SPACES}
_ATOM = re.compile(r"\\c[A-Za-z]|\\.|\[\^?|\]|\$|\.|\(\?<(?![=!])|.", re.DOTALL)


@cache
def ecma(pattern: str) -> str:
    """A pattern of ECMA 262 (with `u`) as Python's `re` and `regex` read it: `$` is the end, `\\d` is ASCII."""
    written = []
    inside = False
    for atom in _ATOM.findall(pattern):
        escape = atom[1:] if atom[0] == "\\" else ""
        if escape in _INSIDE:
            written.append(_INSIDE[escape] if inside else f"[{_INSIDE[escape]}]")
        elif escape.lower() in _INSIDE and not inside:
            written.append(f"[^{_INSIDE[escape.lower()]}]")
        elif escape == "/":
            written.append("/")
        elif escape[:1] == "c" and len(escape) == 2:
            written.append(f"\\x{ord(escape[1]) % 32:02x}")
        elif inside:
            written.append("\\[" if atom in ("[", "[^") else atom)
            if atom == "[^":
                written.append("^")
            inside = atom != "]"
        elif atom in ("[", "[^"):
            inside = True
            written.append(atom)
        elif atom == "$":
            written.append(r"\Z")
        elif atom == ".":
            written.append(r"[^\n\r\u2028\u2029]")
        elif atom == "(?<":
            written.append("(?P<")
        else:
            written.append(atom)
    return "".join(written).replace("[^]", r"[\s\S]")
