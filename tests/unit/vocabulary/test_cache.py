"""The cache of token tables: content-addressed, bounded, never trusted and never needed."""

from __future__ import annotations

import hashlib
import json
import os
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from frisket.vocabulary import cache
from frisket.vocabulary.table import TokenTable

TABLE = TokenTable.of([b"a", b"bc", None], special={"<x>": 2}, eos=2, size=4)


class Builder:
    """Makes a table and counts how often it had to."""

    def __init__(self, table: TokenTable = TABLE) -> None:
        self.table = table
        self.calls = 0

    def __call__(self) -> TokenTable:
        self.calls += 1
        return self.table


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FRISKET_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("FRISKET_CACHE_BYTES", raising=False)
    return tmp_path / "vocabularies"


def tables(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.vocabulary"))


def test_a_table_is_built_once_for_the_same_content(folder: Path) -> None:
    build = Builder()
    first = cache.fetch("kind", [b"content"], build)
    second = cache.fetch("kind", [b"content"], build)
    assert first == second == TABLE
    assert second.fingerprint == TABLE.fingerprint
    assert build.calls == 1
    assert len(tables(folder)) == 1


@pytest.mark.parametrize("kind, parts", [("other", [b"ab"]), ("kind", [b"a", b"b"]), ("kind", [b"ab", b""])])
def test_other_content_is_another_table(folder: Path, kind: str, parts: list[bytes]) -> None:
    build = Builder()
    cache.fetch("kind", [b"ab"], build)
    cache.fetch(kind, parts, build)
    assert build.calls == 2
    assert len(tables(folder)) == 2


def test_other_readers_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = Builder()
    cache.fetch("kind", [b"a"], build)
    monkeypatch.setattr(cache, "READERS", cache.READERS + 1)
    cache.fetch("kind", [b"a"], build)
    assert build.calls == 2


@pytest.mark.parametrize("size", [0, 1, cache._SHARE - 1, cache._SHARE, cache._SHARE + 1, 5 * cache._SHARE // 2])
def test_a_file_is_known_by_its_content(tmp_path: Path, size: int) -> None:
    content = random.Random(size).randbytes(size)
    (tmp_path / "file").write_bytes(content)
    file = cache.File(tmp_path / "file")
    assert file.digest() == cache.digest_of(content)
    assert file.read() == content and file.digest() == cache.digest_of(content)
    for place in {0, size // 2, size - 1} if size else set():
        changed = bytearray(content)
        changed[place] ^= 1
        (tmp_path / "file").write_bytes(changed)
        assert cache.File(tmp_path / "file").digest() != cache.digest_of(content)
    (tmp_path / "file").write_bytes(content + b"x")
    assert cache.File(tmp_path / "file").digest() != cache.digest_of(content)


def test_a_file_that_changes_while_it_is_read_is_kept_as_what_was_read(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer"
    path.write_bytes(b"old")
    file = cache.File(path)

    def build() -> TokenTable:
        path.write_bytes(b"new")
        assert file.read() == b"new"
        return TABLE

    cache.fetch("kind", [file], build)
    again = Builder()
    assert cache.fetch("kind", [b"new"], again) == TABLE
    assert again.calls == 0
    path.write_bytes(b"old")
    cache.fetch("kind", [cache.File(path)], again)
    assert again.calls == 1


def test_a_file_that_is_gone_is_an_error_of_its_reader(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        cache.fetch("kind", [cache.File(tmp_path / "none")], Builder())


def flip_a_byte(stored: bytes) -> bytes:
    return stored[:-1] + bytes([stored[-1] ^ 1])


def forge_the_table(stored: bytes) -> bytes:
    """A file whose hash is right and whose table is not one."""
    body = b"\x02\x00\x00\x00{}"
    return cache._MAGIC + hashlib.sha256(body).digest() + body


@pytest.mark.parametrize(
    "damage",
    [
        flip_a_byte,
        forge_the_table,
        lambda stored: b"",
        lambda stored: stored[: len(stored) // 2],
        lambda stored: b"x" * 99,
    ],
)
def test_a_damaged_file_is_ignored_and_replaced(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    build = Builder()
    cache.fetch("kind", [b"a"], build)
    [path] = tables(folder)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert cache.fetch("kind", [b"a"], build) == TABLE
    assert build.calls == 2
    assert path.read_bytes() == whole


def test_the_directory_keeps_to_its_bound_and_drops_what_was_unused_longest(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.fetch("kind", [b"0"], Builder())
    size = tables(folder)[0].stat().st_size
    monkeypatch.setenv("FRISKET_CACHE_BYTES", str(3 * size))
    for part in (b"1", b"2"):
        cache.fetch("kind", [part], Builder())
    oldest = time.time() - 1000
    for age, path in enumerate(tables(folder)):
        os.utime(path, (oldest + age, oldest + age))
    used, unused = tables(folder)[0], tables(folder)[1]
    for part in (b"0", b"1", b"2"):
        if cache.directory() / (cache.key_of("kind", [part]) + ".vocabulary") == used:
            cache.fetch("kind", [part], Builder())
    cache.fetch("kind", [b"3"], Builder())
    left = tables(folder)
    assert len(left) == 3
    assert used in left
    assert unused not in left


def test_a_table_larger_than_the_bound_is_not_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRISKET_CACHE_BYTES", "10")
    assert cache.fetch("kind", [b"a"], Builder()) == TABLE
    assert not folder.exists()


@pytest.mark.parametrize("bound", ["0", "-1"])
def test_no_bytes_no_cache(folder: Path, monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    monkeypatch.setenv("FRISKET_CACHE_BYTES", bound)
    build = Builder()
    cache.fetch("kind", [b"a"], build)
    cache.fetch("kind", [b"a"], build)
    assert build.calls == 2
    assert not folder.exists()


def test_a_bound_that_is_no_number_is_a_mistake(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRISKET_CACHE_BYTES", "1 GB")
    with pytest.raises(ValueError, match="FRISKET_CACHE_BYTES"):
        cache.fetch("kind", [b"a"], Builder())


def test_a_directory_that_cannot_be_written_costs_nothing_but_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("not a directory")
    monkeypatch.setenv("FRISKET_CACHE_DIR", str(occupied))
    assert cache.fetch("kind", [b"a"], Builder()) == TABLE


def test_leftovers_of_killed_processes_are_removed(folder: Path) -> None:
    folder.mkdir(parents=True)
    stale, fresh = folder / ".old.tmp", folder / ".new.tmp"
    for path in (stale, fresh):
        path.write_bytes(b"half a table")
    os.utime(stale, (1, 1))
    cache.fetch("kind", [b"a"], Builder())
    assert not stale.exists()
    assert fresh.exists()


def test_a_failed_write_leaves_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: str, target: Path) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", refuse)
    assert cache.fetch("kind", [b"a"], Builder()) == TABLE
    assert list(folder.iterdir()) == []


def test_an_error_while_building_is_not_kept(folder: Path) -> None:
    def fail() -> TokenTable:
        raise RuntimeError("not today")

    with pytest.raises(RuntimeError):
        cache.fetch("kind", [b"a"], fail)
    assert not folder.exists() or tables(folder) == []


def test_threads_that_start_together_all_get_the_table(folder: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda turn: cache.fetch("kind", [b"%d" % (turn % 3)], Builder()), range(60)))
    assert found == [TABLE] * 60
    assert len(list(folder.iterdir())) == 3


def test_the_platform_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FRISKET_CACHE_DIR", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.directory() == tmp_path / "frisket" / "vocabularies"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert cache.directory() == tmp_path / "frisket" / "Cache" / "vocabularies"
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache.directory().parts[-4:] == ("Library", "Caches", "frisket", "vocabularies")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names on this system")
def test_a_pipe_among_the_files_is_no_table(folder: Path) -> None:
    folder.mkdir(parents=True)
    os.mkfifo(folder / (cache.key_of("kind", [b"a"]) + ".vocabulary"))
    built = Builder()
    assert cache.fetch("kind", [b"a"], built) == TABLE
    assert built.calls == 1


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners on this system")
def test_a_file_of_somebody_else_is_no_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.fetch("kind", [b"a"], Builder())
    monkeypatch.setattr(os, "geteuid", lambda owner=os.geteuid(): owner + 1)  # noqa: B008
    monkeypatch.setattr("frisket.disk._TRUSTED", ())
    built = Builder()
    assert cache.fetch("kind", [b"a"], built) == TABLE
    assert built.calls == 1


@pytest.mark.parametrize(
    "head",
    [
        {"special": {"<x>": "2"}},
        {"special": {"<x>": 99}},
        {"eos": [-1]},
        {"eos": ["a"]},
        {"eos": [2**40]},
        {"size": 2},
        {"special": []},
    ],
)
def test_a_table_with_the_right_hash_and_the_wrong_content_is_made_anew(folder: Path, head: dict[str, object]) -> None:
    cache.fetch("kind", [b"a"], Builder())
    (path,) = folder.iterdir()
    length = int.from_bytes(TABLE.data[:4], "little")
    written = json.dumps({**json.loads(TABLE.data[4 : 4 + length]), **head}).encode()
    data = len(written).to_bytes(4, "little") + written + TABLE.data[4 + length :]
    path.write_bytes(cache._MAGIC + hashlib.sha256(data).digest() + data)
    built = Builder()
    assert cache.fetch("kind", [b"a"], built) == TABLE
    assert built.calls == 1


def test_a_home_that_nobody_has_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FRISKET_CACHE_DIR", "~no such user")
    assert cache.fetch("kind", [b"a"], Builder()) == TABLE
    assert list(tmp_path.iterdir()) == []
