"""tokenizer.json (a folder, a file, or a live tokenizer) → token table.

Added tokens with `special` never match text; other added tokens are text like any. The module `spelling` turns pieces
into bytes. The files beside tokenizer.json give the stop tokens and the number of logits.
"""

from __future__ import annotations

import json
import os
from collections import ChainMap
from collections.abc import Mapping
from pathlib import Path

from frisket.errors import VocabularyError
from frisket.json_fault import json_fault
from frisket.vocabulary import cache
from frisket.vocabulary.spelling import Definition, Pieces, prepends_space, spell
from frisket.vocabulary.table import MAX_SIZE, Eos, TokenTable, unknown_bytes

# Files beside tokenizer.json with the stop tokens, the number of logits and the added tokens.
SIDE_FILES = ("generation_config.json", "config.json", "tokenizer_config.json", "special_tokens_map.json")


def read(tokenizer: object, *, size: int | None = None, eos: Eos = None) -> TokenTable:
    """The table of a folder, a tokenizer.json, a `tokenizers.Tokenizer` or a fast tokenizer of transformers."""
    stops = eos if eos is None or isinstance(eos, (int, str)) else list(eos)
    name, files = _files(tokenizer)
    wanted = json.dumps([size, stops], default=repr).encode()
    parts = [wanted, *(part for file, content in files.items() for part in (file.encode(), content))]

    def made() -> TokenTable:
        contents = {file: content if isinstance(content, bytes) else content.read() for file, content in files.items()}
        return build(contents, size=size, eos=stops, where=name)

    return cache.fetch("huggingface", parts, made)


def build(files: Mapping[str, bytes], *, size: int | None = None, eos: Eos = None, where: str | None) -> TokenTable:
    """The table of the contents of tokenizer.json and of the files beside it."""
    sides = {file: _parse(files[file], where, file) for file in SIDE_FILES if file in files}
    definition = _parse(files["tokenizer.json"], where, "tokenizer.json")
    model = definition.get("model")
    if not isinstance(model, dict) or "vocab" not in model:
        raise VocabularyError(
            "tokenizer.json has no model with a vocabulary", where=where, hint="is it a Hugging Face tokenizer?"
        )
    pieces = _pieces(model, where)
    added = _added(definition, sides.get("tokenizer_config.json", {}), where)
    special = {entry["content"]: token_id for token_id, entry in added.items() if entry.get("special")}
    contents = {token_id: str(entry["content"]) for token_id, entry in added.items()}
    silent = {token_id for token_id, entry in added.items() if entry.get("special")}
    texts = spell(definition, pieces, contents, silent, where)
    for token_id in silent:
        texts[token_id] = None
    unknown = _unknown(model, pieces)
    if unknown is not None:
        special.setdefault(*unknown)
    names = ChainMap({content: token_id for token_id, content in contents.items()}, _ids(model["vocab"]))
    rows = _rows(sides) if size is None else size
    stops = eos if eos is not None else _stops(sides, names, len(texts) if rows is None else rows)
    return TokenTable.of(
        texts, special=special, eos=stops, size=rows, names=names, prepends_space=prepends_space(definition)
    )


def _files(tokenizer: object) -> tuple[str | None, dict[str, bytes | cache.File]]:
    if isinstance(tokenizer, (str, os.PathLike)):
        return _folder_files(Path(tokenizer))
    # A fast tokenizer of transformers (and vLLM's copy of it) wraps a `tokenizers.Tokenizer`.
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    to_str = getattr(backend, "to_str", None)
    if to_str is None:
        raise VocabularyError(
            f"{type(tokenizer).__name__} is not a Hugging Face fast tokenizer",
            hint="pass a folder with tokenizer.json, a tokenizers.Tokenizer or a fast tokenizer; SentencePiece models "
            "go through Vocabulary.from_sentencepiece, mistral-common's tokenizers through Vocabulary.from_mistral",
        )
    files: dict[str, bytes | cache.File] = {"tokenizer.json": str(to_str()).encode()}
    folder = getattr(tokenizer, "name_or_path", None)
    if isinstance(folder, str) and folder and os.path.isdir(folder):
        # The live tokenizer determines the tokens; files of its folder only give stops and the number of logits.
        sides = _read_all(Path(folder), ("generation_config.json", "config.json"))
        files.update(sides)
    # The live tokenizer determines the stop token, which may differ from the folder's.
    if isinstance(name := getattr(tokenizer, "eos_token", None), str):
        files["tokenizer_config.json"] = json.dumps({"eos_token": name}).encode()
    return None, files


def _folder_files(path: Path) -> tuple[str, dict[str, bytes | cache.File]]:
    file = path / "tokenizer.json" if os.path.isdir(path) else path
    if not os.path.isfile(file):
        models = sorted(entry.name for entry in path.glob("*.model*")) if os.path.isdir(path) else []
        if models:
            hint = f"there is {models[0]}: use Vocabulary.from_sentencepiece or Vocabulary.from_mistral"
        else:
            hint = "give a folder that holds tokenizer.json, or a loaded tokenizer; frisket downloads nothing"
        raise VocabularyError("there is no tokenizer.json", where=str(path), hint=hint)
    return str(file), {"tokenizer.json": cache.File(file), **_read_all(file.parent, SIDE_FILES)}


