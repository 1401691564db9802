"""Token ids of a prompt → logits: all models behind one protocol; large packages are imported when first used."""

from typing import TYPE_CHECKING

from frisket.chat_template import ChatTemplate
from frisket.foreign_name import missing

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

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        raise missing("frisket.models", name)
