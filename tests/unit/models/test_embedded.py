"""The embedded model: its parts against slow twins, its limits, its place in the package."""

from __future__ import annotations

import importlib.util
import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import frisket
from frisket.errors import LimitExceededError
from frisket.models.embedded import PIECES, WEIGHTS, Embedded, Network, Tokenizer, byte_characters, rotate, softmax
from frisket.models.prompt import property_names, render
from frisket.models.safetensors import load, save


@pytest.fixture(scope="module")
def model() -> Embedded:
    return frisket.models.embedded()


EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
TEXTS = [
    "",
    "two oat lattes",
    "  spaces \n\t",
    "naïve café ☕ 日本",
    '{"a": [1, 2.5, "\\n"]}',
    "\x00\x7f",
    "I'm it's",
    "é" * 40,
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_bytes_of_the_tokens_concatenate_to_the_text(model: Embedded, text: str) -> None:
    ids = model.tokenizer.encode(text)
    assert b"".join(model.tokenizer.tokens[i] or b"" for i in ids) == text.encode()
    assert model.decode(ids) == text


def test_a_long_run_of_letters_is_merged_in_pieces(model: Embedded) -> None:
    text = "".join(random.Random(0).choices("abcdefghijklmnop", k=3_000))
    looked, merge = [], model.tokenizer._merge

    class Counted(Tokenizer):
        def _merge(self, piece: bytes) -> tuple[int, ...]:
            looked.append(len(piece))
            return merge(piece)

    tokenizer = Counted(json.loads((WEIGHTS / "tokenizer.json").read_text(encoding="utf-8")))
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert sum(looked) == len(text) and max(looked) <= 65


def test_the_tokenizer_equals_the_library_that_trained_it() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    ours = Tokenizer(json.loads((WEIGHTS / "tokenizer.json").read_text(encoding="utf-8")))
    alphabet = byte_characters()
    names = ["".join(alphabet[byte] for byte in token) for token in ours.tokens if token is not None]
    document = json.loads((WEIGHTS / "tokenizer.json").read_text(encoding="utf-8"))
    merges = [(names[left], names[right]) for left, right in document["merges"]]
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE({name: i for i, name in enumerate(names)}, merges))
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(PIECES), "isolated")
    level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([split, level])
    for text in [*TEXTS, "Could I have two large oat lattes and a blueberry muffin please?", "rm src/old_2024.txt"]:
        assert ours.encode(text) == theirs.encode(text).ids


def test_reading_a_prompt_at_once_equals_reading_it_token_by_token(model: Embedded) -> None:
    ids = model.encode(model.prompt("My card was charged twice", ["priority", "category"]))
    whole, single = model.start(ids), model.start(ids[:1])
    for token in ids[1:]:
        single.push(token)
    np.testing.assert_allclose(whole.logits(), single.logits(), atol=1e-3)
    assert whole.logits().dtype == np.float32
    assert whole.logits().shape == (len(model.tokenizer.tokens),)


def test_the_network_equals_its_definition() -> None:
    """The same arithmetic without a cache and without batched attention, on random weights."""
    rng = np.random.default_rng(0)
    width, heads, layers, size, context = 8, 2, 2, 11, 6
    shapes = {"embedding": (size, width), "previous": (size, width), "head": (width, size)}
    for layer in range(layers):
        shapes |= {f"{layer}.qkv": (width, 3 * width), f"{layer}.out": (width, width)}
        shapes |= {f"{layer}.up": (width, 4 * width), f"{layer}.down": (4 * width, width)}
    tensors = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    metadata = {"layers": str(layers), "heads": str(heads), "context": str(context), "base": "100.0"}
    network = Network(tensors, metadata)
    ids = [3, 1, 4, 1, 5]
    got = network.logits(network.read(np.array(ids), network.cache()))
    np.testing.assert_allclose(got, slow_logits(tensors, ids, layers, heads, 100.0), rtol=2e-3, atol=2e-3)


