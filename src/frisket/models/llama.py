"""Prompt ids → logits: the llama network (Touvron et al. 2023) in plain numpy; tensors are named as in GGUF files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from frisket.dependency import install_command
from frisket.errors import EngineError
from frisket.models.protocol import Logits, check_room
from frisket.models.safetensors import Tensor

#: Prompt tokens read at once: memory for attention scores grows with this number times the length.
CHUNK = 256
#: Most tokens of a call for which `vecdot` replaces the matrix product; numpy has it from 2.0 on.
FEW = 4 if hasattr(np, "vecdot") else 0
#: Tokens in a new cache, which doubles when full.
ROOM = 256
LAYER = ("attn_norm", "attn_q", "attn_k", "attn_v", "attn_output", "ffn_norm", "ffn_gate", "ffn_up", "ffn_down")


class Llama:
    """A decoder: RMS norm, rotary positions on adjacent pairs, grouped queries, SwiGLU. Immutable, safe to share."""

    def __init__(
        self, metadata: Mapping[str, Any], tensor: Callable[[str], Tensor], names: Set[str], *, where: str
    ) -> None:
        self._layers = int(metadata["llama.block_count"])
        _check(metadata, names, self._layers, where)
        self.heads = int(metadata["llama.attention.head_count"])
        self.kv_heads = int(metadata.get("llama.attention.head_count_kv", self.heads))
        self._epsilon = np.float32(metadata["llama.attention.layer_norm_rms_epsilon"])
        self._embedding = tensor("token_embd.weight")
        self._head = tensor("output.weight") if "output.weight" in names else self._embedding
        self._norm = tensor("output_norm.weight")
        self.width = int(self._embedding.shape[1])
        self.head_width = int(metadata.get("llama.attention.key_length", self.width // self.heads))
        self._blocks = [_block(tensor, number) for number in range(self._layers)]
        half = self.head_width // 2
        base = float(metadata.get("llama.rope.freq_base", 10_000.0))
        self._frequencies = base ** (-np.arange(half) / half)
        if "rope_freqs.weight" in names:
            self._frequencies = self._frequencies / tensor("rope_freqs.weight")
        self._scale = np.float32(self.head_width**-0.5)

    def cache(self, room: int) -> Tensor:
        """Room for keys and values: (layers, 2, heads, room, head width)."""
        return np.empty((self._layers, 2, self.kv_heads, room, self.head_width), dtype=np.float32)

    def logits(self, hidden: Tensor) -> Logits:
        """A row of logits for each row of hidden states."""
        result: Logits = product(self._normalise(hidden, self._norm), self._head)
        return result

    def read(self, ids: Tensor, start: int, cache: Tensor) -> Tensor:
        """Append tokens to a cache that holds `start` of them; the hidden state of each."""
        count, end = len(ids), start + len(ids)
        angles = np.outer(np.arange(start, end), self._frequencies)
        cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        future = np.triu(np.full((count, end), -np.inf, dtype=np.float32), start + 1)
        group = self.heads // self.kv_heads
        queries_end, keys_end = self.heads, self.heads + self.kv_heads
        x = self._embedding[ids]
        for (norm, qkv, out, middle_norm, gate_up, down), (keys, values) in zip(self._blocks, cache, strict=True):
            mixed = product(self._normalise(x, norm), qkv).reshape(count, -1, self.head_width).transpose(1, 0, 2)
            queries = rotate(mixed[:queries_end], cos, sin)
            keys[:, start:end] = rotate(mixed[queries_end:keys_end], cos, sin)
            values[:, start:end] = mixed[keys_end:]
            scores = queries.reshape(self.kv_heads, group * count, -1) @ keys[:, :end].transpose(0, 2, 1) * self._scale
            weights = softmax(scores.reshape(self.kv_heads, group, count, end) + future)
            heads = weights.reshape(self.kv_heads, group * count, end) @ values[:, :end]
            joined = heads.reshape(self.heads, count, -1).transpose(1, 0, 2).reshape(count, -1)
            x = x + product(joined, out)
            gate, up = np.split(product(self._normalise(x, middle_norm), gate_up), 2, axis=-1)
            x = x + product(silu(gate) * up, down)
        return x

    def _normalise(self, x: Tensor, weight: Tensor) -> Tensor:
        scaled: Tensor = x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + self._epsilon) * weight
        return scaled


class LlamaSession:
    """One sequence. Tokens that were pushed are read together when logits are asked for."""

    def __init__(self, network: Llama, context: int, prompt_ids: Sequence[int]) -> None:
        self._network, self._context = network, context
        self._cache = network.cache(ROOM)
        self._read = 0
        self._pending = [int(token_id) for token_id in prompt_ids]
        #: Logits after the last tokens that were read; the last row belongs to the end of the sequence.
        self._rows: Logits = np.empty((0, 0), dtype=np.float32)

    @property
    def rewinds(self) -> bool:
        return True

    def logits(self) -> Logits:
        if self._pending:
            self._advance(1)
        last: Logits = self._rows[-1].copy()
        return last

    def push(self, token_id: int) -> None:
        check_room(self._read + len(self._pending), 1, self._context)
        self._pending.append(int(token_id))

    def extend(self, token_ids: Sequence[int]) -> Logits:
        check_room(self._read + len(self._pending), len(token_ids), self._context)
        self._pending += map(int, token_ids)
        self._advance(len(token_ids))
        return self._rows

    def rewind(self, tokens: int) -> None:
        if self._pending or not 0 <= tokens < len(self._rows):
            raise ValueError(f"the last call read {len(self._rows)} tokens; {tokens} of them cannot be taken back")
        self._read -= tokens
        self._rows = self._rows[: len(self._rows) - tokens]

    def _advance(self, keep: int) -> None:
        """Read what is pending; `_rows` are then the logits after its last `keep` tokens."""
        kept: list[Tensor] = []
        while self._pending:
            ids = self._pending[:CHUNK]
            self._make_room(self._read + len(ids))
            hidden = self._network.read(np.asarray(ids, dtype=np.int64), self._read, self._cache)
            self._read += len(ids)
            self._pending = self._pending[CHUNK:]
            wanted = keep - len(self._pending)
            if wanted > 0:
                kept.append(hidden[-wanted:])
        self._rows = self._network.logits(np.concatenate(kept)[-keep:])

    def fork(self) -> LlamaSession:
        twin = object.__new__(LlamaSession)
        twin.__dict__.update(self.__dict__)
        twin._pending = list(self._pending)
        twin._cache = self._copy(self._cache.shape[3])
        return twin

    def _make_room(self, length: int) -> None:
        room = int(self._cache.shape[3])
        if length > room:
            self._cache = self._copy(max(length, min(2 * room, self._context)))

    def _copy(self, room: int) -> Tensor:
        copy = self._network.cache(room)
        copy[..., : self._read, :] = self._cache[..., : self._read, :]
        return copy


def _block(tensor: Callable[[str], Tensor], number: int) -> tuple[Tensor, ...]:
    """One layer's tensors; those that read the same input as one matrix."""
    parts = {part: tensor(f"blk.{number}.{part}.weight") for part in LAYER}
    qkv = np.concatenate([parts[part] for part in ("attn_q", "attn_k", "attn_v")])
    gate_up = np.concatenate([parts["ffn_gate"], parts["ffn_up"]])
    return parts["attn_norm"], qkv, parts["attn_output"], parts["ffn_norm"], gate_up, parts["ffn_down"]


