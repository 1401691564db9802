"""Token ids of a prompt → logits: llama (Touvron et al. 2023) in plain numpy, with the tensor names of GGUF files."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from frisket.dependency import install_command
from frisket.errors import EngineError
from frisket.models.protocol import Logits, check_room, common_prefix
from frisket.models.safetensors import Tensor

#: Prompt tokens read at once: the memory for attention scores is this number times the length.
CHUNK = 256
#: Most tokens of a call for which `vecdot` replaces the matrix product; numpy has it from 2.0 on.
FEW = 4 if hasattr(np, "vecdot") else 0
#: Most tokens of a call that is computed by small matrix products, the tokens of each of these, and the most
#: multiplications of a product that OpenBLAS runs on one thread.
MANY, ROWS, SMALL = 64, 16, 1 << 19
#: Tokens that a new cache has memory for; a full cache is doubled.
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
        """Memory for keys and values: (layers, 2, heads, room, head width)."""
        return np.empty((self._layers, 2, self.kv_heads, room, self.head_width), dtype=np.float32)

    def logits(self, hidden: Tensor) -> Logits:
        """A row of logits for each row of hidden states."""
        result: Logits = product(self._normalise(hidden, self._norm), self._head)
        return result

    def read(self, parts: Sequence[Part]) -> Tensor:
        """Append tokens to some sequences, each to its own cache; the hidden states of all tokens in order."""
        ends = np.cumsum([len(part.ids) for part in parts]).tolist()
        places = np.concatenate([part.start + np.arange(len(part.ids)) for part in parts])
        angles = np.outer(places, self._frequencies)[:, None]
        cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        futures = [_future(len(part.ids), part.start) for part in parts]
        queries_end, keys_end = self.heads, self.heads + self.kv_heads
        x: Tensor = self._embedding[np.concatenate([part.ids for part in parts])]
        for layer, (norm, qkv, out, middle_norm, gate_up, down) in enumerate(self._blocks):
            mixed = product(self._normalise(x, norm), qkv).reshape(len(x), -1, self.head_width)
            turned = rotate(mixed[:, :keys_end], cos, sin)
            joined = np.empty((len(x), self.heads * self.head_width), dtype=np.float32)
            for part, end, future in zip(parts, ends, futures, strict=True):
                rows = slice(end - len(part.ids), end)
                keys, values = part.cache[layer]
                places = slice(part.start, part.start + len(part.ids))
                keys[:, places] = turned[rows, queries_end:].transpose(1, 0, 2)
                values[:, places] = mixed[rows, keys_end:].transpose(1, 0, 2)
                joined[rows] = self._attend(
                    turned[rows, :queries_end], keys[:, : places.stop], values[:, : places.stop], future
                )
            x = x + product(joined, out)
            gate, up = np.split(product(self._normalise(x, middle_norm), gate_up), 2, axis=-1)
            x = x + product(silu(gate) * up, down)
        return x

    def _attend(self, queries: Tensor, keys: Tensor, values: Tensor, future: Tensor | None) -> Tensor:
        """Attention of one sequence: queries are (tokens, heads, head width), the result has one row per token."""
        count, group = len(queries), self.heads // self.kv_heads
        grouped = queries.transpose(1, 0, 2).reshape(self.kv_heads, group * count, -1)
        scores = grouped @ keys.transpose(0, 2, 1) * self._scale
        if future is not None:
            scores = (scores.reshape(self.kv_heads, group, count, -1) + future).reshape(scores.shape)
        heads = softmax(scores) @ values
        joined: Tensor = heads.reshape(self.heads, count, -1).transpose(1, 0, 2).reshape(count, -1)
        return joined

    def _normalise(self, x: Tensor, weight: Tensor) -> Tensor:
        scaled: Tensor = x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + self._epsilon) * weight
        return scaled


class Part(NamedTuple):
    """Tokens to read after the `start` tokens that a cache already has."""

    ids: Tensor
    start: int
    cache: Tensor


class LlamaSession:
    """One sequence. Pushed tokens are read together when logits are asked for."""

    def __init__(self, network: Llama, context: int, prompt_ids: Sequence[int], before: Tensor | None = None) -> None:
        """`before`: keys and values of the beginning of the prompt."""
        self._network, self._context = network, context
        self._read = 0 if before is None else int(before.shape[3])
        self._cache = network.cache(max(ROOM, self._read))
        if before is not None:
            self._cache[..., : self._read, :] = before
        self._pending = [int(token_id) for token_id in prompt_ids]
        #: Logits after the last tokens that were read; the last row is for the end of the sequence.
        self._rows: Logits = np.empty((0, 0), dtype=np.float32)

    @property
    def rewinds(self) -> bool:
        return True

    @property
    def cache(self) -> Tensor:
        """A copy of the keys and values so far."""
        return self._cache[..., : self._read, :].copy()

    def logits(self) -> Logits:
        if self._pending:
            self._advance(1)
        last: Logits = self._rows[-1].copy()
        return last

    def push(self, token_id: int) -> None:
        self.append([token_id])

    def append(self, token_ids: Sequence[int]) -> None:
        """Append tokens, which are read when logits are asked for."""
        check_room(self._read + len(self._pending), len(token_ids), self._context)
        self._pending += map(int, token_ids)

    def extend(self, token_ids: Sequence[int]) -> Logits:
        self.append(token_ids)
        self._advance(len(token_ids))
        return self._rows

    def rewind(self, tokens: int) -> None:
        if self._pending or not 0 <= tokens < len(self._rows):
            raise ValueError(f"the last call read {len(self._rows)} tokens; {tokens} of them cannot be taken back")
        self._read -= tokens
        self._rows = self._rows[: len(self._rows) - tokens]

    def _advance(self, keep: int) -> None:
        """Read the pending tokens; then `_rows` are the logits after the last `keep` of them."""
        self._rows = read_together(self._network, [(self, keep)])

    def _part(self) -> Part:
        """The next pending tokens, with room for them in the cache."""
        ids = self._pending[:CHUNK]
        self._make_room(self._read + len(ids))
        return Part(np.asarray(ids, dtype=np.int64), self._read, self._cache)

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


class LlamaBatch:
    """Sequences that are read together, so that each weight is loaded once for all of them."""

    def __init__(self, network: Llama, context: int) -> None:
        self._network, self._context = network, context
        self._sessions: dict[int, LlamaSession] = {}
        #: The first prompt with its keys and values, which later prompts reuse for a common beginning.
        self._first: tuple[Sequence[int], Tensor] = ((), network.cache(0))

    def read(self, appended: Mapping[int, Sequence[int]]) -> Logits:
        for sequence, ids in appended.items():
            if sequence in self._sessions:
                self._sessions[sequence].append(ids)
            else:
                self._sessions[sequence] = self._begin(ids)
        return read_together(self._network, [(self._sessions[sequence], 1) for sequence in appended])

    def remove(self, sequence: int) -> None:
        self._sessions.pop(sequence, None)

    def _begin(self, prompt_ids: Sequence[int]) -> LlamaSession:
        """A session that has read the beginning shared with the first prompt; of the first one, all but a token."""
        known, cached = self._first
        if not known:
            known = prompt_ids[:-1]
            if known:
                session = LlamaSession(self._network, self._context, known)
                read_together(self._network, [(session, 1)])
                cached = session.cache
            self._first = known, cached
        shared = min(common_prefix(known, prompt_ids), len(prompt_ids) - 1)
        return LlamaSession(self._network, self._context, prompt_ids[shared:], cached[..., :shared, :])


def read_together(network: Llama, asked: Sequence[tuple[LlamaSession, int]]) -> Logits:
    """Read the pending tokens of some sessions; for each, the logits after the given number of its last tokens."""
    kept: list[list[Tensor]] = [[] for _ in asked]
    while parts := [(place, session._part()) for place, (session, _) in enumerate(asked) if session._pending]:
        hidden = network.read([part for _, part in parts])
        for place, part in parts:
            session, keep = asked[place]
            session._read += len(part.ids)
            session._pending = session._pending[len(part.ids) :]
            rows, hidden = hidden[: len(part.ids)], hidden[len(part.ids) :]
            if (wanted := keep - len(session._pending)) > 0:
                kept[place].append(rows[-wanted:])
    return network.logits(np.concatenate([row for each in kept for row in each]))


def _future(count: int, start: int) -> Tensor | None:
    """A (tokens, places) array with −∞ where a token must not see a later one; None for one token, which sees all."""
    if count == 1:
        return None
    return np.triu(np.full((count, start + count), -np.inf, dtype=np.float32), start + 1)


def _block(tensor: Callable[[str], Tensor], number: int) -> tuple[Tensor, ...]:
    """The tensors of one layer; tensors with the same input are joined to one matrix."""
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
    """`x @ weights.T`, on one thread unless there are many tokens.

    For a few tokens, dot products read the weights only once, and a matrix product takes up to 1.4 times as long. For a
    few more, small products take 0.7 of the time of a large one. The threads of a large product also spin while they
    wait for each other; on a busy machine it takes seven times as long.
    """
    if len(x) <= FEW:
        result: Tensor = np.vecdot(weights[:, None], x).T
        return result
    if len(x) > MANY:
        return x @ weights.T
    size, width = weights.shape
    parts = []
    for first in range(0, len(x), ROWS):
        rows = x[first : first + ROWS]
        columns = (
            math.gcd(size, 1 << (SMALL // (len(rows) * width)).bit_length() - 1) if width * ROWS <= SMALL else size
        )
        found = rows @ weights.reshape(-1, columns, width).transpose(0, 2, 1)
        parts.append(found.transpose(1, 0, 2).reshape(len(rows), size))
    return np.concatenate(parts) if len(parts) > 1 else parts[0]


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
    # In this form no exponential overflows: x / (1 + e^-x) = x e^min(x,0) / (e^min(x,0) + e^min(-x,0)).
    low = np.exp(np.minimum(x, 0))
    high = np.exp(np.minimum(-x, 0))
    result: Tensor = x * low / (low + high)
    return result
