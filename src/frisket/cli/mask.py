"""`frisket mask`: schema × prefix → which tokens may come next."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from frisket.cli import option, source
from frisket.errors import VocabularyError

if TYPE_CHECKING:
    from frisket.matcher import Matcher
    from frisket.vocabulary import Vocabulary

EXAMPLES = """[dim]$[/dim] frisket mask schema.json --prefix '{"size": "'

[dim]$[/dim] frisket mask --regex '\\[a-z]+@\\[a-z]+' --prefix ada --vocabulary tokenizer.json

[dim]$[/dim] frisket mask --choices yes,no --json
"""


def command(
    schema: Annotated[
        str | None, typer.Argument(metavar="SCHEMA", help="A file, - for stdin, or the JSON itself.")
    ] = None,
    prefix: Annotated[str, typer.Option("--prefix", metavar="TEXT", help="What has been written so far.")] = "",
    tp: option.Type = None,
    regex: option.Regex = None,
    choices: option.Choices = None,
    vocabulary: option.Vocabulary = None,
    most: Annotated[int, typer.Option("--most", min=1, help="Show so many tokens of each kind.")] = 24,
    as_json: option.Json = False,
) -> None:
    """Show which tokens may come next after a prefix, by kind."""
    grammar = source.grammar(schema=schema, tp=tp, regex=regex, choices=choices)
    compiled = grammar.compile(source.vocabulary(vocabulary))
    matcher = compiled.matcher()
    if prefix:
        matcher.advance_bytes(_given(prefix))
    if not (matcher.can_end or matcher.allowed()):
        raise VocabularyError(
            "no token of the vocabulary can come next",
            where=f"after {quoted(_given(prefix))}",
            hint="use a vocabulary with a token for every byte, or allow other text here",
        )
    if as_json:
        print(json.dumps(_described(matcher, compiled.vocabulary, prefix), ensure_ascii=False))
    else:
        _show(matcher, compiled.vocabulary, prefix, most)


def _described(matcher: Matcher, vocabulary: Vocabulary, prefix: str) -> dict[str, Any]:
    return {
        "prefix": _given(prefix).decode("utf-8", "replace"),
        "can_end": matcher.can_end,
        "forced": matcher.forced_bytes().decode("utf-8", "replace"),
        "size": vocabulary.size,
        "tokens": [_token(vocabulary, token) for token in matcher.allowed()],
    }


def _show(matcher: Matcher, vocabulary: Vocabulary, prefix: str, most: int) -> None:
    console = Console(highlight=False)
    tokens = matcher.allowed()
    kinds: dict[str, list[int]] = {name: [] for name in KINDS}
    for token in tokens:
        kinds[kind(vocabulary, token)].append(token)
    end = "the text may end here" if matcher.can_end else "the text cannot end here"
    console.print(f"after  {quoted(_given(prefix))}", markup=False, soft_wrap=True)
    console.print(f"next   {len(tokens):,} of {vocabulary.size:,} tokens; {end}", markup=False)
    if forced := matcher.forced_bytes():
        console.print(f"forced {quoted(forced)}", markup=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(justify="right", style="dim")
    table.add_column(overflow="fold")
    for name, members in kinds.items():
        if members:
            members.sort(key=lambda token: (len(vocabulary.token(token) or b""), token))
            more = f" … {len(members) - most:,} more" if len(members) > most else ""
            shown = " ".join(text(vocabulary, token) for token in members[:most])
            table.add_row(name, f"{len(members):,}", _escaped(shown + more))
    console.print(table)


KINDS = ("end", "special", "white space", "punctuation", "digits", "letters", "mixed", "part of a character")


def kind(vocabulary: Vocabulary, token: int) -> str:
    """What sort of text a token writes, white space before it aside."""
    data = vocabulary.token(token)
    if token in vocabulary.eos:
        return "end"
    if data is None:
        return "special"
    try:
        written = data.decode()
    except UnicodeDecodeError:
        return "part of a character"
    core = written.strip()
    if not core:
        return "white space"
    if core.isalpha():
        return "letters"
    if core.isdigit():
        return "digits"
    return "mixed" if any(character.isalnum() for character in core) else "punctuation"


def text(vocabulary: Vocabulary, token: int) -> str:
    """A token as a person can read it: its text in quotes, or the name of a special token without."""
    data = vocabulary.token(token)
    if data is None:
        return next((name for name, number in vocabulary.special.items() if number == token), f"<{token}>")
    return quoted(data)


def quoted(data: bytes) -> str:
    """Text in quotes, control characters escaped, as Python writes it; bytes that are no text with a b before."""
    try:
        return repr(data.decode())
    except UnicodeDecodeError:
        return repr(data)


def _token(vocabulary: Vocabulary, token: int) -> dict[str, Any]:
    data = vocabulary.token(token)
    described = {"id": token, "kind": kind(vocabulary, token), "text": None if data is None else _decoded(data)}
    if data is not None and described["text"] is None:
        described["hex"] = data.hex()
    return described


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _given(prefix: str) -> bytes:
    """The bytes that were typed, even where they are not UTF-8: half a character is a good prefix."""
    return prefix.encode("utf-8", "surrogateescape")


def _escaped(shown: str) -> str:
    return shown.replace("[", "\\[")
