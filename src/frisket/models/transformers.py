"""A Hugging Face model and its tokenizer → the protocol of a model."""

from __future__ import annotations

import copy
import importlib
import inspect
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from frisket.chat_template import ChatTemplate
from frisket.errors import EngineError, FrisketError, MissingDependencyError
from frisket.foreign_name import explain_names
from frisket.models import prompt as template
from frisket.models.protocol import Logits, check_prompt
from frisket.models.session import NetworkSession
from frisket.models.transformers_batch import TransformersBatch, transformers_batch

if TYPE_CHECKING:
    from frisket.vocabulary import Vocabulary

UNLIMITED = 1 << 30


def transformers(
    model: Any, tokenizer: Any = None, *, device: str | None = None, dtype: Any = "auto", revision: str | None = None
) -> Transformers:
    """A causal language model of Hugging Face transformers, given by name or folder, or already loaded.

        model = frisket.models.transformers("HuggingFaceTB/SmolLM2-135M-Instruct")
        model = frisket.models.transformers("path/to/folder", device="cuda")
        model = frisket.models.transformers(hf_model, hf_tokenizer)

    A folder is one that `save_pretrained` writes; it is read without a network. For a name, transformers looks into its
    cache and then at the hub, at `revision` if given. Code that comes with a model is never run; load such a model
    yourself and pass model and tokenizer. `tokenizer` may be a name or folder of its own. `device` and `dtype` (a torch
    dtype or its name) apply to models that are loaded here. Only a fast tokenizer tells the bytes of its tokens.
    """
    if not isinstance(model, str | Path) and hasattr(model, "encode") and not hasattr(model, "forward"):
        raise TypeError(
            f"the first argument is a tokenizer, {type(model).__name__}: write transformers(model, tokenizer)"
        )
    if hasattr(tokenizer, "forward"):
        raise TypeError(f"the second argument is a model, {type(tokenizer).__name__}, where its tokenizer is wanted")
    if isinstance(model, str | Path):
        return Transformers(*_load(model, tokenizer, device=device, dtype=dtype, revision=revision))
    if tokenizer is None:
        raise TypeError("a model that is loaded already comes with its tokenizer: transformers(model, tokenizer)")
    if device is not None or dtype != "auto" or revision is not None:
        raise TypeError("device, dtype and revision are for a model that is loaded here, by its name or folder")
    return Transformers(model, tokenizer)


def _load(source: str | Path, tokenizer: Any, *, device: str | None, dtype: Any, revision: str | None) -> Any:
    """The model and the tokenizer of a name or a folder."""
    folder = Path(source)
    is_folder = folder.is_dir()
    if folder.suffix == ".gguf":
        raise _unreadable(source, "it is a GGUF file", f'write frisket.models.gguf("{source}")')
    if not is_folder and (isinstance(source, Path) or folder.is_absolute() or str(source).startswith((".", "~"))):
        raise _unreadable(source, "there is no such folder", "give the folder that `save_pretrained` has written")
    if is_folder and not (folder / "config.json").is_file():
        raise _unreadable(source, "it has no config.json", "give the folder that `save_pretrained` has written")
    try:
        importlib.import_module("torch")
        library: Any = importlib.import_module("transformers")
    except ImportError as error:
        raise MissingDependencyError.of(error.name or "transformers", "transformers") from error
    options: dict[str, Any] = {"local_files_only": True} if is_folder else {}
    if revision is not None:
        options["revision"] = revision
    try:
        loaded = library.AutoModelForCausalLM.from_pretrained(source, dtype=dtype, **options)
        if isinstance(tokenizer, str | Path) or tokenizer is None:
            other = source if tokenizer is None else tokenizer
            options = options if other is source else {"local_files_only": True} if Path(other).is_dir() else {}
            tokenizer = library.AutoTokenizer.from_pretrained(other, **options)
        if device is not None:
            loaded = loaded.to(device)
    except Exception as error:  # files, hub and device raise errors of any type
        hint = (
            "the folder has config.json, the weights of a causal language model and a fast tokenizer"
            if is_folder
            else "check the name and the network, or give a folder that `save_pretrained` has written"
        )
        raise _unreadable(source, f"transformers {library.__version__} says: {_first_line(error)}", hint) from error
    if not getattr(tokenizer, "is_fast", True):
        raise _unreadable(source, "its tokenizer is not a fast one", "convert the tokenizer to a tokenizer.json")
    return loaded.eval(), tokenizer


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _unreadable(source: str | Path, reason: str, hint: str) -> FrisketError:
    return FrisketError(f"cannot load the model {source}: {reason}", where=str(source), hint=hint, code="file")