def slow_logits(tensors: dict[str, Any], ids: list[int], layers: int, heads: int, base: float) -> Any:
    def norm(x: Any) -> Any:
        return x / np.sqrt(np.mean(x * x) + 1e-5)

    rows = [tensors["embedding"][token].astype(np.float64) for token in ids]
    rows[1:] = [row + tensors["previous"][token] for row, token in zip(rows[1:], ids, strict=False)]
    width = rows[0].size
    head = width // heads
    half = head // 2
    for layer in range(layers):
        q, k, v = zip(*(np.split(norm(row) @ tensors[f"{layer}.qkv"], 3) for row in rows), strict=True)
        new = []
        for place in range(len(rows)):
            mixed = []
            for part in range(heads):
                cut = slice(part * head, (part + 1) * head)
                angles = [np.arange(half) * 0 + p * base ** (-np.arange(half) / half) for p in range(place + 1)]
                turned = [rotate(k[p][cut], np.cos(angles[p]), np.sin(angles[p])) for p in range(place + 1)]
                query = rotate(q[place][cut], np.cos(angles[place]), np.sin(angles[place]))
                weights = softmax(np.array([query @ key for key in turned]) / head**0.5)
                mixed.append(sum(weight * v[p][cut] for p, weight in enumerate(weights)))
            row = rows[place] + np.concatenate(mixed) @ tensors[f"{layer}.out"]
            new.append(row + np.maximum(norm(row) @ tensors[f"{layer}.up"], 0) ** 2 @ tensors[f"{layer}.down"])
        rows = new
    return norm(rows[-1]) @ tensors["head"]


def test_a_fork_goes_its_own_way(model: Embedded) -> None:
    session = model.start(model.encode("two lattes"))
    before = session.logits()
    twin = session.fork()
    twin.push(65)
    np.testing.assert_array_equal(session.logits(), before)
    session.push(66)
    again = model.start([*model.encode("two lattes"), 66])
    np.testing.assert_allclose(session.logits(), again.logits(), atol=1e-3)


def test_the_caller_owns_the_logits(model: Embedded) -> None:
    session = model.start(model.encode("x"))
    session.logits()[:] = -np.inf
    assert np.isfinite(session.logits()).all()


def test_a_prompt_that_is_too_long_says_how_much_and_what_to_do(model: Embedded) -> None:
    with pytest.raises(LimitExceededError, match=f"at most {model.context}") as caught:
        model.start(model.encode("word " * 5000))
    assert caught.value.where == "prompt"
    assert caught.value.hint


def test_a_full_context_leaves_the_session_as_it_was(model: Embedded) -> None:
    session = model.start([65] * model.context)
    before = session.logits()
    with pytest.raises(LimitExceededError):
        session.push(65)
    np.testing.assert_array_equal(session.logits(), before)


def test_an_empty_prompt_is_misuse(model: Embedded) -> None:
    with pytest.raises(ValueError):
        model.start([])


def test_the_vocabulary_is_the_tokenizers(model: Embedded) -> None:
    vocabulary = model.vocabulary
    assert vocabulary.size == len(model.tokenizer.tokens) == len(model.start(model.encode("x")).logits())
    assert vocabulary.token(65) == b"A"
    assert list(vocabulary.eos) == model.eos


def test_safetensors_round_trip(tmp_path: Path) -> None:
    tensors = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([0.5], dtype=np.float16)}
    save(tmp_path / "x.safetensors", tensors, {"k": "v"})
    loaded, metadata = load(tmp_path / "x.safetensors")
    assert metadata == {"k": "v"}
    for name, tensor in tensors.items():
        np.testing.assert_array_equal(loaded[name], tensor)
        assert loaded[name].dtype == tensor.dtype


def test_safetensors_as_the_library_reads_them() -> None:
    library = pytest.importorskip("safetensors.numpy")
    theirs = library.load_file(WEIGHTS / "model.safetensors")
    ours, _ = load(WEIGHTS / "model.safetensors")
    assert theirs.keys() == ours.keys()
    for name, tensor in theirs.items():
        np.testing.assert_array_equal(ours[name], tensor)


def test_the_prompt_is_one_template_of_lines() -> None:
    assert render("a\nb", ["x", "y"]) == "keys: x, y\ninput: a b\noutput: "
    assert render("a") == "input: a\noutput: "


def test_property_names_follow_references_and_survive_cycles() -> None:
    schema = {
        "$defs": {"node": {"properties": {"value": {}, "next": {"$ref": "#/$defs/node"}}}},
        "anyOf": [{"$ref": "#/$defs/node"}, {"properties": {"value": {}, "other": {}}}, {"$ref": "#/nowhere"}],
    }
    assert property_names(schema) == ["value", "next", "other"]
    assert property_names(True) == []


