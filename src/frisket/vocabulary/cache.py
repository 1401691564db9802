"""Content of a tokenizer → its token table, from disk if it was built before.

One file per tokenizer, named by the hash of what it was built from; data only, checked by its own hash, replaced
atomically. The cache is never needed: whatever goes wrong with it, the table is built anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

from frisket import disk
from frisket.vocabulary.table import TokenTable

# Part of every key. To be raised whenever a reader gives other bytes for the same tokenizer than before (a test pins
# the readers' fingerprints).
READERS = 1

DEFAULT_BYTES = 256 << 20

_MAGIC = b"frisket vocabulary 1\n"


def fetch(kind: str, parts: Iterable[bytes], build: Callable[[], TokenTable]) -> TokenTable:
    """The table that `build` makes of `parts`, which must be all that it depends on."""
    bound = limit_bytes()
    if bound <= 0:
        return build()
    folder = disk.Folder(directory(), ".vocabulary", _MAGIC, bound)
    key = _key(kind, parts)
    data = folder.load(key)
    if data is not None:
        try:
            return TokenTable.from_data(data)
        except (ValueError, KeyError, TypeError):
            pass
    table = build()
    folder.store(key, table.data)
    return table


def directory() -> Path:
    """Where tables are kept: under FRISKET_CACHE_DIR, or the platform's directory for caches."""
    return disk.directory("vocabularies")


def limit_bytes() -> int:
    """How large the directory may grow: FRISKET_CACHE_BYTES, 256 MiB without it; 0 switches the cache off."""
    return disk.limit_bytes("FRISKET_CACHE_BYTES", DEFAULT_BYTES)


def _key(kind: str, parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256(f"{kind} {READERS}\n".encode())
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()
