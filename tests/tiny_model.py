"""A random Llama and its byte-level tokenizer, written to disk and loaded as any other model is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

EOS, PAD, BOS = "<|end|>", "<|pad|>", "<|start|>"


def save(folder: Path, *, seed: int = 0, layers: int = 2, head_dim: int = 8) -> Path:
    """The folder, with a model of random weights and its tokenizer in it."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    library = pytest.importorskip("transformers", reason="transformers is not installed")
    tokenizer = make_tokenizer(library)
    torch.set_num_threads(1)  # the model is so small that threads only wait for each other
    torch.manual_seed(seed)
    config = library.LlamaConfig(
        vocab_size=len(tokenizer) + 5,  # as with padded embeddings: the last rows are nobody's
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=head_dim,
        max_position_embeddings=512,
        initializer_range=0.4,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    library.LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def load(folder: Path) -> tuple[Any, Any]:
    library = pytest.importorskip("transformers", reason="transformers is not installed")
    model = library.AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
    return model.eval(), library.AutoTokenizer.from_pretrained(folder, local_files_only=True)


def make_tokenizer(library: Any) -> Any:
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    merges = [("t", "r"), ("u", "e"), ("tr", "ue"), ("Ġ", "a"), ("Ġ", "true"), ("a", "b"), ("ab", "ab"), ("1", "2")]
    merges += [('"', ":"), ('"', ","), ("Ġ", '"'), ("{", '"'), ('"', "}"), ("{", "}")]
    pieces = [*letters, *("".join(pair) for pair in merges)]
    bpe = tokenizers.models.BPE({piece: token_id for token_id, piece in enumerate(pieces)}, merges)
    tokenizer = tokenizers.Tokenizer(bpe)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    return library.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=EOS, pad_token=PAD, bos_token=BOS, padding_side="left"
    )
