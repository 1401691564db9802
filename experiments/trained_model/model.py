"""Tensors × Texts → a model that `frisket.generate` takes: the network of the embedded model, with other weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

import frisket
from experiments.trained_model.text import Texts
from frisket.models import prompt as template
from frisket.models.embedded import EmbeddedSession, Network


@dataclass(frozen=True)
class TrainedModel:
    """What training has found. It travels between processes: the vocabulary is built where it is needed."""

    texts: Texts
    tensors: Mapping[str, np.ndarray] = field(repr=False)
    metadata: Mapping[str, str]
    seconds: float
    """Processor time of the training: elapsed time on a machine that does nothing else."""
    loss: float
    """The mean loss of a token at the end of training, in nats."""
    names_keys: bool = True
    """Whether prompts name the properties that are asked for."""

    @cached_property
    def network(self) -> Network:
        return Network(self.tensors, self.metadata)

    @property
    def parameters(self) -> int:
        return sum(tensor.size for tensor in self.tensors.values())

    @property
    def vocabulary(self) -> frisket.Vocabulary:
        return self.texts.vocabulary

    @property
    def eos(self) -> list[int]:
        return [self.texts.eos]

    @property
    def context(self) -> int:
        return self.network.context

    def encode(self, text: str) -> list[int]:
        return [self.texts.bos, *self.texts.encode(text)]

    def decode(self, ids: Sequence[int]) -> str:
        return self.texts.decode(ids)

    def prompt(self, text: str, keys: Sequence[str] | None = None, *, draft: str | None = None) -> str:
        return template.render(text, (keys or ()) if self.names_keys else (), draft)

    def start(self, prompt_ids: Sequence[int]) -> EmbeddedSession:
        return EmbeddedSession(self.network, prompt_ids)
