"""logits × bitmask: −∞ exactly where the bit is 0, in every shape, stride and floating type."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from frisket import _core
from frisket.errors import MissingDependencyError
from frisket.logits import numpy as numpy_logits
from frisket.logits import torch as torch_logits


def bits_of(bitmask: np.ndarray, row: int, size: int) -> list[bool]:
    """The definition, slowly: bit t is bit t & 31 of word t >> 5; what lies beyond is forbidden."""
    words = [int(word) & 0xFFFFFFFF for word in bitmask[row]]
    return [t >> 5 < len(words) and bool(words[t >> 5] >> (t & 31) & 1) for t in range(size)]


def random_case(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    batch, size = int(rng.integers(1, 5)), int(rng.integers(1, 200))
    words = max(1, -(-size // 32) + int(rng.integers(-1, 2)))  # sometimes a word short, sometimes one too many
    bitmask = rng.integers(0, 2**32, size=(batch, words), dtype=np.uint32)
    return rng.normal(size=(batch, size)), bitmask


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_numpy_equals_the_definition(seed: int, dtype: type) -> None:
    logits, bitmask = random_case(seed)
    logits = logits.astype(dtype)
    before = logits.copy()
    numpy_logits.apply_mask(logits, bitmask)
    for row in range(len(logits)):
        keep = np.array(bits_of(bitmask, row, logits.shape[1]))
        assert np.array_equal(logits[row][keep], before[row][keep])
        assert np.all(logits[row][~keep] == -np.inf)


def test_numpy_one_row_signed_words_and_strides() -> None:
    wide = np.zeros((2, 80), dtype=np.float32)
    numpy_logits.apply_mask(wide[:, ::2], np.array([[-1, 0], [0, -1]], dtype=np.int32))
    assert np.isneginf(wide[0, ::2]).sum() == 8 and np.isneginf(wide[1, ::2]).sum() == 32
    assert not np.isneginf(wide[:, 1::2]).any()
    row = np.zeros(33, dtype=np.float32)
    numpy_logits.apply_mask(row, np.array([0x80000000], dtype=np.uint32))
    assert np.flatnonzero(row == 0).tolist() == [31]


def test_numpy_words_of_the_other_endianness() -> None:
    row = np.zeros(32, dtype=np.float32)
    numpy_logits.apply_mask(row, np.array([0b10], dtype=">u4"))
    assert np.flatnonzero(row == 0).tolist() == [1]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("words", [np.uint16, np.uint32, np.uint64])
@pytest.mark.parametrize("shape", ["row", "rows", "every other row", "backwards", "part of a row"])
def test_the_engine_equals_plain_numpy_bit_for_bit(seed: int, words: type, shape: str) -> None:
    rng = np.random.default_rng(seed)
    rows, size = int(rng.integers(1, 5)), int(rng.integers(0, 300))
    # Any bits: NaN with its payload, infinities, both zeros.
    patterns = rng.integers(0, np.iinfo(words).max, size=(2 * rows, size + 3), dtype=words, endpoint=True)
    bitmask = rng.integers(0, 2**32, size=(rows, max(0, -(-size // 32) + int(rng.integers(-1, 2)))), dtype=np.uint32)
    bitmask[rng.random(bitmask.shape) < 0.3] = 0
    bitmask[rng.random(bitmask.shape) < 0.3] = 0xFFFFFFFF
    bitmask.flags.writeable = False
    kind = patterns.view(f"f{np.dtype(words).itemsize}")
    part = {
        "row": np.s_[0, :size],
        "rows": np.s_[:rows, :size],
        "every other row": np.s_[::2, :size],
        "backwards": np.s_[rows - 1 :: -1, :size],
        "part of a row": np.s_[:rows, 3:],
    }[shape]
    given = bitmask[0] if shape == "row" else bitmask
    expected, found = kind.copy(), kind.copy()
    numpy_logits.apply_mask_plainly(expected[part], given)
    _core.apply_mask(found[part], given)
    assert found.tobytes() == expected.tobytes()
    copy = np.full_like(kind[part], 7)
    doubtful = _core.copy_masked(kind[part], given, copy)
    assert copy.tobytes() == expected[part].tobytes()
    assert doubtful == rows_without_first(copy, given)
    numpy_logits.apply_mask(kind[part], given)
    assert kind.tobytes() == expected.tobytes()


def rows_without_first(masked: np.ndarray[Any, Any], bitmask: np.ndarray[Any, Any]) -> list[int]:
    """The rows whose first allowed token has −∞, or that have none, by looking at every bit."""
    found = []
    for row, (logits, words) in enumerate(zip(np.atleast_2d(masked), np.atleast_2d(bitmask), strict=True)):
        allowed = [token for token in range(32 * len(words)) if int(words[token // 32]) >> token % 32 & 1]
        if not allowed or allowed[0] >= len(logits) or np.isneginf(logits[allowed[0]]):
            found.append(row)
    return found


def test_the_engine_refuses_what_it_cannot_read() -> None:
    logits, bitmask = np.zeros((2, 64), np.float32), np.zeros((2, 2), np.uint32)
    frozen = np.zeros((2, 64), np.float32)
    frozen.flags.writeable = False
    shared = np.zeros((2, 64), np.float32)
    for wrong, words, error in [
        (np.zeros((2, 64), np.int32), bitmask, TypeError),
        (np.zeros((2, 64), np.complex64), bitmask, TypeError),
        (logits, bitmask.astype(np.int64), TypeError),
        (logits, bitmask[0], ValueError),
        (logits[:1], bitmask, ValueError),
        (logits[None], bitmask[None], ValueError),
        (np.zeros((2, 64), ">f4"), bitmask, ValueError),
        (np.zeros((2, 128), np.float32)[:, ::2], bitmask, ValueError),
        (np.broadcast_to(logits[0], (2, 64)), bitmask, ValueError),
        (np.lib.stride_tricks.as_strided(np.zeros(65, np.float32), (2, 64), (4, 4)), bitmask, ValueError),
        (frozen, bitmask, ValueError),
        (shared, shared.view(np.uint32)[:, :2], ValueError),
    ]:
        with pytest.raises(error):
            _core.apply_mask(wrong, words)
        with pytest.raises(error):
            _core.copy_masked(np.ones((2, 64), np.float32), words, wrong)
    for target in (np.zeros((2, 65), np.float32), np.zeros((2, 64), np.float64), logits, logits[::-1]):
        with pytest.raises(ValueError, match="target"):
            _core.copy_masked(logits, bitmask, target)
    assert not logits.any() and not shared.any()


def test_numpy_misuse_changes_nothing() -> None:
    logits = np.zeros((2, 40), dtype=np.float32)
    with pytest.raises(ValueError, match="no row for each"):
        numpy_logits.apply_mask(logits, np.zeros((3, 2), dtype=np.uint32))
    with pytest.raises(ValueError, match="no row for each"):
        numpy_logits.apply_mask(logits, np.zeros(2, dtype=np.uint32))
    with pytest.raises(TypeError, match="uint32 or int32"):
        numpy_logits.apply_mask(logits, np.zeros((2, 2), dtype=np.int64))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="floating"):
        numpy_logits.apply_mask(logits.astype(np.int32), np.zeros((2, 2), dtype=np.uint32))
    assert not logits.any()


def test_a_fresh_bitmask_allows_nothing() -> None:
    bitmask = numpy_logits.allocate_bitmask(3, 33)
    assert bitmask.shape == (3, 2) and bitmask.dtype == np.uint32 and not bitmask.any()


def test_torch_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingDependencyError, match=r"frisket\[torch\]"):
        torch_logits.allocate_bitmask(1, 1)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("as_numpy", [True, False])
def test_torch_equals_numpy(dtype: str, as_numpy: bool) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    for seed in range(40):
        values, bitmask = random_case(seed)
        logits = torch.from_numpy(values).to(getattr(torch, dtype))
        expected = logits.to(torch.float64).numpy().copy()
        numpy_logits.apply_mask(expected, bitmask)
        torch_logits.apply_mask(logits, bitmask if as_numpy else torch.from_numpy(bitmask.view(np.int32)))
        assert np.array_equal(logits.to(torch.float64).numpy(), expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("requires_grad", [False, True])
def test_a_masked_copy_leaves_the_logits_and_names_rows_without_a_first_token(dtype: str, requires_grad: bool) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    rng = np.random.default_rng(2)
    for _ in range(40):
        rows, size = int(rng.integers(1, 5)), int(rng.integers(1, 200))
        logits = torch.from_numpy(rng.normal(size=(rows, size + 3))).to(getattr(torch, dtype))[:, 3:]
        logits[torch.from_numpy(rng.random(logits.shape) < 0.4)] = -torch.inf
        bitmask = rng.integers(0, 2**32, size=(rows, -(-size // 32)), dtype=np.uint32)
        bitmask[rng.random(bitmask.shape) < 0.5] = 0
        before = logits.clone()
        masked, doubtful = torch_logits.copy_masked(logits.requires_grad_(requires_grad), bitmask)
        assert torch.equal(logits.detach(), before)
        torch_logits.apply_mask(before, bitmask)
        assert torch.equal(masked.detach(), before)
        assert doubtful == rows_without_first(before.to(torch.float64).numpy(), bitmask)


def test_torch_strides_one_row_and_misuse() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    wide = torch.zeros((40, 2), dtype=torch.float32)
    torch_logits.apply_mask(wide.T, np.array([[0xFFFFFFFF, 0], [0, 0xFFFFFFFF]], dtype=np.uint32))
    assert torch.isneginf(wide).sum(dim=0).tolist() == [8, 32]
    row = torch.zeros(33)
    torch_logits.apply_mask(row, np.array([0x80000000], dtype=np.uint32))
    assert torch.nonzero(row == 0).flatten().tolist() == [31]
    with pytest.raises(ValueError, match="no row for each"):
        torch_logits.apply_mask(torch.zeros((2, 40)), torch_logits.allocate_bitmask(3, 40))
    with pytest.raises(TypeError, match="int32"):
        torch_logits.apply_mask(torch.zeros(40), torch.zeros(2, dtype=torch.int64))
    with pytest.raises(TypeError, match="floating"):
        torch_logits.apply_mask(torch.zeros(40, dtype=torch.int32), torch.zeros(2, dtype=torch.int32))


def test_torch_matches_on_the_accelerator() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    rng = np.random.default_rng(0)
    bitmask = rng.integers(0, 2**32, size=(16, 4008), dtype=np.uint32)
    expected = rng.normal(size=(16, 128_256)).astype(np.float32)
    logits = torch.from_numpy(expected.copy()).cuda()
    torch_logits.apply_mask(logits, bitmask)
    numpy_logits.apply_mask(expected, bitmask)
    assert np.array_equal(logits.cpu().numpy(), expected)
