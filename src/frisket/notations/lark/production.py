"""Definitions without templates and parameters → productions: terminals, rules, and what may stand between terminals.

A text is one of the grammar's if some division into terminals is one that the rules allow, as Lark's `dynamic_complete`
has it. No lexer chooses the division: a mask must not forbid a text because another reading of its begin was preferred.
What is ignored is the longest text of its terminal, as in each of Lark's lexers (`separate`).
A lazy rule ends as soon as it can: of its texts the shortest are meant, and `Competition` takes from other terminals.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from frisket._core import GrammarBuilder
from frisket.errors import GrammarError, GrammarSyntaxError, SchemaError
from frisket.notations.lark.ast import (
    Choice,
    Conjunction,
    Cut,
    Definition,
    LarkDialect,
    Module,
    Name,
    Negation,
    Nested,
    Node,
    Regex,
    Repetition,
    Schema,
    Sequence,
    Span,
    Special,
    Substring,
    Text,
    children,
    postorder,
)
from frisket.notations.lark.beginning import Beginnings
from frisket.notations.lark.competition import Competition, is_lexeme
from frisket.notations.lark.ignored import Inexact, Lexeme, Separation, Texts, separate
from frisket.notations.lark.instance import Instances
from frisket.notations.lark.library import LAZY
from frisket.notations.lark.pattern import CLASS_FLAGS
from frisket.notations.lark.terminal import check_terminals
from frisket.notations.production import ast
from frisket.notations.production.collect import collect, may_match_nothing
from frisket.notations.production.lower import lower_productions
from frisket.notations.production.source import Source
from frisket.notations.production.substring import lower_substring
from frisket.notations.regex import unicode

if TYPE_CHECKING:
    from collections.abc import Callable

    #: A module's productions, from the place where it stands → the node of its start.
    Lower = Callable[[GrammarBuilder, Module, int], int]

#: Name of the production for ignored text behind a terminal.
_GAP = "%ignore"
#: Name of the production for the start and the ignored text before its first terminal.
BEGIN = "%begin"
#: Name of the production for a terminal that is lowered by itself.
_PART = "%part"
_ANY_BYTE = ast.Octets(((0, 255),))


class _Refused(Exception):
    """A terminal of the grammar is refused."""


class Productions:
    """One module's definitions as productions."""

    def __init__(self, source: Source, module: Module, dialect: LarkDialect, lower: Lower, start: str) -> None:
        self.source = source
        self.dialect = dialect
        self.lower = lower
        self.check_declared(module)
        instances = Instances(source, module)
        self.definitions = Competition(source, instances.found, dialect).definitions(start)
        self.rules: ast.Productions = {}
        self.has_gap = bool(instances.ignored)
        self.is_first_ignored = False
        #: Names of rules for the begin of texts, which may be empty without error.
        self.beginnings: set[str] = set()
        #: Each terminal in a rule as it stands there: with what may be ignored behind, and without.
        self.lexemes: list[tuple[ast.Seq, ast.Node]] = []
        check_terminals(source, self.definitions)
        rules: list[Definition] = []
        for definition in self.definitions.values():
            if definition.is_terminal or definition.attributes.lazy_at is not None:
                self.define(definition, self.whole(definition))
            else:
                rules.append(definition)
        self.terminals = dict(self.rules)
        self.empty = set(collect(self.rules)[0].nullable()) if self.has_gap else set()
        for definition in rules:
            self.define(definition, self.tree(definition, in_rule=not definition.attributes.is_terminal))
        if self.has_gap:
            nodes = [self.regular(node) for node in instances.ignored]
            options = module.options
            once = bool(options.get("ignore_once") or options.get("skip_repetition") == "once")
            self.is_first_ignored = self.dialect == "lark" or bool(options.get("allow_initial_skip"))
            separation = self.separation(nodes, once)
            if separation is None:
                body = ast.Repeat(ast.alternatives(nodes), 0, 1 if once else None)
                self.rules[_GAP] = ast.Production(_GAP, body, 0)
                self.begin(start, None)
            else:
                self.separate(separation, start)
        self.prune(instances.parametric | self.beginnings)

    def define(self, definition: Definition, body: ast.Node) -> None:
        name = definition.name
        self.rules[name] = ast.Production(name, self.bounded(definition, body), definition.at)

    def fail(self, message: str, at: int, hint: str | None = None) -> NoReturn:
        self.source.fail(message, at, hint)

    def check_declared(self, module: Module) -> None:
        """No rule may ask for a terminal that is only declared."""
        bodies = [definition.body for definition in module.definitions.values()] + module.ignored
        for node in (node for body in bodies if module.declared for node in postorder(body)):
            if isinstance(node, Name) and node.name in module.declared and node.name not in module.definitions:
                self.fail(
                    f"the terminal {node.name} is declared and has no texts: only a lexer of one's own makes it",
                    module.declared[node.name],
                    "define it; indentation that is counted is beyond rules",
                )

    # -- what may stand between terminals -------------------------------------------------------------------------

    def begin(self, start: str, last: ast.Node | None, first: ast.Node | None = None) -> None:
        """The rule of whole texts, where something may be ignored before the first terminal or at the end alone."""
        if start not in self.rules or not (self.is_first_ignored or last or first):
            return
        at = self.rules[start].at
        body: ast.Node = first or ast.Reference(start, at)
        if last is not None:
            body = ast.Seq((body, ast.Repeat(last, 0, 1)))
        if first is not None and start in self.begun.empty:
            body = ast.Alt((ast.Seq(()), body))
        if self.is_first_ignored:
            body = ast.Seq((ast.Reference(_GAP, at), body))
        self.rules[BEGIN] = ast.Production(start, body, at)

    def separation(self, ignored: list[ast.Node], once: bool) -> Separation | None:
        """The gaps between terminals in which each ignored text is the longest; None if they are any ignored texts."""
        builder = GrammarBuilder()

        def lower(node: ast.Node) -> int:
            self.source.check(1)
            if not (isinstance(node, ast.Token) or (isinstance(node, ast.Embedded) and not node.is_regular)):
                node = ast.Complement(ast.Complement(node, 0), 0)  # one regular node, however large
            rules = {**self.terminals, _PART: ast.Production(_PART, node, 0)}
            try:
                rules = {name: rules[name] for name in ast.reachable(rules, _PART)}
                return lower_productions(builder, self.source, rules, _PART)
            except (GrammarError, KeyError) as error:
                raise _Refused from error

        try:
            return separate(
                builder, lower, ignored, [self.texts(builder, lower, node) for _, node in self.lexemes], once
            )
        except _Refused:
            return None  # the grammar itself is refused, with a better place
        except Inexact:
            self.fail(
                "what follows an ignored text decides in more than one place where it ends",
                0,
                "let each ignored text end by itself, or go on with one kind of character, as /[ \\t]+/ does",
            )

    def texts(self, builder: GrammarBuilder, lower: Callable[[ast.Node], int], node: ast.Node) -> Lexeme:
        texts = Texts(node, lower(node))
        if isinstance(node, ast.Token):
            return Lexeme(texts, frozenset())  # no byte is part of a special token
        if not isinstance(node, ast.Embedded) or node.is_regular:
            return Lexeme(texts)
        grammar = builder.fork().build(texts.node)
        return Lexeme(texts, frozenset(byte for byte in range(256) if grammar.accepts_prefix(bytes([byte]))))

    def separate(self, separation: Separation, start: str) -> None:
        """Put the gaps where they belong: behind all terminals, before some, and at the end."""
        self.rules[_GAP] = ast.Production(_GAP, separation.common, 0)
        plain: dict[int, ast.Node] = {}
        for (lexeme, node), changed in zip(self.lexemes, separation.lexemes, strict=True):
            gap = lexeme.items[1]
            plain[id(lexeme)] = ast.Seq((node, gap))
            if changed is not None:
                lexeme.items = (changed, gap)
        # The passes over a production keep its nodes, which have changed.
        self.rules = {name: ast.Production(rule.name, rule.body, rule.at) for name, rule in self.rules.items()}
        first = None
        self.begun = Beginnings(self.rules, plain)
        is_first_told = any(changed is not None for changed in separation.lexemes) or start in self.begun.empty
        if not self.is_first_ignored and is_first_told and start in self.rules:
            try:
                first = self.begun.rule(start)
            except RecursionError:
                self.fail("groups nest too deep beside what is ignored", self.rules[start].at, "name some of them")
            self.beginnings = set(self.begun.made.values())
        self.begin(start, separation.last, first)

    def with_gap(self, node: ast.Node, at: int, *, may_be_empty: bool = False) -> ast.Node:
        """The node, and what may be ignored behind; nothing is ignored behind the empty text, which is no terminal."""
        if not self.has_gap:
            return node
        gap = ast.Reference(_GAP, at)
        solid = ast.Both((node, ast.Repeat(_ANY_BYTE, 1, None)), at) if may_be_empty else node
        lexeme = ast.Seq((solid, gap))
        self.lexemes.append((lexeme, solid))
        return ast.Alt((lexeme, ast.Both((node, ast.Seq(())), at))) if may_be_empty else lexeme

    # -- rules ----------------------------------------------------------------------------------------------------

    def tree(self, definition: Definition, *, in_rule: bool) -> ast.Node:
        """The body of a rule; in rules, each terminal with what may be ignored behind."""
        body = definition.body
        made: dict[int, ast.Node] = {}
        agenda = [(body, False)]
        while agenda:
            node, is_ready = agenda.pop()
            if in_rule and is_lexeme(node, self.definitions):
                made[id(node)] = self.lexeme(node)
            elif is_ready or not children(node):
                made[id(node)] = self.node(node, [made[id(child)] for child in children(node)], in_rule)
            else:
                agenda.append((node, True))
                agenda += [(child, False) for child in children(node)]
        return made[id(body)]

    def lexeme(self, node: Node) -> ast.Node:
        if isinstance(node, Text) and not node.text:
            return ast.Seq(())
        at = getattr(node, "at", 0)
        return self.with_gap(self.regular(node), at, may_be_empty=self.has_gap and self.may_be_empty(node))

    def regular(self, node: Node) -> ast.Node:
        """The texts of a terminal, or of a part of one."""
        if not children(node):
            return self.node(node, [], False)
        made: dict[int, ast.Node] = {}
        for part in postorder(node):
            made[id(part)] = self.node(part, [made[id(child)] for child in children(part)], False)
        return made[id(node)]

    def node(self, node: Node, below: list[ast.Node], in_rule: bool) -> ast.Node:
        if isinstance(node, Sequence):
            return ast.Seq(tuple(below))
        if isinstance(node, Name):
            return ast.Reference(node.name, node.at)
        match node:
            case Text(text, any_case, at):
                if any_case and text:
                    return ast.Pattern(re.escape(text), "i" + CLASS_FLAGS[self.dialect], at)
                return ast.Text(text) if text else ast.Seq(())
            case Span(low, high, _):
                return ast.Chars(((low, high),))
            case Choice():
                return ast.Alt(tuple(below))
            case Repetition(_, low, high):
                return ast.Repeat(below[0], low, high)
            case Regex(pattern, flags, is_shortest, at):
                found: ast.Node = ast.Pattern(pattern, flags, at)
                return ast.Shortest(found, at) if is_shortest else found
            case Substring(chunks, at):
                return ast.Embedded(lambda builder: lower_substring(builder, chunks), True, at)
            case Special(name, at):
                return self.with_gap(ast.Token(name), at)
            case Schema(value, at):
                return self.with_gap(ast.Embedded(lambda builder: self.schema(builder, value, at), False, at), at)
            case Nested(module, at):
                inner = ast.Embedded(lambda builder: self.lower(builder, module, at), False, at)
                return self.with_gap(inner, at)
            case Negation(_, at):
                if in_rule:
                    self.fail("~ stands before terminals only", at, "name a terminal, whose first letter is a capital")
                return ast.Complement(below[0], at)
            case Conjunction(_, at):
                if in_rule:
                    self.fail("& stands between terminals only", at, "name a terminal, whose first letter is a capital")
                return ast.Both(tuple(below), at)
            case Cut(_, lazy, before_end, at):
                return self.cut(below[0], lazy, before_end, at)
        raise TypeError(type(node).__name__)

    def cut(self, item: ast.Node, lazy: tuple[str, ...], before_end: bool, at: int) -> ast.Node:
        longer = [
            ast.Seq((self.whole(self.definitions[name]), ast.Repeat(_ANY_BYTE, int(before_end), None))) for name in lazy
        ]
        return ast.Both((item, *(ast.Complement(texts, at) for texts in longer)), at)

    def schema(self, builder: GrammarBuilder, value: object, at: int) -> int:
        from frisket.json_schema import lower_json_schema

        if not isinstance(value, (dict, bool)):
            self.fail("a JSON Schema is an object, true or false", at)
        try:
            return lower_json_schema(builder, value)[0]
        except SchemaError as error:
            place = f", at {error.where} of the schema" if error.where else ""
            where, excerpt = self.source.where(at), self.source.excerpt(at)
            raise GrammarSyntaxError(
                f"{error.message}{place}", where=where, excerpt=excerpt, hint=error.hint
            ) from error

    # -- terminals and lazy rules ---------------------------------------------------------------------------------

    def whole(self, definition: Definition) -> ast.Node:
        """The texts of a terminal, or of a lazy rule without what may be ignored behind."""
        attributes, body = definition.attributes, definition.body
        if attributes.lazy_at is None:
            found = self.regular(body)
            return ast.Shortest(found, definition.at) if self.holds_lazy(definition) else found
        items = body.items if isinstance(body, Sequence) else (body,)
        if attributes.ending is None and items and isinstance(token := items[-1], Special):
            # No text holds a special token, so that there is one place where the rule can end.
            return ast.Seq((*map(self.regular, items[:-1]), ast.Token(token.name)))
        found = self.regular(body)
        if attributes.ending is not None:
            found = ast.Seq((found, self.regular(attributes.ending)))
        return ast.Shortest(found, attributes.lazy_at)

    def holds_lazy(self, definition: Definition) -> bool:
        """Whether the insides of a string, as the library has them, are a part of the terminal."""
        names = [node.name for node in postorder(definition.body) if isinstance(node, Name)]
        bodies = [self.definitions[name].body for name in names if name in self.definitions]
        return any(isinstance(body, Regex) and body.pattern in LAZY.values() for body in bodies)

    def bounded(self, definition: Definition, body: ast.Node) -> ast.Node:
        """The body restricted by the rule's attributes."""
        attributes = definition.attributes
        if attributes.max_chars is not None:
            body = ast.Both((body, ast.Repeat(ast.Chars(unicode.ALL), 0, attributes.max_chars)), definition.at)
        if attributes.lazy_at is not None or attributes.is_terminal:
            return self.with_gap(body, definition.at)
        return body

    def may_be_empty(self, node: Node) -> bool:
        """False only if a terminal that a rule names certainly does not match the empty text."""
        while isinstance(node, Cut):
            node = node.item
        if isinstance(node, Name):
            return node.name in self.empty
        if isinstance(node, Regex):
            return may_match_nothing(node.pattern, node.flags)
        return isinstance(node, (Substring, Negation))

    def prune(self, parametric: set[str]) -> None:
        """Drop calls of parametric rules that have no text: their conditions say so."""
        empty = parametric - set(collect(self.rules)[0].with_text()) if parametric else parametric
        if not empty:
            return
        for name, production in list(self.rules.items()):
            self.rules[name] = ast.Production(production.name, _without(production.body, empty), production.at)


def _without(body: ast.Node, empty: set[str]) -> ast.Node:
    made: dict[int, ast.Node] = {}
    for node in ast.postorder(body):
        below = tuple(made[id(child)] for child in ast.children(node))
        if isinstance(node, ast.Reference) and node.name in empty:
            made[id(node)] = ast.Alt(())
        elif isinstance(node, ast.Seq):
            made[id(node)] = ast.Seq(below)
        elif isinstance(node, ast.Alt):
            made[id(node)] = ast.Alt(below)
        elif isinstance(node, ast.Repeat):
            made[id(node)] = ast.Repeat(below[0], node.low, node.high)
        else:
            made[id(node)] = node
    return made[id(body)]
