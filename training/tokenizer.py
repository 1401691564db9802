"""Sentences → a byte-level BPE of 1,024 tokens, in the plain JSON that `frisket.models.embedded` reads."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from data import pair
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from frisket.models.embedded import PIECES, SPECIAL, WEIGHTS, byte_characters

SIZE = 1024
SAMPLES = 40_000


def train(seed: int = 0) -> dict[str, list[object]]:
    """The merges in order of rank, as pairs of token ids; ids 0..255 are the bytes, the special tokens come last."""
    rng = random.Random(seed)
    texts = [part for _ in range(SAMPLES) for part in pair(rng)]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    alphabet = byte_characters()
    trainer = trainers.BpeTrainer(vocab_size=SIZE - len(SPECIAL), initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    ids = {character: byte for byte, character in enumerate(alphabet)}
    pairs: list[object] = []
    for left, right in merges:
        pairs.append([ids[left], ids[right]])
        ids.setdefault(left + right, 255 + len(pairs))
    return {"merges": pairs, "special": list(SPECIAL)}


if __name__ == "__main__":
    WEIGHTS.mkdir(exist_ok=True)
    (WEIGHTS / "tokenizer.json").write_text(json.dumps(train()) + "\n", encoding="utf-8")
