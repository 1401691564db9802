"""format and content* → conditions on texts (and numbers), where the options assert what they mean."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from frisket.lint.resolve import DRAFT4, DRAFT6, DRAFT7, DRAFT2019, DRAFT2020
from tests.oracle.json_schema import interval, string
from tests.oracle.json_schema.formats.openapi import BASE64

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.json_schema.options import JSONSchemaOptions
    from tests.oracle.json_schema.formats import Format
    from tests.oracle.json_schema.reader import Reader

#: Drafts as the formats name them.
DRAFT_NAMES = {DRAFT4: "4", DRAFT6: "6", DRAFT7: "7", DRAFT2019: "2019-09", DRAFT2020: "2020-12"}


def read_format(reader: Reader, value: Any) -> None:
    if not isinstance(value, str):
        raise reader.invalid("format", "a string")
    mode = reader.algebra.options.formats
    if mode == "annotate":
        return
    from tests.oracle.json_schema.formats import find_format, numeric_format

    wide = mode in ("openapi", "python")
    limits = numeric_format(value, openapi=wide)
    if limits is not None:
        least, most = limits
        reader.numbers += [
            interval.AtLeast(interval.exact(least), False),
            interval.AtMost(interval.exact(most), False),
        ]
        if isinstance(least, int):
            reader.numbers.append(interval.Multiple(Fraction(1), True))
        return
    known = reader.algebra.formats
    key = (value, reader.draft)
    if key not in known:
        draft = DRAFT_NAMES[reader.draft]
        found = find_format(value, draft=draft, openapi=wide)
        if found is None:
            known[key] = None
        elif found.nested is not None and found.check is not None:
            known[key] = string.Nested(f"format {value}", found.nested, found.check, True)
        elif found.node is None:
            known[key] = None
            where = f"{reader.site.pointer}/format"
            reader.algebra.unsupported(where, "format", f"{value}: {found.reason}; any text could slip through")
        else:
            known[key] = string.Matches(
                found.node(reader.algebra.builder, mode == "python"),
                True,
                written_node(reader.algebra.options, reader.algebra.builder, found),
                found.bound(reader.algebra.builder, mode == "python"),
                found.check,
            )
        if found is not None and known[key] is not None and not found.exact:
            reader.algebra.inexact(f"{reader.site.pointer}/format", "format", value, found)
    matches = known[key]
    if matches is not None:
        reader.strings.append(matches)


def written_node(options: JSONSchemaOptions, builder: GrammarBuilder, known: Format) -> int | None:
    """The node of a format's texts that are written, if these are not all."""
    if known.written is None:
        return None
    return known.written(builder, options)


def read_content_encoding(reader: Reader, value: Any) -> None:
    """Draft 7 asserts contents; later drafts annotate them."""
    if value == "base64" and reader.algebra.options.formats != "annotate":
        if "(base64)" not in reader.algebra.patterns:
            from frisket.notations.regex import lower_regex

            reader.algebra.patterns["(base64)"] = lower_regex(reader.algebra.builder, BASE64, dialect="ecma")
        node = reader.algebra.patterns["(base64)"]
        if node is not None:
            reader.strings.append(string.Matches(node, True))


def read_content_media_type(reader: Reader, value: Any) -> None:
    if value == "application/json" and reader.algebra.options.formats != "annotate":
        if "contentEncoding" not in reader.schema:
            from tests.oracle.json_schema.formats.content import is_json, json_node

            reader.strings.append(string.Nested("contentMediaType", json_node, is_json, True))
            return
        where = f"{reader.site.pointer}/contentMediaType"
        reader.algebra.unsupported(
            where, "contentMediaType", "JSON inside an encoded string is not enforced; any text slips through"
        )