def _read_all(folder: Path, names: tuple[str, ...]) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in names if (folder / name).is_file()}


def _parse(content: bytes, where: str | None, file: str) -> Definition:
    try:
        parsed = json.loads(content)
    except (ValueError, RecursionError) as error:
        fault = json_fault(error)
        raise VocabularyError(
            f"{file} {fault.message}", where=where, hint=fault.hint or "is the file complete?"
        ) from error
    if not isinstance(parsed, dict):
        raise VocabularyError(f"{file} is not a JSON object", where=where, hint="is the file complete?")
    return parsed


# -- pieces and added tokens ---------------------------------------------------------------------------------------


def _pieces(model: Definition, where: str | None) -> Pieces:
    vocab = model["vocab"]
    if isinstance(vocab, list):
        try:
            listed: Pieces = [piece for piece, _score in vocab]
        except (TypeError, ValueError):
            raise VocabularyError("the vocabulary is not a list of [piece, score]", where=where) from None
        if not all(isinstance(piece, str) for piece in listed):
            raise VocabularyError("the vocabulary is not a list of [piece, score]", where=where)
        return listed
    if not isinstance(vocab, dict) or set(map(type, vocab.values())) - {int}:
        raise VocabularyError("the vocabulary does not map pieces to ids", where=where)
    if list(vocab.values()) == list(range(len(vocab))):
        return list(vocab)
    if vocab and not 0 <= min(vocab.values()) <= max(vocab.values()) < MAX_SIZE:
        raise VocabularyError(f"token ids are not between 0 and {MAX_SIZE:,}", where=where)
    pieces: Pieces = [None] * (max(vocab.values(), default=-1) + 1)
    for piece, token_id in vocab.items():
        pieces[token_id] = piece
    if len(pieces) - pieces.count(None) != len(vocab):
        shared = [(piece, token_id) for piece, token_id in vocab.items() if pieces[token_id] != piece]
        raise unknown_bytes(
            shared, "tokens share their id with another token", where=where, hint="the vocabulary is damaged"
        )
    return pieces


def _ids(vocab: object) -> dict[str, int]:
    if isinstance(vocab, dict):
        return vocab
    return {piece: token_id for token_id, (piece, _score) in enumerate(vocab if isinstance(vocab, list) else ())}


def _added(definition: Definition, config: Definition, where: str | None) -> dict[int, Definition]:
    entries: dict[int, Definition] = {}
    try:
        for entry in definition.get("added_tokens") or []:
            entries[int(entry["id"])] = entry
        # transformers adds these tokens when it loads a tokenizer; they override an entry with the same id.
        for token_id, entry in (config.get("added_tokens_decoder") or {}).items():
            entries[int(token_id)] = entry
        broken = [token_id for token_id, entry in entries.items() if not isinstance(entry["content"], str)]
    except (AttributeError, KeyError, TypeError, ValueError):
        raise VocabularyError("the added tokens are not a list of objects with id and content", where=where) from None
    if broken or any(not 0 <= token_id < MAX_SIZE for token_id in entries):
        raise VocabularyError("the added tokens need a text and an id that is not negative", where=where)
    return entries


def _unknown(model: Definition, pieces: Pieces) -> tuple[str, int] | None:
    """The piece that stands for any text that the tokenizer cannot spell; it has no bytes of its own."""
    token = model.get("unk_token")
    if isinstance(token, str) and token in pieces:
        return token, pieces.index(token)
    token_id = model.get("unk_id")
    if isinstance(token_id, int) and 0 <= token_id < len(pieces) and (piece := pieces[token_id]) is not None:
        return piece, token_id
    return None


# -- stops and rows ----------------------------------------------------------------------------------------


def _rows(sides: Mapping[str, Definition]) -> int | None:
    config = sides.get("config.json", {})
    for part in (config, config.get("text_config")):
        rows = part.get("vocab_size") if isinstance(part, dict) else None
        if isinstance(rows, int) and rows > 0:
            return rows
    return None


def _stops(sides: Mapping[str, Definition], names: Mapping[str, int], rows: int) -> list[int] | None:
    """All stop tokens named in files beside the tokenizer; None if no file names one."""
    config = sides.get("config.json", {})
    stops: set[int] = set()
    for source in (sides.get("generation_config.json"), config, config.get("text_config")):
        found = source.get("eos_token_id") if isinstance(source, dict) else None
        for token_id in found if isinstance(found, list) else [found]:
            if isinstance(token_id, int) and not isinstance(token_id, bool):
                stops.add(token_id)
    for file in ("tokenizer_config.json", "special_tokens_map.json"):
        name = sides.get(file, {}).get("eos_token")
        name = name.get("content") if isinstance(name, dict) else name
        if isinstance(name, str) and name in names:
            stops.add(names[name])
    # A configuration taken over from another model may name a stop that this tokenizer lacks.
    within = sorted(stop for stop in stops if 0 <= stop < rows)
    return within or None
