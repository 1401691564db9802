"""Structural tags that xgrammar and vLLM build for a request with tools compile here, and mean what xgrammar reads.

Texts are written from the tag itself, each with its arguments as the style of its family has them, and damaged by one
character or one piece; both must accept or reject each.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from frisket import Grammar

pytestmark = pytest.mark.filterwarnings("ignore")

WEATHER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer"},
        "ratio": {"type": "number"},
        "celsius": {"type": "boolean"},
        "note": {"type": ["string", "null"]},
        "unit": {"enum": ["day", "hour"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "at": {"$ref": "#/$defs/place"},
        "stops": {"type": "array", "items": {"$ref": "#/$defs/place"}, "maxItems": 2},
    },
    "required": ["city", "at"],
    "additionalProperties": False,  # by default, xgrammar closes objects
    "$defs": {
        "place": {
            "type": "object",
            "properties": {"lat": {"type": "number"}, "name": {"type": "string"}},
            "required": ["lat"],
            "additionalProperties": False,
        }
    },
}
NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}
TOOLS = [
    {"type": "function", "function": {"name": "get_weather", "parameters": WEATHER}},
    {"type": "function", "function": {"name": "now", "parameters": NOTHING}},
]
CHOICES: list[Any] = ["auto", "required", {"type": "function", "function": {"name": "get_weather"}}]
VLLM = ["glm_4_7", "hermes", "hy_v4", "kimi_k3", "longcat", "minimax", "plamo3"]
XGRAMMAR = [
    *("cohere", "deepseek_r1", "deepseek_v3_1", "deepseek_v3_2", "deepseek_v4", "deepseek_v4_1", "exaone", "glm_4_7"),
    *("harmony", "kimi", "kimi_k3", "llama", "mimo", "minimax", "minimax_m3", "qwen_3", "qwen_3_5", "qwen_3_coder"),
]
ROUNDS = 4

#: Builders whose tags hold fewer texts here, by the reason.
NARROWER = {"kimi_k3": "xgrammar takes any type's word beside a value that may have several types"}

#: Texts of the patterns that the builders write.
PATTERNS = {
    r"\d+": ["0", "12"],
    r"[0-9]+": ["0", "12"],
    r"[^<]*<\|sep\|>": ['key="note" type="null"<|sep|>'],
}
STRINGS = ["Oslo", "a b", "Zürich", "x < y & z", 'say "hi"', "two\nlines", "7"]

#: How each style writes a member of the arguments: key, kind and value.
ELEMENTS = {
    "qwen_xml": "<parameter={0}>{2}</parameter>",
    "minimax_xml": '<parameter name="{0}">{2}</parameter>',
    "deepseek_xml": '<｜DSML｜parameter name="{0}" string="{1}">{2}</｜DSML｜parameter>',
    "deepseek_v4_1_xml": '<｜DSML｜ parameter name="{0}" string="{1}">{2}</｜DSML｜ parameter>',
    "glm_xml": "<arg_key>{0}</arg_key><arg_value>{2}</arg_value>",
    "kimi_k3_xml": '<|open|>argument key="{0}" type="{1}"<|sep|>{2}<|close|>argument<|sep|>',
    "cohere_xml": '<cofl:value name="{0}" type="{1}">{2}</cofl:value>',
    "minimax_m3_xml": "]<]minimax[>[<{0}>{2}]<]minimax[>[</{0}>",
}
NESTING = ("cohere_xml", "minimax_m3_xml")


def sample(schema: Any, root: Any, rng: random.Random) -> Any:
    """A value of a schema."""
    if schema is True or not schema:
        return rng.choice([*STRINGS, 1, True])
    if "$ref" in schema:
        return sample(root["$defs"][schema["$ref"].rpartition("/")[2]], root, rng)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    kind = schema.get("type", "object")
    match rng.choice(kind) if isinstance(kind, list) else kind:
        case "object":
            needed = schema.get("required", [])
            members = schema.get("properties", {}).items()
            return {key: sample(of, root, rng) for key, of in members if key in needed or rng.random() < 0.5}
        case "array":
            return [sample(schema.get("items", True), root, rng) for _ in range(rng.randrange(3))]
        case "string":
            return rng.choice(STRINGS)
        case "integer":
            return rng.choice([0, -3, 12])
        case "number":
            return rng.choice([1, 2.5])
        case "boolean":
            return rng.choice([True, False])
        case _:
            return None


def kind_of(value: Any, style: str) -> str:
    if style.startswith("deepseek"):
        return "true" if isinstance(value, str) else "false"
    names = {str: "string", bool: "boolean", dict: "object", list: "array", int: "number", float: "number"}
    name = names.get(type(value), "null")
    if style == "kimi_k3_xml":
        return name
    return {"string": "raw", "object": "dict", "array": "list"}.get(name, "json")


def element(key: str, value: Any, style: str) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if style in NESTING and isinstance(value, dict):
        text = arguments(value, style)
    elif style in NESTING and isinstance(value, list):
        text = "".join(element("item", each, style).replace(' name="item"', "") for each in value)
    return ELEMENTS[style].format(key, kind_of(value, style), text)


def arguments(value: Any, style: str) -> str:
    """A value in a style."""
    if style == "json":
        return json.dumps(value, ensure_ascii=False)
    return "".join(element(key, each, style) for key, each in value.items())


def write(form: dict[str, Any], rng: random.Random) -> str:
    """A text of a format."""
    match form["type"]:
        case "const_string":
            return str(form["value"])
        case "any_text":
            return rng.choice(["", "hm", "a < b\n", "é"])
        case "regex":
            return rng.choice(PATTERNS[form["pattern"]])
        case "json_schema":
            schema, style = form["json_schema"], form["style"]
            value = sample({"properties": {"k": {}}} if schema is True else schema, schema, rng)
            return arguments(value, style)
        case "sequence":
            return "".join(write(each, rng) for each in form["elements"])
        case "or":
            return write(rng.choice(form["elements"]), rng)
        case "optional" | "star" | "plus":
            least, most = {"optional": (0, 1), "star": (0, 2), "plus": (1, 3)}[form["type"]]
            return "".join(write(form["content"], rng) for _ in range(rng.randint(least, most)))
        case "tag":
            end = form["end"]
            return str(form["begin"] + write(form["content"], rng) + (end if isinstance(end, str) else rng.choice(end)))
        case "tags_with_separator":
            tags = [write(rng.choice(form["tags"]), rng) for _ in range(rng.randint(1, 3))]
            return str(form["separator"]).join(tags[: 1 if form["stop_after_first"] else 3])
        case "triggered_tags":
            pieces = [] if form["at_least_one"] else [rng.choice(["", "hm "])]
            for _ in range(rng.randint(1 if form["at_least_one"] else 0, 1 if form["stop_after_first"] else 2)):
                pieces += [
                    write(rng.choice(form["tags"]), rng),
                    "" if form["stop_after_first"] else rng.choice(["", "\n"]),
                ]
            return "".join(pieces)
    raise AssertionError(form["type"])


def damaged(text: str, rng: random.Random) -> Iterator[str]:
    """Texts beside it, most of which are none of the tag's."""
    yield text + text
    yield text[:-1]
    for _ in range(4):
        at = rng.randrange(len(text) or 1)
        yield text[:at] + text[at + 1 :]
        yield text[:at] + text[at : at + 12] + text[at:]


