"""Name → bytes, in a folder that processes share: checked, replaced atomically, limited; nothing depends on it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

_DIGEST = 32
_STALE_SECONDS = 3600
#: Users who can write anywhere in any case: root.
_TRUSTED = (0,)


@dataclass(frozen=True)
class Folder:
    """The files of one kind, of at most `bound` bytes; the least recently used are removed first.

    A failure is treated as if nothing had been stored: an incomplete file gives None, and an OSError in `store` only
    costs the next process some time.
    """

    path: Path
    suffix: str
    magic: bytes
    bound: int

    def load(self, name: str) -> tuple[bytes, bytes] | None:
        """(the bytes stored under the name, their SHA-256), if they are there and intact; otherwise None."""
        path = self.path / (name + self.suffix)
        try:
            with open(path, "rb", buffering=0, opener=_opener) as file:
                if not _is_own(os.fstat(file.fileno())):
                    return None
                head, data = file.read(len(self.magic) + _DIGEST), file.readall()
        except OSError:
            return None
        digest = hashlib.sha256(data).digest()
        if head != self.magic + digest:
            return None
        # The modification time records the last use; access times are off on most machines.
        with contextlib.suppress(OSError):
            os.utime(path)
        return data, digest

    def store(self, name: str, data: bytes) -> None:
        size = len(self.magic) + _DIGEST + len(data)
        if size > self.bound:
            return
        path = self.path / (name + self.suffix)
        # With a read-only home, a full disk, or a race with another process, nothing is stored.
        with contextlib.suppress(OSError):
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._evict(self.bound - size, keep=path)
            handle, temporary = tempfile.mkstemp(dir=self.path, prefix=".", suffix=".tmp")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(self.magic + hashlib.sha256(data).digest())
                    file.write(data)
                os.replace(temporary, path)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
                raise

    def _evict(self, bound: int, *, keep: Path) -> None:
        """Remove the least recently used files until at most `bound` bytes remain, and leftovers of dead processes."""
        found: list[tuple[float, int, Path]] = []
        for entry in self.path.iterdir():
            with contextlib.suppress(OSError):
                status = entry.stat()
                if entry.suffix == self.suffix and entry != keep:
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


def _opener(path: str, flags: int) -> int:
    # Without O_NONBLOCK, opening a pipe without a writer would wait forever.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _is_own(status: os.stat_result) -> bool:
    """Whether it is a file of this user or of root. The hash inside shows damage, but not who wrote the file."""
    return stat.S_ISREG(status.st_mode) and (not hasattr(os, "geteuid") or status.st_uid in (os.geteuid(), *_TRUSTED))


def directory(kind: str) -> Path:
    """The folder for files of a kind: under FRISKET_CACHE_DIR, or in the platform's directory for caches."""
    if chosen := os.environ.get("FRISKET_CACHE_DIR"):
        base = Path(chosen)
    elif sys.platform == "darwin":
        base = Path("~/Library/Caches/frisket")
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local", "frisket", "Cache")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "frisket")
    try:
        return base.expanduser() / kind
    except RuntimeError:
        # There is no home, or no such user: nothing can be stored.
        return Path(os.devnull) / kind


def limit_bytes(variable: str, default: int) -> int:
    """The largest size of a folder, from an environment variable; 0 switches the folder off."""
    chosen = os.environ.get(variable, "")
    if not chosen.strip():
        return default
    try:
        return int(chosen)
    except ValueError:
        raise ValueError(f"{variable} is a number of bytes, got {chosen!r}") from None
