"""A Hugging Face model and its tokenizer → the protocol of a model."""

from __future__ import annotations

import copy
import importlib
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from frisket.errors import EngineError, LimitExceededError, MissingDependencyError
from frisket.models import prompt as template
from frisket.models.protocol import Logits, check_prompt

if TYPE_CHECKING:
    from frisket.vocabulary import Vocabulary

UNLIMITED = 1 << 30


def transformers(model: Any, tokenizer: Any) -> Transformers:
    """A causal language model of Hugging Face transformers and its fast tokenizer, both already loaded."""
    return Transformers(model, tokenizer)


class Transformers:
    """A causal model with a KV cache, one sequence per session.

    model = frisket.models.transformers(AutoModelForCausalLM.from_pretrained(path), AutoTokenizer.from_pretrained(path))
    """

    def __init__(self, model: Any, tokenizer: Any) -> None:
        try:
            self._torch = importlib.import_module("torch")
        except ImportError as error:
            raise MissingDependencyError.of("torch", "transformers") from error
        self._model = model
        self._tokenizer = tokenizer

    @property
    def vocabulary(self) -> Vocabulary:
        # Not the cached property itself: pyright takes none for a property of the protocol.
        return self._vocabulary

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        from frisket.vocabulary import Vocabulary

        rows = getattr(self._model.config, "vocab_size", None)
        size = None if rows is None else max(int(rows), len(self._tokenizer))
        return Vocabulary.from_huggingface(self._tokenizer, size=size, eos=self.eos)

    @property
    def eos(self) -> list[int]:
        """What the generation settings call the end, else the tokenizer's own; often several ids."""
        settings = getattr(self._model, "generation_config", None)
        found = getattr(settings, "eos_token_id", None)
        if found is None:
            found = self._tokenizer.eos_token_id
        ids = found if isinstance(found, list | tuple) else [] if found is None else [found]
        return [int(token_id) for token_id in ids]

    @property
    def context(self) -> int:
        config = self._model.config
        names = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
        return next((int(value) for name in names if (value := getattr(config, name, None))), UNLIMITED)

    def encode(self, text: str) -> list[int]:
        # A chat template writes its own special tokens, so the text must not get a second set of them.
        chat = getattr(self._tokenizer, "chat_template", None)
        return [int(token_id) for token_id in self._tokenizer.encode(text, add_special_tokens=not chat)]

    def decode(self, ids: Sequence[int]) -> str:
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True))

    def prompt(self, text: str, keys: Sequence[str] | None = None) -> str:
        if not getattr(self._tokenizer, "chat_template", None):
            return template.render(text, keys or ())
        turn = [{"role": "user", "content": template.wish(text, keys)}]
        return str(self._tokenizer.apply_chat_template(turn, tokenize=False, add_generation_prompt=True))

    def start(self, prompt_ids: Sequence[int]) -> TransformersSession:
        check_prompt(prompt_ids, self.context)
        return TransformersSession(self._torch, self._model, self.context, prompt_ids)


class TransformersSession:
    """One sequence and its cache of keys and values."""

    def __init__(self, torch: Any, model: Any, context: int, prompt_ids: Sequence[int]) -> None:
        self._torch, self._model, self._context = torch, model, context
        self._cache: Any = None
        self._length = 0
        self._logits: Logits = np.empty(0, dtype=np.float32)
        self._read(list(prompt_ids))

    def logits(self) -> Logits:
        return self._logits.copy()

    def push(self, token_id: int) -> None:
        if self._length == self._context:
            raise LimitExceededError(
                f"the context of {self._context} tokens is full",
                where=f"token {self._length}",
                hint="ask for less (maxLength, maxItems), or use a model with a longer context",
            )
        self._read([int(token_id)])

    def fork(self) -> TransformersSession:
        twin = object.__new__(TransformersSession)
        twin.__dict__.update(self.__dict__)
        twin._cache = copy.deepcopy(self._cache)
        return twin

    def _read(self, ids: list[int]) -> None:
        torch = self._torch
        try:
            with torch.inference_mode():
                rows = torch.tensor([ids], device=self._model.device)
                output = self._model(input_ids=rows, past_key_values=self._cache, use_cache=True)
                last = output.logits[0, -1].float().cpu().numpy()
        except Exception as error:
            raise EngineError(f"transformers failed: {error}", where=f"token {self._length}") from error
        self._cache = output.past_key_values
        self._length += len(ids)
        self._logits = np.ascontiguousarray(last, dtype=np.float32)
