"""Matcher → what may come next, as the small page that a notebook shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frisket.markup import figures, notebook, shown, table
from frisket.token_name import token_name

if TYPE_CHECKING:
    from frisket._core import Matcher

#: A page lists at most so many tokens, those with the smallest ids.
MOST = 40


def mask_page(matcher: Matcher) -> str:
    """The value of `Matcher._repr_html_`.

    >>> from frisket import Grammar, Vocabulary
    >>> letters = Vocabulary.from_bytes([b"a", b"b", None], eos=[2])
    >>> page = mask_page(Grammar.from_choices(["a", "b"]).compile(letters).matcher())
    >>> "2 of 3 tokens may come next" in page
    True
    """
    vocabulary, allowed = matcher.compiled.vocabulary, matcher.allowed()
    end = "may end here" if matcher.can_end else "cannot end here"
    line = f"{len(allowed):,} of {vocabulary.size:,} tokens may come next after {_steps(matcher.steps)}; the text {end}"
    rows = [
        [*figures(f"{token}"), f"<td><code>{shown(_written(matcher, token))}</code></td>"] for token in allowed[:MOST]
    ]
    more = f"<p>and {len(allowed) - MOST:,} more</p>" if len(allowed) > MOST else ""
    return notebook(f"<p>{shown(line)}</p>", table("Tokens that may come next", [], ["id"], ["token"], rows), more)


def _steps(steps: int) -> str:
    return f"{steps:,} step{'' if steps == 1 else 's'}"


def _written(matcher: Matcher, token: int) -> str:
    data = matcher.compiled.vocabulary.token(token)
    if data is None:
        return token_name(matcher.compiled.vocabulary, token) or "the end of the text"
    return data.decode("utf-8", "backslashreplace")
