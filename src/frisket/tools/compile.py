"""Tools × family × choice → a Grammar that reads its texts as a Message."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from frisket import _core
from frisket.errors import MessageSyntaxError, RefusedToolsError, UnsupportedSchemaError
from frisket.grammar import Grammar
from frisket.json_pointer import unescape
from frisket.json_schema.report import Entry, Note, Report
from frisket.misuse import given as shown
from frisket.notations.combination.outline import OutlineBuilder
from frisket.notations.combination.part import Part
from frisket.options import Mode
from frisket.origin import Origin
from frisket.thinking import Reasoning, Thinking, special_in
from frisket.tools.arguments import Arguments
from frisket.tools.family import Family, families, family
from frisket.tools.message import Message, ToolCall
from frisket.tools.parser import Parser
from frisket.tools.program import Program
from frisket.tools.tools import ToolReport, Tools

if TYPE_CHECKING:
    from frisket.limit import Limits
    from frisket.vocabulary import Vocabulary

CHOICES = ("auto", "required", "none")


def compile_tools(
    tools: Tools | Iterable[Any],
    family_name: str | Family,
    *,
    choice: str = "auto",
    parallel: bool = True,
    final: Any = None,
    thinking: Mode = "auto",
    prompt: str | Thinking | None = None,
    vocabulary: Vocabulary | None = None,
    max_thinking_chars: int | None = None,
    limits: Limits | None = None,
) -> Grammar:
    """The grammar of the messages of a family that call these tools; see `Grammar.from_tools`."""
    if not isinstance(parallel, bool):
        raise TypeError(f"parallel is True or False, not {shown(parallel)}")
    wanted = family_name if isinstance(family_name, Family) else family(family_name)
    given = tools if isinstance(tools, Tools) else Tools(tools)
    running = None if limits is None else limits.started()
    arguments = given._arguments(wanted, limits=running)
    called, calls, text = _callable_tools(given, wanted, arguments, choice)
    tokens = _with_special_tokens(wanted, vocabulary)
    forbidden = tuple(dict.fromkeys([*wanted.markers, *sorted(tokens.special)]))
    program = Program(
        tokens,
        tuple(each.of_family(tokens) for each in called),
        forbidden,
        text=text,
        calls=calls,
        parallel=parallel and choice in CHOICES,
        final=_final(final, running) if text else None,
        reasoning=_reasoning(tokens, wanted, thinking, prompt, max_thinking_chars, text and final is None),
    )
    if program.final is not None:
        program = _with_distinct_calls(program)
    builder = _builder(program, running)
    core = builder.build(program.lower(builder))
    origin = Origin.of_tools(
        given, limits,
        family=wanted.name if wanted.name in families() and family(wanted.name) is wanted else wanted,
        choice=choice, parallel=parallel, final=program.final, thinking=thinking,
        prompt=_prompt_state(prompt, wanted), vocabulary=vocabulary, max_thinking_chars=max_thinking_chars,
    )  # fmt: skip
    report = _report(given.report(wanted, limits=running), wanted, vocabulary)
    return Grammar(core, report, value=_Value(program, limits), origin=origin)


def _builder(program: Program, limits: Limits | None) -> _core.GrammarBuilder:
    """A builder that starts from the prelude of the arguments; their rules are then embedded faster."""
    return program.tools[0].fork(limits) if program.tools else _core.GrammarBuilder(limits=limits)


def _callable_tools(
    given: Tools, wanted: Family, arguments: list[Arguments], choice: str
) -> tuple[list[Arguments], bool, bool]:
    """(the tools that may be called, whether a call is allowed, whether text is allowed)"""
    if not isinstance(choice, str):
        raise TypeError(f"choice is auto, required, none or the name of a tool, got {type(choice).__name__}")
    if choice in ("auto", "none"):
        return arguments, choice == "auto", True
    called = arguments if choice == "required" else [each for each in arguments if each.tool.name == choice]
    if called:
        return called, True, False
    refused = [report for report in given.report(wanted) if report.status == "refused"]
    reasons = [f"{report.name} was refused: {report.places[0][1]}" for report in refused if report.places]
    names = ", ".join(each.tool.name for each in arguments) or "none"
    raise RefusedToolsError(
        f"there is no tool {choice!r} to call" if choice != "required" else "there is no tool to call",
        where="choice",
        places=[(report.name, reason) for report in refused for _, reason in report.places],
        hint=next(iter(reasons), None) or f"the tools are {names}; choice is auto, required, none or one of them",
    )


def _with_special_tokens(wanted: Family, vocabulary: Vocabulary | None) -> Family:
    """The family with those of its markers as special tokens that are special in the vocabulary."""
    if vocabulary is None:
        return wanted
    around = (wanted.content, *wanted.other_content, wanted.preamble or (), wanted.thinking or ())
    texts = [*wanted.call, wanted.calls, *wanted.separators, wanted.parameter, wanted.quote]
    texts += [text for pair in around for text in pair]
    return replace(wanted, special=special_in(texts, vocabulary))


def _reasoning(
    tokens: Family, wanted: Family, mode: Mode, prompt: str | Thinking | None, max_chars: int | None, has_text: bool
) -> Reasoning | None:
    if mode not in ("auto", "on", "off"):
        raise ValueError(f'thinking is "auto", "on" or "off", not {shown(mode)}')
    if tokens.thinking is None:
        if mode == "on":
            raise ValueError(f"the models of {tokens.name} do not think")
        return None
    start, end = tokens.thinking
    said = _prompt_state(prompt, tokens) or Thinking.ABSENT
    forbidden = tuple(sorted({*tokens.special, *wanted.special}))
    # An end of reasoning that also begins the turn's next part has no white space before it: the part may begin with
    # it.
    is_part = tokens.turn is not None
    # Free text allows leading white space and has cached masks; another rule for it would cost 3 ms a message.
    begins_free = has_text and tokens.text_before and not tokens.content[0] and not tokens.opener
    calls = tokens.trigger if tokens.thinking_holds_calls else ""
    return Reasoning(
        start, end, mode, said, tokens.special, forbidden, max_chars,
        has_gap=not is_part, repeats=is_part, leads=not begins_free, calls=calls,
    )  # fmt: skip


def _prompt_state(prompt: str | Thinking | None, wanted: Family) -> Thinking | None:
    """The state of reasoning and answer at the end of the prompt; None if it begins neither."""
    if wanted.thinking is None or not prompt:
        return None
    said = prompt if isinstance(prompt, Thinking) else wanted.prompt_says(prompt)
    return None if said is Thinking.ABSENT else said


def _final(final: Any, limits: Limits | None) -> Grammar | None:
    if final is None or isinstance(final, Grammar):
        return final
    if isinstance(final, (dict, bool)):
        return Grammar.from_json_schema(final, limits=limits)
    return Grammar.from_type(final, limits=limits)


def _with_distinct_calls(program: Program) -> Program:
    """The program, if a call and a final answer begin differently; else only one whose calls have markers."""
    opener = program.family.opener
    if not opener or not program.calls or program.final is None or not program.final.accepts_prefix(opener):
        return program
    raise UnsupportedSchemaError(
        f"in the format of {program.family.name} a call and the final answer both begin with {opener!r}",
        where="final",
        hint="give the final answer as a tool and choice='required', or let the schema be a string or an array",
    )


class _Value:
    """Reads a text of the grammar as a Message."""

    def __init__(self, program: Program, limits: Limits | None) -> None:
        self.program = program
        self.limits = limits
        self._parser = Parser(program)
        self._core: _core.Grammar | None = None

    def __call__(self, text: str) -> Message:
        ended = text.rstrip()
        text = next((ended.removesuffix(stop) for stop in self.program.family.stops if ended.endswith(stop)), text)
        data = text.encode("utf-8", "surrogatepass")
        core = self._written()
        if not core.accepts(data):
            raise _syntax_error(core, text, data)
        return self._parser.message(text)

    def partial(self, values: Iterable[tuple[tuple[str, ...], Any]]) -> Message:
        """The message so far; unfinished arguments hold the members that are known."""
        tools = {each.tool.name: each.tool for each in self.program.tools}
        message = Message()
        said: list[str] = []
        for names, value in values:
            if names == ("content",) and "content" not in tools:
                said.append(value)
            elif names == ("reasoning",) and "reasoning" not in tools:
                parts = [part for part in (message.reasoning, value.strip()) if part]
                message = replace(message, reasoning="\n".join(parts) or None)
            elif names:
                call = ToolCall(f"call_{len(message.calls)}", names[0], value or {}, tools[names[0]])
                message = replace(message, calls=[*message.calls, call])
            else:
                message = replace(message, final=value)
        return replace(message, content="".join(part for part in said if part.strip()).strip() or None)

    def outline(self) -> Part:
        """The message as a tree of named parts."""
        outline = OutlineBuilder(_builder(self.program, self.limits))
        return outline.part(self.program.lower(cast("_core.GrammarBuilder", outline)))

    def _written(self) -> _core.Grammar:
        """The rules for reading a text, in which each special token is written as its name."""
        if self._core is None:
            family = replace(self.program.family, special=frozenset())
            tools = tuple(each.of_family(family) for each in self.program.tools)
            reasoning = self.program.reasoning
            written = reasoning and replace(reasoning, special=frozenset())
            program = replace(self.program, family=family, tools=tools, reasoning=written)
            builder = _builder(program, self.limits)
            self._core = builder.build(program.lower(builder))
        return self._core


def _syntax_error(core: _core.Grammar, text: str, data: bytes) -> MessageSyntaxError:
    """The error at the first place where the text leaves the grammar, found by bisection over its beginnings."""
    low, high = 0, len(data)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if core.accepts_prefix(data[:middle]) else (low, middle - 1)
    offset = len(data[:low].decode("utf-8", "ignore"))
    if low == len(data):
        return MessageSyntaxError(
            "the message ends before it is whole", where=f"offset {offset}", hint="it was cut; raise max_tokens"
        )
    wrong, before = text[offset : offset + 20], text[max(0, offset - 40) : offset]
    return MessageSyntaxError(
        f"the message leaves its format at {wrong!r}, after {before!r}",
        where=f"offset {offset}",
        hint="a message made under the mask of this grammar always has it",
    )


def _report(tools: list[ToolReport], wanted: Family, vocabulary: Vocabulary | None) -> Report:
    """The coverage report of all tools; its pointers begin with the name of a tool."""
    report = Report(source=lambda: (_entry(tool, *place, "unknown") for tool in tools for place in tool.misspelt))
    for tool in tools:
        if tool.status == "refused":
            why = tool.places[0][1] if tool.places else ""
            report.notes.append(Note(f"{tool.name} cannot be called: {why}", "uncalled"))
        narrowed = dict(tool.narrowed)
        report.narrowed += [_entry(tool, *place, "narrowed") for place in narrowed.items()]
        if tool.status == "relaxed":
            report.loosened += [_entry(tool, *place, "loosened") for place in tool.places if place[0] not in narrowed]
    if wanted.tags:
        tags = ", ".join(wanted.tags)
        said = f"strings in the JSON of a call begin a tag of {wanted.name} with an escape: {tags}"
        if wanted.arguments not in ("json", "python"):
            said = f"no text of a call holds a tag of {wanted.name}; in JSON it begins with an escape: {tags}"
        report.notes.append(Note(said, "tags"))
    if vocabulary is not None:
        report.notes += _end_notes(wanted, vocabulary)
    return report


def _entry(tool: ToolReport, pointer: str, reason: str, status: str) -> Entry:
    place, _, keyword = pointer.rpartition("/")
    said = {"note": f"did you mean {reason}?"} if status == "unknown" else {"slips": reason}
    return Entry(f"/{tool.name}{place}", unescape(keyword), status, **said)


def _end_notes(wanted: Family, vocabulary: Vocabulary) -> list[Note]:
    """Notes for a vocabulary whose end tokens differ from the tokens that end the family's messages."""
    special, ends = vocabulary.special, set(vocabulary.eos)
    missing = [stop for stop in wanted.stops if special.get(stop) not in ends]
    known = [stop for stop in missing if stop in special]
    if not wanted.stops or not (known or len(missing) == len(wanted.stops)):
        return []
    said = ", ".join(name for name, token in special.items() if token in ends) or "no special token"
    wish = f"; add {', '.join(known)} to its eos" if known else ""
    stops = " or ".join(wanted.stops)
    return [
        Note(f"models of {wanted.name} end a message with {stops}, the vocabulary ends it with {said}{wish}", "end")
    ]