class Peer:
    """xgrammar's matcher for a tag."""

    def __init__(self, xgrammar: Any, tag: Any) -> None:
        compiler = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo([]), cache_enabled=False)
        self.matcher = xgrammar.GrammarMatcher(compiler.compile_structural_tag(tag), terminate_without_stop_token=True)

    def accepts(self, text: str) -> bool:
        self.matcher.reset()
        return bool(not text or self.matcher.accept_string(text)) and bool(self.matcher.is_terminated())


def compare(xgrammar: Any, tag: Any, rng: random.Random, *, is_narrower: bool = False) -> int:
    """How many texts both accept; AssertionError with one that frisket or (but `is_narrower`) xgrammar alone does."""
    form = tag.model_dump()
    grammar, peer = Grammar.from_structural_tag(form), Peer(xgrammar, tag)
    accepted = 0
    for _ in range(ROUNDS):
        text = write(form["format"], rng)
        assert (grammar.accepts(text), peer.accepts(text)) == (True, True), text
        accepted += 1
        for other in damaged(text, rng):
            ours, theirs = grammar.accepts(other), peer.accepts(other)
            assert ours == theirs or (is_narrower and theirs), other
    return accepted


@pytest.fixture(scope="session")
def xgrammar() -> Any:
    return pytest.importorskip("xgrammar", reason="xgrammar is not installed")


@pytest.mark.parametrize("model", XGRAMMAR)
def test_tags_of_xgrammar(xgrammar: Any, model: str) -> None:
    rng = random.Random(model)
    for choice, reasoning, parallel in itertools.product(CHOICES, ("enabled", "disabled", "auto"), (True, False)):
        tag = xgrammar.get_model_structural_tag(model, TOOLS, choice, reasoning, parallel_tool_calls=parallel)
        assert compare(xgrammar, tag, rng, is_narrower=model in NARROWER) == ROUNDS


@pytest.mark.parametrize("is_strict", [True, False, None])
@pytest.mark.parametrize("model", VLLM)
def test_tags_of_vllm(xgrammar: Any, model: str, is_strict: bool | None) -> None:
    registry = pytest.importorskip(
        "vllm.tool_parsers.structural_tag_registry",
        reason="vLLM 0.33 is not installed with its dependencies, or another version is",
        exc_type=ImportError,
    )
    rng = random.Random(f"{model} {is_strict}")
    tools = [{**tool, "function": {**tool["function"], "strict": is_strict}} for tool in TOOLS]
    for choice, reasoning, parallel in itertools.product(CHOICES, (True, False), (True, False)):
        given = xgrammar.normalize_tool_choice(tools, choice)
        tag = registry._VLLM_STRUCTURAL_TAG_REGISTRY[model](*given, reasoning)
        tag = tag if parallel else registry.limit_to_single_tool_call(tag)
        assert compare(xgrammar, tag, rng) == ROUNDS


def test_every_builder_is_here(xgrammar: Any) -> None:
    assert sorted(xgrammar.builtin_structural_tag._structural_tag_registry) == XGRAMMAR
