"""logits × bitmask: −∞ exactly where the bit is 0, in every shape, stride and floating type."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
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
        (np.zeros((2, 64), ">f4"), bitmask, TypeError),
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


@pytest.mark.parametrize(
    ("words", "columns"), [(4008, 151_936), (4748, 128_256), (1571, 128_256), (1000, 100), (1, 5_000)]
)
def test_a_mask_of_another_models_vocabulary_is_refused(words: int, columns: int) -> None:
    logits, bitmask = np.zeros(columns, dtype=np.float32), np.zeros(words, dtype=np.uint32)
    said = f"the mask is for {32 * words:,} token ids, the logits are for {columns:,}"
    for apply in (numpy_logits.apply_mask, numpy_logits.feasible_mass):
        with pytest.raises(ValueError, match=said):
            apply(logits, bitmask)
    torch = pytest.importorskip("torch", reason="torch is not installed")
    with pytest.raises(ValueError, match=said):
        torch_logits.apply_mask(torch.zeros(columns), bitmask)
    assert not logits.any()


@pytest.mark.parametrize(("ids", "columns"), [(50_295, 51_200), (200_019, 201_088), (259, 384), (151_669, 152_064)])
def test_a_model_pads_its_logits(ids: int, columns: int) -> None:
    logits = np.zeros(columns, dtype=np.float32)
    numpy_logits.apply_mask(logits, numpy_logits.allocate_bitmask(1, ids)[0])
    assert np.isneginf(logits).all()


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
    with pytest.raises(MissingDependencyError, match=r'pip install "frisket-llm\[torch\]"'):
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


@pytest.mark.parametrize(("count", "allowed"), [(0, []), (1, [0, 2]), (2, [0, 2, 33])])
def test_torch_reads_words_of_any_stride(count: int, allowed: list[int]) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    words = torch.tensor([[5, 0, 2, 0]] * 2, dtype=torch.int32)[:, : 2 * count : 2]
    logits = torch.zeros((2, 40))
    torch_logits.apply_mask_plainly(logits, words)
    assert [torch.isfinite(row).nonzero().flatten().tolist() for row in logits] == [allowed] * 2


def test_the_triton_kernel_equals_torch_bit_for_bit_where_triton_interprets_it() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("triton", reason="triton is not installed")
    program = Path(__file__).with_name("interpreted.py")
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "240 cases equal bit for bit"


def test_the_module_of_the_kernel_needs_no_triton() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    code = """
import sys; sys.modules["triton"] = None
from frisket.logits import triton
try:
    triton.apply_mask(None, None)
