"""Structural tag, a JSON value in requests to vLLM and SGLang → part.

A `format` is a tree of formats; each kind describes texts. A format that has no end of its own, such as free text,
contains no string that ends the nearest tag around it. Older requests list `structures` and `triggers` instead.

Source: xgrammar 0.2, docs/structural_tag (structural_tag.md and advanced_usage.md).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn

from frisket.errors import FrisketError, GrammarSyntaxError, LimitExceededError
from frisket.json_fault import json_fault
from frisket.json_pointer import to_pointer
from frisket.notations.combination import free_text
from frisket.notations.combination.part import (
    AnyTokens,
    Choice,
    FreeText,
    Label,
    Lit,
    Part,
    Repeat,
    Seq,
    Special,
    Tags,
    Whole,
)
from frisket.notations.structural_tag.style import STYLES, build_parameters

if TYPE_CHECKING:
    from frisket.grammar import Grammar
    from frisket.json_schema import JSONSchemaOptions
    from frisket.limit import Limits

#: Largest count: the definition of the format gives counts 31 bits.
_LARGEST = 2**31 - 1


def read_structural_tag(
    tag: Any, grammars: type[Grammar], options: JSONSchemaOptions | None, limits: Limits | None
) -> Part:
    """The part of a structural tag; GrammarSyntaxError, with the JSON pointer, for one that is invalid or not exact.

    `grammars` is the class that makes the grammars of schemas, patterns and rules in the tag.
    """
    try:
        return _Reader(grammars, options, limits).document(tag)
    except RecursionError:
        raise LimitExceededError("the structural tag nests too deeply", hint="use fewer levels") from None


@dataclass(frozen=True, slots=True)
class TagText:
    """The value of a structural tag's text, which is the text itself."""

    part: Part

    def __call__(self, text: str) -> str:
        return text

    def outline(self) -> Part:
        """The tag as a tree of named parts."""
        return self.part


