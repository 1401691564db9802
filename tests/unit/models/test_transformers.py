"""The transformers adapter, against a stand-in for torch and a model that counts."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

import frisket
from frisket.errors import EngineError, FrisketError, LimitExceededError, MissingDependencyError
from frisket.models.transformers import Transformers
from tests import tiny_model


class Rows(np.ndarray):
    """As much of a tensor as the adapter touches."""

    def float(self) -> Rows:
        return self

    def cpu(self) -> Rows:
        return self

    def numpy(self) -> Any:
        return np.asarray(self)


class Counter:
    """A model whose logits point at the number of tokens that it has seen."""

    device = "cpu"

    def __init__(self, context: int = 6) -> None:
        self.config = SimpleNamespace(vocab_size=8, max_position_embeddings=context)
        self.generation_config = SimpleNamespace(eos_token_id=[6, 7])

    def __call__(self, input_ids: Any, cache: list[int] | None, use_cache: bool) -> Any:
        assert use_cache
        if 5 in input_ids:
            raise RuntimeError("out of memory")
        cache = [] if cache is None else cache
        cache.extend(input_ids[0])
        logits = np.zeros((1, input_ids.shape[1], 8), dtype=np.float32).view(Rows)
        logits[0, -1, len(cache)] = 1
        return SimpleNamespace(logits=logits, cache=cache)


class OlderCounter(Counter):
    """The same model as transformers before 5.24 calls it."""

    def __call__(self, input_ids: Any, past_key_values: list[int] | None, use_cache: bool) -> Any:
        output = super().__call__(input_ids, past_key_values, use_cache)
        return SimpleNamespace(logits=output.logits, past_key_values=output.cache)


class Words:
    eos_token_id = 7
    chat_template: str | dict[str, str] | None = None
    special_tokens_map: ClassVar[dict[str, str]] = {}

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return [0] * add_special_tokens + [int(word) for word in text.split()]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return " ".join(map(str, ids))

    def apply_chat_template(self, turns: list[dict[str, str]], tokenize: bool, add_generation_prompt: bool) -> str:
        return f"<user>{turns[0]['content']}<assistant>"


@pytest.fixture(params=[Counter, OlderCounter])
def model(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Transformers:
    torch = SimpleNamespace(inference_mode=contextlib.nullcontext, tensor=lambda rows, device: np.array(rows))
    monkeypatch.setitem(sys.modules, "torch", torch)
    return frisket.models.transformers(request.param(), Words())


def test_a_session_reads_the_prompt_and_goes_on(model: Transformers) -> None:
    session = model.start(model.encode("1 2"))
    assert session.logits().argmax() == 3
    session.push(3)
    assert session.logits().argmax() == 4
    assert session.logits().dtype == np.float32


def test_a_fork_has_its_own_cache(model: Transformers) -> None:
    session = model.start([1])
    twin = session.fork()
    twin.push(1)
    twin.push(1)
    assert (session.logits().argmax(), twin.logits().argmax()) == (1, 3)
    session.push(1)
    assert session.logits().argmax() == 2


def test_limits_and_failures_are_typed(model: Transformers) -> None:
    assert model.context == 6
    with pytest.raises(LimitExceededError, match="at most 6"):
        model.start([1] * 7)
    full = model.start([1] * 6)
    with pytest.raises(LimitExceededError, match="full"):
        full.push(1)
    with pytest.raises(EngineError, match="out of memory"):
        model.start([5])


def test_several_ids_may_end(model: Transformers) -> None:
    assert model.eos == [6, 7]


def test_the_prompt_is_the_template_or_the_chat_templates(model: Transformers, monkeypatch: pytest.MonkeyPatch) -> None:
    assert model.prompt("x", ["a", "b"]) == "keys: a, b\ninput: x\noutput: "
    assert model.encode("1")[0] == 0
    monkeypatch.setattr(Words, "chat_template", "…")
    assert model.prompt("x", ["a", "b"]) == "<user>x\n\nAnswer with one JSON value, keys: a, b.<assistant>"
    assert model.encode("1") == [1]


def test_the_template_for_tools_is_the_one_that_tells_how_they_are_called(
    model: Transformers, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("jinja2", reason="jinja2 is not installed")
    monkeypatch.setattr(Words, "chat_template", {"default": "plain", "tool_use": "{{ tools | length }} tools"})
    assert model.chat_template is not None and model.chat_template.render([], [{}]) == "1 tools"


def test_without_torch_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "frisket-llm\[transformers\]"'):
        frisket.models.transformers(Counter(), Words())


# -- models that are loaded here -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model.save(tmp_path_factory.mktemp("tiny"))


SCHEMA = {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 5}


@pytest.mark.filterwarnings("ignore")
def test_a_folder_is_loaded_as_the_pair_would_be(folder: Path) -> None:
    pair = frisket.models.transformers(*tiny_model.load(folder))
    for source in (folder, str(folder)):
        model = frisket.models.transformers(source, dtype="float32", device="cpu")
        assert model.vocabulary == pair.vocabulary and model.eos == pair.eos and model.context == 512
        answers = [frisket.stream(one, "a", SCHEMA).generation() for one in (model, pair)]
        assert answers[0].tokens == answers[1].tokens and answers[0].whole


@pytest.mark.filterwarnings("ignore")
def test_a_tokenizer_of_another_folder(folder: Path, tmp_path: Path) -> None:
    library = pytest.importorskip("transformers", reason="transformers is not installed")
    bare = tmp_path / "bare"
    library.AutoModelForCausalLM.from_pretrained(folder).save_pretrained(bare)
    with pytest.raises(FrisketError, match="cannot load the model"):
        frisket.models.transformers(bare)
    assert frisket.generate(frisket.models.transformers(bare, folder), "a", ["yes", "no"]) in ("yes", "no")


@pytest.mark.filterwarnings("ignore")
def test_what_cannot_be_loaded_says_why(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for source, message in [
        (tmp_path / "none", "there is no such folder"),
        (tmp_path, "no config.json"),
        ("./none/such", "there is no such folder"),
    ]:
        with pytest.raises(FrisketError, match=message) as caught:
            frisket.models.transformers(source)
        assert caught.value.where == str(source) and "save_pretrained" in str(caught.value.hint)
    with pytest.raises(FrisketError, match="it is a GGUF file") as caught:
        frisket.models.transformers("model.gguf")
    assert caught.value.hint == 'write frisket.models.gguf("model.gguf")'
    (tmp_path / "config.json").write_text('{"model_type": "no such network"}', encoding="utf-8")
    with pytest.raises(FrisketError, match=r"transformers \d"):
        frisket.models.transformers(tmp_path)
    with pytest.raises(TypeError, match="comes with its tokenizer"):
        frisket.models.transformers(Counter())
    with pytest.raises(TypeError, match="loaded here"):
        frisket.models.transformers(Counter(), Words(), device="cpu")
    with pytest.raises(TypeError, match=r"is a tokenizer, Words: write transformers\(model, tokenizer\)"):
        frisket.models.transformers(Words(), Counter())
    with pytest.raises(TypeError, match="second argument is a model"):
        frisket.models.transformers("a name", SimpleNamespace(forward=None))


def test_a_name_is_left_to_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, Any, dict[str, Any]]] = []

    class Loaded(Counter):
        def eval(self) -> Loaded:
            return self

    def reader(kind: str, result: Any) -> Any:
        def from_pretrained(source: Any, **options: Any) -> Any:
            asked.append((kind, source, options))
            return result

        return SimpleNamespace(from_pretrained=from_pretrained)

    library = SimpleNamespace(
        AutoModelForCausalLM=reader("model", Loaded()), AutoTokenizer=reader("tokenizer", Words()), __version__="5"
    )
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "transformers", library)
    frisket.models.transformers("org/name", revision="abc")
    assert asked == [
        ("model", "org/name", {"dtype": "auto", "revision": "abc"}),
        ("tokenizer", "org/name", {"revision": "abc"}),
    ]
    monkeypatch.setattr(Words, "is_fast", False, raising=False)
    with pytest.raises(FrisketError, match="not a fast one"):
        frisket.models.transformers("org/name")


def test_a_session_that_cannot_take_tokens_back_says_so(model: Transformers) -> None:
    assert not model.start([1]).rewinds
