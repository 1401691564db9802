"""Prompt ids → random logits over the embedded tokenizer: a model that costs nothing, so that all else is measured.

`python -m benchmarks.random_model --port 8000` serves it as `frisket serve` serves any other model.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from frisket.models.embedded import Embedded
from frisket.models.protocol import Logits, check_prompt, check_room

#: Rows of logits that are drawn once; the place and the last token choose among them.
ROWS = 61
#: What tokens that end strings, arrays and objects are likelier by, in nats: texts then end long before their limit.
CLOSING = 4.0


class RandomModel(Embedded):
    """The embedded model's tokenizer and prompts, but drawn logits in place of its network; equal in each process."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        rows = np.random.default_rng(seed).normal(0, 2, (ROWS, self.vocabulary.size)).astype(np.float32)
        closing = [number for number, token in enumerate(self.tokenizer.tokens) if set(token or b"") & set(b'"]}')]
        rows[:, closing] += np.float32(CLOSING)
        self.rows = rows

    def start(self, prompt_ids: Sequence[int]) -> RandomSession:  # type: ignore[override]
        check_prompt(prompt_ids, self.context)
        return RandomSession(self.rows, self.context, sum(prompt_ids), len(prompt_ids))


class RandomSession:
    """One sequence: how long it is, and a sum of its tokens."""

    def __init__(self, rows: Logits, context: int, state: int, length: int) -> None:
        self._rows, self._context, self._state, self._length = rows, context, state, length

    def logits(self) -> Logits:
        return self._rows[self._state % len(self._rows)].copy()

    def push(self, token_id: int) -> None:
        check_room(self._length, 1, self._context)
        self._state += token_id + self._length
        self._length += 1

    def fork(self) -> RandomSession:
        return RandomSession(self._rows, self._context, self._state, self._length)


def main() -> None:
    import uvicorn

    from frisket.server import Settings, make_application

    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.random_model", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--max-body-bytes", type=int, default=4_000_000)
    options = parser.parse_args()
    # Clients ask for the model by the embedded one's name: its tokenizer and prompts are these.
    application = make_application(RandomModel(), Settings(max_body_bytes=options.max_body_bytes))
    uvicorn.run(application, port=options.port, access_log=False)


if __name__ == "__main__":
    main()