def load_structural_tag(text: str) -> Any:
    """The value of a structural tag's JSON text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        fault = json_fault(error)
        if fault.is_limit:
            raise LimitExceededError(f"the structural tag {fault.message}", hint=fault.hint) from None
        raise GrammarSyntaxError(f"the structural tag {fault.message}", where=fault.where, hint=fault.hint) from error


@dataclass(frozen=True)
class _Place:
    """The place of a format: its JSON pointer, and the ends of the nearest tag around it."""

    pointer: str = ""
    ends: tuple[str, ...] = ()

    def below(self, *tokens: str | int) -> _Place:
        return replace(self, pointer=self.pointer + to_pointer(tokens))

    def fail(self, message: str, hint: str | None = None) -> NoReturn:
        raise GrammarSyntaxError(message, where=self.pointer, hint=hint)


class _Reader:
    def __init__(self, grammars: type[Grammar], options: JSONSchemaOptions | None, limits: Limits | None) -> None:
        self.grammars = grammars
        self.options = options
        self.limits = limits
        self.formats: dict[str, Callable[[Mapping[str, Any], _Place], Part]] = {
            "const_string": lambda data, place: Lit(_text(data, "value", place)),
            "json_schema": self._json_schema,
            "qwen_xml_parameter": lambda data, place: self._json_schema({**data, "style": "qwen_xml"}, place),
            "grammar": self._grammar,
            "regex": self._regex,
            "any_text": self._any_text,
            "sequence": lambda data, place: Seq(self._elements(data, place)),
            "or": lambda data, place: Choice(self._elements(data, place)),
            "optional": lambda data, place: Repeat(self._content(data, place), 0, 1),
            "plus": lambda data, place: Repeat(self._content(data, place), 1, None),
            "star": lambda data, place: Repeat(self._content(data, place), 0, None),
            "repeat": self._repeat,
            "tag": self._tag,
            "triggered_tags": self._triggered_tags,
            "tags_with_separator": self._tags_with_separator,
            "dispatch": self._dispatch,
            "token": lambda data, place: _token(data.get("token"), place.below("token")),
            "any_tokens": self._any_tokens,
            "token_triggered_tags": self._token_triggered_tags,
            "token_dispatch": self._token_dispatch,
        }

    def document(self, tag: Any) -> Part:
        place = _Place()
        if not isinstance(tag, Mapping):
            place.fail(f"a structural tag is a JSON object, got {_kind(tag)}")
        if "structures" in tag or "triggers" in tag:
            return self._structures(tag, place)
        if tag.get("type") != "structural_tag":
            place.below("type").fail(
                'the type of a structural tag is "structural_tag"',
                'write {"type": "structural_tag", "format": {…}}, or {"structures": […], "triggers": […]}',
            )
        if "format" not in tag:
            place.fail("there is neither a format nor structures and triggers")
        return self.format(tag["format"], place.below("format"))

    def format(self, data: Any, place: _Place) -> Part:
        if not isinstance(data, Mapping):
            place.fail(f"a format is a JSON object, got {_kind(data)}")
        kind = data.get("type")
        read = self.formats.get(kind) if isinstance(kind, str) else None
        if kind == "exclude_token":
            place.fail(
                "one token that is any but some cannot be told exactly: a grammar knows no vocabulary",
                "write the text that may come as any_text or a regex",
            )
        if read is None:
            place.below("type").fail(f"there is no format {kind!r}", f"the formats are {', '.join(self.formats)}")
        return read(data, place)

    # -- formats of a single text ----------------------------------------------------------------------------------
    def _json_schema(self, data: Mapping[str, Any], place: _Place) -> Part:
        if "json_schema" not in data:
            place.fail("a json_schema format has no json_schema")
        style = data.get("style") or "json"
        if not isinstance(style, str) or (style != "json" and style not in STYLES):
            place.below("style").fail(f"there is no style {style!r}", f"the styles are json, {', '.join(STYLES)}")
        excluded = tuple(_strings(data, "excludes", place))
        options = self._options(data, place)
        schema, place = data["json_schema"], place.below("json_schema")
        try:
            if style == "json":
                options = replace(options, forbidden_texts=options.forbidden_texts + excluded)
                return Whole(self.grammars.from_json_schema(schema, options, limits=self.limits))
            return Whole(self.grammars(build_parameters(schema, STYLES[style], options, excluded, self.limits)))
        except FrisketError as error:
            raise _inside(error, place) from error

    def _options(self, data: Mapping[str, Any], place: _Place) -> JSONSchemaOptions:
        """The options for a schema: by default any white space and escapes, as the definition of the format says."""
        from frisket.json_schema import JSONSchemaOptions

        options = self.options or JSONSchemaOptions(whitespace="free", escapes="free")
        most = data.get("max_whitespace_cnt")
        if most is not None:
            most = _count(data, "max_whitespace_cnt", place)
            options = replace(options, whitespace="compact" if most == 0 else "bounded", max_whitespace=None)
        return replace(options, property_order="any") if _flag(data, "any_order", place) else options

    def _grammar(self, data: Mapping[str, Any], place: _Place) -> Part:
        text, place = _text(data, "grammar", place), place.below("grammar")
        try:
            return Whole(self.grammars.from_ebnf(text, dialect="xgrammar", root="root", limits=self.limits))
        except FrisketError as error:
            raise _inside(error, place) from error

    def _regex(self, data: Mapping[str, Any], place: _Place) -> Part:
        pattern = _text(data, "pattern", place)
        if data.get("excludes"):
            place.below("excludes").fail("strings that a pattern may not match are not enforced", "leave them out")
        try:
            return Whole(self.grammars.from_regex(pattern, dialect="ecma", limits=self.limits))
        except FrisketError as error:
            raise _inside(error, place.below("pattern")) from error

    def _any_text(self, data: Mapping[str, Any], place: _Place) -> Part:
        _no_max_tokens(data, place)
        most = None if data.get("max_chars") is None else _count(data, "max_chars", place)
        return FreeText(self._forbidden(data, [], place), 0, most)

    def _any_tokens(self, data: Mapping[str, Any], place: _Place) -> Part:
        _no_max_tokens(data, place)
        return AnyTokens(_tokens(data, "exclude_tokens", place))

    # -- formats of several texts ----------------------------------------------------------------------------------
    def _elements(self, data: Mapping[str, Any], place: _Place) -> tuple[Part, ...]:
        elements, place = _list(data, "elements", place), place.below("elements")
        return tuple(self.format(element, place.below(at)) for at, element in enumerate(elements))

    def _content(self, data: Mapping[str, Any], place: _Place) -> Part:
        if "content" not in data:
            place.fail("the content is missing")
        return self.format(data["content"], place.below("content"))

    def _repeat(self, data: Mapping[str, Any], place: _Place) -> Part:
        low = _count(data, "min", place)
        high = None if data.get("max") == -1 else _count(data, "max", place)
        if high is not None and high < low:
            place.fail(f"at least {low} and at most {high} times is never", "the smaller count comes first")
        return Repeat(self._content(data, place), low, high)

    # -- tags --------------------------------------------------------------------------------------------------------
    def _tag(self, data: Mapping[str, Any], place: _Place) -> Part:
        return Seq((self._begin(data, place), self._behind(data, place)))

    def _begin(self, data: Any, place: _Place) -> Lit | Special:
        if not isinstance(data, Mapping):
            place.fail(f"a tag is a JSON object, got {_kind(data)}")
        if data.get("type", "tag") != "tag":
            place.below("type").fail("the format of a tag is tag")
        begin, place = data.get("begin"), place.below("begin")
        if isinstance(begin, str):
            return Lit(_encoded(begin, place))
        if isinstance(begin, Mapping) and begin.get("type") == "token":
            return _token(begin.get("token"), place.below("token"))
        place.fail(f"the begin of a tag is a text or a token, got {_kind(begin)}")

    def _behind(self, data: Mapping[str, Any], place: _Place) -> Part:
        """The content and the end of a tag."""
        end, at = data.get("end"), place.below("end")
        if isinstance(end, Mapping) and end.get("type") == "token":
            token = _token(end.get("token"), at.below("token"))
            return Seq((_named(data, self._content(data, replace(place, ends=()))), token))
        ends = [end] if isinstance(end, str) else end
        if not isinstance(ends, (list, tuple)) or not ends or not all(isinstance(each, str) for each in ends):
            at.fail("the end of a tag is a text, a list of texts that is not empty, or a token")
        texts = tuple(dict.fromkeys(_encoded(each, at) for each in ends))
        content = self._content(data, replace(place, ends=tuple(text for text in texts if text)))
        if not any(texts) and isinstance(content, (FreeText, Tags)) and not content.forbidden:
            at.fail("the content has no end of its own, and the tag has none either", "give the tag an end")
        return Seq((_named(data, content), Choice(tuple(map(Lit, texts)))))

    def _structures(self, tag: Mapping[str, Any], place: _Place) -> Part:
        """The older kind of request: every structure is a tag around a JSON document."""
        tags = []
        structures = _list(tag, "structures", place)
        for number, structure in enumerate(structures):
            at = place.below("structures", number)
            if not isinstance(structure, Mapping) or "schema" not in structure:
                at.fail("a structure is a JSON object with begin, schema and end")
            content = {"type": "json_schema", "json_schema": structure["schema"]}
            tags.append({"begin": structure.get("begin"), "content": content, "end": structure.get("end")})
        return self._triggered_tags({"triggers": tag.get("triggers"), "tags": tags}, place, listed="structures")

    def _triggered_tags(self, data: Mapping[str, Any], place: _Place, listed: str = "tags") -> Part:
        triggers = _strings(data, "triggers", place)
        if not triggers:
            place.below("triggers").fail("there are no triggers")
        tags = []
        for number, tag in enumerate(_list(data, "tags", place)):
            at = place.below(listed, number)
            begin = self._begin(tag, at)
            if not isinstance(begin, Lit):
                at.below("begin").fail("a tag with triggers begins with a text", "use token_triggered_tags")
            found = [trigger for trigger in triggers if begin.text.startswith(trigger)]
            if len(found) != 1:
                said = f"begins with {' and with '.join(map(repr, found))}" if found else "begins with none of them"
                at.below("begin").fail(f"a tag begins with exactly one of the triggers, and {begin.text!r} {said}")
            tags.append((begin, self._behind(tag, at)))
        used = tuple(word for word in triggers if any(begin.text.startswith(word) for begin, _ in tags))
        # A trigger that begins no tag is forbidden, since no tag could follow it.
        unused = tuple(word for word in triggers if word not in used)
        forbidden = self._forbidden(data, used, place, unused)
        return self._tagged(data, place, tuple(tags), used, forbidden)

    def _token_triggered_tags(self, data: Mapping[str, Any], place: _Place) -> Part:
        triggers = _tokens(data, "trigger_tokens", place)
        if not triggers:
            place.below("trigger_tokens").fail("there are no trigger tokens")
        tags = []
        for number, tag in enumerate(_list(data, "tags", place)):
            at = place.below("tags", number)
            begin = self._begin(tag, at)
            if not isinstance(begin, Special) or begin.name not in triggers:
                at.below("begin").fail("a tag begins with one of the trigger tokens")
            tags.append((begin, self._behind(tag, at)))
        named = AnyTokens(_tokens(data, "exclude_tokens", place))
        return Seq((self._tagged(data, place, tuple(tags), (), ()), Repeat(named, 0, 0)))

    def _tagged(
        self,
        data: Mapping[str, Any],
        place: _Place,
        tags: tuple[tuple[Lit | Special, Part], ...],
        triggers: tuple[str, ...],
        forbidden: tuple[str, ...],
    ) -> Part:
        if not tags:
            place.below("tags").fail("there are no tags")
        once, required = _flag(data, "stop_after_first", place), _flag(data, "at_least_one", place)
        # If a tag is required, the first one comes without text before it.
        first = Choice(tuple(Seq(tag) for tag in tags))
        if once:
            return first if required else Tags(tags, triggers, forbidden, 0, 1, None, text_after=False)
        rest = Tags(tags, triggers, forbidden)
        return Seq((first, rest)) if required else rest

    def _tags_with_separator(self, data: Mapping[str, Any], place: _Place) -> Part:
        tags, at = _list(data, "tags", place), place.below("tags")
        if not tags:
            at.fail("there are no tags")
        each = Choice(
            tuple(
                Seq((self._begin(tag, at.below(number)), self._behind(tag, at.below(number))))
                for number, tag in enumerate(tags)
            )
        )
        separator = Lit(_text(data, "separator", place))
        low = int(_flag(data, "at_least_one", place))
        return Repeat(each, low, 1 if _flag(data, "stop_after_first", place) else None, separator)

    def _dispatch(self, data: Mapping[str, Any], place: _Place) -> Part:
        tags: list[tuple[Lit | Special, Part]] = []
        for pattern, part, at in self._rules(data, place):
            if not isinstance(pattern, str) or not pattern:
                at.below(0).fail("a pattern is a text that is not empty")
            tags.append((Lit(_encoded(pattern, at.below(0))), part))
        words = tuple(dict.fromkeys(begin.text for begin, _ in tags if isinstance(begin, Lit)))
        forbidden = self._forbidden(data, words, place)
        return self._dispatched(data, place, tuple(tags), words, forbidden)

    def _token_dispatch(self, data: Mapping[str, Any], place: _Place) -> Part:
        tags: tuple[tuple[Lit | Special, Part], ...] = tuple(
            (_token(token, at.below(0)), part) for token, part, at in self._rules(data, place)
        )
        named = AnyTokens(_tokens(data, "exclude_tokens", place))
        return Seq((self._dispatched(data, place, tags, (), ()), Repeat(named, 0, 0)))

    def _dispatched(
        self,
        data: Mapping[str, Any],
        place: _Place,
        tags: tuple[tuple[Lit | Special, Part], ...],
        words: tuple[str, ...],
        forbidden: tuple[str, ...],
    ) -> Part:
        if _flag(data, "loop", place, usual=True):
            return Tags(tags, words, forbidden)
        return Tags(tags, words, forbidden, 0, 1, None, text_after=False)

    def _rules(self, data: Mapping[str, Any], place: _Place) -> list[tuple[Any, Part, _Place]]:
        found = []
        for number, rule in enumerate(_list(data, "rules", place)):
            at = place.below("rules", number)
            if not isinstance(rule, (list, tuple)) or len(rule) != 2:
                at.fail("a rule is a list of a pattern and a format")
            found.append((rule[0], self.format(rule[1], at.below(1)), at))
        if not found:
            place.below("rules").fail("there are no rules")
        return found

    def _forbidden(
        self, data: Mapping[str, Any], triggers: list[str] | tuple[str, ...], place: _Place, more: tuple[str, ...] = ()
    ) -> tuple[str, ...]:
        """The strings that free text must not contain: those it lists itself, and the ends of the tag around it."""
        excludes = _strings(data, "excludes", place)
        strings = tuple(dict.fromkeys([*excludes, *more, *place.ends]))
        free_text.check_strings(place.pointer, triggers, strings)
        return strings


def _named(tag: Mapping[str, Any], content: Part) -> Part:
    """The content of a tag, named by the tag's begin in paths."""
    begin = tag.get("begin")
    name = begin if isinstance(begin, str) else _token((begin or {}).get("token"), _Place()).name
    return Label(name, content) if name else content


