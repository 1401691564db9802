"""Schema · regex · choices · GBNF · ABNF · EBNF · Lark · type → Grammar; Grammar × Vocabulary → CompiledGrammar."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, cast

from frisket import _core, compiled_schema
from frisket._core import CompiledGrammar
from frisket.errors import GrammarError
from frisket.notations.combination.capture import spans
from frisket.notations.combination.lower import build_part
from frisket.notations.combination.part import Part, Template, Whole
from frisket.origin import Content, Origin
from frisket.recent import content
from frisket.span import Span, TokenText, token_text

if TYPE_CHECKING:
    from frisket.description import Style
    from frisket.json_schema import Clean, JSONSchemaOptions, Report
    from frisket.limit import Limits
    from frisket.thinking import Thinking
    from frisket.tools import Family, Tools
    from frisket.vocabulary import Vocabulary

__all__ = ["CompiledGrammar", "Grammar"]

#: The flags of `re` that say what a pattern matches.
_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE, "a": re.ASCII}

#: The representation of a combination shows at most so many characters.
_SHOWN = 200


class Grammar:
    """What may be written: rules over bytes. Knows no tokenizer; immutable and thread-safe.

    Every constructor takes `limits`, what building the grammar may take; LimitExceededError if that is not enough.

    >>> grammar = Grammar.from_choices(["low", "medium", "high"])
    >>> grammar.accepts("medium"), grammar.accepts("middling")
    (True, False)

    Two grammars are equal if one constructor made them of equal arguments, `limits` aside, and so of equal rules:

    >>> grammar == Grammar.from_choices(["high", "medium", "low"])
    True

    A schema's keywords may stand in any order, but not its properties, whose order the texts have. Equal languages that
    were asked for in different ways are not equal grammars.

    A grammar that is pickled is what its constructor was given, and is made again where it is read, by the version of
    frisket there. Python's types go by name, as Python pickles classes.
    """

    __slots__ = ("__weakref__", "_core", "_origin", "_report", "_value", "schema")

    def __init__(
        self,
        core: _core.Grammar | None,
        report: Report | Clean | bool | None = None,
        schema: Any = None,
        value: Callable[[str], Any] = str,
        origin: Origin | bytes | None = None,
    ) -> None:
        # None of a combination whose rules nobody asked for yet.
        self._core = core
        # Of a usual schema whether a tool sorted it, where that is all there is to say; `report` makes the rest of it.
        self._report = report
        self.schema = schema
        """The JSON Schema that the grammar was made from; None for other notations."""
        self._value = value
        # Of a usual schema its content: most grammars are neither compared nor sent.
        self._origin = origin

    @property
    def core(self) -> _core.Grammar:
        """The rules."""
        core = self._core
        if core is None:
            origin = self._made_by()
            assert origin is not None
            core = self._core = build_part(origin.argument, origin.limits)
        return core

    @property
    def report(self) -> Report | None:
        """What of a JSON Schema is enforced, place by place; None for other notations."""
        report = self._report
        if isinstance(report, bool):
            origin = self._made_by()
            assert origin is not None
            report = compiled_schema.front_end().usually_clean(origin.argument.data, report)
        if report is not None and not isinstance(report, compiled_schema.front_end().Report):
            report = cast("Clean", report).report()
        self._report = report
        return cast("Report | None", report)

    @classmethod
    def from_choices(cls, choices: Iterable[str], *, limits: Limits | None = None) -> Grammar:
        """Exactly one of the texts.

        >>> Grammar.from_choices(["yes", "no"]).accepts("yes")
        True
        """
        from frisket.notations.choices import lower_choices

        builder = _core.GrammarBuilder(limits=limits)
        texts = choices if isinstance(choices, str) else list(choices)
        core = builder.build(lower_choices(builder, texts))
        return cls(core, origin=Origin.of_choices(list(texts), limits))

    @classmethod
    def from_regex(
        cls,
        pattern: str | re.Pattern[str],
        *,
        dialect: Literal["python", "ecma"] = "python",
        search: bool = False,
        limits: Limits | None = None,
    ) -> Grammar:
        """The texts that a regular expression matches from beginning to end; with `search`, somewhere.

        >>> Grammar.from_regex("[a-z]+@[a-z]+").accepts("ada@home")
        True

        `dialect="ecma"` reads it as JavaScript does, which is how JSON Schema reads `pattern`. A pattern that `re` has
        compiled counts with its flags. What cannot be exact (a back-reference) is a GrammarSyntaxError that names the
        place.

        >>> Grammar.from_regex(re.compile("yes|no", re.IGNORECASE)).accepts("No")
        True
        """
        from frisket.notations.regex import lower_regex

        if not isinstance(dialect, str) or dialect not in ("python", "ecma"):
            raise ValueError("dialect is python or ecma")
        flags = ""
        if isinstance(pattern, re.Pattern):
            if dialect != "python" or not isinstance(pattern.pattern, str):
                raise TypeError("a compiled pattern is one of texts, in Python's dialect")
            flags = "".join(letter for letter, flag in _FLAGS.items() if pattern.flags & flag)
        text = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
        if not isinstance(text, str):
            raise TypeError(f"a pattern is a str, got {type(text).__name__}")
        builder = _core.GrammarBuilder(limits=limits)
        core = builder.build(lower_regex(builder, text, dialect=dialect, search=search, flags=flags))
        return cls(core, origin=Origin.of_pattern(pattern if flags else text, dialect, search, limits))

    @classmethod
    def from_gbnf(cls, text: str, *, root: str = "root", limits: Limits | None = None) -> Grammar:
        r"""The texts of a rule of a grammar in GBNF, the notation of llama.cpp.

        >>> sums = Grammar.from_gbnf(r'''
        ... root   ::= number ("+" number)* "\n"?   # comments, too
        ... number ::= [1-9] [0-9]{0,2}
        ... ''')
        >>> sums.accepts("12+345"), sums.accepts("12+")
        (True, False)

        Any context-free grammar will do, left-recursive and ambiguous ones included. `<|eot_id|>` is the special token
        of that name, which the vocabulary must have. Tokens by number (`<[1000]>`) and all tokens but one (`!<think>`)
        are refused. A GrammarSyntaxError shows line, column and a caret, and names rules that are not defined, defined
        twice or without any text.
        """
        from frisket.notations.gbnf import lower_gbnf

        builder = _core.GrammarBuilder(limits=limits)
        core = builder.build(lower_gbnf(builder, text, root=root))
        return cls(core, origin=Origin.of_notation("from_gbnf", text, limits, root=root))

    @classmethod
    def from_abnf(
        cls,
        text: str,
        *,
        root: str | None = None,
        values: Literal["characters", "bytes"] = "characters",
        limits: Limits | None = None,
    ) -> Grammar:
        r"""The texts of a rule of a grammar in ABNF (RFC 5234, RFC 7405); of the first rule if `root` is None.

        >>> dates = Grammar.from_abnf('''
        ... date = 4DIGIT "-" month "-" 2DIGIT   ; DIGIT is a core rule
        ... month = "0" %x31-39 / "1" %x30-32
        ... ''')
        >>> dates.accepts("2026-11-23"), dates.accepts("2026-13-01")
        (True, False)

        Quoted texts have no case, names neither. A number such as `%xE9` stands for a character of Unicode, with
        `values="bytes"` for a byte of the text's UTF-8. Descriptions in words (`<any character>`) are refused.
        """
        from frisket.notations.abnf import lower_abnf

        if values not in ("characters", "bytes"):
            raise ValueError("values are characters or bytes")
        builder = _core.GrammarBuilder(limits=limits)
        core = builder.build(lower_abnf(builder, text, root=root, values=values))
        return cls(core, origin=Origin.of_notation("from_abnf", text, limits, root=root, values=values))

    @classmethod
    def from_ebnf(
        cls,
        text: str,
        *,
        dialect: Literal["w3c", "iso", "xgrammar"] = "w3c",
        root: str | None = None,
        limits: Limits | None = None,
    ) -> Grammar:
        """The texts of a rule of a grammar in EBNF; of the first rule if `root` is None.

        >>> names = Grammar.from_ebnf("Name ::= [A-Z] ([a-z] - 'x')* /* as the W3C writes it */")
        >>> names.accepts("Ada"), names.accepts("Max")
        (True, False)

        `dialect="iso"` is ISO/IEC 14977:

        >>> names = Grammar.from_ebnf('name = "A", { "d" | "a" }; (* as ISO writes it *)', dialect="iso")
        >>> names.accepts("Ada"), names.accepts("da")
        (True, False)

        `dialect="xgrammar"` is what xgrammar reads: GBNF with `[lazy]` rules, `Regex`, `Substring` and `TagDispatch`.
        Its rule is `root` if none is named.

        An exception `A - B` is exact between parts that do not call themselves, and refused between others.
        """
        from frisket.notations.ebnf import lower_ebnf

        if dialect not in ("w3c", "iso", "xgrammar"):
            raise ValueError("dialect is w3c, iso or xgrammar")
        builder = _core.GrammarBuilder(limits=limits)
        core = builder.build(lower_ebnf(builder, text, root=root, dialect=dialect))
        return cls(core, origin=Origin.of_notation("from_ebnf", text, limits, root=root, dialect=dialect))

    @classmethod
    def from_lark(
        cls,
        text: str,
        *,
        dialect: Literal["llguidance", "lark", "xgrammar"] = "llguidance",
        start: str = "start",
        limits: Limits | None = None,
    ) -> Grammar:
        r"""The texts of a rule of a grammar in Lark's notation.

        >>> calls = Grammar.from_lark(r'''
        ... start: NAME "(" [sum ("," sum)*] ")"
        ... sum: INT ("+" INT)*
        ... NAME: /[a-z]\w*/
        ... %import common (INT, WS)
        ... %ignore WS
        ... ''')
        >>> calls.accepts("f(1, 2 + 3)"), calls.accepts("f(1 2)")
        (True, False)

        A text is accepted if some division into terminals fits the rules; no lexer chooses one. `dialect` says whose
        patterns, escapes and white space are meant: llguidance's, which reads most of the others, too, Lark's own, or
        xgrammar's. `[lazy]`, `suffix` and `stop` end a rule as soon as it can end. `max_tokens`, numbered tokens and
        assertions about the text beside a terminal are refused.
        """
        from frisket.notations.lark import lower_lark

        if dialect not in ("llguidance", "lark", "xgrammar"):
            raise ValueError("dialect is llguidance, lark or xgrammar")
        builder = _core.GrammarBuilder(limits=limits)
        core = builder.build(lower_lark(builder, text, start=start, dialect=dialect))
        return cls(core, origin=Origin.of_notation("from_lark", text, limits, dialect=dialect, start=start))

    @classmethod
    def from_json_schema(
        cls,
        schema: Mapping[str, Any] | bool | str,
        options: JSONSchemaOptions | None = None,
        registry: Any = None,
        *,
        limits: Limits | None = None,
    ) -> Grammar:
        """The JSON documents that a schema (a dict, a bool, or the schema as JSON text) allows.

        >>> Grammar.from_json_schema({"type": "integer", "minimum": 3}).accepts("4")
        True

        `registry` (a `referencing.Registry`) holds documents that `$ref` may point to; nothing is ever fetched. What
        cannot be enforced exactly is an UnsupportedSchemaError that lists every such place; with
        `JSONSchemaOptions(relaxed=True)` it is left out and listed in `report`, and `value` validates the whole schema
        (by jsonschema-rs, which it then needs).

        The rules of lately compiled schemas are kept: the same schema and options cost microseconds the next time,
        whichever dict holds them. With FRISKET_GRAMMAR_CACHE_BYTES set before the first compile, those that took long
        are kept on disk, too, in as many bytes at most, for the processes to come. With a `registry` or `limits`
        nothing is kept.
        """
        if type(schema) is dict and options is None and registry is None and limits is None:
            usual = compiled_schema.usual
            if usual is not None:
                core, report, data = usual(schema)
                return cls(core, report, schema, json.loads, data or _odd(schema))
        elif isinstance(schema, str):
            from frisket.json_schema.text import parse

            schema = parse(schema)
        return cls._from_json_schema(schema, options, registry, json.loads, limits)

    @classmethod
    def from_type(cls, tp: Any, options: JSONSchemaOptions | None = None, *, limits: Limits | None = None) -> Grammar:
        """The JSON documents of a Python type: a Pydantic model, dataclass, TypedDict, Enum, Literal, Union …

        >>> Grammar.from_type(list[bool]).accepts("[true, false]")
        True

        What the type demands and no schema can say (validators in Python, a date in the past, a file that exists) is
        listed in `report` as loosened, place by place; `value` checks it. Needs Pydantic.
        """
        from frisket.python_type import PythonType

        python_type: PythonType[Any] = PythonType(tp)
        options = options or _usual_options("from_type")
        if options.property_order == "schema":
            options = replace(options, property_order="declared")
        grammar = cls._from_json_schema(python_type.schema, options, None, python_type.value, limits)
        if python_type.beyond and grammar.report is not None:
            grammar._report = grammar.report.beside(python_type.beyond)
        usual = _usual_options("from_type")
        grammar._origin = Origin("from_type", tp, {"options": None if options == usual else options}, limits)
        return grammar

    @property
    def options(self) -> JSONSchemaOptions | None:
        """How the documents of the schema are spelled; None for other notations than JSON Schema and types.

        >>> Grammar.from_type(bool).options.property_order
        'declared'
        """
        if self.schema is None:
            return None
        origin = self._made_by()
        given: JSONSchemaOptions | None = None if origin is None else origin.keywords["options"]
        if given is not None:
            return given
        return _usual_options("from_json_schema" if origin is None else origin.constructor)

    @property
    def type(self) -> Any:
        """The Python type that the grammar was made from; None for other notations."""
        origin = self._made_by()
        return origin.argument if origin is not None and origin.constructor == "from_type" else None

    def with_schema(self, schema: Any, options: JSONSchemaOptions | None = None) -> Grammar:
        """The grammar of another schema, which is read as this one's was: with its options and its registry.

        >>> from frisket import JSONSchemaOptions
        >>> closed = Grammar.from_json_schema({}, options=JSONSchemaOptions(whitespace="compact"))
        >>> closed.with_schema({"type": "array"}).accepts("[1, 2]")
        False
        """
        origin = self._made_by()
        registry = None if origin is None else origin.keywords.get("registry")
        return Grammar.from_json_schema(schema, options or self.options, registry=registry)

    @classmethod
    def from_tools(
        cls,
        tools: Tools | Iterable[Any],
        family: str | Family,
        *,
        choice: str = "auto",
        parallel: bool = True,
        final: Any = None,
        thinking: Literal["auto", "on", "off"] = "auto",
        prompt: str | Thinking | None = None,
        vocabulary: Vocabulary | None = None,
        max_thinking_chars: int | None = None,
        limits: Limits | None = None,
    ) -> Grammar:
        r"""The messages of a model that may call tools, in the wire format of its family; the value is a `Message`.

        >>> weather = {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
        >>> grammar = Grammar.from_tools([weather], "qwen3")
        >>> text = 'Let me see.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>'
        >>> grammar.value(text).calls
        [ToolCall(id='call_0', name='weather', arguments={'city': 'Rome'})]

        `tools` is a list of descriptions, Python functions and Pydantic models, or `frisket.tools.Tools` with a policy
        for those that cannot be enforced. `frisket.tools.families()` lists the families.

        `choice`: `auto` lets the model write text, call tools, or both; `required` asks for at least one call and
        nothing else, a tool's name for one call of it, `none` for text alone. With `parallel=False` there is at most
        one call. `final` (a schema, a type or a Grammar) stands in place of free text: the model calls tools or gives
        this answer.
        `thinking` says whether reasoning may, must or must not come first; `prompt` is the rendered prompt, which may
        have begun or ended it. `vocabulary` says which markers are special tokens; without it, the family does.
        """
        from frisket.tools.compile import compile_tools

        return compile_tools(
            tools,
            family,
            choice=choice,
            parallel=parallel,
            final=final,
            thinking=thinking,
            prompt=prompt,
            vocabulary=vocabulary,
            max_thinking_chars=max_thinking_chars,
            limits=limits,
        )

    @classmethod
    def _from_json_schema(
        cls,
        schema: Any,
        options: JSONSchemaOptions | None,
        registry: Any,
        value: Callable[[str], Any],
        limits: Limits | None,
    ) -> Grammar:
        front = compiled_schema.front_end()
        options = front.DEFAULT if options is None else options
        data = content(schema)
        core, report, _ = compiled_schema.compile_schema(schema, options, registry, limits, data)
        if type(report) is front.Report and not cast("Report", report).exact:
            from frisket.json_schema.validation import validating

            value = validating(schema, registry, value)
        origin = Origin.of_schema(schema, data, None if options == front.DEFAULT else options, registry, limits)
        return cls(core, report, schema, value, origin)

    @classmethod
    def from_structural_tag(
        cls, tag: Mapping[str, Any] | str, options: JSONSchemaOptions | None = None, *, limits: Limits | None = None
    ) -> Grammar:
        """The texts of a structural tag, the JSON (a dict, or text) that requests to vLLM and SGLang carry.

        >>> tag = {"type": "tag", "begin": "<n>", "content": {"type": "regex", "pattern": "[0-9]+"}, "end": "</n>"}
        >>> Grammar.from_structural_tag({"type": "structural_tag", "format": tag}).accepts("<n>42</n>")
        True

        Both kinds are read: `format`, and the older `structures` with `triggers`. `options` are those of the schemas in
        it; without any, JSON may have any white space and escapes, as the format's definition says. What is no
        structural tag, or cannot be exact, is a GrammarSyntaxError with its JSON pointer.
        """
        from frisket.notations.structural_tag import load_structural_tag, read_structural_tag

        if isinstance(tag, str):
            tag = load_structural_tag(tag)
        part = read_structural_tag(tag, cls, options, limits)
        origin = Origin.of_structural_tag(tag, content(tag), options, limits)
        return cls(build_part(part, limits), origin=origin)

    @classmethod
    def _from_part(cls, part: Part, *, limits: Limits | None = None) -> Grammar:
        """The texts of a combination (frisket.combinator). Its rules are made when they are first asked for: most parts
        are asked only as parts of others."""
        grammar = cls(None, origin=Origin("_from_part", part, {}, limits))
        if isinstance(part, Template):
            grammar._value = partial(_filled, grammar, part)
        return grammar

    @property
    def _options(self) -> JSONSchemaOptions | None:
        """How the grammar reads a JSON Schema; None for other notations."""
        origin = self._origin
        constructor = "from_json_schema" if isinstance(origin, bytes) else origin.constructor if origin else ""
        if constructor not in ("from_json_schema", "from_type"):
            return None
        told = origin.keywords["options"] if isinstance(origin, Origin) else None
        return told or _usual_options(constructor)

    @property
    def _part(self) -> Part:
        """The grammar as a part of a combination."""
        origin = self._origin
        part = origin.argument if isinstance(origin, Origin) and origin.constructor == "_from_part" else Whole(self)
        return cast("Part", part)

    def compile(self, vocabulary: Vocabulary | _core.Vocabulary, *, limits: Limits | None = None) -> CompiledGrammar:
        """The grammar for one tokenizer. Lazy: microseconds, whatever the grammar and the vocabulary (milliseconds
        where one of thousands of words may come: the dearest of their masks are made here).

        `limits` bound this call, every call of its matchers and the memory of all that they find out. VocabularyError
        if the vocabulary's tokens cannot spell any text of the grammar.
        """
        return self.core.compile(vocabulary, limits=limits, grammar=self)

    def accepts(self, text: str | bytes) -> bool:
        """Whether this is a whole text of the grammar."""
        return self.core.accepts(_bytes(text))

    def accepts_prefix(self, text: str | bytes) -> bool:
        """Whether some text of the grammar begins like this."""
        return self.core.accepts_prefix(_bytes(text))

    def captures(
        self, text: str | bytes | Sequence[int], vocabulary: Vocabulary | _core.Vocabulary | None = None
    ) -> dict[str, list[Span]]:
        """The spans of the captures by their names, in a whole text of the grammar or in its token ids.

        >>> from frisket import capture, regex, repeat
        >>> row = repeat(capture("n", regex("[0-9]+")), 1, None, ", ")
        >>> [(span.start, span.end, span.text) for span in row.captures("12, 3")["n"]]
        [(0, 2, '12'), (4, 5, '3')]

        With a `vocabulary` the text is token ids, and the spans name their tokens, too. A name has its spans in order
        of the text; names that captured nothing are not there. The parse is exact. If the text can be read in several
        ways, parts choose from left to right: a choice its first option that fits, a repetition one more round, every
        other part its longest text. A text that is none of the grammar is a GrammarError with the code `text-rejected`.
        """
        if vocabulary is not None:
            units = token_text(cast("Sequence[int]", text), vocabulary)
        else:
            if not isinstance(text, (str, bytes)):
                raise TypeError("token ids need the vocabulary that they are of")
            units = TokenText([_bytes(text)])
        found = spans(self._part, units.units)
        if found is None:
            raise GrammarError(
                "the text is none of the grammar", hint="`accepts_prefix` says of a beginning", code="text-rejected"
            )
        named: dict[str, list[Span]] = {}
        for name, begin, end in found:
            named.setdefault(name, []).append(units.span(begin, end, tokens=vocabulary is not None))
        return named

    def to_gbnf(self) -> str:
        """The rules in GBNF, for other engines: of a grammar that was made from GBNF, ABNF, EBNF or Lark.

        >>> print(Grammar.from_lark('start: "a".."c"+').to_gbnf(), end="")
        root ::= [a-c]+

        GrammarError for what GBNF cannot say: exceptions, intersections, lazy rules, JSON Schemas.
        """
        from frisket.notations.transcript import to_gbnf

        return to_gbnf(*self._call())

    def to_ebnf(self) -> str:
        """The rules in the W3C's EBNF: of a grammar that was made from GBNF, ABNF, EBNF or Lark.

        >>> print(Grammar.from_gbnf('root ::= "a" root?').to_ebnf(), end="")
        root ::= 'a' root?

        GrammarError for what it cannot say: special tokens, intersections, lazy rules, JSON Schemas.
        """
        from frisket.notations.transcript import to_ebnf

        return to_ebnf(*self._call())

    def _call(self) -> tuple[str, Any, dict[str, Any]]:
        """The constructor that made the grammar, its argument and its keywords."""
        origin = self._made_by()
        return ("", None, {}) if origin is None else (origin.constructor, origin.argument, origin.keywords)

    def dump(self) -> str:
        """The rules as text, for people: one definition a paragraph, in order of first mention.

        >>> from frisket import JSONSchemaOptions
        >>> schema = {"type": "object", "properties": {"a": {"type": "boolean"}}, "additionalProperties": False}
        >>> print(Grammar.from_json_schema(schema, JSONSchemaOptions(whitespace="compact")).dump(), end="")
        root = object_1
        <BLANKLINE>
        object_1 = object of members in this order, layout_1
          optional 'a': 'false' | 'true'
        <BLANKLINE>
        layout_1 =
          open '{'
          close '}'
          comma ','
          none '{}'
          colon ':'

        The text depends on the grammar alone, not on the process: a diff of it shows a change of how schemas are
        lowered. Another version of frisket may write another text. The notation, from the weakest binding to the
        strongest: `a | b` is either, `a & b` both, `a b` one after the other. `a?`, `a*`, `a+` and `a{2,5}` repeat;
        `a#{2,5}` is the texts of `a` that have 2 to 5 characters, and `!a` all byte strings but those of `a`. `'x'` is
        these bytes, `[a-z]` one of these, `any_text` every valid UTF-8, `empty` the empty text, `nothing` no text.
        `string(a)` is the JSON strings that decode to a text of `a` (`string_free(a)`: in every spelling),
        `multiple(7)` the digits of a multiple, `special('<x>')` a special token. Rules, objects, arrays of different
        items, layouts (punctuation), and terms that are long or used twice have names.
        """
        return self.core.dump()

    def describe(self, style: Style = "typescript") -> str:
        """What the documents look like, as text for a prompt; of a schema or a type only.

        >>> schema = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 9}}, "required": ["n"]}
        >>> print(Grammar.from_json_schema(schema).describe())
        {
          n: integer, // at most 9
        }

        `typescript` is the shortest: members in the order of the mask, with descriptions and all conditions in
        comments. `json_schema` is the schema itself. `example` is one document of the grammar. The last two have the
        white space that the options ask for, because a model writes what it has read.
        """
        from frisket.description import describe

        return describe(self, style, self.options or compiled_schema.front_end().DEFAULT)

    def __repr__(self) -> str:
        origin = self._made_by()
        if not isinstance(self._part, Whole):
            return f"<{type(self).__name__} {_shortened(str(self._part))}>"
        made = f".{origin}" if origin is not None else f" of {self.core.node_count:,} nodes"
        return f"<{type(self).__name__}{made}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grammar):
            return NotImplemented
        if self is other:
            return True
        if type(self) is not type(other) or self.core.fingerprint != other.core.fingerprint:
            return False
        mine, theirs = self._made_by(), other._made_by()
        if mine is None or theirs is None:
            return mine is theirs and self.schema == other.schema and self._value == other._value
        return mine.equals(theirs)

    def __hash__(self) -> int:
        return hash(self.core.fingerprint)

    def __copy__(self) -> Grammar:
        return self

    def __deepcopy__(self, memo: object) -> Grammar:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        origin = self._made_by()
        if origin is None:
            raise TypeError(
                "a Grammar that was built node by node, or of a schema that cannot be copied, cannot be pickled: send "
                "what it is built from, and build it there"
            )
        return _remake, (type(self), *origin.sent())

    def _made_by(self) -> Origin | None:
        origin = self._origin
        if isinstance(origin, bytes):
            origin = self._origin = Origin("from_json_schema", Content(origin), {"options": None, "registry": None})
        return origin

    def value(self, text: str) -> Any:
        """A text of the grammar as what it stands for: a value of the type, parsed JSON, or the text itself.

        >>> Grammar.from_json_schema({"type": "array"}).value("[1, 2]")
        [1, 2]
        """
        return self._value(text)


def _remake(cls: type[Grammar], constructor: str, argument: Any, keywords: dict[str, Any]) -> Grammar:
    """The grammar that was pickled."""
    if isinstance(argument, Content):
        argument = argument.value()
    grammar: Grammar = getattr(cls, constructor)(argument, **keywords)
    return grammar


@cache
def _usual_options(constructor: str) -> JSONSchemaOptions:
    """The options of a constructor where nobody gives any. Nobody sorted the fields of a class: where they are in
    alphabetical order, that is the order."""
    front = compiled_schema.front_end()
    if constructor == "from_type":
        return cast("JSONSchemaOptions", front.JSONSchemaOptions(formats="python", property_order="declared"))
    return cast("JSONSchemaOptions", front.DEFAULT)


def _filled(grammar: Grammar, template: Template, text: str) -> Any:
    """The values of a template's holes in a text, as its object."""
    found = grammar.captures(text)
    return template.into(**{name: of.value(found[name][0].text) for name, of in template.holes})


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _odd(schema: Any) -> Origin | None:
    """Of a schema without options that the engine did not take for plain."""
    return Origin.of_schema(schema, content(schema), None, None, None)


def _bytes(text: str | bytes) -> bytes:
    # A lone surrogate becomes bytes that are no UTF-8, and so no text of a grammar.
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
