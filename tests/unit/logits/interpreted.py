"""The Triton kernel, interpreted on the CPU, beside torch's own operations, bit for bit.

A program of its own: Triton reads TRITON_INTERPRET when it is imported. It prints how many cases were equal.
"""

from __future__ import annotations

import os

os.environ["TRITON_INTERPRET"] = "1"

import itertools

import numpy as np
import torch

from frisket.logits import torch as torch_logits
from frisket.logits import triton as triton_logits

WORDS = {
    torch.float16: torch.int16,
    torch.bfloat16: torch.int16,
    torch.float32: torch.int32,
    torch.float64: torch.int64,
}
#: Around a word and a block of the kernel, and a vocabulary that fills several.
SIZES = (1, 31, 32, 33, 63, 100, 1023, 1024, 1025, 3001)
STRIDES = ("rows", "one row", "every other row", "every other token", "part of a row", "columns first")


def random_logits(rng: np.random.Generator, kind: torch.dtype, batch: int, size: int, stride: str) -> torch.Tensor:
    """Logits of any bits: NaN with its payload, infinities, both zeros; more memory than the logits take."""
    shape = (size + 5, 2 * batch) if stride == "columns first" else (2 * batch, 2 * size + 5)
    info = torch.iinfo(WORDS[kind])
    patterns = rng.integers(info.min, info.max, size=shape, endpoint=True)
    numbers = torch.from_numpy(rng.normal(size=shape)).to(kind)
    numbers[torch.from_numpy(rng.random(shape) < 0.05)] = torch.inf
    numbers[torch.from_numpy(rng.random(shape) < 0.05)] = -torch.inf
    numbers[torch.from_numpy(rng.random(shape) < 0.05)] = -0.0
    is_any = torch.from_numpy(rng.random(shape) < 0.3)
    return torch.where(is_any, torch.from_numpy(patterns).to(WORDS[kind]), numbers.view(WORDS[kind])).view(kind)


def part(logits: torch.Tensor, batch: int, size: int, stride: str) -> torch.Tensor:
    """The logits that a case masks, as a view of their memory."""
    match stride:
        case "one row":
            return logits[0, :size]
        case "every other row":
            return logits[::2, :size]
        case "every other token":
            return logits[:batch, : 2 * size : 2]
        case "part of a row":
            return logits[:batch, 3 : 3 + size]
        case "columns first":
            return logits.T[:batch, :size]
        case _:
            return logits[:batch, :size]


def random_bitmask(rng: np.random.Generator, batch: int, size: int) -> torch.Tensor:
    """A bitmask a word short, or with one too many, or just as long; some words all zeros, some all ones; strided."""
    count = max(0, -(-size // 32) + int(rng.integers(-1, 2)))
    bitmask = rng.integers(-(2**31), 2**31, size=(2 * batch, 2 * count)).astype(np.int32)
    bitmask[rng.random(bitmask.shape) < 0.2] = 0
    bitmask[rng.random(bitmask.shape) < 0.2] = -1
    words = torch.from_numpy(bitmask)
    return words[::2, :count] if rng.random() < 0.5 else words[:batch, ::2]


def main() -> None:
    rng = np.random.default_rng(1)
    equal = forbidden = allowed = 0
    for kind, size, stride in itertools.product(WORDS, SIZES, STRIDES):
        batch = int(rng.integers(1, 5))
        given = random_logits(rng, kind, batch, size, stride)
        bitmask = random_bitmask(rng, batch, size)
        words = bitmask[0] if stride == "one row" else bitmask
        expected, found = given.clone(), given.clone()
        torch_logits.apply_mask_plainly(part(expected, batch, size, stride), words)
        triton_logits.apply_mask(part(found, batch, size, stride), words)
        case = f"{kind}, {batch} rows of {size}, {stride}, {words.shape[-1]} words"
        # The whole memory, so that a write beside the logits is seen, too.
        assert torch.equal(found.view(WORDS[kind]), expected.view(WORDS[kind])), case
        changed = found.view(WORDS[kind]) != given.view(WORDS[kind])
        forbidden, allowed = forbidden + int(changed.sum()), allowed + int((~changed).sum())
        equal += 1
    empty = torch.zeros((0, 40))
    triton_logits.apply_mask(empty, torch.zeros((0, 2), dtype=torch.int32))
    chosen_for_a_device_with_a_kernel()
    assert forbidden > 10_000 and allowed > 10_000, "the cases say nothing"
    print(f"{equal} cases equal bit for bit")


def chosen_for_a_device_with_a_kernel() -> None:
    """`apply_mask` takes the kernel by itself, and torch where there is a gradient or no memory of a logit's own."""
    calls = []
    kernel = triton_logits.apply_mask
    triton_logits.apply_mask = lambda logits, words: calls.append(logits.shape) or kernel(logits, words)
    torch_logits.KERNEL_DEVICES, torch_logits._array = ("cpu",), lambda torch, logits: None
    words = np.array([[5, 0], [0, 9]], dtype=np.uint32)
    logits = torch.zeros((2, 40))
    torch_logits.apply_mask(logits, words)
    assert calls == [(2, 40)], calls
    assert [torch.isfinite(row).nonzero().flatten().tolist() for row in logits] == [[0, 2], [32, 35]]
    masked, _ = torch_logits.copy_masked(torch.zeros((2, 40)), words)
    assert calls == [(2, 40)] * 2 and torch.equal(masked, logits)
    torch_logits.apply_mask(torch.zeros((2, 40), requires_grad=True).clone(), words)
    assert calls == [(2, 40)] * 2
    triton_logits.is_installed = lambda: False
    torch_logits.apply_mask(again := torch.zeros((2, 40)), words)
    assert calls == [(2, 40)] * 2 and torch.equal(again, logits)


if __name__ == "__main__":
    main()