def test_property_names_are_found_once_however_many_ways_lead_to_them() -> None:
    """Each level refers to the next three times; without a limit of names, 3⁸⁰ ways would be walked."""
    levels = {f"d{n}": {"properties": {name: {"$ref": f"#/$defs/d{n + 1}"} for name in "abc"}} for n in range(80)}
    last = {"properties": {"last": {}}}
    assert property_names({"$ref": "#/$defs/d0", "$defs": {**levels, "d80": last}}) == ["a", "last", "b", "c"]


def test_property_names_are_found_at_any_depth() -> None:
    schema: dict[str, Any] = {"properties": {"inner": {}}}
    for _ in range(5_000):
        schema = {"items": schema}
    assert property_names({"properties": {"a": schema, "b": {}}}) == ["a", "inner", "b"]


@pytest.mark.parametrize("name", frisket.examples.NAMES)
def test_the_schemas_of_the_examples_are_schemas(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(frisket.examples.load(name))


def test_an_unknown_example_is_refused_with_the_names_that_exist() -> None:
    with pytest.raises(ValueError, match="triage, tutor"):
        frisket.examples.load("nothing")


@pytest.fixture(scope="module")
def data() -> Any:
    """training/data.py, which is not part of the package."""
    # It puts the sources on the path, where the extension may not lie: no other test is to look there.
    before = [*sys.path]
    path = Path(__file__).resolve().parents[3] / "training" / "data.py"
    spec = importlib.util.spec_from_file_location("training_data", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path[:] = before
    return module


@pytest.mark.parametrize("name", ["triage", "tutor", "orders", "agent"])
def test_training_never_sees_what_is_held_out(data: Any, name: str) -> None:
    lines = (EXAMPLES / name / "heldout.jsonl").read_text(encoding="utf-8").splitlines()
    asked = {json.loads(line)["input"] for line in lines}
    assert len(asked) == len(lines) == 200
    rng = random.Random(0)
    assert not any(
        not found.held_out and found.text in asked for found in (data.STREAMS[name](rng) for _ in range(5000))
    )


@pytest.mark.parametrize("name", ["triage", "tutor", "orders", "agent", "agent-last"])
def test_every_right_answer_is_valid(data: Any, name: str) -> None:
    library = pytest.importorskip("jsonschema_rs")
    validator = library.validator_for(frisket.examples.load(name))
    rng = random.Random(1)
    stream = data.STREAMS[name.split("-")[0]]
    answers = [found.answer for found in (stream(rng) for _ in range(500)) if found.task == name]
    assert answers and all(validator.is_valid(answer) for answer in answers)


@pytest.mark.parametrize(
    ("name", "text", "answer"),
    [
        ("tutor", "She wrote a book", {"verb": "write", "tense": "past_simple", "person": "3sg"}),
        (
            "triage",
            "My card was charged twice",
            {"priority": "high", "category": "billing", "needs_human": True, "confidence": 0.95},
        ),
        ("agent", "read notes/todo.txt", {"action": "ReadFile", "path": "notes/todo.txt"}),
    ],
)
def test_what_the_documents_promise(model: Embedded, name: str, text: str, answer: dict[str, Any]) -> None:
    assert frisket.generate(model, text, frisket.examples.load(name)) == answer


def test_a_session_goes_back_as_far_as_the_prompt() -> None:
    model = frisket.models.embedded()
    ids = model.encode("two oat lattes")
    session = model.start(ids)
    rows = [session.logits()]
    for token in (5, 300, 7):
        session.push(token)
        rows.append(session.logits())
    twin = session.fork()
    session.rewind(2)
    assert len(session) == len(ids) + 1 and np.array_equal(session.logits(), rows[1])
    session.push(300)
    assert np.allclose(session.logits(), rows[2], atol=1e-5)
    assert np.array_equal(twin.logits(), rows[3])
    twin.rewind(3)
    assert np.array_equal(twin.logits(), rows[0])
    twin.rewind(0)
    with pytest.raises(ValueError, match="cannot be taken back"):
        twin.rewind(1)
    assert np.array_equal(twin.logits(), rows[0])
