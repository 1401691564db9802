"""A tokenizer of mistral-common (tekken or SentencePiece), or a tekken.json file → token table."""

from __future__ import annotations

import base64
import binascii
import json
import os
from pathlib import Path
from typing import Any, cast

from frisket.errors import VocabularyError
from frisket.vocabulary import cache, sentencepiece
from frisket.vocabulary.table import Eos, TokenTable

# Files up to tokenizer version 7 do not list their special tokens: they have these, and numbered fillers after them.
# fmt: off
_EARLY_SPECIAL = (
    "<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]",
    "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]",
)
# fmt: on


def read(tokenizer: object, *, size: int | None = None, eos: Eos = None) -> TokenTable:
    """The table of a `MistralTokenizer`, of the tokenizer inside one, or of a tekken.json or .model file."""
    stops = eos if eos is None or isinstance(eos, (int, str)) else list(eos)
    if isinstance(tokenizer, (str, os.PathLike)):
        return _read_file(Path(tokenizer), size=size, eos=stops)
    inner = _unwrap(tokenizer)
    if hasattr(inner, "id_to_byte_piece"):
        return _of_tekken(cast("Any", inner), size=size, eos=stops)
    if (processor := _processor(inner)) is not None:
        return sentencepiece.read(processor, size=size, eos=stops)
    raise VocabularyError(
        f"{type(tokenizer).__name__} is not a tokenizer of mistral-common",
        hint="pass a MistralTokenizer, its instruct_tokenizer.tokenizer, or the path of its tekken.json or .model file",
    )


def build(content: bytes, *, size: int | None = None, eos: Eos = None, where: str | None = None) -> TokenTable:
    """The table of the content of a tekken.json."""
    try:
        definition = json.loads(content)
        config = definition["config"]
        count = int(config["default_num_special_tokens"])
        used = int(config["default_vocab_size"]) - count
        # The file may hold more ranks than the model was trained with.
        texts = [base64.b64decode(entry["token_bytes"]) for entry in definition["vocab"][:used]]
        listed = definition.get("special_tokens")
        if listed is None:
            special = {name: token_id for token_id, name in enumerate(_EARLY_SPECIAL[:count])}
        else:
            special = {entry["token_str"]: int(entry["rank"]) for entry in listed}
    except (ValueError, KeyError, TypeError, binascii.Error) as error:
        raise VocabularyError(
            f"this is not a tekken tokenizer: {error!r}", where=where, hint="pass Mistral's tekken.json"
        ) from error
    special.update((f"<SPECIAL_{token_id}>", token_id) for token_id in range(len(special), count))
    return TokenTable.of([*[None] * count, *texts], special=special, eos=eos, size=size)


def _read_file(path: Path, *, size: int | None, eos: Eos) -> TokenTable:
    if ".model" in path.name:
        return sentencepiece.read(path, size=size, eos=eos)
    content = cache.read_file(path, expected="tokenizer", hint="give a tekken.json or a .model file")
    wanted = json.dumps([size, eos], default=repr).encode()
    return cache.fetch("tekken", [wanted, content], lambda: build(content, size=size, eos=eos, where=str(path)))


def _of_tekken(tokenizer: Any, *, size: int | None, eos: Eos) -> TokenTable:
    count = tokenizer.num_special_tokens
    special = {tokenizer.id_to_piece(token_id): token_id for token_id in range(count)}
    texts = [tokenizer.id_to_byte_piece(token_id) for token_id in range(count, tokenizer.n_words)]
    return TokenTable.of([*[None] * count, *texts], special=special, eos=eos, size=size)


def _unwrap(tokenizer: object) -> object:
    """The innermost tokenizer: engines and transformers wrap MistralTokenizer, which wraps the one with the tokens."""
    for _ in range(4):
        for name in ("instruct_tokenizer", "mistral", "tokenizer"):
            inner = getattr(tokenizer, name, None)
            if inner is not None:
                tokenizer = inner
                break
        else:
            break
    return tokenizer


def _processor(tokenizer: object) -> object | None:
    processor = getattr(tokenizer, "_model", None)
    return processor if hasattr(processor, "serialized_model_proto") else None
