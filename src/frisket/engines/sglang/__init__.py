"""SGLang's registry of grammar backends → `--grammar-backend frisket`.

SGLang calls `register` in each of its processes through the entry point `sglang.srt.plugins`, wherever frisket is
installed. The backend does nothing unless it is chosen.
"""

from __future__ import annotations

from typing import Any

from frisket.engines.engine import Engine

NAME = "frisket"

ENGINE = Engine("SGLang", "sglang", "sglang", "--grammar-backend frisket")


def register() -> None:
    """Register `frisket` as the name of a grammar backend. May be called any number of times."""
    from sglang.srt.arg_groups import choices
    from sglang.srt.constrained.base_grammar_backend import register_grammar_backend

    if NAME not in choices.GRAMMAR_BACKEND_CHOICES:
        choices.add_grammar_backend_choices([NAME])
    register_grammar_backend(NAME, make)


def make(server_args: Any, tokenizer: Any, vocab_size: int, eos_token_ids: Any) -> Any:
    """The backend, called by SGLang if it was chosen; EngineError for a version that was not tested."""
    import sglang

    ENGINE.check(str(sglang.__version__))
    from frisket.engines.sglang.backend import make_backend

    return make_backend(tokenizer, vocab_size, eos_token_ids)
