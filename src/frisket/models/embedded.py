"""Token ids of a prompt → logits, by a small transformer in plain numpy whose weights are part of the package."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from frisket.argument_name import explain_slips
from frisket.foreign_name import explain_names
from frisket.models import prompt as template
from frisket.models.protocol import Logits, check_prompt, check_room, common_prefix
from frisket.models.safetensors import Tensor, load

if TYPE_CHECKING:
    from frisket.vocabulary import Vocabulary

WEIGHTS = Path(__file__).parent / "weights"
SPECIAL = ("<|bos|>", "<|eos|>")
PIECES = " ?[A-Za-z_]+| ?[0-9]| ?[^A-Za-z_0-9 \\t\\r\\n]+|[ \\t\\r\\n]+"
#: Merging takes quadratic time in a piece's length, so a long run of letters is cut. Without the cut, 4,000 letters
#: took 0.4 s of CPU time, and 100,000 would take minutes.
BOUNDED = PIECES.replace("]+", "]{1,64}")
EPSILON = 1e-5
#: Most multiplications of a matrix product that OpenBLAS runs on one thread.
SMALL = 1 << 19


@cache
@explain_slips(
    "embedded",
    {"*": "it takes no name: frisket.models.transformers(name) or frisket.models.gguf(path) loads another model"},
)
def embedded() -> Embedded:
    """The small model inside the package: it needs numpy, and no network. Loaded once per process, safe to share."""
    return Embedded()


@explain_names
class Embedded:
    """The model and its tokenizer.

    >>> model = Embedded()
    >>> model.decode(model.encode("two oat lattes"))
    'two oat lattes'
    """

    def __init__(self, folder: Path = WEIGHTS) -> None:
        self.tokenizer = Tokenizer(json.loads((folder / "tokenizer.json").read_text(encoding="utf-8")))
        self.network = Network(*load(folder / "model.safetensors"))

    @property
    def vocabulary(self) -> Vocabulary:
        # A method instead of the cached property, which pyright does not accept for a property of the protocol.
        return self._vocabulary

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        from frisket.vocabulary import Vocabulary

        return Vocabulary.from_bytes(self.tokenizer.tokens, special=self.tokenizer.special, eos=self.eos)

    @property
    def eos(self) -> list[int]:
        return [self.tokenizer.special["<|eos|>"]]

    @property
    def context(self) -> int:
        return self.network.context

    def encode(self, text: str) -> list[int]:
        return [self.tokenizer.special["<|bos|>"], *self.tokenizer.encode(text)]

    def decode(self, ids: Sequence[int]) -> str:
        return self.tokenizer.decode(ids)

    def prompt(self, text: str, keys: Sequence[str] | None = None, *, draft: str | None = None) -> str:
        return template.render(text, keys or (), draft)

    def start(self, prompt_ids: Sequence[int]) -> EmbeddedSession:
        return EmbeddedSession(self.network, prompt_ids)

    def batch(self) -> EmbeddedBatch:
        return EmbeddedBatch(self.network)


class EmbeddedBatch:
    """Sequences that are read together. Each is one row of the cache, and there are no unused rows between them."""

    def __init__(self, network: Network) -> None:
        self._network = network
        #: The number of the sequence in each row.
        self._sequences: list[int] = []
        self._cache = network.cache(0)
        self._lengths = np.empty(0, dtype=np.int64)
        self._last = np.empty(0, dtype=np.int64)
        #: The first prompt with its keys and values, which later prompts reuse for a common beginning.
        self._first: tuple[Sequence[int], Tensor] = ((), network.cache())

    def read(self, appended: Mapping[int, Sequence[int]]) -> Logits:
        order = {sequence: place for place, sequence in enumerate(appended)}
        fresh = [sequence for sequence in appended if sequence not in self._sequences]
        hidden = np.empty((len(appended), self._network.width), dtype=np.float32)
        if count := len(self._sequences):
            ids = np.array([appended[sequence] for sequence in self._sequences], dtype=np.int64)
            places = [order[sequence] for sequence in self._sequences]
            hidden[places] = self._append(slice(0, count), ids, np.full(count, ids.shape[1]))
        if fresh and not self._first[0]:
            begun = fresh.pop(0)
            hidden[order[begun]] = self._begin([begun], [appended[begun]])
            prompt = appended[begun]
            self._first = prompt, self._cache[:, :, len(self._sequences) - 1, :, : len(prompt)].copy()
        if fresh:
            hidden[[order[sequence] for sequence in fresh]] = self._begin(
                fresh, [appended[sequence] for sequence in fresh]
            )
        return self._network.logits(hidden)

    def remove(self, sequence: int) -> None:
        if sequence not in self._sequences:
            return
        # The last row moves into the free place.
        row, last = self._sequences.index(sequence), len(self._sequences) - 1
        self._sequences[row] = self._sequences[last]
        length = self._lengths[row] = self._lengths[last]
        self._last[row] = self._last[last]
        if row != last:
            self._cache[:, :, row, :, :length] = self._cache[:, :, last, :, :length]
        self._sequences.pop()

    def _begin(self, sequences: Sequence[int], prompts: Sequence[Sequence[int]]) -> Tensor:
        """Read prompts into new rows; the hidden state of the last token of each."""
        begin = len(self._sequences)
        end = begin + len(prompts)
        self._make_room(end)
        known, cached = self._first
        shared = [min(common_prefix(known, prompt), len(prompt) - 1) for prompt in prompts]
        counts = np.array([len(prompt) - start for prompt, start in zip(prompts, shared, strict=True)])
        ids = np.zeros((len(prompts), int(counts.max())), dtype=np.int64)
        for row, (prompt, start) in enumerate(zip(prompts, shared, strict=True)):
            self._cache[:, :, begin + row, :, :start] = cached[..., :start, :]
            ids[row, : counts[row]] = prompt[start:]
            self._last[begin + row] = prompt[start - 1] if start else -1
        self._lengths[begin:end] = shared
        self._sequences += sequences
        return self._append(slice(begin, end), ids, counts)

    def _append(self, rows: slice, ids: Tensor, counts: Tensor) -> Tensor:
        """Append `counts` tokens to each of some rows; the hidden state of the last token of each."""
        hidden = self._network.append(ids, counts, self._last[rows], self._lengths[rows], self._cache[:, :, rows])
        self._last[rows] = ids[np.arange(len(ids)), counts - 1]
        self._lengths[rows] += counts
        return hidden

    def _make_room(self, rows: int) -> None:
        held = self._cache.shape[2]
        if rows > held:
            cache = self._network.cache(max(rows, 2 * held))
            cache[:, :, :held] = self._cache
            self._cache = cache
            self._lengths, self._last = (np.resize(one, cache.shape[2]) for one in (self._lengths, self._last))


class EmbeddedSession:
    """One sequence: its keys and values so far, and the hidden state from which the next logits are computed."""

    def __init__(self, network: Network, prompt_ids: Sequence[int]) -> None:
        check_prompt(prompt_ids, network.context)
        self._network = network
        self._cache = network.cache()
        self._length = len(prompt_ids)
        self._last = int(prompt_ids[-1])
        self._hidden = network.read(np.asarray(prompt_ids, dtype=np.int64), self._cache)
        #: For `rewind`: last token and hidden state at each earlier place since the prompt.
        self._earlier: list[tuple[int, Tensor]] = []

    def __len__(self) -> int:
        return self._length

    def logits(self) -> Logits:
        return self._network.logits(self._hidden)

    def push(self, token_id: int) -> None:
        check_room(self._length, 1, self._network.context)
        self._earlier.append((self._last, self._hidden))
        self._hidden = self._network.step(self._last, int(token_id), self._length, self._cache)
        self._last = int(token_id)
        self._length += 1

    def rewind(self, tokens: int) -> None:
        if not 0 <= tokens <= len(self._earlier):
            raise ValueError(f"{len(self._earlier)} tokens follow the prompt; {tokens} cannot be taken back")
        if tokens:
            self._last, self._hidden = self._earlier[-tokens]
            del self._earlier[-tokens:]
            self._length -= tokens

    def fork(self) -> EmbeddedSession:
        twin = object.__new__(EmbeddedSession)
        twin._earlier = list(self._earlier)
        twin._network, twin._hidden = self._network, self._hidden
        twin._length, twin._last = self._length, self._last
        twin._cache = self._network.cache()
        twin._cache[..., : self._length, :] = self._cache[..., : self._length, :]
        return twin


class Network:
    """A decoder: embedding of each token and the one before it, rotary positions, RMS norm without gains, squared ReLU.

    Matrices are stored as (in, out).
    """

    def __init__(self, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> None:
        self.layers, self.heads, self.context = (int(metadata[name]) for name in ("layers", "heads", "context"))
        weights = {name: np.ascontiguousarray(tensor, dtype=np.float32) for name, tensor in tensors.items()}
        self._embedding = weights["embedding"]
        self._previous = weights["previous"]
        self._head = weights["head"]
        self._blocks = [
            tuple(weights[f"{layer}.{part}"] for part in ("qkv", "out", "up", "down")) for layer in range(self.layers)
        ]
        self.size, self.width = self._embedding.shape
        self._head_width = self.width // self.heads
        half = self._head_width // 2
        angles = np.outer(np.arange(self.context), float(metadata["base"]) ** (-np.arange(half) / half))
        self._cos, self._sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
        self._scale = np.float32(self._head_width**-0.5)

    def cache(self, *rows: int) -> Tensor:
        """Zeroed memory for keys and values: (layers, 2, heads, context, head width), with the `rows` after the 2.

        Zeros, since in a batch the values behind the end of a row are multiplied by 0, and must not be NaN.
        """
        return np.zeros((self.layers, 2, *rows, self.heads, self.context, self._head_width), dtype=np.float32)

    def logits(self, hidden: Tensor) -> Logits:
        result: Logits = product(normalise(hidden), self._head)
        return result

    def read(self, ids: Tensor, cache: Tensor) -> Tensor:
        """Read a whole prompt into an empty cache; the hidden state of its last token."""
        count = len(ids)
        x = self._embedding[ids]
        x[1:] += self._previous[ids[:-1]]
        future = np.triu(np.full((count, count), -np.inf, dtype=np.float32), 1)
        for (qkv, out, up, down), (keys, values) in zip(self._blocks, cache, strict=True):
            heads = product(normalise(x), qkv).reshape(count, 3, self.heads, self._head_width).transpose(1, 2, 0, 3)
            queries, keys[:, :count] = rotate(heads[:2], self._cos[:count], self._sin[:count])
            values[:, :count] = heads[2]
            scores = queries @ keys[:, :count].transpose(0, 2, 1) * self._scale + future
            mixed = softmax(scores) @ values[:, :count]
            x = x + product(mixed.transpose(1, 0, 2).reshape(count, self.width), out)
            x = x + product(square(product(normalise(x), up)), down)
        last: Tensor = x[-1]
        return last

    def step(self, previous: int, token_id: int, place: int, cache: Tensor) -> Tensor:
        """Append one token after `previous`: `append` for a single row, without the dimensions that cost time."""
        x: Tensor = self._embedding[token_id] + self._previous[previous]
        cos, sin = self._cos[place], self._sin[place]
        for (qkv, out, up, down), (keys, values) in zip(self._blocks, cache, strict=True):
            heads = (normalise(x) @ qkv).reshape(3, self.heads, self._head_width)
            query, keys[:, place] = rotate(heads[:2], cos, sin)
            values[:, place] = heads[2]
            scores = (keys[:, : place + 1] @ query[:, :, None])[:, :, 0] * self._scale
            mixed = softmax(scores)[:, None, :] @ values[:, : place + 1]
            x = x + mixed.reshape(self.width) @ out
            x = x + square(normalise(x) @ up) @ down
        return x

    def append(self, ids: Tensor, counts: Tensor, previous: Tensor, starts: Tensor, cache: Tensor) -> Tensor:
        """Append tokens to some sequences, `counts` of each row of `ids`; the hidden state of each row's last token.

        A row already has `starts` tokens; the last of them is in `previous`, −1 if there is none.
        """
        rows, most = ids.shape
        x = self._embedding[ids]
        x[:, 1:] += self._previous[ids[:, :-1]]
        x[:, 0] += self._previous[previous] * (previous >= 0)[:, None]
        # The rows of `ids` may have different lengths. Only attention needs rows: all else is computed per existing
        # token.
        is_token = np.arange(most) < counts[:, None]
        row, column = np.nonzero(is_token)
        x = x[row, column]
        places = starts[:, None] + np.arange(most)
        place = places[row, column]
        cos, sin = (part[place][:, None, None] for part in (self._cos, self._sin))
        end = int(place.max()) + 1
        future = np.where(np.arange(end) <= places[:, None, :, None], np.float32(0), np.float32(-np.inf))
        queries = np.zeros((rows, most, self.heads, self._head_width), dtype=np.float32)
        for (qkv, out, up, down), (keys, values) in zip(self._blocks, cache, strict=True):
            heads = product(normalise(x), qkv).reshape(-1, 3, self.heads, self._head_width)
            turned = rotate(heads[:, :2], cos, sin)
            queries[row, column] = turned[:, 0]
            keys[row, :, place] = turned[:, 1]
            values[row, :, place] = heads[:, 2]
            scores = queries.transpose(0, 2, 1, 3) @ keys[:, :, :end].transpose(0, 1, 3, 2)
            scores *= self._scale
            scores += future
            mixed = softmax(scores) @ values[:, :, :end]
            x = x + product(mixed[row, :, column].reshape(-1, self.width), out)
            x = x + product(square(product(normalise(x), up)), down)
        last: Tensor = x[np.cumsum(counts) - 1]
        return last


class Tokenizer:
    """Byte-level BPE: ids 0..255 are the bytes, then one id per merge, then the special tokens."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        merges = [(int(left), int(right)) for left, right in document["merges"]]
        texts = [bytes([byte]) for byte in range(256)]
        for left, right in merges:
            texts.append(texts[left] + texts[right])
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        self.special = {str(name): len(texts) + index for index, name in enumerate(document["special"])}
        self.tokens: list[bytes | None] = [*texts, *(None for _ in self.special)]
        self._known: dict[str, tuple[int, ...]] = {}

    def encode(self, text: str) -> list[int]:
        ids: list[int] = []
        for piece in re.findall(BOUNDED, text):
            known = self._known.get(piece)
            if known is None:
                known = self._merge(piece.encode("utf-8", "replace"))
                if len(self._known) < 5_000:
                    self._known[piece] = known
            ids.extend(known)
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        return b"".join(self.tokens[token_id] or b"" for token_id in ids).decode("utf-8", "replace")

    def _merge(self, piece: bytes) -> tuple[int, ...]:
        ids = list(piece)
        while len(ids) > 1:
            ranked = [(self._ranks.get(pair, len(self._ranks)), place) for place, pair in enumerate(pairwise(ids))]
            rank, place = min(ranked)
            if rank == len(self._ranks):
                break
            ids[place : place + 2] = [256 + rank]
        return tuple(ids)


