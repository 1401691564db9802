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
        b = builder
        if options.whitespace in ("bounded", "free"):
            blanks = b.byte_class([(0x20, 0x20), (0x09, 0x09)])
            if options.whitespace == "free":
                gap = b.repeat(b.byte_class([(0x09, 0x0A), (0x0D, 0x0D), (0x20, 0x20)]), 0)
            else:
                line = b.cat([b.alt([b.literal(b"\n"), b.literal(b"\r\n")]), b.repeat(blanks, 0, 40)])
                gap = b.alt([b.repeat(b.literal(b" "), 0, 2), line])
            self.open_object = b.cat([b.literal(b"{"), gap])
            self.close_object = b.cat([gap, b.literal(b"}")])
            self.empty_object = b.cat([b.literal(b"{"), gap, b.literal(b"}")])
            self.open_array = b.cat([b.literal(b"["), gap])
            self.close_array = b.cat([gap, b.literal(b"]")])
            self.empty_array = b.cat([b.literal(b"["), gap, b.literal(b"]")])
            self.colon = b.cat([gap, b.literal(b":"), gap])
            self.comma = b.cat([gap, b.literal(b","), gap])
            return
        inner = outer = colon = comma = b""
        if options.whitespace == "pretty":
            colon, comma = b" ", b" "
            if depth < PRETTY_LEVELS:
                inner = comma = b"\n" + b" " * (options.indent * (depth + 1))
                outer = b"\n" + b" " * (options.indent * depth)
        self.open_object = b.literal(b"{" + inner)
        self.close_object = b.literal(outer + b"}")
        self.empty_object = b.literal(b"{}")
        self.open_array = b.literal(b"[" + inner)
        self.close_array = b.literal(outer + b"]")
        self.empty_array = b.literal(b"[]")
        self.colon = b.literal(b":" + colon)
        self.comma = b.literal(b"," + comma)


def with_margins(builder: GrammarBuilder, options: JSONSchemaOptions, node: int) -> int:
    """A document and the white space around it."""
    outside = margins(builder, options)
    return node if outside is None else builder.seq([outside[0], node, outside[1]])


def margins(builder: GrammarBuilder, options: JSONSchemaOptions) -> tuple[int, int] | None:
    """The white space before and after a document, if there may be any."""
    if options.whitespace == "free":
        gap = builder.repeat(builder.byte_class([(0x09, 0x0A), (0x0D, 0x0D), (0x20, 0x20)]), 0)
        return gap, gap
    if options.leading_space:
        return builder.alt([builder.epsilon(), builder.literal(b" ")]), builder.epsilon()
    return None
