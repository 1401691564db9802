"""CompiledGrammar → one request's grammar with the methods that SGLang calls: rows, tokens and drafts."""

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


class BatchedGrammar(BaseGrammarObject):
    """One request of a batch. One native call writes the rows of all requests that are in their text."""

    def text(self) -> RequestGrammar | None:
        """The position in the text, if the next row belongs to it; None if the request writes that row itself."""
        raise NotImplementedError

    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> torch.Tensor:
        """A bitmask of int32 words on the CPU, one bit per token, all of them set."""
        return allocate(vocab_size, batch_size)

    @staticmethod
    def fill_vocab_mask_batched(entries: Sequence[GrammarRow], vocab_mask: torch.Tensor) -> None:
        """Write the rows of all requests of a batch; rows of texts are written in one thread per core."""
        texts: list[RequestGrammar] = []
        rows: list[int] = []
        for row, grammar in entries:
            text = grammar.text() if isinstance(grammar, BatchedGrammar) else None
            if text is None:
                grammar.fill_vocab_mask(vocab_mask, row)
            else:
                texts.append(text)
                rows.append(row)
        Progress.fill_all([one.progress for one in texts], vocab_mask, rows, [one.room for one in texts])

    @staticmethod
    def reset_vocab_mask(vocab_mask: torch.Tensor) -> None:
        vocab_mask.fill_(-1)

    @staticmethod
    def move_vocab_mask(vocab_mask: torch.Tensor, device: Any) -> torch.Tensor:
        return vocab_mask.to(device, non_blocking=True)

    @staticmethod
    def apply_vocab_mask(logits: torch.Tensor, vocab_mask: torch.Tensor) -> None:
        apply_mask(logits, vocab_mask)


class RequestGrammar(BatchedGrammar):
    """The position of one request; if `total` is set, its text is whole when the tokens run out."""

    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self.progress = progress
        #: Tokens of the whole request, including the end; None if masks do not take account of it.
        self.total: int | None = None
        #: Tokens of the request before its text, which are reasoning.
        self.before = 0

    @property
    def compiled(self) -> CompiledGrammar:
        return self.progress.compiled

    @property
    def steps(self) -> int:
        """How many tokens of the text were taken."""
        return self.progress.steps

    @property
    def room(self) -> int | None:
        """Tokens left for text, not counting the end."""
        return None if self.total is None else self.total - self.before - self.progress.steps - 1

    def accept_token(self, token: int) -> None:
        """Take a token; a ValueError ends the request. Tokens after the end are ignored."""
        refusal = self.progress.accept_later([token])
        if refusal is not None:
            raise ValueError(f"{refusal} [{refusal.code}]") from refusal
        # SGLang reads this attribute to know which tokens a request has taken that moves to another machine.
        self.current_token = token

    def rollback(self, k: int) -> None:
        self.progress.rollback(k)

    def is_terminated(self) -> bool:
        return self.progress.ended

    def copy(self) -> RequestGrammar:
        """A position of another request at the beginning: SGLang keeps a grammar, and copies it for each request."""
        return RequestGrammar(self.progress.fresh())

    def text(self) -> RequestGrammar:
        return self

    def fill_vocab_mask(self, vocab_mask: torch.Tensor, idx: int) -> None:
        self.progress.fill(vocab_mask, idx, self.room)


def allocate(vocab_size: int, rows: int) -> torch.Tensor:
    return torch.full((rows, -(-vocab_size // 32)), -1, dtype=torch.int32)