def byte_characters() -> list[str]:
    """The printable stand-in of each byte that byte-level BPE trainers use (GPT-2's table)."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = (byte for byte in range(256) if byte not in plain)
    stand_in = {byte: chr(byte) for byte in plain} | {byte: chr(256 + index) for index, byte in enumerate(others)}
    return [stand_in[byte] for byte in range(256)]


def product(x: Tensor, weights: Tensor) -> Tensor:
    """`x @ weights`, a few rows at a time.

    Such small products run on one thread and take half the time per row. The threads of a larger product spin while
    they wait for each other, so on a busy machine it takes several times as long.
    """
    rows = SMALL // weights.size
    if x.ndim == 1 or len(x) <= rows:
        return x @ weights
    whole = len(x) // rows * rows
    result = np.empty((len(x), weights.shape[1]), dtype=np.float32)
    groups = result[:whole].reshape(-1, rows, weights.shape[1])
    np.matmul(x[:whole].reshape(-1, rows, len(weights)), weights, out=groups)
    np.matmul(x[whole:], weights, out=result[whole:])
    return result


def normalise(x: Tensor) -> Tensor:
    if x.ndim == 1:
        scale: Tensor = x * np.float32((x.dot(x) / x.shape[0] + EPSILON) ** -0.5)
        return scale
    squares = np.einsum("...i,...i->...", x, x)[..., None]
    many: Tensor = x / np.sqrt(squares / np.float32(x.shape[-1]) + np.float32(EPSILON))
    return many


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    left, right = x[..., :half], x[..., half:]
    return np.concatenate((left * cos - right * sin, right * cos + left * sin), axis=-1)


def softmax(x: Tensor) -> Tensor:
    weights: Tensor = x - x.max(axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights


def square(x: Tensor) -> Tensor:
    positive: Tensor = np.maximum(x, np.float32(0))
    positive *= positive
    return positive
