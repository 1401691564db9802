"""CompiledGrammar × `model.generate` → masked scores: a logits processor for Hugging Face transformers.

`generate` reorders rows (beams), repeats them (`num_return_sequences`) and shortens them (rejected drafts), so a row's
number does not identify it. Each row is matched to a matcher by its tokens.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from frisket._core import CompiledGrammar, fill_masks
from frisket.argument_name import explain_slips
from frisket.engines.engine import Engine
from frisket.engines.path import Ids, NotGenerated, Path, common, start
from frisket.errors import EngineError, MissingDependencyError
from frisket.logits import torch as torch_logits
from frisket.logits.numpy import check_widths

Tensor: TypeAlias = Any  # torch is optional, for type checkers too


ENGINE = Engine(
    name="transformers",
    package="transformers",
    extra="transformers",
    use="frisket.engines.transformers.GrammarProcessor, frisket.models.transformers",
)


#: Arguments as transformers and other processors name them → what to write instead.
_SLIPS = {
    "*": "it takes one grammar, or a list with one for each prompt; the vocabulary is in grammar.compile(vocabulary)",
    **dict.fromkeys(("max_new_tokens", "max_length"), "write max_tokens={value}, as much as the call's max_new_tokens"),
    **dict.fromkeys(
        ("tokenizer", "vocabulary", "tokenizer_info"),
        "the vocabulary is in the compiled grammar: GrammarProcessor(grammar.compile(vocabulary))",
    ),
    **dict.fromkeys(("compiled_grammar", "compiled", "grammars"), "write grammar={value}"),
    **dict.fromkeys(
        ("schema", "json_schema", "regex", "pattern"),
        "write GrammarProcessor(grammar.compile(vocabulary)); Grammar.from_json_schema and from_regex make a grammar",
    ),
}


class GrammarProcessor:
    """A logits processor for `model.generate`: every row that ends by itself is a text of its grammar.

        vocabulary = frisket.models.transformers(model, tokenizer).vocabulary
        processor = GrammarProcessor(grammar.compile(vocabulary))
        model.generate(**tokenizer(prompt, return_tensors="pt"), logits_processor=[processor])

    `grammar` is one for all prompts, or one for each prompt of the batch, where None leaves a prompt free. Greedy
    search, sampling, beams, `num_return_sequences`, left padding, an assistant model and prompt lookup work, with
    static and dynamic caches. An EngineError refuses what cannot work: continuous batching, which shows no earlier
    tokens, and an assistant with another tokenizer.

    A processor serves one call of `generate`; `reset` prepares it for another one. It returns new scores and does not
    change the given ones. Not thread-safe. Cost of a step: one fork of a matcher and one mask for each row, one copy
    of the scores, and on a GPU two waits for it.

    With `max_tokens`, which must equal the call's `max_new_tokens`, every row is whole after at most that many tokens;
    BudgetError if every text takes more. Without it, a row that was cut is the beginning of a text. If there are fewer
    texts than beams, `generate` fills the other beams with forbidden tokens: such a row has the lowest score of all,
    and only its end is allowed.
    """

    @explain_slips("GrammarProcessor", _SLIPS)
    def __init__(
        self, grammar: CompiledGrammar | Sequence[CompiledGrammar | None], *, max_tokens: int | None = None
    ) -> None:
        if max_tokens is not None and max_tokens < 1:
            raise ValueError(f"max_tokens is at least 1, not {max_tokens}")
        self._max_tokens = max_tokens
        self._torch = _import("torch")
        _import("transformers")
        self._grammars = tuple(grammar) if isinstance(grammar, Sequence) else (grammar,)
        if not self._grammars or not all(isinstance(one, CompiledGrammar | None) for one in self._grammars):
            raise TypeError(
                "a GrammarProcessor takes a CompiledGrammar, or a list with one or None for each prompt; "
                "make one of a Grammar by grammar.compile(vocabulary)"
            )
        self._words = max((one.vocabulary.mask_words for one in self._grammars if one is not None), default=1)
        self.reset()

    def reset(self) -> None:
        """Forget the prompts and all rows: the next call of `generate` begins anew."""
        self._prompts: Ids | None = None
        self._columns = 0
        self._paths: dict[tuple[int, bytes], Path] = {}

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """New scores: −∞ for each token that no text of the row's grammar can have next."""
        lines = self._generated(input_ids, scores)
        paths = self._follow(lines)
        bitmask = np.zeros((len(lines), max(self._words, -(-self._columns // 32))), dtype=np.uint32)
        open_rows = []
        for row, path in enumerate(paths):
            if path is None:
                bitmask[row] = 0xFFFFFFFF
            elif not path.is_open:
                for token_id in self._vocabulary_of(row, len(paths)).eos:
                    bitmask[row, token_id >> 5] |= np.uint32(1 << (token_id & 31))
            else:
                open_rows.append(row)
        # A row longer than the budget means that `generate` got another `max_new_tokens`; one token then counts as
        # left.
        left = None if self._max_tokens is None else max(self._max_tokens - lines.shape[1], 1)
        matchers = [path.matcher for path in paths if path and path.is_open]
        fill_masks(matchers, bitmask, open_rows, None if left is None else [left] * len(matchers))
        masked, doubtful = torch_logits.copy_masked(scores, bitmask)
        # In a row without a finite score, greedy search would take token 0, whatever the grammar says.
        doubtful = [row for row in doubtful if row in open_rows]
        if doubtful and self._torch.isneginf(masked[doubtful].amax(-1)).any():
            raise refusal(
                "all tokens that the grammar allows have the score −∞ from another processor",
                hint="drop min_new_tokens, suppress_tokens, bad_words_ids and the like",
            )
        return masked

    def _generated(self, input_ids: Tensor, scores: Tensor) -> Ids:
        """The tokens after the prompts, row by row; the rows of the first call are the prompts."""
        if input_ids.ndim != 2:
            raise refusal(
                "continuous batching shows a logits processor the last token only",
                hint="call model.generate with a batch of prompts",
            )
        ids: Ids = np.ascontiguousarray(input_ids.cpu().numpy(), dtype=np.int64)
        if self._prompts is None:
            self._check_rows(len(ids), scores.shape[-1])
            self._prompts, self._columns = ids.copy(), scores.shape[-1]
        elif scores.shape[-1] != self._columns:
            raise refusal(
                f"the scores have {scores.shape[-1]} columns after {self._columns}: two models share the processor",
                hint="an assistant model needs the tokenizer and the vocabulary size of the model",
            )
        width = self._prompts.shape[1]
        if len(ids) != len(self._prompts) or not np.array_equal(ids[:, :width], self._prompts):
            raise refusal("the rows do not begin with the prompts of the first call", hint=RESET)
        return ids[:, width:]

    def _check_rows(self, rows: int, columns: int) -> None:
        if rows % len(self._grammars):
            raise refusal(
                f"{rows} rows are no multiple of the {len(self._grammars)} grammars",
                hint="pass one grammar, or as many as there are prompts",
            )
        for grammar in self._grammars:
            if grammar is not None:
                check_widths(grammar.vocabulary.size, columns)
            if grammar is not None and not any(token_id < columns for token_id in grammar.vocabulary.eos):
                raise refusal(
                    f"no token that ends a text is among the {columns} of the model",
                    hint="compile the grammar for the model's own vocabulary: models.transformers(model, tokenizer)",
                )

    def _vocabulary_of(self, row: int, rows: int) -> Any:
        grammar = self._grammars[self._prompt(row, rows)]
        assert grammar is not None
        return grammar.vocabulary

    def _prompt(self, row: int, rows: int) -> int:
        """The index of the grammar that a row follows: `generate` keeps the rows of one prompt together."""
        return row * len(self._grammars) // rows

    def _follow(self, lines: Ids) -> list[Path | None]:
        """The position of each row, None if the row is free; nothing changes if the call fails."""
        paths: list[Path | None] = []
        found: dict[tuple[int, bytes], Path] = {}
        for row, line in enumerate(lines):
            number = self._prompt(row, len(lines))
            grammar = self._grammars[number]
            if grammar is None:
                paths.append(None)
                continue
            key = (number, line.tobytes())
            if key not in found:
                found[key] = self._paths.get(key) or self._extend(number, grammar, line)
            paths.append(found[key])
        self._paths = found
        return paths

    def _extend(self, number: int, grammar: CompiledGrammar, line: Ids) -> Path:
        """The position after a line, derived from the known line with the longest common beginning."""
        near = self._paths.get((number, line[:-1].tobytes())) if len(line) else None
        if near is None:
            known = (path for (other, _), path in self._paths.items() if other == number)
            near = max(known, key=lambda path: common(path.ids, line), default=None)
        try:
            return (near or start(grammar)).advance(line)
        except NotGenerated as error:
            raise refusal(str(error), hint=RESET) from None


RESET = "make a processor for each call of generate, or call reset() before; an assistant needs the same tokenizer"


def refusal(message: str, *, hint: str) -> EngineError:
    """An error for something that this version of transformers cannot do with frisket."""
    return EngineError(f"transformers {importlib.metadata.version('transformers')}: {message}", hint=hint)


def _import(package: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise MissingDependencyError.of(package, "transformers") from error
