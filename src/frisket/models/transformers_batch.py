"""A Hugging Face model → a batch: one cache whose rows, one per sequence, all have the same length.

The row of a shorter sequence has gaps, which the attention mask leaves out. Positions count tokens, not places in a
row.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frisket.errors import EngineError
from frisket.models.protocol import Logits, common_prefix


class TransformersBatch:
    """Sequences that are read together; each is one row of a cache of keys and values."""

    def __init__(self, torch: Any, model: Any, parameters: Mapping[str, Any]) -> None:
        self._torch, self._model = torch, model
        self._make_cache = importlib.import_module("transformers").DynamicCache
        self._selects = "logits_to_keep" in parameters
        self._cache_name = "cache" if "cache" in parameters else "past_key_values"
        self._rows = _Rows(None, [], np.zeros((0, 0), dtype=np.int64))
        self._removed: set[int] = set()
        #: The first prompt with its keys and values, which later prompts reuse for a common beginning.
        self._first: tuple[Sequence[int], list[tuple[Any, Any]]] = ((), [])

    def read(self, appended: Mapping[int, Sequence[int]]) -> Logits:
        try:
            with self._torch.inference_mode():
                return self._read(appended)
        except Exception as error:
            raise EngineError(f"transformers failed: {error}", where=f"{len(appended)} sequences") from error

    def remove(self, sequence: int) -> None:
        self._removed.add(sequence)

    def _read(self, appended: Mapping[int, Sequence[int]]) -> Logits:
        self._forget()
        found: dict[int, Any] = {}
        held = self._rows.sequences
        if held:
            ids = [list(appended[sequence]) for sequence in held]
            logits, self._rows = self._call(self._rows, ids)
            found.update(zip(held, logits, strict=True))
        fresh = [sequence for sequence in appended if sequence not in found]
        if fresh and not self._first[0]:
            found.update(self._begin(fresh[:1], appended))
            # The row of the first prompt is the last one; behind its padding it has no gap.
            count = len(appended[fresh[0]])
            layers = [
                (layer.keys[-1:, :, -count:].clone(), layer.values[-1:, :, -count:].clone())
                for layer in self._rows.cache.layers
            ]
            self._first = appended[fresh.pop(0)], layers
        if fresh:
            found.update(self._begin(fresh, appended))
        rows = self._torch.stack([found[sequence] for sequence in appended]).float().cpu().numpy()
        return np.ascontiguousarray(rows, dtype=np.float32)

    def _begin(self, sequences: list[int], appended: Mapping[int, Sequence[int]]) -> dict[int, Any]:
        """Read prompts and add their rows to the cache; the logits after each."""
        known, layers = self._first
        prompts = [list(appended[sequence]) for sequence in sequences]
        shared = min(min(common_prefix(known, prompt), len(prompt) - 1) for prompt in prompts)
        cache = None
        if shared:
            cache = self._make_cache()
            for place, (keys, values) in enumerate(layers):
                keys, values = (one[:, :, :shared].expand(len(prompts), -1, -1, -1) for one in (keys, values))
                cache.update(keys, values, place)
        begun = _Rows(cache, sequences, np.ones((len(prompts), shared), dtype=np.int64))
        logits, begun = self._call(begun, [prompt[shared:] for prompt in prompts])
        self._rows = begun if self._rows.cache is None else self._join(self._rows, begun)
        return dict(zip(sequences, logits, strict=True))

    def _call(self, rows: _Rows, appended: Sequence[Sequence[int]]) -> tuple[Any, _Rows]:
        """(the logits after the last token of each row, the rows with the new tokens), by one call of the network."""
        torch, most = self._torch, max(map(len, appended))
        added = np.zeros((len(appended), most), dtype=np.int64)
        ids = np.zeros_like(added)
        for row, tokens in enumerate(appended):
            added[row, most - len(tokens) :] = 1
            ids[row, most - len(tokens) :] = tokens
        mask = np.concatenate((rows.mask, added), axis=1)
        places = np.maximum(np.cumsum(mask, axis=1)[:, -most:] - 1, 0)
        options: dict[str, Any] = {self._cache_name: rows.cache, "use_cache": True}
        if self._selects:
            options["logits_to_keep"] = 1
        device = self._model.device
        output = self._model(
            input_ids=torch.from_numpy(ids).to(device),
            attention_mask=torch.from_numpy(mask).to(device),
            position_ids=torch.from_numpy(places).to(device),
            **options,
        )
        return output.logits[:, -1], _Rows(getattr(output, self._cache_name), rows.sequences, mask)

    def _forget(self) -> None:
        """Drop the rows that were removed, and the places that are gaps in all rows."""
        rows = self._rows
        kept = [row for row, sequence in enumerate(rows.sequences) if sequence not in self._removed]
        self._removed.clear()
        if len(kept) == len(rows.sequences):
            return
        if not kept:
            self._rows = _Rows(None, [], np.zeros((0, 0), dtype=np.int64))
            return
        mask = rows.mask[kept]
        places = np.flatnonzero(mask.any(axis=0))
        device = self._model.device
        chosen, held = (self._torch.from_numpy(np.asarray(one)).to(device) for one in (kept, places))
        for layer in rows.cache.layers:
            layer.keys, layer.values = (
                one.index_select(0, chosen).index_select(2, held) for one in (layer.keys, layer.values)
            )
        self._rows = _Rows(rows.cache, [rows.sequences[row] for row in kept], mask[:, places])

    def _join(self, one: _Rows, other: _Rows) -> _Rows:
        """The rows of both in one cache; shorter ones get a gap before their first token."""
        torch = self._torch
        length = max(one.mask.shape[1], other.mask.shape[1])
        masks = [np.pad(rows.mask, ((0, 0), (length - rows.mask.shape[1], 0))) for rows in (one, other)]

        def padded(tensor: Any) -> Any:
            return torch.nn.functional.pad(tensor, (0, 0, length - tensor.shape[2], 0))

        for layer, more in zip(one.cache.layers, other.cache.layers, strict=True):
            layer.keys = torch.cat((padded(layer.keys), padded(more.keys)))
            layer.values = torch.cat((padded(layer.values), padded(more.values)))
        return _Rows(one.cache, [*one.sequences, *other.sequences], np.concatenate(masks))


class _Rows:
    """A cache, the sequence of each of its rows, and the places where a row has a token."""

    def __init__(self, cache: Any, sequences: list[int], mask: NDArray[np.int64]) -> None:
        self.cache, self.sequences, self.mask = cache, sequences, mask


def transformers_batch(torch: Any, model: Any) -> TransformersBatch | None:
    """A batch of a model; None unless its cache is keys and values, one of each per token."""
    parameters = inspect.signature(getattr(model, "forward", model)).parameters
    if not {"attention_mask", "position_ids"} <= set(parameters) or not {"cache", "past_key_values"} & set(parameters):
        return None
    config = getattr(model, "config", None)
    rotary = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    # Excluded: positions of several dimensions, and rotations that depend on the length of the longest sequence.
    is_special = "mrope_section" in rotary or rotary.get("rope_type") in ("dynamic", "longrope")
    if getattr(config, "is_encoder_decoder", False) or is_special:
        return None
    try:
        layers = importlib.import_module("transformers").DynamicCache(config=config).layers
    except (ImportError, AttributeError, TypeError, KeyError):
        return None  # an older version of transformers, or another type of configuration
    plain = all(type(layer).__name__ == "DynamicLayer" for layer in layers)
    return TransformersBatch(torch, model, parameters) if plain else None
