"""vLLM's own parsers of tool calls read what the masks let pass: the same calls, with valid arguments.

vLLM must be installed with what it needs, since its parsers import its server.
"""

from __future__ import annotations

import json
import random
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest

from frisket import Grammar
from frisket.tools import families, family
from tests.unit.tools.test_walks import SCHEMAS, TOOLS, vocabulary_of, walk

pytestmark = pytest.mark.filterwarnings("ignore")

#: Family → the name of vLLM's parser.
PARSERS = {
    "glm45": "glm45",
    "granite4": "granite4",
    "hermes": "hermes",
    "internlm2": "internlm",
    "jamba": "jamba",
    "kimi_k2": "kimi_k2",
    "lfm2": "lfm2",
    "llama3": "llama3_json",
    "llama4_pythonic": "llama4_pythonic",
    "minicpm5": "minicpm5",
    "minimax_m2": "minimax_m2",
    "olmo3": "olmo3",
    "qwen3": "hermes",
    "qwen3_coder": "qwen3_coder",
}
#: Families of whose calls vLLM 0.32 reads some otherwise, and which: no mask keeps to them.
DIFFERENT = {
    "deepseek_v3": "arguments with a line break among their white space are not found",
    "deepseek_v31": "arguments with a line break among their white space are not found",
    "mistral_v11": "[CALL_ID] and what follows it is taken for a part of the name",
    "phi4_mini": "a closing bracket in the arguments ends the list of calls",
    "seed_oss": "a line break at the beginning of a text is dropped",
}


@pytest.fixture(scope="session")
def vllm() -> Any:
    """vLLM's parsers and the shape of a request."""
    names = ("vllm.tool_parsers", "vllm.entrypoints.openai.chat_completion.protocol")
    reason = "vLLM is not installed with its dependencies, or another version is"
    parsers, protocol = (pytest.importorskip(name, reason=reason, exc_type=ImportError) for name in names)
    return SimpleNamespace(parsers=parsers.ToolParserManager, protocol=protocol)


class Tokenizer:
    """The tokens of a family, as far as a parser asks for them."""

    def __init__(self, name: str) -> None:
        self.known = dict(vocabulary_of(family(name)).special)
        self.eos_token_id, self.eos_token, self.bos_token = self.known["<end>"], "<end>", ""
        self.all_special_tokens, self.all_special_ids = list(self.known), list(self.known.values())
        self.name_or_path = name

    def get_vocab(self) -> dict[str, int]:
        wanted = family(self.name_or_path)
        ids = {text: 1000 + place for place, text in enumerate(dict.fromkeys([*(wanted.thinking or ()), *wanted.tags]))}
        return {**ids, **self.known}

    @property
    def vocab(self) -> dict[str, int]:
        return self.get_vocab()

    def encode(self, text: str, **_: Any) -> list[int]:
        known = self.get_vocab()
        return [known[text]] if text in known else [ord(char) for char in text]

    def decode(self, ids: Any, **_: Any) -> str:
        names = {token: text for text, token in self.get_vocab().items()}
        return "".join(names.get(token, "") for token in ([ids] if isinstance(ids, int) else ids))

    def convert_tokens_to_ids(self, token: str) -> int | None:
        return self.get_vocab().get(token)


def read(vllm: Any, name: str, text: str) -> list[tuple[str, dict[str, Any]]]:
    """The calls that vLLM's parser finds."""
    tools = [{"type": "function", "function": {"description": "", "parameters": {}, **tool}} for tool in TOOLS]
    body = {"messages": [{"role": "user", "content": "?"}], "model": "m", "tools": tools}
    request = vllm.protocol.ChatCompletionRequest.model_validate(body)
    parser = vllm.parsers.get_tool_parser(PARSERS[name])(Tokenizer(name), request.tools)
    found = parser.extract_tool_calls(text, request)
    return [(call.function.name, json.loads(call.function.arguments)) for call in found.tool_calls]


@pytest.mark.parametrize("name", PARSERS)
def test_vllm_reads_the_same_calls(vllm: Any, name: str) -> None:
    vocabulary = vocabulary_of(family(name))
    rng = random.Random(name)
    calls = 0
    for choice in ("required", "auto") * 4:
        thinking = "off" if family(name).thinking else "auto"
        grammar = Grammar.from_tools(TOOLS, name, choice=choice, thinking=thinking)
        text = walk(grammar, vocabulary, rng)
        if text is None:
            continue
        wanted = [(call.name, call.arguments) for call in grammar.value(text).calls]
        found = read(vllm, name, text)
        assert found == wanted, text
        for called, arguments in found:
            jsonschema.validate(arguments, SCHEMAS[called])
        calls += len(found)
    assert calls


def test_the_parsers_are_of_known_families() -> None:
    assert {*PARSERS, *DIFFERENT} <= set(families()) and len(PARSERS) >= 12 and not PARSERS.keys() & DIFFERENT.keys()
