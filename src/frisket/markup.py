"""Text → escaped HTML; rows → a table; parts of a page → the fragment that a notebook shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

#: Control character → its symbol, except line feed and tab.
PICTURES = {code: 0x2400 + code for code in range(32) if code not in (9, 10)} | {127: 0x2421}
ROOT = "(root)"

#: `--h1` to `--h5` are the levels of `heat.LEVELS`; in both themes, text has a contrast of 7 : 1 on them.
PALETTE = """
:root { color-scheme: light dark; --text: #1b1b1b; --paper: #ffffff; --quiet: #5a5a5a; --line: #c9c9c9;
  --h1: #fff3c4; --h2: #ffe08a; --h3: #ffc078; --h4: #ff9d84; --h5: #f58ba8; }
@media (prefers-color-scheme: dark) { :root { --text: #ececec; --paper: #161616; --quiet: #b0b0b0; --line: #4a4a4a;
  --h1: #3d3716; --h2: #574a0f; --h3: #6b3f10; --h4: #7c2f1d; --h5: #7d1f45; } }
"""

#: Marks in a text: levels of pressure, overruled tokens, steps with unknown pressure.
MARKS = """.h1 { background: var(--h1); } .h2 { background: var(--h2); } .h3 { background: var(--h3); }
.h4 { background: var(--h4); } .h5 { background: var(--h5); }
.overruled { text-decoration: underline wavy; text-underline-offset: .2em; }
.unknown { border: 1px dashed var(--quiet); }
.quiet { color: var(--quiet); }
"""
#: Rules nested in `.frisket`, so that they affect nothing else. They set colours, since a notebook has its own theme.
STYLE = (
    ".frisket { color: var(--text); background: var(--paper); padding: .5rem;\n"
    + PALETTE.replace(":root", "&")
    + MARKS
    + """
pre { white-space: pre-wrap; overflow-wrap: anywhere; color: inherit; background: inherit; }
table { color: var(--text); border-spacing: .6rem 0; }
caption, th, td { text-align: left; vertical-align: top; color: inherit; background: inherit; }
caption { white-space: nowrap; }
th { font-weight: normal; } thead th { font-weight: bold; } .figure { text-align: right; }
}"""
)


def shown(text: str) -> str:
    """Any text, escaped for HTML content and attributes.

    >>> shown('<b title="x">\\x00')
    '&lt;b title=&quot;x&quot;&gt;␀'
    """
    return escape(text.encode("utf-8", "replace").decode().translate(PICTURES))


def table(
    caption: str, first: Sequence[str], figures: Sequence[str], last: Sequence[str], rows: Iterable[Sequence[str]]
) -> str:
    """A table whose columns are texts, then figures, then texts."""
    heads = [f'<th scope="col">{head}</th>' for head in first]
    heads += [f'<th scope="col" class="figure">{head}</th>' for head in figures]
    heads += [f'<th scope="col">{head}</th>' for head in last]
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    head = f"<thead><tr>{''.join(heads)}</tr></thead>"
    return f"<table><caption>{escape(caption)}</caption>{head}<tbody>{body}</tbody></table>"


def figures(*figures: str) -> list[str]:
    return [f'<td class="figure">{escape(figure)}</td>' for figure in figures]


def notebook(*parts: str) -> str:
    """The result of `_repr_html_`: the parts, with a style that affects nothing else on the notebook's page.

    It contains no script. All text in `parts` must be escaped, since it comes from a model or from a stranger's schema.
    """
    return f'<div class="frisket"><style>{STYLE}</style>{"".join(parts)}</div>'
