"""Codes, prefixes and names → rules."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from frisket import FrisketError
from frisket.extension import front_end
from frisket.lint.rule import Rule
from frisket.lint.rules import RULES

ALL = "ALL"


def selected(select: Iterable[str] | None, ignore: Iterable[str]) -> list[Rule]:
    """The rules to run: the default ones, or those of `select`, without those of `ignore`."""
    chosen = [rule for rule in RULES if rule.default] if select is None else _union(select)
    left_out = set(_union(ignore))
    return [rule for rule in RULES if rule in chosen and rule not in left_out]


@lru_cache(maxsize=1024)
def meant(word: str) -> tuple[Rule, ...]:
    """The rules meant by a code (`FRK101`), the beginning of codes (`FRK1`), a name (`open-object`) or `ALL`.

    >>> [rule.code for rule in meant("FRK2")], [rule.code for rule in meant("recursion")]
    (['FRK201', 'FRK202', 'FRK203'], ['FRK305'])
    """
    found = tuple(
        rule for rule in RULES if word in (ALL, rule.name) or (word[:3] == "FRK" and rule.code.startswith(word))
    )
    if not found:
        known = [name for rule in RULES for name in (rule.code, rule.name)]
        guess = front_end.closest(word, known)
        raise FrisketError(
            f"no rule is called {word!r}",
            hint=f"did you mean {guess}?" if guess else "`frisket lint --rules` lists them",
            code="lint-rule",
        )
    return found


def _union(words: Iterable[str]) -> list[Rule]:
    return [rule for word in ([words] if isinstance(words, str) else words) for rule in meant(word)]
