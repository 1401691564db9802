"""`frisket mask`: schema × prefix → the tokens that may come next."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from frisket.cli import option, source
from frisket.errors import TokenRejectedError, VocabularyError
from frisket.token_name import token_name

if TYPE_CHECKING:
    from frisket.cli.likeliest import Likeliest
    from frisket.matcher import Matcher
    from frisket.vocabulary import Vocabulary

EXAMPLES = """[dim]$[/dim] frisket mask schema.json --prefix '{"size": "'

[dim]$[/dim] frisket mask --regex '\\[a-z]+@\\[a-z]+' --prefix ada --vocabulary tokenizer.json

[dim]$[/dim] frisket mask --choices yes,no --json

[dim]$[/dim] frisket mask schema.json --prefix '{"size": "' --top 10 --prompt "two large oat lattes"

[dim]$[/dim] frisket mask schema.json --prefix '{"size": "' --explain tiny
"""


def command(
    schema: Annotated[
        str | None, typer.Argument(metavar="SCHEMA", help="A file, - for stdin, or the JSON itself.")
    ] = None,
    prefix: Annotated[str, typer.Option("--prefix", metavar="TEXT", help="What has been written so far.")] = "",
    root: option.Root = None,
    others: option.With = None,
    tp: option.Type = None,
    regex: option.Regex = None,
    choices: option.Choices = None,
    rules: option.Grammar = None,
    vocabulary: option.Vocabulary = None,
    most: Annotated[int, typer.Option("--most", min=1, help="Show so many tokens of each kind.")] = 24,
    top: Annotated[
        int | None, typer.Option("--top", min=1, help="Show so many of the likeliest tokens under the model instead.")
    ] = None,
    prompt: Annotated[str, typer.Option("--prompt", metavar="TEXT", help="What the model is told, for --top.")] = "",
    model: option.Model = "embedded",
    asked_why: Annotated[
        str | None,
        typer.Option("--explain", metavar="TEXT", help="Say why this text may not come next, or that it may."),
    ] = None,
    as_json: option.Json = False,
) -> None:
    """Show which tokens may come next after a prefix, by kind or the likeliest under a model, or why one may not."""
    if top is None and (prompt or model != "embedded"):
        raise typer.BadParameter("--prompt and --model say what is likely: give --top, too")
    if top is not None and vocabulary is not None:
        raise typer.BadParameter("--top asks a model, which has a vocabulary of its own: leave --vocabulary out")
    if asked_why is not None and top is not None:
        raise typer.BadParameter("--explain and --top answer different questions: ask for one of them")
    grammar = source.grammar(
        schema=schema, tp=tp, regex=regex, choices=choices, rules=rules, bundle=source.bundled(root, others)
    )
    asked = None if top is None else source.model(model)
    compiled = grammar.compile(asked.vocabulary if asked is not None else source.vocabulary(vocabulary))
    matcher = compiled.matcher()
    if prefix:
        try:
            matcher.advance_bytes(_given(prefix))
        except TokenRejectedError as error:
            error.hint = (
                "without --prefix you see what may come at the beginning; --explain TEXT says what forbids a text"
            )
            raise
    if not (matcher.can_end or matcher.allowed()):
        raise VocabularyError(
            "no token of the vocabulary can come next",
            where=f"after {quoted(_given(prefix))}",
            hint="use a vocabulary with a token for every byte, or allow other text here",
        )
    if asked_why is not None:
        explanation = matcher.explain(_given(asked_why))
        print(json.dumps(explanation.as_dict(), ensure_ascii=False) if as_json else explanation)
        return
    best = None
    if asked is not None and top is not None:
        from frisket.cli.likeliest import likeliest

        best = likeliest(asked, prompt, _given(prefix).decode("utf-8", "ignore"), grammar, matcher, top)
    if as_json:
        described = _described(matcher, compiled.vocabulary, prefix)
        if best is not None:
            described["feasible"] = best.feasible
            described["tokens"] = [
                {**_token(compiled.vocabulary, token), "before": before, "after": after}
                for token, before, after in best.tokens
            ]
        print(json.dumps(described, ensure_ascii=False))
    elif best is not None:
        _show_likeliest(matcher, compiled.vocabulary, prefix, best)
    else:
        _show(matcher, compiled.vocabulary, prefix, most)


def _described(matcher: Matcher, vocabulary: Vocabulary, prefix: str) -> dict[str, Any]:
    return {
        "prefix": _given(prefix).decode("utf-8", "replace"),
        "path": matcher.path,
        "can_end": matcher.can_end,
        "forced": matcher.forced_bytes().decode("utf-8", "replace"),
        "size": vocabulary.size,
        "tokens": [_token(vocabulary, token) for token in matcher.allowed()],
    }


def _show_head(console: Console, matcher: Matcher, vocabulary: Vocabulary, prefix: str, tokens: list[int]) -> None:
    end = "the text may end here" if matcher.can_end else "the text cannot end here"
    console.print(f"after  {quoted(_given(prefix))}", markup=False, soft_wrap=True)
    if path := matcher.path:
        console.print(f"in     {path}", markup=False, soft_wrap=True)
    console.print(f"next   {len(tokens):,} of {vocabulary.size:,} tokens; {end}", markup=False)
    if forced := matcher.forced_bytes():
        console.print(f"forced {quoted(forced)}", markup=False, soft_wrap=True)


def _show_likeliest(matcher: Matcher, vocabulary: Vocabulary, prefix: str, best: Likeliest) -> None:
    console = Console(highlight=False)
    _show_head(console, matcher, vocabulary, prefix, matcher.allowed())
    console.print(f"model  gives all of them together {_percent(best.feasible)}", markup=False)
    table = Table("token", "id", "before", "after", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for token, before, after in best.tokens:
        table.add_row(_escaped(text(vocabulary, token)), str(token), _percent(before), _percent(after))
    console.print(table)


def _show(matcher: Matcher, vocabulary: Vocabulary, prefix: str, most: int) -> None:
    console = Console(highlight=False)
    tokens = matcher.allowed()
    kinds: dict[str, list[int]] = {name: [] for name in KINDS}
    for token in tokens:
        kinds[kind(vocabulary, token)].append(token)
    _show_head(console, matcher, vocabulary, prefix, tokens)
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
    """The kind of text that a token writes, ignoring leading white space."""
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
    """A token for a person: its text in quotes, or the name of a special token without quotes."""
    data = vocabulary.token(token)
    if data is None:
        return token_name(vocabulary, token) or f"<{token}>"
    return quoted(data)


def quoted(data: bytes) -> str:
    """Text in quotes, with control characters escaped as in Python; a b before the quote marks invalid UTF-8."""
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
    """The bytes of an argument, which need not be valid UTF-8: half a character is a possible prefix."""
    return prefix.encode("utf-8", "surrogateescape")


def _percent(share: float) -> str:
    return f"{share:.2%}" if share == 0 or share >= 0.0001 else "<0.01%"


def _escaped(shown: str) -> str:
    return shown.replace("[", "\\[")
