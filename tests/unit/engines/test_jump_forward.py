"""`model.generate` with a loop that reads forced text at once: the tokens are those without it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import frisket
from frisket import Grammar
from frisket.engines.transformers import GrammarProcessor
from frisket.errors import EngineError
from tests import tiny_model

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("drafts_always")]

WORD = {"type": "string", "maxLength": 6}
SCHEMAS: list[dict[str, Any]] = [
    {"type": "object", "properties": {"first_name": WORD, "kind": {"enum": ["customer", "supplier"]}, "n": {
        "type": "integer", "maximum": 99}}, "required": ["first_name", "kind", "n"], "additionalProperties": False},
    {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 5},
    {"enum": ["red", "green", 12, None, {"a": "b"}]},
    WORD,
]  # fmt: skip
MODES: dict[str, dict[str, Any]] = {
    "greedy": {},
    "sampling": {"do_sample": True},
    "hot sampling": {"do_sample": True, "temperature": 3.0, "top_k": 5, "top_p": 0.8},
    "repetition penalty": {"repetition_penalty": 1.3},
    "few tokens": {"max_new_tokens": 7},
}


@pytest.fixture(scope="module")
def setup(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tiny_model.save(tmp_path_factory.mktemp("tiny"))
    torch = pytest.importorskip("torch", reason="torch is not installed")
    model, tokenizer = tiny_model.load(folder)
    calls = [0]
    model.register_forward_hook(lambda *_: calls.__setitem__(0, calls[0] + 1))
    vocabulary = frisket.models.transformers(model, tokenizer).vocabulary
    return SimpleNamespace(torch=torch, model=model, tokenizer=tokenizer, vocabulary=vocabulary, calls=calls)


def generate(setup: Any, compiled: Any, loop: Any, *, prompt: str = "an answer:", **options: Any) -> Any:
    """The ids of the answer, and how often the network was called."""
    inputs = setup.tokenizer(tiny_model.BOS + prompt, return_tensors="pt", add_special_tokens=False)
    inputs.pop("token_type_ids", None)
    setup.torch.manual_seed(7)
    setup.calls[0] = 0
    options = {"max_new_tokens": 100, "do_sample": False} | options
    rows = setup.model.generate(
        **inputs, logits_processor=[GrammarProcessor(compiled)], custom_generate=loop, **options
    )
    return rows[0, inputs["input_ids"].shape[1] :].tolist(), setup.calls[0]


@pytest.mark.parametrize("mode", MODES)
def test_the_tokens_are_the_same(setup: Any, mode: str) -> None:
    from frisket.engines.jump_forward import JumpForward

    saved = 0
    for schema in SCHEMAS:
        compiled = Grammar.from_json_schema(schema).compile(setup.vocabulary)
        loop = JumpForward(compiled, setup.tokenizer)
        for prompt in ("an answer:", "name true 12", ""):
            plain, calls = generate(setup, compiled, None, prompt=prompt, **MODES[mode])
            ahead, fewer = generate(setup, compiled, loop, prompt=prompt, **MODES[mode])
            assert plain == ahead and fewer <= calls
            saved += calls - fewer
    assert saved > (10 if mode == "few tokens" else 30)


def test_without_a_processor_it_is_an_ordinary_loop(setup: Any) -> None:
    from frisket.engines.jump_forward import JumpForward

    compiled = Grammar.from_choices(["abababab"]).compile(setup.vocabulary)
    inputs = setup.tokenizer(tiny_model.BOS + "x", return_tensors="pt", add_special_tokens=False)
    inputs.pop("token_type_ids", None)
    plain = setup.model.generate(**inputs, max_new_tokens=20, do_sample=False)
    loop = JumpForward(compiled, setup.tokenizer)
    assert setup.model.generate(**inputs, max_new_tokens=20, do_sample=False, custom_generate=loop).equal(plain)


@pytest.mark.parametrize(
    "options, says",
    [
        ({"num_return_sequences": 2, "do_sample": True}, "one row"),
        ({"num_beams": 2}, "one row"),
        ({"return_dict_in_generate": True}, "ids alone"),
    ],
)
def test_what_it_cannot_do_is_refused(setup: Any, options: dict[str, Any], says: str) -> None:
    from frisket.engines.jump_forward import JumpForward

    compiled = Grammar.from_json_schema(WORD).compile(setup.vocabulary)
    with pytest.raises(EngineError, match=says):
        generate(setup, compiled, JumpForward(compiled, setup.tokenizer), **options)
