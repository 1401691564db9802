"""Token ids of a prompt → logits: all models behind one protocol; large packages are imported when first used."""

from typing import TYPE_CHECKING

from frisket.chat_template import ChatTemplate

# Imported now: a later import of the submodule would replace the function by the module, since they share a name.
from frisket.models.embedded import embedded
from frisket.models.gguf import gguf
from frisket.models.protocol import Batch, DraftSession, Logits, Model, Session
from frisket.models.smollm2 import smollm2
from frisket.models.transformers import transformers

__all__ = [
    "Batch",
    "ChatTemplate",
    "DraftSession",
    "Logits",
    "Model",
    "Session",
    "embedded",
    "gguf",
    "smollm2",
    "transformers",
]

#: Names of other libraries → the place of what they name there.
_ELSEWHERE = {
    **dict.fromkeys(("openai", "anthropic", "gemini", "mistral"), "models behind an API are asked by frisket.hosted"),
    **dict.fromkeys(("llamacpp", "from_llamacpp"), "frisket.models.gguf loads such a file"),
    **dict.fromkeys(("huggingface", "hf", "from_transformers"), "it is frisket.models.transformers"),
    **dict.fromkeys(("vllm", "sglang", "onnx", "mlx"), "this engine has a plug-in, which its page shows: docs/engines"),
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        advice = f": {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
        raise AttributeError(f"module 'frisket.models' has no attribute {name!r}{advice}")
