"""Options → punctuation with its white space, level by level."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder
    from frisket.json_schema.options import JSONSchemaOptions

#: Levels that `pretty` indents; below, documents go on in one line.
PRETTY_LEVELS = 24


class Layout:
    """The punctuation of one level, with its white space."""

    __slots__ = (
        "close_array",
        "close_object",
        "colon",
        "comma",
        "empty_array",
        "empty_object",
        "open_array",
        "open_object",
    )

    def __init__(self, builder: GrammarBuilder, options: JSONSchemaOptions, depth: int) -> None:
        b, pretty = builder, options.whitespace == "pretty"
        if options.whitespace in ("bounded", "free") and options.separators is None:
            gap = _free_gap(b, options) if options.whitespace == "free" else _bounded_gap(b, options)
            self.open_object = b.cat([b.literal(b"{"), gap])
            self.close_object = b.cat([gap, b.literal(b"}")])
            self.empty_object = b.cat([b.literal(b"{"), gap, b.literal(b"}")])
            self.open_array = b.cat([b.literal(b"["), gap])
            self.close_array = b.cat([gap, b.literal(b"]")])
            self.empty_array = b.cat([b.literal(b"["), gap, b.literal(b"]")])
            self.colon = b.cat([gap, b.literal(b":"), gap])
            self.comma = b.cat([gap, b.literal(b","), gap])
            return
        item, colon = (one.encode() for one in options.separators or (",", ": " if pretty else ":"))
        inner = outer = b""
        if pretty and depth < PRETTY_LEVELS:
            inner = b"\n" + b" " * (options.indent * (depth + 1))
            outer = b"\n" + b" " * (options.indent * depth)
        elif pretty and options.separators is None:
            item = b", "
        self.open_object = b.literal(b"{" + inner)
        self.close_object = b.literal(outer + b"}")
        self.empty_object = b.literal(b"{}")
        self.open_array = b.literal(b"[" + inner)
        self.close_array = b.literal(outer + b"]")
        self.empty_array = b.literal(b"[]")
        self.colon = b.literal(colon)
        self.comma = b.literal(item + inner)


def with_margins(builder: GrammarBuilder, options: JSONSchemaOptions, node: int) -> int:
    """A document and the white space around it."""
    outside = margins(builder, options)
    return node if outside is None else builder.seq([outside[0], node, outside[1]])


def margins(builder: GrammarBuilder, options: JSONSchemaOptions) -> tuple[int, int] | None:
    """The white space before and after a document, if there may be any."""
    if options.whitespace == "free":
        gap = _free_gap(builder, options)
        return gap, gap
    if options.leading_space:
        return builder.alt([builder.epsilon(), builder.literal(b" ")]), builder.epsilon()
    return None


def _free_gap(b: GrammarBuilder, options: JSONSchemaOptions) -> int:
    return b.repeat(b.byte_class([(0x09, 0x0A), (0x0D, 0x0D), (0x20, 0x20)]), 0, options.max_whitespace)


def _bounded_gap(b: GrammarBuilder, options: JSONSchemaOptions) -> int:
    """At most two blanks, or a line break with up to 40 blanks or tabs; no more characters than the options say."""
    most = 42 if options.max_whitespace is None else options.max_whitespace
    spaces, blanks = b.repeat(b.literal(b" "), 0, min(2, most)), b.byte_class([(0x20, 0x20), (0x09, 0x09)])
    if most == 42:
        ends = b.alt([b.literal(b"\n"), b.literal(b"\r\n")])
        return b.alt([spaces, b.cat([ends, b.repeat(blanks, 0, 40)])])
    lines = [
        b.cat([b.literal(end), b.repeat(blanks, 0, min(40, most - len(end)))])
        for end in (b"\n", b"\r\n")
        if len(end) <= most
    ]
    return b.alt([spaces, *lines])
