"""CompiledGrammar → one request's rows, tokens and drafts, as SGLang asks for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from frisket.engines.progress import Progress
from frisket.errors import MissingDependencyError
from frisket.grammar import CompiledGrammar
from frisket.logits.torch import apply_mask

try:
    import torch
    from sglang.srt.constrained.base_grammar_backend import BaseGrammarObject, GrammarRow
except ImportError as error:
    raise MissingDependencyError.of("sglang", "sglang") from error


class RequestGrammar(BaseGrammarObject):
    """One request's position; with a total, its text is whole when the tokens run out."""

    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self._progress = progress
        #: The tokens of the request, the end included; None if no masks leave room for it.
        self.total: int | None = None
        #: The request's tokens before its text: thoughts.
        self.before = 0

    @property
    def compiled(self) -> CompiledGrammar:
        return self._progress.compiled

    @property
    def steps(self) -> int:
        """How many tokens of the text were taken."""
        return self._progress.steps

    @property
    def room(self) -> int | None:
        """The tokens that are left for text, beside the end."""
        return None if self.total is None else self.total - self.before - self._progress.steps - 1

    def accept_token(self, token: int) -> None:
        """Take a token; ValueError ends the request. What comes after the end is ignored."""
        refusal = self._progress.accept_later([token])
        if refusal is not None:
            raise ValueError(f"{refusal} [{refusal.code}]") from refusal
        # By this SGLang knows which tokens a request that was moved to another machine has taken.
        self.current_token = token

    def rollback(self, k: int) -> None:
        self._progress.rollback(k)

    def is_terminated(self) -> bool:
        return self._progress.ended

    def copy(self) -> RequestGrammar:
        """Another request's position, at the beginning: SGLang keeps grammars, and copies one for each request."""
        return RequestGrammar(self._progress.fresh())

    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> torch.Tensor:
        """Rows of int32 words on the CPU, one bit a token, all allowed."""
        return allocate(vocab_size, batch_size)

    def fill_vocab_mask(self, vocab_mask: torch.Tensor, idx: int) -> None:
        self._progress.fill(vocab_mask, idx, self.room)

    @staticmethod
    def fill_vocab_mask_batched(entries: Sequence[GrammarRow], vocab_mask: torch.Tensor) -> None:
        """The rows of all requests of a batch, by as many threads as there are cores."""
        if not all(isinstance(entry.grammar, RequestGrammar) for entry in entries):
            BaseGrammarObject.fill_vocab_mask_batched(entries, vocab_mask)
            return
        grammars, rows = [entry.grammar for entry in entries], [entry.row for entry in entries]
        Progress.fill_all([one._progress for one in grammars], vocab_mask, rows, [one.room for one in grammars])

    @staticmethod
    def reset_vocab_mask(vocab_mask: torch.Tensor) -> None:
        vocab_mask.fill_(-1)

    @staticmethod
    def move_vocab_mask(vocab_mask: torch.Tensor, device: Any) -> torch.Tensor:
        return vocab_mask.to(device, non_blocking=True)

    @staticmethod
    def apply_vocab_mask(logits: torch.Tensor, vocab_mask: torch.Tensor) -> None:
        apply_mask(logits, vocab_mask)


def allocate(vocab_size: int, rows: int) -> torch.Tensor:
    return torch.full((rows, -(-vocab_size // 32)), -1, dtype=torch.int32)
