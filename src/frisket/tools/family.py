"""Model family → its wire format, as data: how its models think, write text and call tools."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from frisket.chat_template import ChatTemplate, tool_template
from frisket.errors import ToolError, UnknownFamilyError, UnreadableTemplateError
from frisket.tools.lookup import find_family
from frisket.tools.template import Hole, Text, leading, pieces_of

if TYPE_CHECKING:
    from frisket.thinking import Thinking

__all__ = ["Family", "families", "family", "family_of"]


#: Tool names that a format can carry unless it sets another pattern.
NAMES = r"[A-Za-z0-9_][A-Za-z0-9_./-]*"
#: Characters that end a name or need an escape in some format.
_MARKS = re.compile(r'["\\<>{}\[\]\x00-\x1f\x7f]')

#: First tag of a marker; the text behind it may be spelled in several ways.
_FIRST_TAG = re.compile(r"\s*[^\n>]*>?")

_TAG = re.compile(r"</?[^<>/\s=][^<>\s=]*[>= ]?")


@dataclass(frozen=True)
class Family:
    """How the models of one family write a message. Every field is data; the table of `formats` cites its sources.

    Templates hold `$name`, `$arguments`, `$id` and `$ws` (up to eight blanks and line breaks).
    """

    name: str
    models: str
    """The models that write so, divided by commas; `family` takes these names, too."""
    sources: tuple[str, ...]
    """Pages that describe the format."""
    call: tuple[str, ...]
    """How one call is written; the first is what the family's chat template writes."""
    calls: str = "$calls"
    """The markers around all calls of one section; the calls stand at `$calls`."""
    separators: tuple[str, ...] = ("",)
    """Texts that may stand between two calls of a section."""
    arguments: Literal["json", "parameters", "python", "delimited"] = "json"
    """One JSON object, one tag for each parameter, Python's keyword arguments, or bare keys with texts in `quote`."""
    parameter: str = ""
    """With `parameters`: how one is written, with `$key`, `$value` and `$kind` (`true` for text, else `false`)."""
    kinds: tuple[tuple[str, str], ...] = ()
    """With `parameters`: (JSON type, its word in `$kind`), for formats that name more than `true` and `false`."""
    python_words: bool = False
    """With `parameters`: whether `True`, `False` and `None` are allowed, as templates that print values write them."""
    python_values: frozenset[str] = frozenset()
    """With `parameters` and `python`: which of the types `array` and `object` are written as Python's `repr` prints
    them. With `python`, the other type is then JSON."""
    quote: str = ""
    """With `delimited`: the marker on both sides of a text."""
    json_objects: bool = False
    """With `python`: whether an object may also be JSON, as templates write mappings. The types in `python_values` then
    may also be JSON, if the notation can hold what the schema asks."""
    verbatim: tuple[str, str, str] | None = None
    """With `parameters`: (begin, end, characters): markers, such as CDATA, around a text with one of the characters."""
    nothing: str = ""
    """With `parameters`: what may be written if there are no parameters."""
    special: frozenset[str] = frozenset()
    """Markers that are special tokens of the family's tokenizers; all others are text."""
    id: str = ""
    """The pattern of `$id`."""
    name_pattern: str = NAMES
    """The pattern of tool names that the format can carry; the default adds all names that its templates can hold."""
    opener: str = ""
    """The first character of a call, if no marker announces calls; text before calls must not begin with it."""
    text_before: bool = True
    """Whether text may stand before the first call."""
    text_between: bool = False
    """Whether text may stand between calls and after the last one."""
    content: tuple[str, str] = ("", "")
    """The markers around an answer without calls."""
    other_content: tuple[tuple[str, str], ...] = ()
    """Other markers around an answer without calls; no beginning of these may equal that of `content`."""
    preamble: tuple[str, str] | None = None
    """The markers around text before the first call, if they differ from `content`."""
    has_empty_preamble: bool = False
    """Whether the markers of `preamble` stand before every call, even without text between them."""
    thinking: tuple[str, str] | None = None
    """The markers around reasoning."""
    thinking_holds_calls: bool = False
    """Whether reasoning may contain calls; it then does not end in this message."""
    turn: str | None = None
    """The text that begins the model's turn, if the end of reasoning also has it, and another part may follow."""
    parallel: bool = True
    """Whether one message may hold several calls."""
    stops: tuple[str, ...] = ()
    """Tokens that end the message; a parser drops them at the end of a text."""
    note: str = field(default="", compare=False)
    """Advice to users of the format."""

    def __post_init__(self) -> None:
        """ToolError for fields that are no format: a call without its parts, or a call that no marker announces."""
        holes = {"call": (self.call or ("",), "$name $arguments"), "calls": ((self.calls,), "$calls")}
        if self.arguments == "parameters":
            holes["parameter"] = ((self.parameter,), "$key $value")
        for field_name, (templates, needed) in holes.items():
            for template, hole in product(templates, needed.split()):
                if Hole(hole[1:]) not in pieces_of(template):  # type: ignore[arg-type]
                    raise _no_format(self, field_name, f"{template!r} holds no {hole}")
        if not self.id and any(Hole("id") in pieces_of(template) for template in self.call):
            raise _no_format(self, "id", "a call has an identifier, whose pattern is not given")
        if self.arguments == "delimited" and not self.quote:
            raise _no_format(self, "quote", "nothing stands around texts")
        if not (self.trigger or self.opener or self.content[0]):
            raise _no_format(self, "call", "nothing announces a call, so text could not be told from it")

    @classmethod
    def from_chat_template(
        cls, text: str, *, name: str = "chat template", special: Iterable[str] = (), **variables: Any
    ) -> Family:
        """The family of a model, read from its chat template and checked against it.

        `special` are the names of the tokenizer's special tokens; `variables` are the other variables that the template
        reads. If the token that ends a message also begins calls, the tokenizer's end token, `eos_token`, ends the
        turn. UnreadableTemplateError names the part of a message that cannot be read from the template; `note` says
        what the template writes and the format cannot.

        >>> template = (
        ...     "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% for c in m.tool_calls %}"
        ...     "<call>{{ c.function | tojson }}</call>{% endfor %}<|end|>{% endfor %}"
        ...     "{% if add_generation_prompt %}<|assistant|>{% endif %}"
        ... )
        >>> Family.from_chat_template(template).call
        ('<call>{"name": "$name", "arguments": $arguments}</call>',)
        """
        from frisket.tools.reader import read_family

        return read_family(text, name, variables, frozenset(special))

    @classmethod
    def from_tokenizer(cls, tokenizer: Any, **variables: Any) -> Family:
        """The family of a model, read from the chat template of its tokenizer, one of the transformers package.

        UnreadableTemplateError if the tokenizer has no template, or a part of a message cannot be read from it.
        """
        text = tool_template(getattr(tokenizer, "chat_template", None))
        if not isinstance(text, str):
            raise UnreadableTemplateError(
                "the tokenizer has no chat template", where="template", hint="name the family, or give the template"
            )
        added: Iterable[str] = getattr(tokenizer, "get_added_vocab", dict)()
        known = {key: getattr(tokenizer, key, None) or "" for key in ("bos_token", "eos_token")}
        name = str(getattr(tokenizer, "name_or_path", "") or "chat template")
        return cls.from_chat_template(text, name=name, special=added, **{**known, **variables})

    @property
    def markers(self) -> tuple[str, ...]:
        """The texts that announce calls or reasoning or end text, and so are forbidden in free text."""
        around = (self.content, *self.other_content, self.preamble or ("", ""))
        ends = (end for _, end in around)
        found = [self.trigger, *(self.thinking or ()), *ends, *self.tags]
        return tuple(dict.fromkeys(marker for marker in found if marker))

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The tags and special tokens of the format; no text of an argument contains one.

        Many parsers look for tags before they read JSON, or read any tag as the beginning of a call.
        """
        templates = (self.calls, *self.call, self.parameter)
        literals = [piece.text for template in templates for piece in pieces_of(template) if isinstance(piece, Text)]
        found = [tag for literal in literals for tag in _TAG.findall(literal)]
        return tuple(dict.fromkeys([*found, *sorted(self.special), *(self.thinking or ())]))

    @property
    def trigger(self) -> str:
        """The marker that announces a call: the common prefix of all its forms; empty if `content` has markers."""
        if self.opener or self.content[0]:
            return ""
        pieces = pieces_of(self.calls)
        first = leading(pieces)
        if not first:
            first = _common_prefix([leading(pieces_of(call)) for call in self.call])
        for name in sorted(self.special, key=len, reverse=True):
            if first.startswith(name):
                return name
        found = _FIRST_TAG.match(first)
        assert found is not None
        return found[0]

    def prompt_says(self, prompt: str) -> Thinking:
        """The state of reasoning and of the answer at the end of a rendered prompt.

        >>> family("qwen3").prompt_says("<|im_start|>assistant\\n<think>\\n").value
        'open'
        """
        from frisket.thinking import Thinking

        if self.thinking is None:
            return Thinking.ABSENT
        if self.content[0] and prompt.endswith(self.content[0]):
            return Thinking.BEGUN
        return Thinking.of_prompt(prompt, *self.thinking, self.turn)

    def problem_of(self, name: str) -> str | None:
        """The reason why a tool cannot have this name; None if it can."""
        if not re.fullmatch(self.name_pattern, name) and not (self.name_pattern == NAMES and self._holds(name)):
            return f"the format of {self.name} cannot hold the name {name!r}"
        if name + "\n" == self.content[0]:
            return f"the format of {self.name} calls its text {name!r}"
        return None

    def _holds(self, name: str) -> bool:
        """Whether every call template can carry a name: it has no special characters, and not the text behind names."""
        ends = {call.partition("$name")[2][:1] for call in self.call}
        return not (_MARKS.search(name) or any(end in name for end in ends) or name != name.strip() or not name)


def families() -> tuple[str, ...]:
    """The names of the families that are known, in alphabetical order.

    >>> "qwen3" in families()
    True
    """
    return tuple(_known())


@cache
def family(name: str | Family) -> Family:
    """The family by its own name, by the name or id of a model, or read from the text of a chat template.

    UnknownFamilyError lists the known families; UnreadableTemplateError names the part that the template does not show.

    >>> family("qwen3").thinking
    ('<think>', '</think>')
    >>> family("Qwen/Qwen3-Coder-30B-A3B-Instruct").name
    'qwen3_coder'
    """
    if isinstance(name, Family):
        return name
    if not isinstance(name, str):
        raise TypeError(f"a family is named by a str, got {type(name).__name__}")
    if "{%" in name or "{{" in name:
        return Family.from_chat_template(name)
    known = _known()
    return known.get(name) or known[find_family(name, {each.name: each.models for each in known.values()})]


def family_of(source: Any, **variables: Any) -> Family:
    """The family of a model or of its tokenizer: read from the chat template, else found by the model's name.

    UnreadableTemplateError if neither works. `variables` are the other variables that the template reads.
    """
    tokenizer = getattr(source, "tokenizer", source)
    chat = getattr(source, "chat_template", None)
    try:
        if isinstance(chat, ChatTemplate) and getattr(tokenizer, "chat_template", None) in (None, chat):
            return Family.from_chat_template(chat.text, special=filter(None, source.vocabulary.special), **variables)
        return Family.from_tokenizer(tokenizer, **variables)
    except UnreadableTemplateError as error:
        try:
            return family(str(getattr(tokenizer, "name_or_path", "")))
        except UnknownFamilyError:
            raise error from None


def _no_format(family: Family, where: str, reason: str) -> ToolError:
    return ToolError(
        f"{family.name} is no format: {reason}", where=where, hint="see the fields of frisket.tools.Family"
    )


def _known() -> dict[str, Family]:
    from frisket.tools.formats import FAMILIES

    return FAMILIES


def _common_prefix(texts: list[str]) -> str:
    first, last = min(texts), max(texts)
    return first[
        : next((place for place, pair in enumerate(zip(first, last, strict=False)) if len(set(pair)) > 1), len(first))
    ]
