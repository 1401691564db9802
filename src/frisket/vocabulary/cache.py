"""Content of a tokenizer → its token table, from disk if it was built before.

One file per tokenizer, named by the hash of what it was built from; data only, checked by its own hash, replaced
atomically. The cache is never needed: whatever goes wrong with it, the table is built anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from frisket.vocabulary.table import TokenTable

# Part of every key. To be raised whenever a reader gives other bytes for the same tokenizer than before (a test pins
# the readers' fingerprints).
READERS = 1

DEFAULT_BYTES = 256 << 20

_MAGIC = b"frisket vocabulary 1\n"
_DIGEST = 32
_SUFFIX = ".vocabulary"
_STALE_SECONDS = 3600


def fetch(kind: str, parts: Iterable[bytes], build: Callable[[], TokenTable]) -> TokenTable:
    """The table that `build` makes of `parts`, which must be all that it depends on."""
    bound = limit_bytes()
    if bound <= 0:
        return build()
    path = directory() / (_key(kind, parts) + _SUFFIX)
    table = _load(path)
    if table is None:
        table = build()
        # A read-only home, a full disk or a race with another process cost the next start some time, nothing else.
        with contextlib.suppress(OSError):
            _store(path, table, bound)
    return table


def directory() -> Path:
    """Where tables are kept: under FRISKET_CACHE_DIR, or the platform's directory for caches."""
    if chosen := os.environ.get("FRISKET_CACHE_DIR"):
        return Path(chosen).expanduser() / "vocabularies"
    if sys.platform == "darwin":
        base = Path("~/Library/Caches/frisket")
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local", "frisket", "Cache")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "frisket")
    # expanduser raises where there is no home; an unusable directory is then simply no cache.
    with contextlib.suppress(RuntimeError):
        base = base.expanduser()
    return base / "vocabularies"


def limit_bytes() -> int:
    """How large the directory may grow: FRISKET_CACHE_BYTES, 256 MiB without it; 0 switches the cache off."""
    chosen = os.environ.get("FRISKET_CACHE_BYTES", "")
    if not chosen.strip():
        return DEFAULT_BYTES
    try:
        return int(chosen)
    except ValueError:
        raise ValueError(f"FRISKET_CACHE_BYTES is a number of bytes, got {chosen!r}") from None


def _key(kind: str, parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256(f"{kind} {READERS}\n".encode())
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def _load(path: Path) -> TokenTable | None:
    try:
        stored = path.read_bytes()
        start = len(_MAGIC) + _DIGEST
        digest, data = stored[len(_MAGIC) : start], stored[start:]
        if not stored.startswith(_MAGIC) or hashlib.sha256(data).digest() != digest:
            return None
        table = TokenTable.from_data(data)
        table.__dict__["fingerprint"] = digest.hex()
    except (OSError, ValueError, KeyError, TypeError):
        return None
    # The time of the last use orders eviction; access times are off on most machines.
    with contextlib.suppress(OSError):
        os.utime(path)
    return table


def _store(path: Path, table: TokenTable, bound: int) -> None:
    size = len(_MAGIC) + _DIGEST + len(table.data)
    if size > bound:
        return
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _evict(path.parent, bound - size, keep=path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + bytes.fromhex(table.fingerprint))
            file.write(table.data)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _evict(folder: Path, bound: int, *, keep: Path) -> None:
    """Remove the tables unused for longest until at most `bound` bytes remain, and what a killed process left."""
    found: list[tuple[float, int, Path]] = []
    for entry in folder.iterdir():
        with contextlib.suppress(OSError):
            status = entry.stat()
            if entry.suffix == _SUFFIX and entry != keep:
                found.append((status.st_mtime, status.st_size, entry))
            elif entry.suffix == ".tmp" and status.st_mtime < time.time() - _STALE_SECONDS:
                entry.unlink()
    total = sum(size for _, size, _ in found)
    for _, size, entry in sorted(found):
        if total <= bound:
            break
        with contextlib.suppress(OSError):
            entry.unlink()
        total -= size