def _inside(error: FrisketError, place: _Place) -> FrisketError:
    """The error of a schema, pattern or grammar inside the structural tag, with its place there."""
    if isinstance(error, LimitExceededError):
        return error
    at = error.where or ""
    if at.startswith("/"):
        return GrammarSyntaxError(error.message, where=place.pointer + at, hint=error.hint)
    said = f" (at {at})" if at else ""
    return GrammarSyntaxError(f"{error.message}{said}", where=place.pointer, hint=error.hint)


def _kind(value: Any) -> str:
    return "null" if value is None else type(value).__name__


def _encoded(text: str, place: _Place) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        place.fail("a lone surrogate has no UTF-8 form", "leave it out")
    return text


def _text(data: Mapping[str, Any], key: str, place: _Place) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        place.below(key).fail(f"{key} is a text, got {_kind(value)}")
    return _encoded(value, place.below(key))


def _list(data: Mapping[str, Any], key: str, place: _Place) -> list[Any]:
    value = data.get(key)
    if not isinstance(value, (list, tuple)):
        place.below(key).fail(f"{key} is a list, got {_kind(value)}")
    return list(value)


def _strings(data: Mapping[str, Any], key: str, place: _Place) -> list[str]:
    """The distinct, non-empty strings under a key; none if the key is missing."""
    values = _list(data, key, place) if data.get(key) is not None else []
    for number, value in enumerate(values):
        if not isinstance(value, str) or not value:
            place.below(key, number).fail("expected a text that is not empty")
        _encoded(value, place.below(key, number))
    return list(dict.fromkeys(values))


