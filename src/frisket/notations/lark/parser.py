"""Text of a Lark file → its definitions, what it ignores, and its options.

Source: lark-parser.readthedocs.io, grammar reference; github.com/guidance-ai/llguidance, docs/syntax.md; xgrammar's
documentation, Lark Grammar.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from typing import Any

from frisket.notations.lark.ast import (
    Attributes,
    Branch,
    Choice,
    Definition,
    LarkDialect,
    Module,
    Name,
    Node,
    Regex,
    Text,
    is_terminal,
)
from frisket.notations.lark.expression import NAME, SPACE, SPACE_AND_LINES, Expressions
from frisket.notations.lark.library import library_names, library_pattern
from frisket.notations.production.source import Source

_MODIFIED_NAME = re.compile(r"[?!]*(?=[_A-Za-z])")
_PRIORITY = re.compile(r"\.([+-]?[0-9]+)")
_PARAMETRIC = re.compile("[ \t]*::")
_PATH = re.compile(r"\.*[A-Za-z_][A-Za-z0-9_]*")
_WORD = re.compile(r"%[a-z_]+")
_CAPTURE = re.compile(r"[A-Za-z0-9_.-]+")
_TEMPERATURE = re.compile(r"[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
_ATTRIBUTES = ("capture", "lazy", "max_chars", "stop", "stop_capture", "suffix", "temperature")
_TERMINAL = re.compile("_?[A-Z][_A-Z0-9]*")
_DIRECTIVES = ("%extend", "%ignore", "%import", "%llguidance", "%override")
#: Options, and the values that they may have here.
_OPTIONS: dict[str, tuple[Any, ...]] = {
    "allow_initial_skip": (True, False),
    "allow_invalid_utf8": (False,),
    "ignore_once": (True, False),
    "no_forcing": (True, False),
    "skip_repetition": ("once", "repeat"),
}
#: Deepest nesting of grammars within grammars, which are parsed by recursion.
_DEEPEST = 20


class LarkParser:
    """A text of definitions and directives."""

    def __init__(self, source: Source, dialect: LarkDialect, depth: int = 0) -> None:
        self.source = source
        self.dialect = dialect
        self.depth = depth
        self.module = Module()
        self.expressions = Expressions(source, dialect, self.nested)
        self.literals = self.expressions.literals

    def parse(self) -> Module:
        """The module up to the end of the text, or to the bracket that closes a nested grammar."""
        source = self.source
        while True:
            source.match(SPACE_AND_LINES)
            if source.at == source.end or (self.depth and source.peek() == "}"):
                return self.module
            if source.peek() == "%":
                self.directive()
            else:
                self.define(self.definition())
            source.match(SPACE)
            if source.peek() not in ("", "\r", "\n", "}"):
                source.fail(f"unexpected {source.found()}", hint="a definition or directive ends with its line")
            if source.peek() == "}" and not self.depth:
                source.fail("there is no group to close", hint='the character is written "}"')

    def nested(self) -> Module:
        """The grammar in `%lark {…}`, up to its closing bracket."""
        source, at = self.source, self.source.at - 1
        if self.depth >= _DEEPEST:
            source.fail("grammars nest too deep", at)
        module = LarkParser(source, self.dialect, self.depth + 1).parse()
        if not source.take("}"):
            source.fail("the nested grammar is not closed", at, "close it with }")
        return module

    # -- definitions ----------------------------------------------------------------------------------------------

    def define(self, definition: Definition) -> None:
        known = self.module.definitions
        if definition.name in known:
            first = self.source.where(known[definition.name].at)
            kind = "terminal" if definition.is_terminal else "rule"
            self.source.fail(
                f"the {kind} {definition.name} is defined twice, first at {first}",
                definition.at,
                "join the bodies with |",
            )
        known[definition.name] = definition

    def definition(self) -> Definition:
        """`name{x}.2[lazy]: body`."""
        source = self.source
        source.match(_MODIFIED_NAME)
        at = source.at
        name = source.match(NAME)
        if name is None:
            hint = "a definition is name: body, and an alternative in a line of its own begins with |"
            source.fail(f"expected the name of a rule or terminal, found {source.found()}", hint=hint)
        parameters = self.parameters()
        is_parametric = False
        if source.match(_PARAMETRIC) is not None:
            is_parametric = True
            source.match(SPACE)
            source.expect("_", f"after {name}::", "a parametric rule is name::_ : body")
            if is_terminal(name):
                source.fail("a terminal has no parameter", at, "begin its name with a small letter")
        # Priorities choose between several parses of a text; they do not change the language.
        source.match(_PRIORITY)
        source.match(SPACE)
        attributes = self.attributes(name) if source.peek() == "[" else Attributes()
        source.match(SPACE)
        source.expect(":", f"after the name {name}", "a definition is name: body")
        return Definition(name, at, self.expressions.body(), parameters, is_parametric, attributes)

    def parameters(self) -> tuple[str, ...]:
        """`{x, y}` behind the name of a template."""
        source = self.source
        if not source.take("{"):
            return ()
        found: list[str] = []
        while True:
            source.match(SPACE)
            name = source.match(NAME)
            if name is None:
                source.fail(f"expected the name of a parameter, found {source.found()}")
            if name in found:
                source.fail(f"the parameter {name} is there twice", source.at - len(name))
            found.append(name)
            source.match(SPACE)
            if source.take("}"):
                return tuple(found)
            source.expect(",", "or } after a parameter")

    def attributes(self, name: str) -> Attributes:
        """`[lazy, capture="x"]` behind the name of a rule."""
        source = self.source
        if is_terminal(name):
            source.fail("only rules have attributes", hint="begin the name with a small letter")
        source.at += 1
        found, seen = Attributes(), dict[str, int]()
        while True:
            source.match(SPACE)
            at = source.at
            key = source.match(NAME) or ""
            if key in seen:
                source.fail(f"the attribute {key} is there twice", at)
            seen[key] = at
            found = self.attribute(key, at, found)
            source.match(SPACE)
            if source.take("]"):
                break
            source.expect(",", "or ] after an attribute")
        if "stop" in seen and "suffix" in seen:
            source.fail("a rule has either stop or suffix", max(seen["stop"], seen["suffix"]))
        if "stop_capture" in seen and not seen.keys() & {"stop", "suffix"}:
            source.fail("stop_capture names what stop or suffix matches, and neither is there", seen["stop_capture"])
        return found

    def attribute(self, key: str, at: int, found: Attributes) -> Attributes:
        source = self.source
        if key == "max_tokens":
            source.fail(
                "a number of tokens cannot be told exactly: a grammar knows no vocabulary",
                at,
                "bound the characters, as in /.{0,400}/s, or end the rule with suffix",
            )
        if key not in _ATTRIBUTES:
            near = difflib.get_close_matches(key, _ATTRIBUTES, n=1)
            hint = f"is it {near[0]}?" if near else f"there are {', '.join(_ATTRIBUTES)}"
            source.fail(f"there is no attribute {key}" if key else f"unexpected {source.found()}", at, hint)
        source.match(SPACE)
        if key == "lazy":
            return replace(found, lazy_at=at)
        if key == "capture" and source.peek() in (",", "]"):
            return found
        source.expect("=", f"after the attribute {key}")
        source.match(SPACE)
        place = source.at
        if key in ("stop", "suffix"):
            ending = self.ending(key)
            if isinstance(ending, Text) and not ending.text:
                if key == "suffix":
                    source.fail("the suffix is empty", place, "leave it out, or write lazy")
                return replace(found, is_terminal=True)
            return replace(found, ending=ending, lazy_at=at)
        if key == "max_chars":
            return replace(found, max_chars=self.literals.number("a number of characters"))
        if key == "temperature":
            # A temperature concerns the sampler; it does not change the language.
            if source.match(_TEMPERATURE) is None:
                source.fail(f"expected a number, found {source.found()}")
            return found
        if source.peek() != '"':
            source.fail(f"expected a text after {key}=, found {source.found()}", hint=f'as in [{key}="name"]')
        if not _CAPTURE.fullmatch(self.literals.quoted()):
            source.fail("the name of a capture has letters, digits, _, - and .", place)
        return found

    def ending(self, key: str) -> Node:
        """The value of `stop` or `suffix`: a text, a pattern or a terminal."""
        source, at = self.source, self.source.at
        if source.peek() == '"':
            return self.literals.string()
        if source.peek() == "/":
            return self.literals.regex()
        name = source.match(NAME)
        if name is None or not is_terminal(name):
            source.fail(f"{key} is a text, a pattern or a terminal", at, f'as in [{key}="</end>"]')
        return Name(name, at)

    # -- directives -----------------------------------------------------------------------------------------------

    def directive(self) -> None:
        source, at = self.source, self.source.at
        word = source.match(_WORD)
        source.match(SPACE)
        if word == "%ignore":
            self.module.ignored.append(self.expressions.body())
        elif word == "%import":
            self.imports(at)
        elif word in ("%llguidance", "%grammar_options"):
            self.options(word, at)
        elif word == "%override":
            definition = self.definition()
            if definition.name not in self.module.definitions:
                source.fail(f"there is no {definition.name} to override", at, "import it first")
            self.module.definitions[definition.name] = definition
        elif word == "%extend":
            more = self.definition()
            known = self.module.definitions.get(more.name)
            if known is None:
                source.fail(f"there is no {more.name} to extend", at, "import it first")
            body = Choice((Branch(known.body), Branch(more.body)))
            self.module.definitions[more.name] = replace(known, body=body)
        elif word == "%declare":
            # Declared terminals have no texts: a rule that uses one is refused.
            place = source.at
            while name := source.match(_TERMINAL):
                self.module.declared[name] = place
                source.match(SPACE)
                place = source.at
        else:
            source.fail(f"there is no directive {word or '%'}", at, f"there are {', '.join(_DIRECTIVES)}")

    def imports(self, at: int) -> None:
        """`%import common.NAME -> OTHER` or `%import common (A, B)`."""
        source = self.source
        path = source.match(_PATH) or ""
        if path != "common":
            source.fail(
                f"{path or source.found()} cannot be imported: nothing is read but this text",
                at,
                "the library `common` is known; copy other definitions here",
            )
        source.match(SPACE)
        if source.take("("):
            while True:
                source.match(SPACE_AND_LINES)
                place = source.at
                self.import_one(source.match(NAME) or "", None, place)
                source.match(SPACE_AND_LINES)
                if source.take(")"):
                    return
                source.expect(",", "or ) after a name")
        source.expect(".", "after common", "as in %import common.INT")
        place = source.at
        name = source.match(NAME) or ""
        source.match(SPACE)
        alias = None
        if source.take("->"):
            source.match(SPACE)
            alias = source.match(NAME)
            if alias is None or not is_terminal(alias):
                source.fail("expected the name of a terminal after ->", hint="its first letter is a capital")
        self.import_one(name, alias, place)

    def import_one(self, name: str, alias: str | None, at: int) -> None:
        pattern = library_pattern(name, self.dialect)
        if pattern is None:
            near = difflib.get_close_matches(name, library_names(), n=1)
            hint = f"is it {near[0]}?" if near else f"there are {', '.join(library_names())}"
            self.source.fail(f"the library common has no {name or self.source.found()}", at, hint)
        self.define(Definition(alias or name, at, Regex(pattern, "", False, at)))

    def options(self, word: str, at: int) -> None:
        source = self.source
        value = self.literals.json()
        if not isinstance(value, dict):
            source.fail(f"{word} takes an object", at)
        for name, chosen in value.items():
            if name not in _OPTIONS:
                source.fail(f"{word} has no option {name.strip()}", at, f"there are {', '.join(_OPTIONS)}")
            if not any(chosen is known or (isinstance(known, str) and chosen == known) for known in _OPTIONS[name]):
                known = " or ".join(repr(known) for known in _OPTIONS[name])
                source.fail(f"the option {name} is {known} here", at)
        self.module.options |= value
