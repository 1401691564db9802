"""Content of a tokenizer → its token table, read from disk if it was built before.

There is one file per tokenizer, named by the hash of the content. It holds only data, is checked by a hash of its own,
and is replaced atomically. Nothing depends on the cache: if it fails in any way, the table is built again.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

from frisket import disk, log
from frisket.errors import VocabularyError
from frisket.vocabulary.table import TokenTable

# Part of every key. Raise it when a reader gives other bytes than before for the same tokenizer (a test compares the
# fingerprints).
READERS = 1

DEFAULT_BYTES = 256 << 20

_MAGIC = b"frisket vocabulary 1\n"

# Bytes of a share; shares are hashed separately, and a content's hash is the hash of these hashes.
_SHARE = 1 << 20

# Twice as fast as SHA-256 on processors without instructions for that.
_HASH = functools.partial(hashlib.blake2b, digest_size=32)


class File:
    """A file that is hashed share by share, and read as a whole only on request."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._content: bytes | None = None

    def read(self) -> bytes:
        """The content, read once."""
        if self._content is None:
            self._content = self.path.read_bytes()
        return self._content

    def digest(self) -> bytes:
        """The hash of the content: of the bytes if they were read, otherwise of the file as it is now."""
        if self._content is not None:
            return digest_of(self._content)
        places = range(0, self.path.stat().st_size, _SHARE)
        found: dict[int, bytes] = {}
        # Hashing dominates a cache hit, so two threads share it; hashing releases the GIL.
        helper = threading.Thread(target=self._help, args=(places[1::2], found), daemon=True)
        if len(places) > 1:
            with contextlib.suppress(RuntimeError):
                helper.start()
        self._hash(places[::2], found)
        if helper.ident is not None:
            helper.join()
        self._hash([place for place in places if place not in found], found)
        return _HASH(b"".join(found[place] for place in places)).digest()

    def _hash(self, places: Sequence[int], found: dict[int, bytes]) -> None:
        """The hashes of these shares, by the offset of each."""
        room = memoryview(bytearray(_SHARE // 4))
        with self.path.open("rb", buffering=0) as file:
            for place in places:
                file.seek(place)
                digest, left = _HASH(), _SHARE
                while left and (count := file.readinto(room[:left])):
                    digest.update(room[:count])
                    left -= count
                found[place] = digest.digest()

    def _help(self, places: Sequence[int], found: dict[int, bytes]) -> None:
        """Hash shares in the helper thread; the main thread meets the same read errors, and reports them."""
        with contextlib.suppress(OSError):
            self._hash(places, found)


def fetch(kind: str, parts: Sequence[bytes | File], build: Callable[[], TokenTable]) -> TokenTable:
    """The table that `build` makes from `parts`; it must depend on nothing else."""
    bound = limit_bytes()
    if bound <= 0:
        return build()
    folder = disk.Folder(directory(), ".vocabulary", _MAGIC, bound)
    key = key_of(kind, parts)
    found = folder.load(key)
    if found is not None:
        try:
            table = TokenTable.from_data(found[0], found[1].hex())
        except (ValueError, KeyError, TypeError, RecursionError):
            log.debug("the cached vocabulary %s cannot be read", key)
        else:
            log.debug("read the vocabulary %s from %s", key, folder.path)
            return table
    began = perf_counter()
    table = build()
    log.debug("made the vocabulary %s in %.0f ms", key, log.milliseconds(began))
    # The key is that of the bytes that were read, since the file may have changed meanwhile.
    folder.store(key_of(kind, parts), table.data)
    return table


def read_file(path: str | os.PathLike[str], *, expected: str, hint: str) -> bytes:
    """The content of a tokenizer's file, or an error that says what file was expected."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: the path has a null character or a lone surrogate
        reason = (error.strerror if isinstance(error, OSError) else None) or "no file has such a name"
        raise VocabularyError(f"the {expected} cannot be read: {reason}", where=os.fspath(path), hint=hint) from error


def directory() -> Path:
    """The directory of cached tables: in FRISKET_CACHE_DIR, or in the platform's directory for caches."""
    return disk.directory("vocabularies")


def limit_bytes() -> int:
    """The largest size of the directory: FRISKET_CACHE_BYTES, or 256 MiB; 0 switches the cache off."""
    return disk.limit_bytes("FRISKET_CACHE_BYTES", DEFAULT_BYTES)


def key_of(kind: str, parts: Sequence[bytes | File]) -> str:
    digest = _HASH(f"{kind} {READERS}\n".encode())
    for part in parts:
        digest.update(part.digest() if isinstance(part, File) else digest_of(part))
    return digest.hexdigest()


def digest_of(content: bytes) -> bytes:
    shares = memoryview(content)
    places = range(0, len(content), _SHARE)
    return _HASH(b"".join(_HASH(shares[at : at + _SHARE]).digest() for at in places)).digest()
