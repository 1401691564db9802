"""torch logits × bitmask → torch logits, in place, on the device of the logits."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from frisket import _core
from frisket.errors import MissingDependencyError
from frisket.logits.numpy import check_widths, is_native

Tensor: TypeAlias = Any  # torch is optional, for type checkers too
#: Device types for which Triton compiles; torch calls AMD's devices "cuda", too.
KERNEL_DEVICES = ("cuda",)


def allocate_bitmask(batch: int, size: int, *, pin_memory: bool = False) -> Tensor:
    """An int32 CPU tensor of `batch` rows for `size` token ids, in which no token is allowed.

    A matcher writes through the tensor's memory: `matcher.fill_mask(bitmask.numpy(), row)`. `pin_memory` lets the
    copy to a GPU overlap with its work. int32, because torch does not shift or index uint32 on every device.
    """
    torch = _torch()
    return torch.zeros((batch, -(-size // 32)), dtype=torch.int32, pin_memory=pin_memory)


def apply_mask(logits: Tensor, bitmask: Tensor | npt.NDArray[np.uint32] | npt.NDArray[np.int32]) -> None:
    """Set the logits of forbidden tokens to −∞, in place.

    `logits` is a float32, float16, bfloat16 or float64 tensor of shape (vocabulary,) or (batch, vocabulary), with any
    strides; `bitmask` is an int32 tensor or a numpy array of shape (words,) or (batch, words), and is copied to the
    device of the logits. Logits without a bit become −∞; bits without a logit are ignored. ValueError if the widths
    differ by more than a model pads: such a mask is of another model's vocabulary. Cost: one pass, in native code on a
    CPU, or in a Triton kernel on a GPU if `triton` is installed; otherwise also a temporary of one byte per logit.
    """
    torch = _torch()
    words = _words(torch, logits, bitmask)
    array = _array(torch, logits)
    if array is not None:
        _core.apply_mask(array, words.cpu().contiguous().numpy())
        return
    kernel = _kernel(torch, logits)
    if kernel is not None:
        kernel(logits, words.to(logits.device, non_blocking=True))
    else:
        apply_mask_plainly(logits, words)


def apply_mask_plainly(logits: Tensor, bitmask: Tensor | npt.NDArray[np.uint32] | npt.NDArray[np.int32]) -> None:
    """`apply_mask` by torch alone: for any device, for gradients, and for tests of the other two versions."""
    torch = _torch()
    forbidden = _forbidden(torch, logits, _words(torch, logits, bitmask))
    covered = forbidden.shape[-1]
    logits[..., :covered].masked_fill_(forbidden, float("-inf"))
    logits[..., covered:].fill_(float("-inf"))


class FeasibleMass(NamedTuple):
    """The share of a model's probability that masks leave: one element per row of the logits, on their device."""

    log_sum: Tensor
    """float32: the natural logarithm of the sum of `exp` over all logits."""
    log_sum_allowed: Tensor
    """float32: the same sum over the allowed tokens only; −∞ if they have no probability."""
    favourite: Tensor
    """int64: the likeliest token; among equals an allowed one, then the smallest id."""
    likeliest: Tensor
    """int64: the likeliest of the allowed tokens; 0 if they have no probability."""

    @property
    def log_feasible(self) -> Tensor:
        """The logarithm of the probability that the model gives to all allowed tokens together; at most 0."""
        return (self.log_sum_allowed - self.log_sum).clamp(max=0)

    @property
    def overruled(self) -> Tensor:
        """bool: whether the mask forbids the model's likeliest token."""
        return self.favourite != self.likeliest


def feasible_mass(logits: Tensor, bitmask: Tensor | npt.NDArray[np.uint32] | npt.NDArray[np.int32]) -> FeasibleMass:
    """The probability that masks leave, and the likeliest tokens with and without them, computed on the logits' device.

    Shapes and types as for `apply_mask`; the logits do not change. The result equals that of
    `frisket.logits.numpy.feasible_mass` to 1e-5. Nothing waits for a GPU, so read the result at the end of the step.
    Cost: three passes and a copy of the logits.
    """
    torch = _torch()
    forbidden = _forbidden(torch, logits, _words(torch, logits, bitmask))
    free = logits.float()
    masked = torch.full_like(free, float("-inf"))
    covered = forbidden.shape[-1]
    masked[..., :covered] = free[..., :covered].masked_fill(forbidden, float("-inf"))
    largest, favourite = free.max(-1).values, free.argmax(-1)
    largest_allowed, likeliest = masked.max(-1).values, masked.argmax(-1)
    return FeasibleMass(
        free.logsumexp(-1),
        masked.logsumexp(-1),
        # −∞ equals −∞, so if no allowed token has a probability, the favourite is the model's own.
        favourite.where((largest != largest_allowed) | largest_allowed.isneginf(), likeliest),
        likeliest,
    )


