"""GGUF file → the protocol of a model, by the runtime that is installed: llama.cpp, transformers with torch, or numpy.

Under every runtime the tokenizer is built from the file's own metadata, so prompts and vocabulary agree with the file.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from frisket.dependency import install_command
from frisket.errors import EngineError, FrisketError, MissingDependencyError
from frisket.foreign_name import explain_names
from frisket.models.chat import Chat
from frisket.models.llama_cpp import ROOM, LlamaCpp, LlamaCppSession
from frisket.models.protocol import Batch, Session, check_prompt

if TYPE_CHECKING:
    from frisket.chat_template import ChatTemplate
    from frisket.vocabulary import Vocabulary

Runtime = Literal["llama.cpp", "transformers", "numpy"]

# Packages that transformers' GGUF reader needs.
TRANSFORMERS = ("torch", "transformers", "accelerate")

#: Metadata keys that a llama network must have, under `llama.`.
REQUIRED = ("block_count", "embedding_length", "attention.head_count", "attention.layer_norm_rms_epsilon")


def gguf(path: str | Path, *, runtime: Runtime | None = None, context: int | None = None) -> GGUF:
    """The model of a GGUF file with a byte-level BPE tokenizer.

        model = frisket.models.gguf("SmolLM2-135M-Instruct.Q4_1.gguf")

    `runtime`: `llama.cpp` (llama-cpp-python) runs every network, with the weights as they are in the file;
    `transformers` and `numpy` run llama networks, with float32 weights of 4 bytes each. By default it is the first of
    the three that is installed. `context`: the most tokens of prompt and answer; by default that of the training, but
    with llama.cpp at most 4,096, since it allocates memory for all of them in each session.
    """
    return GGUF(Path(path), runtime, context)


@explain_names
class GGUF:
    """A model and its tokenizer from one file; safe to share."""

    def __init__(self, path: Path, runtime: Runtime | None = None, context: int | None = None) -> None:
        content = Content(path)
        runtime = runtime or installed()
        self._chat = Chat(content.metadata, where=str(path))
        self._context = min(content.context, context or (ROOM if runtime == "llama.cpp" else content.context))
        self._start, self._batch = _runtime(content, runtime, self._context)
        self._rows = content.rows
        self.runtime = runtime

    def __repr__(self) -> str:
        return f"<{type(self).__name__} by {self.runtime}, context {self.context:,}>"

    @property
    def tokenizer(self) -> Chat:
        """The tokenizer of the file with its chat template."""
        return self._chat

    @property
    def vocabulary(self) -> Vocabulary:
        # A method instead of the cached property, which pyright does not accept for a property of the protocol.
        return self._vocabulary

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        from frisket.vocabulary import Vocabulary

        return Vocabulary.from_huggingface(self._chat.tokenizer, size=self._rows, eos=self.eos)

    @property
    def chat_template(self) -> ChatTemplate | None:
        """The chat template of the model; None if the file has none."""
        return self._chat.template

    @property
    def eos(self) -> list[int]:
        return self._chat.eos

    @property
    def context(self) -> int:
        return self._context

    def encode(self, text: str) -> list[int]:
        return self._chat.encode(text)

    def decode(self, ids: Sequence[int]) -> str:
        return self._chat.decode(ids)

    def prompt(self, text: str, keys: Sequence[str] | None = None, *, draft: str | None = None) -> str:
        return self._chat.prompt(text, keys, draft)

    def start(self, prompt_ids: Sequence[int]) -> Session:
        check_prompt(prompt_ids, self.context)
        return self._start(prompt_ids)

    def batch(self) -> Batch | None:
        """A new batch; None if the runtime has no batches."""
        return self._batch()


class Content:
    """The metadata and the tensors of a file."""

    def __init__(self, path: Path) -> None:
        try:
            self.package: Any = importlib.import_module("gguf")
        except ImportError as error:
            raise MissingDependencyError.of("gguf", "gguf") from error
        self.path = path
        try:
            reader = self.package.GGUFReader(path)
        except OSError as error:
            raise _unreadable(path, (error.strerror or str(error)).lower()) from error
        except Exception as error:  # damaged bytes make the package raise errors of any type
            raise _unreadable(path, f"it is no GGUF file that is whole ({error})") from error
        self.metadata: Mapping[str, Any] = {name: field.contents() for name, field in reader.fields.items()}
        self.tensors = {tensor.name: tensor for tensor in reader.tensors}
        self.architecture = str(self.metadata.get("general.architecture"))
        needed = [f"{self.architecture}.context_length", "tokenizer.ggml.tokens"]
        if self.architecture == "llama":
            needed += [f"llama.{name}" for name in REQUIRED]
        for name in needed:
            if name not in self.metadata:
                raise _unreadable(path, f"its metadata lacks {name}")

    @property
    def context(self) -> int:
        """The most tokens of a sequence in training."""
        return int(self.metadata[f"{self.architecture}.context_length"])

    def check_architecture(self) -> None:
        """EngineError unless the network is a llama network."""
        if self.architecture != "llama":
            raise EngineError(
                f"the network in {self.path.name} is {self.architecture!r}; without llama.cpp only llama is read",
                where=str(self.path),
                hint=f"{install_command('llama-cpp', 'llama-cpp-python')}, or load the original weights by "
                "models.transformers(name)",
            )

    @property
    def rows(self) -> int:
        """The number of logits of the network."""
        return int(self.tensors["token_embd.weight"].shape[1])

    def tensor(self, name: str) -> Any:
        """The numbers of a tensor as float32, rows first."""
        if name not in self.tensors:
            raise _unreadable(self.path, f"it has no tensor {name}")
        tensor = self.tensors[name]
        return self.package.dequantize(tensor.data, tensor.tensor_type)


def installed() -> Runtime:
    """The first runtime whose packages are installed."""
    if importlib.util.find_spec("llama_cpp") is not None:
        return "llama.cpp"
    found = all(importlib.util.find_spec(package) is not None for package in TRANSFORMERS)
    return "transformers" if found else "numpy"


def _runtime(
    content: Content, runtime: Runtime, context: int
) -> tuple[Callable[[Sequence[int]], Session], Callable[[], Batch | None]]:
    """(the function that starts a session with a prompt, the function that makes a batch)"""
    if runtime == "llama.cpp":
        native = LlamaCpp(content.path)
        return lambda prompt_ids: LlamaCppSession(native, context, prompt_ids), lambda: None
    content.check_architecture()
    if runtime == "numpy":
        from frisket.models.llama import Llama, LlamaBatch, LlamaSession

        network = Llama(content.metadata, content.tensor, set(content.tensors), where=str(content.path))
        return lambda prompt_ids: LlamaSession(network, context, prompt_ids), lambda: LlamaBatch(network, context)
    if runtime != "transformers":
        raise ValueError(f"a runtime is llama.cpp, transformers or numpy, not {runtime!r}")
    from frisket.models.transformers import TransformersSession
    from frisket.models.transformers_batch import transformers_batch

    try:
        torch, library, _ = (importlib.import_module(package) for package in TRANSFORMERS)
    except ImportError as error:
        raise MissingDependencyError.of("transformers", "transformers") from error
    try:
        model = library.AutoModelForCausalLM.from_pretrained(
            content.path.parent, gguf_file=content.path.name, local_files_only=True, dtype=torch.float32
        )
    except Exception as error:
        raise EngineError(
            f"transformers {library.__version__} cannot read {content.path.name}: {error}",
            where=str(content.path),
            hint='read it by numpy: models.gguf(path, runtime="numpy")',
        ) from error
    model.eval()
    return lambda prompt_ids: TransformersSession(torch, model, context, prompt_ids), lambda: transformers_batch(
        torch, model
    )


def _unreadable(path: Path, reason: str) -> FrisketError:
    return FrisketError(
        f"cannot read {path}: {reason}", where=str(path), hint="check the path and the file", code="file"
    )
