"""Prompt ids → logits: the models behind one protocol; nothing heavy is imported before it is used."""

from frisket.chat_template import ChatTemplate

# Not lazily: importing the submodule later would put the module in the place of the function of the same name.
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