except ImportError as error:
    print(triton.is_installed(), error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("False") and 'pip install "frisket-llm[triton]"' in done.stdout


def test_torch_matches_on_the_accelerator() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    rng = np.random.default_rng(0)
    bitmask = rng.integers(0, 2**32, size=(16, 4008), dtype=np.uint32)
    expected = rng.normal(size=(16, 128_256)).astype(np.float32)
    logits = torch.from_numpy(expected.copy()).cuda()
    words = torch.from_numpy(bitmask.view(np.int32)).cuda()
    plain = logits.clone()
    with waiting_refused(torch):
        torch_logits.apply_mask(logits, words)
        torch_logits.apply_mask_plainly(plain, words)
    numpy_logits.apply_mask(expected, bitmask)
    assert np.array_equal(logits.cpu().numpy(), expected) and torch.equal(logits, plain)


@contextlib.contextmanager
def waiting_refused(torch: Any) -> Iterator[None]:
    """Whatever waits for the GPU in here is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch calls its mode a prototype
        torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


def definition(logits: np.ndarray, bitmask: np.ndarray) -> tuple[float, float, int, int | None]:
    """Both logarithms, the favourite and the likeliest allowed token of one row, slowly and in 64 bits."""
    keep = np.array(bits_of(bitmask[None], 0, len(logits)))
    row = logits.astype(np.float64)
    logs = [np.log(np.exp(part - row.max()).sum()) + row.max() if len(part) else -np.inf for part in (row, row[keep])]
    masked = np.where(keep, row, -np.inf)
    likeliest = int(masked.argmax()) if keep.any() else None
    favourite = int(row.argmax()) if likeliest is None or row[likeliest] < row.max() else likeliest
    return float(logs[0]), float(logs[1]), favourite, likeliest


class TestFeasibleMass:
    def test_by_hand(self) -> None:
        logits = np.log(np.array([1, 2, 5, 8], dtype=np.float32))
        for bits, alpha, favourite, likeliest in [
            (0b1111, 1.0, 3, 3), (0b0111, 8 / 16, 3, 2), (0b1000, 8 / 16, 3, 3), (0b0001, 1 / 16, 3, 0),
            (0, 0.0, 3, None),
        ]:  # fmt: skip
            mass = numpy_logits.feasible_mass(logits, np.array([bits], dtype=np.uint32))
            assert np.exp(mass.log_feasible) == pytest.approx(alpha, abs=1e-6)
            assert (mass.favourite, mass.likeliest, mass.overruled) == (favourite, likeliest, favourite != likeliest)
            assert np.exp(mass.log_sum) == pytest.approx(16, rel=1e-6)

    @pytest.mark.parametrize("seed", range(60))
    def test_the_engine_equals_the_definition(self, seed: int) -> None:
        logits, bitmask = random_case(seed)
        row = (logits[0] * (1, 20)[seed % 2]).astype((np.float32, np.float16, np.float64)[seed % 3])
        mass = numpy_logits.feasible_mass(row, bitmask[0])
        wanted = definition(row.astype(np.float32), bitmask[0])
        assert mass[:2] == pytest.approx(wanted[:2], abs=1e-5, rel=1e-6)
        assert mass[2:] == wanted[2:]

    def test_the_wish_of_a_model_that_the_mask_leaves_nothing_keeps_its_size(self) -> None:
        logits = np.full(128_256, -700, dtype=np.float32)
        logits[7] = 0
        bitmask = np.full(4008, 0xFFFFFFFF, dtype=np.uint32)
        bitmask[0] ^= 1 << 7
        mass = numpy_logits.feasible_mass(logits, bitmask)
        assert mass.log_feasible == pytest.approx(-700 + np.log(128_255), rel=1e-6)
        assert (mass.favourite, mass.likeliest) == (7, 0)

    def test_nothing_that_is_not_a_number_goes_unseen(self) -> None:
        everything = np.full(10, 0xFFFFFFFF, dtype=np.uint32)
        for wrong in (np.nan, np.inf):
            for place in (0, 40, 319):
                logits = np.zeros(320, dtype=np.float32)
                logits[place] = wrong
                assert not np.isfinite(numpy_logits.feasible_mass(logits, everything).log_sum)
        nothing = numpy_logits.feasible_mass(np.full(320, -np.inf, dtype=np.float32), everything)
        assert nothing.likeliest is None and nothing.favourite is None

    def test_strides_byte_orders_and_what_is_refused(self) -> None:
        wide, bitmask = np.arange(80, dtype=np.float32), np.array([-1, 0], dtype=np.int32)
        mass = numpy_logits.feasible_mass(wide[::2], bitmask)
        assert (mass.favourite, mass.likeliest) == (39, 31)
        assert numpy_logits.feasible_mass(wide, np.array([0, 2], dtype=">u4")).likeliest == 33
        assert numpy_logits.feasible_mass(wide, np.array([3, 0, 3], dtype=np.uint32)[::2]).likeliest == 33
        with pytest.raises(TypeError, match="floating"):
            numpy_logits.feasible_mass(np.zeros(32, dtype=np.int32), bitmask)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="uint32 or int32"):
            numpy_logits.feasible_mass(wide, bitmask.astype(np.int64))  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="no row for each"):
            numpy_logits.feasible_mass(wide, bitmask[None])
        with pytest.raises(ValueError, match="one dimension"):
            numpy_logits.feasible_mass(wide[None], bitmask[None])
        for given in (wide.astype(np.float64), wide.astype(np.int32)):
            with pytest.raises(TypeError, match="float32"):
                _core.feasible_mass(given, bitmask)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="side by side"):
            _core.feasible_mass(wide[::2], bitmask)

    @pytest.mark.parametrize("seed", range(40))
    @pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16", "float64"])
    def test_torch_equals_numpy(self, seed: int, kind: str) -> None:
        torch = pytest.importorskip("torch", reason="torch is not installed")
        logits, bitmask = random_case(seed)
        given = torch.from_numpy(logits * (1, 20)[seed % 2]).to(getattr(torch, kind))
        before = given.clone()
        for tensor, words, rows in ((given, bitmask, range(len(given))), (given[0], bitmask[0], range(1))):
            mass = torch_logits.feasible_mass(tensor, words)
            for row in rows:
                wanted = numpy_logits.feasible_mass(given[row].float().numpy(), bitmask[row])
                of_row = [figure[row] if tensor.ndim == 2 else figure for figure in mass]
                assert [float(figure) for figure in of_row[:2]] == pytest.approx(wanted[:2], abs=1e-5, rel=1e-6)
                assert [int(figure) for figure in of_row[2:]] == [wanted.favourite, wanted.likeliest or 0]
        assert mass.overruled.dtype == torch.bool and float(mass.log_feasible) <= 0
        assert torch.equal(given, before)

    def test_torch_on_the_accelerator(self) -> None:
        torch = pytest.importorskip("torch", reason="torch is not installed")
        if not torch.cuda.is_available():
            pytest.skip("no CUDA device")
        rng = np.random.default_rng(0)
        bitmask = rng.integers(0, 2**32, size=(16, 4008), dtype=np.uint32)
        logits = torch.from_numpy(rng.normal(size=(16, 128_256)).astype(np.float32) * 5)
        given, words = logits.cuda(), torch.from_numpy(bitmask.view(np.int32)).cuda()
        with waiting_refused(torch):
            mass = torch_logits.feasible_mass(given, words)
        for row in range(16):
            wanted = numpy_logits.feasible_mass(logits[row].numpy(), bitmask[row])
            assert float(mass.log_feasible[row]) == pytest.approx(wanted.log_feasible, abs=1e-5)
            assert (int(mass.favourite[row]), int(mass.likeliest[row])) == (wanted.favourite, wanted.likeliest)


def test_a_probability_is_at_most_one_however_its_sums_are_rounded() -> None:
    from frisket.logits import numpy as on_numpy

    mass = on_numpy.FeasibleMass(1.0, 1.0 + 1e-6, 0, 0)
    assert mass.log_feasible == 0 and not mass.overruled
    torch = pytest.importorskip("torch", reason="the twin for tensors needs it")
    from frisket.logits import torch as on_torch

    sums, more = torch.tensor([1.0, 2.0]), torch.tensor([1.5, 1.0])
    rows = on_torch.FeasibleMass(sums, more, torch.tensor([0, 1]), torch.tensor([0, 0]))
    assert rows.log_feasible.tolist() == [0, -1] and rows.overruled.tolist() == [False, True]
