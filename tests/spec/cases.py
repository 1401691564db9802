"""Every *.toml beside this file → cases: a notation, the texts that it accepts and those that it rejects.

regex.toml: pattern, dialect, search; json_schema.toml: schema (JSON text) and options; choices.toml: choices; all
others: the rules in a notation (gbnf, abnf, ebnf, lark), and options, which are the constructor's keywords.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from frisket import Grammar, JSONSchemaOptions

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent
SOURCES = ("pattern", "schema", "choices", "gbnf", "abnf", "ebnf", "lark")


@dataclass(frozen=True, kw_only=True)
class Case:
    """One of `pattern`, `schema`, `choices`, `gbnf`, `abnf`, `ebnf` and `lark` is there.

    `reference`: the readable twin must agree, too. `refused`: the place and the message of an error begin like this.
    """

    name: str
    pattern: str | None = None
    dialect: Literal["python", "ecma"] = "python"
    search: bool = False
    schema: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    gbnf: str | None = None
    abnf: str | None = None
    ebnf: str | None = None
    lark: str | None = None
    refused: str | None = None
    reference: bool = False
    accepts: tuple[str, ...] = ()
    rejects: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[str, str] | None:
        """The notation of a grammar of rules, and its text."""
        for notation in ("gbnf", "abnf", "ebnf", "lark"):
            text = getattr(self, notation)
            if text is not None:
                return notation, text
        return None

    def grammar(self) -> Grammar:
        """Raises the error of a case that is refused."""
        if self.pattern is not None:
            return Grammar.from_regex(self.pattern, dialect=self.dialect, search=self.search)
        if self.schema is not None:
            return Grammar.from_json_schema(json.loads(self.schema), JSONSchemaOptions(**self.options))
        if self.rules is not None:
            notation, text = self.rules
            made: Grammar = getattr(Grammar, f"from_{notation}")(text, **self.options)
            return made
        return Grammar.from_choices(self.choices)


def cases() -> list[Case]:
    """All cases, named by file and what they are about."""
    found = []
    for path in sorted(FOLDER.glob("*.toml")):
        for number, case in enumerate(tomllib.loads(path.read_text(encoding="utf-8"))["case"]):
            said = next(case[key] for key in SOURCES if key in case)
            found.append(Case(name=f"{path.stem}-{number}-{str(said)[:60]}", **case))
    return found