@explain_names
class Transformers:
    """A causal model with a KV cache, one sequence per session."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        try:
            self._torch = importlib.import_module("torch")
        except ImportError as error:
            raise MissingDependencyError.of("torch", "transformers") from error
        self._model = model
        self._tokenizer = tokenizer

    @property
    def tokenizer(self) -> Any:
        """The tokenizer of the transformers package, which has the chat template."""
        return self._tokenizer

    @property
    def vocabulary(self) -> Vocabulary:
        # A method instead of the cached property, which pyright does not accept for a property of the protocol.
        return self._vocabulary

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        from frisket.vocabulary import Vocabulary

        rows = getattr(self._model.config, "vocab_size", None)
        size = None if rows is None else max(int(rows), len(self._tokenizer))
        return Vocabulary.from_huggingface(self._tokenizer, size=size, eos=self.eos)

    @property
    def eos(self) -> list[int]:
        """The end tokens of the generation settings, often several, or else the tokenizer's own."""
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
        # A chat template writes the special tokens itself, so encoding must not add them again.
        chat = getattr(self._tokenizer, "chat_template", None)
        return [int(token_id) for token_id in self._tokenizer.encode(text, add_special_tokens=not chat)]

    def decode(self, ids: Sequence[int]) -> str:
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True))

    @cached_property
    def chat_template(self) -> ChatTemplate | None:
        """The chat template of the model; None if the tokenizer has none."""
        if not getattr(self._tokenizer, "chat_template", None):
            return None
        return ChatTemplate(self._tokenizer.chat_template, self._tokenizer.special_tokens_map)

    def prompt(self, text: str, keys: Sequence[str] | None = None, *, draft: str | None = None) -> str:
        if not getattr(self._tokenizer, "chat_template", None):
            return template.render(text, keys or (), draft)
        turn = template.turns(text, keys, draft)
        return str(self._tokenizer.apply_chat_template(turn, tokenize=False, add_generation_prompt=True))

    def start(self, prompt_ids: Sequence[int]) -> TransformersSession:
        check_prompt(prompt_ids, self.context)
        return TransformersSession(self._torch, self._model, self.context, prompt_ids)

    def batch(self) -> TransformersBatch | None:
        """A new batch; None if the model's cache cannot hold sequences of different lengths."""
        return transformers_batch(self._torch, self._model)


class TransformersSession(NetworkSession):
    """One sequence and its cache of keys and values."""

    def __init__(self, torch: Any, model: Any, context: int, prompt_ids: Sequence[int]) -> None:
        self._torch, self._model = torch, model
        self._cache: Any = None
        parameters = inspect.signature(getattr(model, "forward", model)).parameters
        # Some models would compute logits for the whole prompt: a gigabyte for 2,000 tokens of 128,256 logits each.
        self._selects = "logits_to_keep" in parameters
        # transformers 5.24 renamed the cache, both as an argument and in the output.
        self._cache_name = "cache" if "cache" in parameters else "past_key_values"
        super().__init__(context, prompt_ids)

    @property
    def rewinds(self) -> bool:
        """Whether tokens can be taken back; not with a sliding window, nor in a recurrent network."""
        layers = getattr(self._cache, "layers", ())
        plain = type(self._cache).__name__ == "DynamicCache"
        return plain and all(type(layer).__name__ == "DynamicLayer" for layer in layers)

    def fork(self) -> TransformersSession:
        twin = copy.copy(self)
        twin._cache = copy.deepcopy(self._cache)
        return twin

    def _forget(self, tokens: int) -> None:
        self._cache.crop(-tokens)

    def _read(self, ids: list[int], keep: int) -> Logits:
        torch = self._torch
        options: dict[str, Any] = {self._cache_name: self._cache, "use_cache": True}
        if self._selects:
            options["logits_to_keep"] = keep
        try:
            with torch.inference_mode():
                rows = torch.tensor([ids], device=self._model.device)
                output = self._model(input_ids=rows, **options)
                last = output.logits[0, -keep:].float().cpu().numpy()
        except Exception as error:
            raise EngineError(f"transformers failed: {error}", where=f"token {self._length}") from error
        self._cache = getattr(output, self._cache_name)
        return np.ascontiguousarray(last, dtype=np.float32)
