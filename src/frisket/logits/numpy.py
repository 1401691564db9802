"""numpy logits × bitmask → numpy logits, in place."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from frisket import _core

#: Columns by which masks and logits of one model may differ, beside a sixteenth of them: models pad their logits, as
#: phi-2 does by 905 of 51,200 and gpt-oss by 1,069 of 201,088; and a mask ends with a whole word.
_MOST_PADDING = 1024

Bitmask = npt.NDArray[np.uint32] | npt.NDArray[np.int32]


def allocate_bitmask(batch: int, size: int) -> npt.NDArray[np.uint32]:
    """A bitmask of `batch` rows for `size` token ids, in which no token is allowed.

    >>> allocate_bitmask(2, 100).shape
    (2, 4)

    Zeros rather than ones, so that a row that was never filled causes an error later, and does not pass as free text.
    To leave a row unconstrained, write it: `bitmask[row] = 0xFFFFFFFF`.
    """
    if not hasattr(size, "__index__"):
        raise TypeError(f"size is a number of tokens, as vocabulary.size, not {type(size).__name__}")
    return np.zeros((batch, -(-size // 32)), dtype=np.uint32)


def apply_mask(logits: npt.NDArray[np.floating[Any]], bitmask: Bitmask) -> None:
    """Set the logits of forbidden tokens to −∞, in place.

    >>> logits = np.array([1.0, 2.0, 3.0])
    >>> apply_mask(logits, np.array([0b101], dtype=np.uint32))
    >>> logits.tolist()
    [1.0, -inf, 3.0]

    `logits` is (vocabulary,) or (batch, vocabulary) of any floating type, contiguous or not; `bitmask` is (words,) or
    (batch, words). Logits without a bit become −∞; bits without a logit are ignored. ValueError if the widths differ by
    more than a model pads: such a mask is of another model's vocabulary. Not thread-safe for the same `logits`; cost:
    one pass over them.
    """
    if not isinstance(logits, np.ndarray):
        raise TypeError(f"logits must be a numpy array, which is changed in place, not {type(logits).__name__}")
    if not np.issubdtype(logits.dtype, np.floating):
        raise TypeError(f"logits must be floating point, not {logits.dtype}: −∞ has no integer")
    _check(bitmask, logits.shape)
    if is_native(logits) and is_native(bitmask) and logits.itemsize <= 8:
        _core.apply_mask(logits, bitmask)
    else:
        apply_mask_plainly(logits, bitmask)


def apply_mask_plainly(logits: npt.NDArray[np.floating[Any]], bitmask: Bitmask) -> None:
    """`apply_mask` by numpy alone: for any strides and byte order, and for tests of the native version."""
    np.copyto(logits, -np.inf, where=~allowed(bitmask, logits.shape))


class FeasibleMass(NamedTuple):
    """The share of a model's probability that a mask leaves at one step."""

    log_sum: float
    """The natural logarithm of the sum of `exp` over all logits; not finite if a logit is NaN or ∞."""
    log_sum_allowed: float
    """This sum over the allowed tokens only; −∞ if they have no probability."""
    favourite: int | None
    """The likeliest token; among equals an allowed one, then the smallest id. None if no logit is finite."""
    likeliest: int | None
    """The likeliest of the allowed tokens."""

    @property
    def log_feasible(self) -> float:
        """The logarithm of the probability that the model gives to all allowed tokens together; at most 0."""
        return min(self.log_sum_allowed - self.log_sum, 0.0)

    @property
    def overruled(self) -> bool:
        """Whether the mask forbids the model's likeliest token."""
        return self.favourite != self.likeliest


def feasible_mass(logits: npt.NDArray[np.floating[Any]], bitmask: Bitmask) -> FeasibleMass:
    """The probability that a mask leaves, and the likeliest tokens with and without it.

    >>> mass = feasible_mass(np.log([1.0, 2.0, 5.0]), np.array([0b011], dtype=np.uint32))
    >>> round(float(np.exp(mass.log_feasible)), 3), mass.favourite, mass.likeliest, mass.overruled
    (0.375, 2, 1, True)

    `logits` is (vocabulary,) of any floating type, before any penalty or temperature, and is read as float32;
    `bitmask` is (words,). Logits without a bit count as forbidden; bits without a logit are ignored. Both logarithms
    are exact to 1e-5. Cost: one pass over the logits.
    """
    if not np.issubdtype(logits.dtype, np.floating):
        raise TypeError(f"logits must be floating point, not {logits.dtype}")
    _check(bitmask, logits.shape)
    row = np.ascontiguousarray(logits, dtype=np.float32)
    return FeasibleMass(*_core.feasible_mass(row, bitmask if is_native(bitmask) else bitmask.astype(np.uint32)))


def allowed(bitmask: Bitmask, shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """The bitmask as booleans in the shape of its logits; False where there is no bit.

    >>> allowed(np.array([0b101], dtype=np.uint32), (3,)).tolist()
    [True, False, True]
    """
    _check(bitmask, shape)
    size = shape[-1]
    # "<u4": bit t of a row is bit t & 7 of byte t >> 3 only when words are little-endian.
    octets = np.ascontiguousarray(bitmask).astype("<u4", copy=False).view(np.uint8)
    bits = np.unpackbits(octets, axis=-1, count=min(size, 8 * octets.shape[-1]), bitorder="little").view(np.bool_)
    if bits.shape[-1] == size:
        return bits
    padded = np.zeros(shape, dtype=np.bool_)
    padded[..., : bits.shape[-1]] = bits
    return padded


def _check(bitmask: Bitmask, shape: tuple[int, ...]) -> None:
    if bitmask.dtype.kind not in "iu" or bitmask.dtype.itemsize != 4:
        raise TypeError(f"a bitmask is made of uint32 or int32 words, not {bitmask.dtype}")
    if bitmask.ndim not in (1, 2) or bitmask.shape[:-1] != shape[:-1]:
        raise ValueError(f"a bitmask of shape {bitmask.shape} has no row for each of the logits of shape {shape}")
    check_widths(32 * bitmask.shape[-1], shape[-1])


def check_widths(ids: int, columns: int) -> None:
    """ValueError if a mask of so many token ids and logits of so many columns cannot be of one model."""
    if abs(ids - columns) > _MOST_PADDING + max(ids, columns) // 16:
        raise ValueError(
            f"the mask is for {ids:,} token ids, the logits are for {columns:,}: compile the grammar for the "
            "vocabulary of the model that made these logits"
        )


def is_native(array: npt.NDArray[Any]) -> bool:
    """Whether native code can read the array: native byte order, aligned, rows without gaps."""
    flags = array.flags
    if not (flags.aligned and array.dtype.isnative):
        return False
    return flags.c_contiguous or (array.strides[-1] == array.itemsize and _has_own_rows(array))


def _has_own_rows(array: npt.NDArray[Any]) -> bool:
    return len(array) < 2 or array.ndim < 2 or abs(array.strides[0]) >= array.shape[1] * array.itemsize