def copy_masked(logits: Tensor, bitmask: npt.NDArray[np.uint32]) -> tuple[Tensor, list[int]]:
    """A copy of the logits with −∞ for forbidden tokens, and the rows in which all logits may be −∞.

    Shapes and types as for `apply_mask`, with a batch. A row is listed if no token is allowed, or if its first allowed
    token has the logit −∞; other rows have a finite logit. Cost: one pass; on a GPU also one wait.
    """
    torch = _torch()
    array = _array(torch, logits)
    if array is not None and is_native(bitmask):
        target = torch.empty_like(logits)
        return target, _core.copy_masked(array, bitmask, _memory(torch, target))
    masked = logits.clone()
    apply_mask(masked, bitmask)
    words = (bitmask != 0).argmax(-1)
    lowest = np.take_along_axis(bitmask, words[:, None], -1)[:, 0]
    tokens = 32 * words + np.log2(np.maximum(lowest & (~lowest + np.uint32(1)), 1)).astype(np.int64)
    tokens = np.minimum(tokens, masked.shape[-1] - 1)
    first = masked.gather(-1, torch.from_numpy(tokens[:, None]).to(masked.device))[:, 0]
    return masked, torch.isneginf(first).nonzero()[:, 0].tolist()


def _words(torch: Any, logits: Tensor, bitmask: Tensor | npt.NDArray[Any]) -> Tensor:
    """The words of a bitmask as a tensor on any device; an error if they do not fit the logits."""
    if not logits.is_floating_point():
        raise TypeError(f"logits must be floating point, not {logits.dtype}: −∞ has no integer")
    words = torch.from_numpy(bitmask.view(np.int32)) if isinstance(bitmask, np.ndarray) else bitmask
    if words.dtype != torch.int32:
        raise TypeError(f"a bitmask is made of int32 words, not {words.dtype}")
    if words.ndim not in (1, 2) or words.shape[:-1] != logits.shape[:-1]:
        raise ValueError(
            f"a bitmask of shape {tuple(words.shape)} has no row for each of the logits of shape {tuple(logits.shape)}"
        )
    check_widths(32 * words.shape[-1], logits.shape[-1])
    return words


def _forbidden(torch: Any, logits: Tensor, words: Tensor) -> Tensor:
    """Booleans on the device of the logits: which tokens are forbidden, for all tokens that have a bit."""
    words = words.to(logits.device, non_blocking=True)
    # A tensor of one word, or none, counts as contiguous with any stride, but a view of its bytes needs the stride 1.
    words = words.contiguous() if words.stride(-1) == 1 else words.clone(memory_format=torch.contiguous_format)
    covered = min(logits.shape[-1], 32 * words.shape[-1])
    # Bytes instead of words: the temporary is 4 times smaller, and torch has all operations for uint8. The order of the
    # bytes is the host's; all hosts and devices that torch supports in practice are little-endian.
    # Made on the device, since a copy from the host would have to wait for it.
    ones = torch.ones(8, dtype=torch.uint8, device=logits.device)
    bit = ones << torch.arange(8, dtype=torch.uint8, device=logits.device)
    return (words.view(torch.uint8).unsqueeze(-1) & bit).eq_(0).flatten(-2)[..., :covered].view(torch.bool)


def _array(torch: Any, logits: Tensor) -> npt.NDArray[Any] | None:
    """The memory of a CPU tensor for native code; None if torch must see every write."""
    if logits.device.type != "cpu" or not _is_writable(torch, logits):
        return None
    array = _memory(torch, logits)
    return array if is_native(array) else None


def _kernel(torch: Any, logits: Tensor) -> Callable[[Tensor, Tensor], None] | None:
    """The Triton kernel for these logits; None if torch must write them."""
    # With a stride of 0, several logits share one place, which torch refuses with a message of its own.
    if logits.device.type not in KERNEL_DEVICES or not _is_writable(torch, logits) or 0 in logits.stride():
        return None
    from frisket.logits import triton  # imports Triton, which is not needed on a CPU

    return triton.apply_mask if triton.is_installed() else None


def _is_writable(torch: Any, logits: Tensor) -> bool:
    """Whether code outside torch may write the logits; with gradients, torch must see every write."""
    kinds = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
    return not logits.requires_grad and logits.dtype in kinds


def _memory(torch: Any, logits: Tensor) -> npt.NDArray[Any]:
    """The memory of a CPU tensor, bfloat16 as uint16 words."""
    is_brain = logits.dtype == torch.bfloat16
    array: npt.NDArray[Any] = logits.view(torch.int16).numpy().view(np.uint16) if is_brain else logits.numpy()
    return array


def _torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise MissingDependencyError.of("torch", "torch") from error
