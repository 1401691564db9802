"""Schema, regex, choices, GBNF, ABNF, EBNF, Lark, type → Grammar; Grammar × Vocabulary → CompiledGrammar."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from frisket import _core, compiled_schema
from frisket._core import CompiledGrammar
from frisket.argument_name import explain_slips
from frisket.errors import EmptyGrammarError, InvalidSchemaError
from frisket.language import Language, T, class_options, json_value, usual_options
from frisket.misuse import explaining_rules, given, instead_of_choices, instead_of_dialect, instead_of_schema
from frisket.notations.combination.filled import Filled
from frisket.notations.combination.part import Part, Template
from frisket.origin import Origin
from frisket.recent import content

if TYPE_CHECKING:
    from typing_extensions import TypeForm

    from frisket.json_schema import JSONSchemaOptions
    from frisket.limit import Limits
    from frisket.thinking import Thinking, Thought
    from frisket.tools import Family, Message, Tools
    from frisket.vocabulary import Vocabulary

__all__ = ["CompiledGrammar", "Grammar"]

R = TypeVar("R")

#: The flags of `re` that change which texts a pattern matches.
_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE, "a": re.ASCII}

#: Usual types of a JSON Schema; for other types, the error suggests what was meant.
_SCHEMAS = (dict, bool, str)


def option_slips() -> dict[str, str]:
    """Options of JSON Schemas that are passed to a constructor itself, by whichever name."""
    from frisket.json_schema.options import own_slips

    return own_slips()


#: Arguments of the constructors as other libraries name them → what to write instead.
_CHOICES_SLIPS = {
    "*": "choices are one list of texts: write [text, text]",
    **dict.fromkeys(("values", "options"), "write choices={value}"),
}
PATTERN_SLIPS = {
    "flags": "compile the pattern with them: re.compile(pattern, flags)",
    **dict.fromkeys(("regex", "text"), "write pattern={value}"),
    **dict.fromkeys(("full", "fullmatch", "anchored"), "search=True lets other text surround the match"),
}
_RULES_SLIPS = {
    **dict.fromkeys(("start", "start_rule", "root_rule", "root_rule_name"), "write root={value}"),
    **dict.fromkeys(("rules", "grammar"), "write text={value}"),
}
_LARK_SLIPS = {**_RULES_SLIPS, **dict.fromkeys(("root", "start_rule", "root_rule"), "write start={value}")}
_TOOLS_SLIPS = {
    "()": 'name the models\' family, as in from_tools(tools, "qwen3"); frisket.tools.families() lists them',
    "tool_choice": "write choice={value}",
    "parallel_tool_calls": "write parallel={value}",
    "policy": "pass frisket.tools.Tools(tools, policy={value}) as the tools",
    "model": "write vocabulary=model.vocabulary",
    "tokenizer": "write vocabulary=frisket.Vocabulary.from_huggingface(tokenizer)",
}


class Grammar(Language[T]):
    """The texts that may be written, as rules over bytes. It knows no tokenizer; immutable and thread-safe.

    Every constructor takes `limits`, those of building the grammar; LimitExceededError if they are too small.

    >>> grammar = Grammar.from_choices(["low", "medium", "high"])
    >>> grammar.accepts("medium"), grammar.accepts("middling")
    (True, False)

    Two grammars are equal if the same constructor made them from equal arguments; `limits` do not matter:

    >>> grammar == Grammar.from_choices(["high", "medium", "low"])
    True

    A schema's keywords may come in any order, but not its properties, since texts have them in that order. Grammars
    that were made in different ways are not equal, even if their texts are.

    A pickled grammar contains only the arguments of its constructor. It is built again where it is loaded, by the
    version of frisket there. Python types are pickled by name, as Python pickles classes.
    """

    __slots__ = ()

    @classmethod
    @explain_slips("Grammar.from_choices", _CHOICES_SLIPS)
    def from_choices(cls, choices: Iterable[str], *, limits: Limits | None = None) -> Grammar[str]:
        """Exactly one of the texts.

        >>> Grammar.from_choices(["yes", "no"]).accepts("yes")
        True
        """
        from frisket.notations.choices import lower_choices

        builder = _core.GrammarBuilder(limits=limits)
        texts = choices if isinstance(choices, str) else list(choices)
        try:
            node = lower_choices(builder, texts)
        except TypeError as error:
            hint = instead_of_choices(texts)
            raise error if hint is None else TypeError(f"{error}: {hint}") from None
        core = builder.build(node)
        return Grammar(core, origin=Origin.of_choices(list(texts), limits))

    @classmethod
    @explain_slips("Grammar.from_regex", PATTERN_SLIPS)
    def from_regex(
        cls,
        pattern: str | re.Pattern[str],
        *,
        dialect: Literal["python", "ecma"] = "python",
        search: bool = False,
        limits: Limits | None = None,
    ) -> Grammar[str]:
        """The texts that a regular expression matches as a whole; with `search`, somewhere inside.

        >>> Grammar.from_regex("[a-z]+@[a-z]+").accepts("ada@home")
        True

        `dialect="ecma"` reads the pattern as JavaScript does, which is also how JSON Schema reads `pattern`. A pattern
        compiled by `re` keeps its flags. A construct that cannot be exact (such as a back-reference) is a
        GrammarSyntaxError that names the place.

        >>> Grammar.from_regex(re.compile("yes|no", re.IGNORECASE)).accepts("No")
        True
        """
        from frisket.notations.regex import lower_regex

        if not isinstance(dialect, str) or dialect not in ("python", "ecma"):
            raise ValueError(f"dialect is python or ecma, not {given(dialect)}")
        flags = ""
        if isinstance(pattern, re.Pattern):
            if dialect != "python" or not isinstance(pattern.pattern, str):
                raise TypeError("a compiled pattern is one of texts, in Python's dialect")
            flags = "".join(letter for letter, flag in _FLAGS.items() if pattern.flags & flag)
        text = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
        if not isinstance(text, str):
            raise TypeError(f"a pattern is a str, got {type(text).__name__}")
        builder = _core.GrammarBuilder(limits=limits)
        try:
            core = builder.build(lower_regex(builder, text, dialect=dialect, search=search, flags=flags))
        except EmptyGrammarError:
            if search:
                raise EmptyGrammarError(
                    "no text has a match", hint="the pattern's conditions exclude each other"
                ) from None
            raise EmptyGrammarError(
                "no text matches the pattern from beginning to end",
                hint="with search=True, other text may surround the match, for look-around to see",
            ) from None
        return Grammar(core, origin=Origin.of_pattern(pattern if flags else text, dialect, search, limits))

    @classmethod
    @explain_slips("Grammar.from_gbnf", _RULES_SLIPS)
    def from_gbnf(cls, text: str, *, root: str = "root", limits: Limits | None = None) -> Grammar[str]:
        r"""The texts of a rule of a grammar in GBNF, the notation of llama.cpp.

        >>> sums = Grammar.from_gbnf(r'''
        ... root   ::= number ("+" number)* "\n"?   # comments, too
        ... number ::= [1-9] [0-9]{0,2}
        ... ''')
        >>> sums.accepts("12+345"), sums.accepts("12+")
        (True, False)

        Every context-free grammar is allowed, even if it is left-recursive or ambiguous. `<|eot_id|>` is the special
        token with that name, which the vocabulary must have. Tokens by number (`<[1000]>`) and all tokens but one
        (`!<think>`) are refused. A GrammarSyntaxError shows line, column and a caret. It also names rules that are not
        defined, defined twice, or without any text.
        """
        from frisket.notations.rules import lower_rules

        builder = _core.GrammarBuilder(limits=limits)
        with explaining_rules(text, "gbnf"):
            core = builder.build(lower_rules(builder, "from_gbnf", text, root=root))
        return Grammar(core, origin=Origin.of_notation("from_gbnf", text, limits, root=root))

    @classmethod
    @explain_slips("Grammar.from_abnf", _RULES_SLIPS)
    def from_abnf(
        cls,
        text: str,
        *,
        root: str | None = None,
        values: Literal["characters", "bytes"] = "characters",
        limits: Limits | None = None,
    ) -> Grammar[str]:
        r"""The texts of a rule of a grammar in ABNF (RFC 5234, RFC 7405), by default of the first rule.

        >>> dates = Grammar.from_abnf('''
        ... date = 4DIGIT "-" month "-" 2DIGIT   ; DIGIT is a core rule
        ... month = "0" %x31-39 / "1" %x30-32
        ... ''')
        >>> dates.accepts("2026-11-23"), dates.accepts("2026-13-01")
        (True, False)

        Quoted texts and names ignore case. A number such as `%xE9` stands for a character of Unicode, or with
        `values="bytes"` for a byte of the text's UTF-8. Descriptions in words (`<any character>`) are refused.
        """
        from frisket.notations.rules import lower_rules

        if values not in ("characters", "bytes"):
            raise ValueError("values are characters or bytes")
        builder = _core.GrammarBuilder(limits=limits)
        with explaining_rules(text, "abnf"):
            core = builder.build(lower_rules(builder, "from_abnf", text, root=root, values=values))
        return Grammar(core, origin=Origin.of_notation("from_abnf", text, limits, root=root, values=values))

    @classmethod
    @explain_slips("Grammar.from_ebnf", _RULES_SLIPS)
    def from_ebnf(
        cls,
        text: str,
        *,
        dialect: Literal["w3c", "iso", "xgrammar"] = "w3c",
        root: str | None = None,
        limits: Limits | None = None,
    ) -> Grammar[str]:
        """The texts of a rule of a grammar in EBNF, by default of the first rule.

        >>> names = Grammar.from_ebnf("Name ::= [A-Z] ([a-z] - 'x')* /* as the W3C writes it */")
        >>> names.accepts("Ada"), names.accepts("Max")
        (True, False)

        `dialect="iso"` is ISO/IEC 14977:

        >>> names = Grammar.from_ebnf('name = "A", { "d" | "a" }; (* as ISO writes it *)', dialect="iso")
        >>> names.accepts("Ada"), names.accepts("da")
        (True, False)

        `dialect="xgrammar"` is the dialect of xgrammar: GBNF with `[lazy]` rules, `Regex`, `Substring` and
        `TagDispatch`. Its default rule is `root`.

        An exception `A - B` is exact if neither part is recursive; otherwise it is refused.
        """
        from frisket.notations.rules import lower_rules

        if dialect not in ("w3c", "iso", "xgrammar"):
            raise ValueError(f"dialect is w3c, iso or xgrammar, not {given(dialect)}{instead_of_dialect(dialect)}")
        builder = _core.GrammarBuilder(limits=limits)
        with explaining_rules(text, dialect):
            core = builder.build(lower_rules(builder, "from_ebnf", text, root=root, dialect=dialect))
        return Grammar(core, origin=Origin.of_notation("from_ebnf", text, limits, root=root, dialect=dialect))

    @classmethod
    @explain_slips("Grammar.from_lark", _LARK_SLIPS)
    def from_lark(
        cls,
        text: str,
        *,
        dialect: Literal["llguidance", "lark", "xgrammar"] = "llguidance",
        start: str = "start",
        limits: Limits | None = None,
    ) -> Grammar[str]:
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

        A text is accepted if some division into terminals fits the rules; no lexer chooses one division. `dialect`
        selects the patterns, escapes and white space of llguidance (which reads most grammars of the others, too), of
        Lark itself, or of xgrammar. `[lazy]`, `suffix` and `stop` end a rule as soon as it can end. `max_tokens`,
        numbered tokens, and assertions about the text beside a terminal are refused.
        """
        from frisket.notations.rules import lower_rules

        if dialect not in ("llguidance", "lark", "xgrammar"):
            raise ValueError(
                f"dialect is llguidance, lark or xgrammar, not {given(dialect)}{instead_of_dialect(dialect)}"
            )
        builder = _core.GrammarBuilder(limits=limits)
        with explaining_rules(text, "lark"):
            core = builder.build(lower_rules(builder, "from_lark", text, start=start, dialect=dialect))
        return Grammar(core, origin=Origin.of_notation("from_lark", text, limits, dialect=dialect, start=start))

    @classmethod
    @explain_slips("Grammar.from_json_schema", option_slips)
    def from_json_schema(
        cls,
        schema: Mapping[str, Any] | bool | str,
        options: JSONSchemaOptions | None = None,
        registry: Any = None,
        *,
        limits: Limits | None = None,
    ) -> Grammar[Any]:
        """The JSON documents that a schema (a dict, a bool, or the schema as JSON text) allows.

        >>> Grammar.from_json_schema({"type": "integer", "minimum": 3}).accepts("4")
        True

        `registry` (a `referencing.Registry`) has the documents that `$ref` may point to; nothing is ever fetched. If
        keywords cannot be enforced exactly, an UnsupportedSchemaError lists all of their places. With
        `JSONSchemaOptions(relaxed=True)` they are left out and listed in `report`, and `value` validates the whole
        schema (by jsonschema-rs, which must be installed for that).

        The rules of recently compiled schemas are cached: the same schema with the same options takes microseconds the
        next time, even in another dict. With a `registry` or `limits`, the cache is not used.
        """
        if not isinstance(schema, _SCHEMAS) and (hint := instead_of_schema(schema)) is not None:
            kind = "a type" if isinstance(schema, type) else f"a value of the type {type(schema).__name__}"
            raise InvalidSchemaError(f"a schema is an object or a boolean, not {kind}", where="", hint=hint)
        return cls._from_json_schema(schema, options, registry, json_value, limits)

    @overload
    @classmethod
    def from_type(
        cls, tp: type[R], options: JSONSchemaOptions | None = ..., *, limits: Limits | None = ...
    ) -> Grammar[R]: ...
    @overload
    @classmethod
    def from_type(
        cls, tp: TypeForm[R], options: JSONSchemaOptions | None = ..., *, limits: Limits | None = ...
    ) -> Grammar[R]: ...
    @classmethod
    @explain_slips("Grammar.from_type", option_slips)
    def from_type(
        cls, tp: Any, options: JSONSchemaOptions | None = None, *, limits: Limits | None = None
    ) -> Grammar[Any]:
        """The JSON documents of a Python type: a Pydantic model, dataclass, TypedDict, Enum, Literal, Union …

        >>> Grammar.from_type(list[bool]).accepts("[true, false]")
        True

        Members that the type does not have are not allowed, since its values would drop them; a model with
        `extra="allow"` keeps them. So objects are closed under all `options`, `formats="assert"` means `"python"`, and
        `property_order="schema"` means `"declared"`.

        Demands of the type that no schema can express (validators in Python, a date in the past, a file that exists)
        are listed in `report` as loosened, place by place; `value` checks them. Needs Pydantic.
        """
        from frisket.python_type import PythonType

        python_type: PythonType[Any] = PythonType(tp)
        usual = usual_options("from_type")
        if options is None:
            options = usual
        else:
            compiled_schema.check_options(options)
            options = class_options(options)
        grammar: Grammar[Any] = cls._from_json_schema(python_type.schema, options, None, python_type.value, limits)
        if python_type.beyond and grammar.report is not None:
            grammar._report = grammar.report.beside(python_type.beyond)
        grammar._origin = Origin("from_type", tp, {"options": None if options == usual else options}, limits)
        return grammar

    @explain_slips("Grammar.with_schema", option_slips)
    def with_schema(
        self, schema: Any, options: JSONSchemaOptions | None = None, *, limits: Limits | None = None
    ) -> Grammar[Any]:
        """The grammar of another schema, with the options and the registry of this one.

        >>> from frisket import JSONSchemaOptions
        >>> closed = Grammar.from_json_schema({}, options=JSONSchemaOptions(whitespace="compact"))
        >>> closed.with_schema({"type": "array"}).accepts("[1, 2]")
        False
        """
        origin = self._made_by()
        registry = None if origin is None else origin.keywords.get("registry")
        return Grammar.from_json_schema(schema, options or self.options, registry=registry, limits=limits)

    @classmethod
    @explain_slips("Grammar.from_tools", _TOOLS_SLIPS)
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
    ) -> Grammar[Message]:
        r"""The messages of a model that may call tools, in the format of its family; the value is a `Message`.

        >>> weather = {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
        >>> grammar = Grammar.from_tools([weather], "qwen3")
        >>> text = 'Let me see.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>'
        >>> grammar.value(text).calls
        [ToolCall(id='call_0', name='weather', arguments={'city': 'Rome'})]

        `tools` is a list of descriptions, Python functions and Pydantic models, or `frisket.tools.Tools` with a policy
        for tools that cannot be enforced. `frisket.tools.families()` lists the families.

        `choice`: `auto` lets the model write text, call tools, or both; `required` requires at least one call, and
        allows no text; the name of a tool requires one call of it; `none` allows only text. With `parallel=False` there
        is at most one call. `final` (a schema, a type or a Grammar) takes the place of free text: the model calls
        tools, or gives this answer. `thinking` says whether reasoning may, must or must not come first. `prompt` is the
        rendered prompt, which may have begun or ended the reasoning. `vocabulary` tells which markers are special
        tokens; by default the family does.
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
    def _from_thinking(cls, answer: Grammar, **keywords: Any) -> Grammar[Thought[Any]]:
        """`think`, called to make a grammar from its pickled arguments."""
        from frisket.thinking import think

        return think(answer, **keywords)

    @classmethod
    def _from_json_schema(
        cls,
        schema: Any,
        options: JSONSchemaOptions | None,
        registry: Any,
        value: Callable[[str], Any],
        limits: Limits | None,
    ) -> Grammar[Any]:
        front = compiled_schema.front_end()
        options = front.DEFAULT if options is None or options == front.DEFAULT else options
        if limits is not None and not isinstance(limits, _core.Limits):
            raise TypeError(f"limits are Limits, got {type(limits).__name__}")
        running = None if limits is None else limits.started()
        data = content(schema, running)
        core, report = compiled_schema.compile_schema(schema, options, registry, running, data)
        if not report.exact:
            from frisket.json_schema.validation import validating

            value = validating(schema, registry, value)
        if options is front.DEFAULT and registry is None and limits is None and data is not None:
            return Grammar(core, report, schema, value, data)
        origin = Origin.of_schema(schema, data, None if options is front.DEFAULT else options, registry, limits)
        return Grammar(core, report, schema, value, origin)

    @classmethod
    def from_structural_tag(
        cls, tag: Mapping[str, Any] | str, options: JSONSchemaOptions | None = None, *, limits: Limits | None = None
    ) -> Grammar[Any]:
        """The texts of a structural tag: the JSON (a dict, or text) in requests to vLLM and SGLang.

        >>> tag = {"type": "tag", "begin": "<n>", "content": {"type": "regex", "pattern": "[0-9]+"}, "end": "</n>"}
        >>> Grammar.from_structural_tag({"type": "structural_tag", "format": tag}).accepts("<n>42</n>")
        True

        Both kinds are read: `format`, and the older `structures` with `triggers`. `options` apply to the schemas
        inside; by default JSON may have any white space and escapes, as the definition of the format says. A tag that
        is invalid, or cannot be exact, is a GrammarSyntaxError with the JSON pointer.
        """
        from frisket.notations.structural_tag import TagText, read_structural_tag

        if options is not None:
            compiled_schema.check_options(options)
        core, parts = read_structural_tag(tag, options, limits)
        origin = Origin.of_structural_tag(tag, content(tag), options, limits)
        return Grammar(core, value=TagText(tag if origin is None else origin.argument, parts), origin=origin)

    @classmethod
    def _from_part(cls, part: Part, *, limits: Limits | None = None) -> Grammar[Any]:
        """The texts of a combination (frisket.parts). Its rules are made on demand, since most combinations are only
        used as parts of others."""
        grammar: Grammar[Any] = Grammar(None, origin=Origin("_from_part", part, {}, limits))
        if isinstance(part, Template):
            grammar._value = Filled(grammar, part)
        return grammar
