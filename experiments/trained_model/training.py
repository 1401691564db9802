"""Stream of (prompt, target) × Recipe × seed → a trained model; needs torch.

The twin of `frisket.models.embedded.Network`. A token is embedded together with the one before it: copying from the
prompt then takes one layer of attention, and is learned several times sooner.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import frisket
from experiments.trained_model.model import TrainedModel
from experiments.trained_model.text import Texts
from frisket.models.embedded import EPSILON

#: One (prompt, target) to learn from, by a source of chance.
Draw = Callable[[random.Random], tuple[str, str]]
BASE = 10_000.0
MUON_RATE, ADAM_RATE = 0.02, 0.004
FLAT = 0.4
"""The share of the steps before the rates begin to fall."""
POOL = 256
"""Samples that are sorted by length together, so that a batch holds little padding."""


@dataclass(frozen=True)
class Recipe:
    """Everything that training depends on, beside the data and the seed. The number of steps is fixed, and not the
    time: a seed is a model, on one machine and one version of torch."""

    steps: int
    width: int = 64
    layers: int = 2
    heads: int = 4
    context: int = 128
    batch_tokens: int = 4096


def train(draw: Draw, texts: Texts, recipe: Recipe, seed: int, *, name: str = "") -> TrainedModel:
    """A model that writes the targets. Prompts are not learned. One thread; progress on stderr."""
    torch = _torch()
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    model = _decoder(torch, len(texts), recipe)
    hidden = [p for key, p in model.named_parameters() if key.startswith("blocks.")]
    outer = [p for key, p in model.named_parameters() if not key.startswith("blocks.")]
    optimizers = [
        torch.optim.Muon(hidden, lr=MUON_RATE, momentum=0.95, weight_decay=0.01),
        torch.optim.AdamW(outer, lr=ADAM_RATE, betas=(0.9, 0.98), weight_decay=0.01),
    ]
    rates = [group["lr"] for optimizer in optimizers for group in optimizer.param_groups]
    average = {key: p.detach().clone() for key, p in model.named_parameters()}
    began, running = time.process_time(), 0.0
    data = _batches(draw, texts, recipe, seed)
    for step in range(recipe.steps):
        done = step / recipe.steps
        factor = min(1.0, (step + 1) / 30) * min(1.0, max(0.02, (1 - done) / (1 - FLAT)))
        groups = (group for optimizer in optimizers for group in optimizer.param_groups)
        for group, rate in zip(groups, rates, strict=True):
            group["lr"] = rate * factor
        ids, goals = (torch.from_numpy(one) for one in next(data))
        chosen = goals >= 0
        loss = torch.nn.functional.cross_entropy(model(ids, chosen).float(), goals[chosen])
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        running = loss.item() if step == 0 else 0.98 * running + 0.02 * loss.item()
        for key, p in model.named_parameters():
            average[key].lerp_(p.detach(), max(0.01, 1 / (step + 1)))
        if (step + 1) % 200 == 0:
            seconds = time.process_time() - began
            print(f"{name} step {step + 1}/{recipe.steps}, {seconds:.0f} s of CPU, loss {running:.4f}", file=sys.stderr)
            sys.stderr.flush()
    tensors, metadata = _exported(average, recipe)
    return TrainedModel(texts, tensors, metadata, time.process_time() - began, running)


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise frisket.errors.MissingDependencyError.of("torch", "train") from None
    if not hasattr(torch.optim, "Muon"):
        raise frisket.errors.MissingDependencyError("torch is older than 2.9", hint='pip install "torch>=2.9"')
    return torch


def _batches(draw: Draw, texts: Texts, recipe: Recipe, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(ids, targets) without end; a target of -1 is not learned from (prompts, padding)."""
    rng = random.Random(f"training {seed}")
    while True:
        pool = []
        for _ in range(POOL):
            prompt, target = draw(rng)
            head = [texts.bos, *texts.encode(prompt)]
            ids = [*head, *texts.encode(target), texts.eos]
            if len(ids) > recipe.context:
                raise ValueError(f"{len(ids)} tokens, where the context has {recipe.context}: {prompt}{target}")
            pool.append((ids, len(head)))
        pool.sort(key=lambda entry: len(entry[0]))
        groups = []
        while pool:
            count = max(1, recipe.batch_tokens // len(pool[-1][0]))
            groups.append(pool[-count:])
            del pool[-count:]
        rng.shuffle(groups)
        for group in groups:
            length = max(len(ids) for ids, _ in group)
            rows = np.zeros((len(group), length), dtype=np.int64)
            goals = np.full((len(group), length), -1, dtype=np.int64)
            for row, (ids, start) in enumerate(group):
                rows[row, : len(ids)] = ids
                goals[row, start - 1 : len(ids) - 1] = ids[start:]
            yield rows, goals


def _decoder(torch: Any, size: int, recipe: Recipe) -> Any:
    """The network as a module of torch; matrices in single precision, products in bfloat16."""
    nn, F = torch.nn, torch.nn.functional
    width, heads = recipe.width, recipe.heads
    half = width // heads // 2
    angles = torch.outer(torch.arange(recipe.context).float(), BASE ** (-torch.arange(half).float() / half))
    cosines, sines = angles.cos().bfloat16(), angles.sin().bfloat16()
    future = torch.full((recipe.context, recipe.context), float("-inf")).triu(1).bfloat16()

    def project(x: Any, layer: Any) -> Any:
        return F.linear(x, layer.weight.to(x.dtype))

    def normalise(x: Any) -> Any:
        return F.rms_norm(x, (width,), eps=EPSILON)

    def rotate(x: Any, length: int) -> Any:
        left, right = x.chunk(2, dim=-1)
        cos, sin = cosines[:length], sines[:length]
        return torch.cat((left * cos - right * sin, right * cos + left * sin), dim=-1)

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.qkv = nn.Linear(width, 3 * width, bias=False)
            self.out = nn.Linear(width, width, bias=False)
            self.up = nn.Linear(width, 4 * width, bias=False)
            self.down = nn.Linear(4 * width, width, bias=False)
            nn.init.zeros_(self.out.weight)
            nn.init.zeros_(self.down.weight)

        def forward(self, x: Any) -> Any:
            batch, length, _ = x.shape
            parts = project(normalise(x), self.qkv).view(batch, length, 3, heads, width // heads)
            q, k, v = parts.permute(2, 0, 3, 1, 4)
            scores = (rotate(q, length) * (width // heads) ** -0.5) @ rotate(k, length).transpose(-2, -1)
            mixed = F.softmax(scores + future[:length, :length], dim=-1) @ v
            x = x + project(mixed.transpose(1, 2).reshape(batch, length, width), self.out)
            return x + project(F.relu(project(normalise(x), self.up)).square(), self.down)

    class Decoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(size, width)
            self.previous = nn.Embedding(size, width)
            self.blocks = nn.ModuleList(Block() for _ in range(recipe.layers))
            self.head = nn.Linear(width, size, bias=False)
            nn.init.normal_(self.embedding.weight, std=0.3)
            nn.init.normal_(self.previous.weight, std=0.3)
            nn.init.zeros_(self.head.weight)

        def forward(self, ids: Any, chosen: Any) -> Any:
            x = (self.embedding(ids) + F.pad(self.previous(ids[:, :-1]), (0, 0, 1, 0))).bfloat16()
            for block in self.blocks:
                x = block(x)
            return project(normalise(x)[chosen], self.head)

    return Decoder()


def _exported(parameters: dict[str, Any], recipe: Recipe) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The layout of the numpy network: matrices as (in, out)."""
    tensors = {
        "embedding": parameters["embedding.weight"],
        "previous": parameters["previous.weight"],
        "head": parameters["head.weight"].T,
    }
    for layer in range(recipe.layers):
        for part in ("qkv", "out", "up", "down"):
            tensors[f"{layer}.{part}"] = parameters[f"blocks.{layer}.{part}.weight"].T
    metadata = {"layers": recipe.layers, "heads": recipe.heads, "context": recipe.context, "base": BASE}
    arrays = {name: np.ascontiguousarray(tensor.numpy()) for name, tensor in tensors.items()}
    return arrays, {name: str(value) for name, value in metadata.items()}