def _count(data: Mapping[str, Any], key: str, place: _Place) -> int:
    value = data.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _LARGEST:
        place.below(key).fail(f"{key} is an integer from 0 to {_LARGEST:,}, got {value!r}")
    return value


def _flag(data: Mapping[str, Any], key: str, place: _Place, *, usual: bool = False) -> bool:
    value = data.get(key, usual)
    if not isinstance(value, bool):
        place.below(key).fail(f"{key} is true or false, got {_kind(value)}")
    return value


def _no_max_tokens(data: Mapping[str, Any], place: _Place) -> None:
    if data.get("max_tokens") is not None:
        _count(data, "max_tokens", place)
        place.below("max_tokens").fail(
            "a number of tokens cannot be told by a grammar, which knows no vocabulary", "bound the text by max_chars"
        )


def _token(token: Any, place: _Place) -> Special:
    if isinstance(token, str) and token:
        return Special(_encoded(token, place))
    if isinstance(token, int) and not isinstance(token, bool) and token >= 0:
        return Special(f"<[{token}]>")
    place.fail(f"a token is the text or the number of a special token, got {token!r}")


def _tokens(data: Mapping[str, Any], key: str, place: _Place) -> tuple[str, ...]:
    values = _list(data, key, place) if data.get(key) is not None else []
    return tuple(_token(value, place.below(key, number)).name for number, value in enumerate(values))