def _check(metadata: Mapping[str, Any], names: Set[str], layers: int, where: str) -> None:
    """EngineError if the file needs a feature that this network lacks."""
    wanted = {"token_embd.weight", "output_norm.weight"}
    wanted |= {f"blk.{number}.{part}.weight" for number in range(layers) for part in LAYER}
    odd = sorted((names ^ wanted) - {"output.weight", "rope_freqs.weight"})
    scaling = metadata.get("llama.rope.scaling.type", "none")
    rotated = metadata.get("llama.rope.dimension_count")
    width = metadata.get("llama.attention.key_length") or (
        metadata["llama.embedding_length"] // metadata["llama.attention.head_count"]
    )
    reasons = [f"its tensors differ from a plain llama's: {', '.join(odd[:3])}"] if odd else []
    reasons += [f"its positions are scaled ({scaling})"] if scaling != "none" else []
    reasons += [f"it rotates {rotated} of {width} dimensions"] if rotated not in (None, width) else []
    if reasons:
        raise EngineError(
            f"the numpy runtime cannot run the network: {reasons[0]}",
            where=where,
            hint=f'{install_command("transformers", "transformers")}, then models.gguf(path, runtime="transformers")',
        )


def product(x: Tensor, weights: Tensor) -> Tensor:
    """`x @ weights.T`. Dot products read the weights once for a few tokens, on one thread.

    A matrix product of two to four tokens takes up to 1.4 times as long. Its threads also spin while they wait for each
    other, so that on a busy machine it takes nine times as long.
    """
    if len(x) > FEW:
        return x @ weights.T
    result: Tensor = np.vecdot(weights[:, None], x).T
    return result


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = np.empty_like(x)
    turned[..., 0::2] = even * cos - odd * sin
    turned[..., 1::2] = even * sin + odd * cos
    return turned


def softmax(x: Tensor) -> Tensor:
    weights: Tensor = np.exp(x - x.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights


def silu(x: Tensor) -> Tensor:
    # From below, so that no exponential overflows: x / (1 + e^-x) = x e^min(x,0) / (e^min(x,0) + e^min(-x,0)).
    low = np.exp(np.minimum(x, 0))
    high = np.exp(np.minimum(-x, 0))
    result: Tensor = x * low / (low + high)
    return result
