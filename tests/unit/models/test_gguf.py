"""GGUF files: networks by numpy and by transformers, the tokenizer of the file, refusals."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import frisket
from frisket.errors import EngineError, FrisketError, LimitExceededError, MissingDependencyError, VocabularyError
from frisket.models.protocol import DraftSession

pytestmark = pytest.mark.filterwarnings("ignore")

WIDTH, HEADS, KV_HEADS, LAYERS, MIDDLE = 64, 4, 2, 2, 96
MERGES = ["t r", "u e", "tr ue", "Ġ a", 'Ġ "', '" :', "1 2", "l o", "h e", "he l", "hel lo"]
SPECIAL = ["<|im_start|>", "<|im_end|>", "<|end|>"]
TEMPLATE = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def write(path: Path, **changes: Any) -> Path:
    """A file with a small random llama network and a byte-level tokenizer."""
    library = pytest.importorskip("gguf", reason="gguf is not installed")
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    pytest.importorskip("jinja2", reason="jinja2 is not installed")
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    pieces = [*SPECIAL, *letters, *(merge.replace(" ", "") for merge in MERGES)]
    writer = library.GGUFWriter(path, changes.get("architecture", "llama"))
    writer.add_context_length(changes.get("context", 256))
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(MIDDLE)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10_000.0)
    writer.add_rope_dimension_count(changes.get("rotated", WIDTH // HEADS))
    writer.add_vocab_size(len(pieces))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(changes.get("splitting", "smollm"))
    writer.add_token_list(pieces)
    writer.add_token_types([3 if piece in SPECIAL else 1 for piece in pieces])
    writer.add_token_merges(MERGES)
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_eot_token_id(2)
    if changes.get("template", True):
        writer.add_chat_template(TEMPLATE)
    rng = np.random.default_rng(changes.get("seed", 0))

    def add(name: str, *shape: int, kind: str = "F32") -> None:
        values = rng.normal(scale=0.3, size=shape).astype(np.float32) + (name.endswith("norm.weight"))
        if kind == "F32":
            writer.add_tensor(name, values)
        else:
            quantised = getattr(library.GGMLQuantizationType, kind)
            writer.add_tensor(name, library.quantize(values, quantised), raw_dtype=quantised)

    add("token_embd.weight", len(pieces), WIDTH, kind="Q8_0")
    add("output_norm.weight", WIDTH)
    for layer in range(LAYERS):
        width, kv_width = WIDTH, WIDTH * KV_HEADS // HEADS
        for part, *shape in (
            ("attn_q", width, WIDTH), ("attn_k", kv_width, WIDTH), ("attn_v", kv_width, WIDTH),
            ("attn_output", WIDTH, width), ("ffn_gate", MIDDLE, WIDTH), ("ffn_up", MIDDLE, WIDTH),
            ("ffn_down", WIDTH, MIDDLE),
        ):  # fmt: skip
            add(f"blk.{layer}.{part}.weight", *shape, kind="Q4_1" if part.startswith("ffn") else "F16")
        add(f"blk.{layer}.attn_norm.weight", WIDTH)
        add(f"blk.{layer}.ffn_norm.weight", WIDTH)
    for name in changes.get("more", ()):
        add(name, WIDTH)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(scope="module")
def model(path: Path) -> Any:
    return frisket.models.gguf(path, runtime="numpy")


def need(runtime: str) -> None:
    """Skip where the packages of a runtime are not there; `.ci/run` lacks llama-cpp-python, which has no wheels."""
    packages = {"transformers": ("torch", "transformers"), "llama.cpp": ("llama_cpp",)}
    for package in packages.get(runtime, ()):
        pytest.importorskip(package, reason=f"{package} is not installed", exc_type=ImportError)


# llama.cpp computes with the weights as they are stored, and rounds what they are multiplied with.
@pytest.mark.parametrize("runtime, error", [("transformers", 1e-3), ("llama.cpp", 0.4)])
def test_the_runtimes_give_the_same_logits(path: Path, model: Any, runtime: Any, error: float) -> None:
    need(runtime)
    other = frisket.models.gguf(path, runtime=runtime)
    ids = model.encode(model.prompt("hello 12 true", ["a"]))
    assert ids == other.encode(other.prompt("hello 12 true", ["a"])) and len(ids) > 20
    ours, theirs = model.start(ids), other.start(ids)
    assert model.vocabulary == other.vocabulary
    for _ in range(5):
        expected, found = theirs.logits(), ours.logits()
        assert np.abs(expected).max() > 1
        assert np.allclose(found, expected, rtol=1e-3, atol=error)
        ours.push(int(expected.argmax()))
        theirs.push(int(expected.argmax()))


def test_reading_at_once_is_reading_one_by_one(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = model.encode("hello true 1212 hello")
    whole = model.start(ids).logits()
    session = model.start(ids[:1])
    for token_id in ids[1:]:
        session.logits()
        session.push(token_id)
    assert np.allclose(session.logits(), whole, atol=1e-4)
    monkeypatch.setattr("frisket.models.llama.CHUNK", 3)
    monkeypatch.setattr("frisket.models.llama.ROOM", 2)
    assert np.allclose(model.start(ids).logits(), whole, atol=1e-4)


def test_a_fork_goes_its_own_way(model: Any) -> None:
    session = model.start(model.encode("hello"))
    before = session.logits()
    twin = session.fork()
    twin.push(5)
    twin.push(6)
    changed = twin.logits()
    assert np.array_equal(session.logits(), before) and not np.allclose(changed, before)
    session.push(5)
    session.push(6)
    assert np.allclose(session.logits(), changed, atol=1e-5)


def test_the_tokenizer_of_the_file(model: Any) -> None:
    assert model.eos == [1, 2]
    assert model.vocabulary.size == 3 + 256 + len(MERGES)
    ids = model.encode("<|im_start|>hello true 1212")
    texts = [model.vocabulary.token(token_id) for token_id in ids]
    # The digits stand alone, whatever the merges say.
    assert texts[:2] == [None, b"hello"] and texts[-4:] == [b"1", b"2", b"1", b"2"]
    assert model.decode(ids) == "hello true 1212"
    assert model.prompt("hi", ["a", "b"]) == (
        "<|im_start|>user\nhi\n\nAnswer with one JSON value, keys: a, b.<|im_end|>\n<|im_start|>assistant\n"
    )


def test_without_a_template_the_prompt_is_the_packages(tmp_path: Path) -> None:
    model = frisket.models.gguf(write(tmp_path / "plain.gguf", template=False), runtime="numpy")
    assert model.prompt("hi", ["a"]) == "keys: a\ninput: hi\noutput: "


def test_generation_is_valid(path: Path, model: Any) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "boolean"}, "n": {"enum": [1, 2]}}, "required": ["a", "n"]}
    schema["additionalProperties"] = False
    value = frisket.generate(model, "hi", schema, max_tokens=60, sampler=frisket.Sampler(temperature=1.0), seed=3)
    assert isinstance(value["a"], bool) and value["n"] in (1, 2)
    free = "".join(step.text for step in frisket.stream(model, "hi", frisket.Grammar.from_regex("[a-z ]{5,9}")))
    assert 5 <= len(free) <= 9


def test_limits(model: Any) -> None:
    with pytest.raises(LimitExceededError, match="at most 256"):
        model.start([5] * 257)
    full = model.start([5] * 256)
    with pytest.raises(LimitExceededError, match="full"):
        full.push(5)
    assert np.isfinite(full.logits()).all()
    with pytest.raises(ValueError, match="at least one token"):
        model.start([])


def test_what_cannot_be_read_is_refused(tmp_path: Path, path: Path) -> None:
    refused = {
        "architecture": ("qwen3", EngineError, "'qwen3'"),
        "splitting": ("tekken", VocabularyError, "'tekken'"),
        "rotated": (8, EngineError, "rotates 8 of 16"),
        "more": (["blk.0.attn_q.bias"], EngineError, "attn_q.bias"),
    }
    for name, (value, error, message) in refused.items():
        odd = write(tmp_path / f"{name}.gguf", **{name: value})
        with pytest.raises(error, match=message):
            frisket.models.gguf(odd, runtime="numpy")
    with pytest.raises(FrisketError, match="no such file"):
        frisket.models.gguf(tmp_path / "none.gguf")
    cut = tmp_path / "cut.gguf"
    for length in (0, 10, 1000, 10_000):
        cut.write_bytes(path.read_bytes()[:length])
        with pytest.raises(FrisketError, match="no GGUF file that is whole"):
            frisket.models.gguf(cut, runtime="numpy")
    with pytest.raises(ValueError, match="'onnx'"):
        frisket.models.gguf(path, runtime="onnx")  # type: ignore[arg-type]


def test_without_the_package_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(MissingDependencyError, match=r'pip install "frisket-llm\[gguf\]"'):
        frisket.models.gguf(tmp_path / "any.gguf")


@pytest.mark.parametrize("runtime", ["numpy", "transformers", "llama.cpp"])
def test_reading_ahead_and_taking_back(path: Path, runtime: Any) -> None:
    need(runtime)
    model = frisket.models.gguf(path, runtime=runtime)
    ids = model.encode("hello true 1212 hello")
    assert len(ids) > 6
    single, session = model.start(ids[:2]), model.start(ids[:2])
    assert isinstance(session, DraftSession) and session.rewinds
    rows = session.extend(ids[2:])
    for token_id, row in zip(ids[2:], rows, strict=True):
        single.push(token_id)
        assert np.allclose(single.logits(), row, atol=1e-4)
    assert np.array_equal(session.logits(), rows[-1])
    session.rewind(2)
    assert np.array_equal(session.logits(), rows[-3])
    twin = session.fork()
    twin.extend([5, 6])
    for token_id in ids[-2:]:
        session.push(token_id)
    assert np.allclose(session.logits(), rows[-1], atol=1e-4)
    with pytest.raises(ValueError, match="cannot be taken back"):
        session.rewind(3)
    with pytest.raises(LimitExceededError, match="full"):
        session.extend([5] * 256)
    assert np.allclose(session.logits(), rows[-1], atol=1e-4)


@pytest.mark.usefixtures("drafts_always")
def test_an_answer_with_forced_text_read_at_once_is_the_same(model: Any) -> None:
    schema = {"type": "object", "properties": {"hello": {"type": "boolean"}, "true_hello": {"enum": ["hello", "he"]}},
        "required": ["hello", "true_hello"], "additionalProperties": False}  # fmt: skip
    for seed in range(4):
        sampler = frisket.Sampler(temperature=float(seed > 0))
        plain, ahead = (
            frisket.stream(model, "hi", schema, sampler=sampler, seed=seed, jump_forward=jump).generation()
            for jump in (False, True)
        )
        assert plain.text == ahead.text and plain.tokens == ahead.tokens
        assert ahead.calls < plain.calls == len(plain.steps)
