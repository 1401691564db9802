"""Productions × GrammarBuilder → the node of the root's texts, or an error that names the rule.

The engine checks and lowers the rules. This module makes the nodes of leaves that the engine does not know, and turns
the faults that it finds into errors with line, column and a caret.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, NoReturn

from frisket._core import front_end
from frisket.errors import EmptyGrammarError, GrammarSyntaxError
from frisket.notations.production.ast import Embedded, Pattern, Productions
from frisket.notations.production.collect import Leaves, collect
from frisket.notations.production.source import Source
from frisket.notations.regex import lower_part

if TYPE_CHECKING:
    from frisket._core import GrammarBuilder


def lower_productions(
    builder: GrammarBuilder, source: Source, productions: Productions, root: str, option: str = "root"
) -> int:
    """The node of a rule; GrammarError, with the name, for a rule that is not defined or has no text.

    `option` is the constructor's argument that names the root.
    """
    if not productions:
        source.fail("the grammar has no rules")
    if root not in productions:
        raise GrammarSyntaxError(
            f"there is no rule {root}",
            where=source.where(source.end),
            hint=_other_root(productions, root, option),
        )
    made, leaves = collect(productions)
    try:
        reached = made.check(root)
        if leaves:
            _give(builder, source, made, {name: leaves[name] for name in reached if name in leaves})
        return made.lower(builder)
    except front_end.Flaw as flaw:
        _fail(source, productions, *flaw.args)


def _give(builder: GrammarBuilder, source: Source, made: front_end.Productions, leaves: Leaves) -> None:
    """Make the nodes of leaves. Parts in other notations come before all rules, which may ask if a part is empty."""
    for part in leaves.values():
        for number, node in part:
            if isinstance(node, Embedded):
                made.give(builder, number, node.lower(builder), False)
    patterns: dict[tuple[str, str, str], tuple[int, bool]] = {}
    for part in leaves.values():
        for number, node in part:
            if isinstance(node, Pattern):
                key = node.pattern, node.flags, node.dialect
                if key not in patterns:
                    patterns[key] = _pattern(builder, source, node)
                made.give(builder, number, *patterns[key])


def _pattern(builder: GrammarBuilder, source: Source, node: Pattern) -> tuple[int, bool]:
    """(the node of a pattern, whether its texts may end with a name of any length)."""
    try:
        lowered = lower_part(builder, node.pattern, dialect=node.dialect, flags=node.flags)
    except GrammarSyntaxError as error:
        source.fail(error.message, node.at, error.hint)
    return lowered, front_end.Regex(node.pattern, dialect=node.dialect, flags=node.flags).ends_in_name()


def _fail(source: Source, productions: Productions, kind: str, name: str, at: int, is_grammar: bool) -> NoReturn:
    """Raise the error for a fault that the engine found."""
    if kind == "undefined":
        near = difflib.get_close_matches(name, productions, n=1)
        hint = f"is it {productions[near[0]].name}?" if near else f"the rules are {_listed(productions)}"
        source.fail(f"there is no rule {name}", at, hint)
    if kind == "irregular":
        source.fail("this is exact only of regular parts, and here a rule calls itself or names a token", at)
    if kind == "irregular exception":
        source.fail(
            "an exception is exact only between regular parts, and here a rule calls itself or names a token",
            at,
            "exclude characters or words, not whole constructs",
        )
    if kind == "empty exception":
        source.fail("the exception leaves nothing", at, "exclude less")
    why, hint = {
        "circular": (": each of its texts would hold another one", "give it an alternative that ends"),
        "textless": ("", "leave it out"),
        "excluded": ("", "what is asked of its texts excludes all of them"),
    }[kind]
    blamed = productions[name]
    error = EmptyGrammarError if is_grammar else GrammarSyntaxError
    raise error(
        f"the rule {blamed.name} matches nothing{why}",
        where=source.where(blamed.at),
        excerpt=source.excerpt(blamed.at),
        hint=hint,
    )


def _other_root(productions: Productions, root: str, option: str) -> str:
    """The hint for a root that is no rule of the grammar."""
    names = [production.name for production in productions.values()]
    near = difflib.get_close_matches(root, names, n=1) or [name for name in names if name == name.lower()] or names
    hint = f'call a rule {root}, or pass {option}="{near[0]}"'
    return hint if len(names) == 1 else f"{hint}; the rules are {_listed(productions)}"


def _listed(productions: Productions) -> str:
    names = [production.name for production in productions.values()]
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
