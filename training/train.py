"""Seed → weights: the embedded model, trained on the streams of data.py with torch on a CPU."""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import time
from collections.abc import Iterator
from multiprocessing import Process
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from data import STREAMS, evaluation, pair
from torch import Tensor, nn

from frisket.models.embedded import EPSILON, WEIGHTS, Tokenizer
from frisket.models.prompt import render
from frisket.models.safetensors import load, save

WIDTH, LAYERS, HEADS, CONTEXT, BASE = 128, 4, 4, 384, 10_000.0
BATCH_TOKENS = 1536  # per worker
WORKERS = 2
MUON_RATE, ADAM_RATE = 0.02, 0.004
FLAT = 0.35  # the share of the time before the rates begin to fall
CHECK_EVERY = 7.0  # minutes
POOL = 256  # samples that are sorted by length together, so that a batch holds little padding


class Decoder(nn.Module):
    """The twin of frisket.models.embedded.Network."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(size, WIDTH)
        # What came before is part of what a token is: copying from the input then takes one layer of attention, not
        # two, and is learned several times sooner.
        self.previous = nn.Embedding(size, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, size, bias=False)
        nn.init.normal_(self.embedding.weight, std=0.3)
        nn.init.normal_(self.previous.weight, std=0.3)
        nn.init.zeros_(self.head.weight)
        half = WIDTH // HEADS // 2
        angles = torch.outer(torch.arange(CONTEXT).float(), BASE ** (-torch.arange(half).float() / half))
        self.register_buffer("cos", angles.cos().bfloat16())
        self.register_buffer("sin", angles.sin().bfloat16())

    def forward(self, ids: Tensor) -> Tensor:
        x = (self.embedding(ids) + F.pad(self.previous(ids[:, :-1]), (0, 0, 1, 0))).bfloat16()
        cos, sin = self.cos[: ids.shape[1]], self.sin[: ids.shape[1]]
        for block in self.blocks:
            x = block(x, cos, sin)
        return normalise(x)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.up = nn.Linear(WIDTH, 4 * WIDTH, bias=False)
        self.down = nn.Linear(4 * WIDTH, WIDTH, bias=False)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.down.weight)
        self.register_buffer("future", torch.full((CONTEXT, CONTEXT), float("-inf")).triu(1).bfloat16())

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        batch, length, _ = x.shape
        q, k, v = project(normalise(x), self.qkv).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        # Written out: at a hundred tokens torch's fused attention spends half of a step in its backward pass on a CPU.
        scores = (rotate(q, cos, sin) * (WIDTH // HEADS) ** -0.5) @ rotate(k, cos, sin).transpose(-2, -1)
        mixed = F.softmax(scores + self.future[:length, :length], dim=-1) @ v
        x = x + project(mixed.transpose(1, 2).reshape(batch, length, WIDTH), self.out)
        return x + project(F.relu(project(normalise(x), self.up)).square(), self.down)


def project(x: Tensor, layer: nn.Linear) -> Tensor:
    """In bfloat16, with the weights kept in single precision."""
    return F.linear(x, layer.weight.to(x.dtype))


def normalise(x: Tensor) -> Tensor:
    return F.rms_norm(x, (WIDTH,), eps=EPSILON)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    left, right = x.chunk(2, dim=-1)
    return torch.cat((left * cos - right * sin, right * cos + left * sin), dim=-1)


def batches(tokenizer: Tokenizer, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """(ids, targets) without end; a target of -1 is not learned from (prompts, padding)."""
    rng = random.Random(seed)
    bos, eos = tokenizer.special["<|bos|>"], tokenizer.special["<|eos|>"]
    while True:
        pool = []
        for _ in range(POOL):
            prompt, target = pair(rng)
            head, tail = [bos, *tokenizer.encode(prompt)], [*tokenizer.encode(target), eos]
            ids = (head + tail)[: CONTEXT + 1]
            pool.append((ids, len(head)))
        pool.sort(key=lambda entry: len(entry[0]))
        groups = []
        while pool:
            count = max(1, BATCH_TOKENS // len(pool[-1][0]))
            groups.append(pool[-count:])
            del pool[-count:]
        if len(groups) > 1 and len(groups[-1]) < 6:
            groups.pop()
        rng.shuffle(groups)
        for group in groups:
            length = max(len(ids) for ids, _ in group)
            rows = np.zeros((len(group), length), dtype=np.int64)
            goals = np.full((len(group), length), -1, dtype=np.int64)
            for row, (ids, start) in enumerate(group):
                rows[row, : len(ids)] = ids
                goals[row, start - 1 : len(ids) - 1] = ids[start:]
            yield torch.from_numpy(rows), torch.from_numpy(goals)


def train(minutes: float, seed: int, worker: int, resume: bool) -> None:
    """One of WORKERS processes. Each has one thread and its own data; gradients are averaged at every step, because two
    processes that meet once per step lose far less to a busy machine than two threads that meet at every operation."""
    dist.init_process_group("gloo", rank=worker, world_size=WORKERS)
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    tokenizer = Tokenizer(json.loads((WEIGHTS / "tokenizer.json").read_text(encoding="utf-8")))
    model = Decoder(len(tokenizer.tokens))
    if resume:
        restore(model)
    flat, peak = (0.0, 0.6) if resume else (FLAT, 1.0)
    parameters = list(model.parameters())
    hidden = [p for block in model.blocks for p in block.parameters()]
    muon = torch.optim.Muon(hidden, lr=MUON_RATE, momentum=0.95, weight_decay=0.01)
    outer = [model.embedding.weight, model.previous.weight, model.head.weight]
    adam = torch.optim.AdamW(outer, lr=ADAM_RATE, betas=(0.9, 0.98), weight_decay=0.01)
    average = {name: p.detach().clone() for name, p in model.named_parameters()}
    log = Path(__file__).with_name("train.log")
    if worker == 0:
        if not resume:
            log.unlink(missing_ok=True)
        report(log, f"{sum(p.numel() for p in parameters):,} parameters, {minutes:g} minutes{', resumed' * resume}")
    start, done, step, seen, running, next_check = time.monotonic(), 0.0, 0, 0, 0.0, CHECK_EVERY
    for ids, goals in batches(tokenizer, seed * WORKERS + worker):
        factor = peak * min(1.0, (step + 1) / 50) * min(1.0, max(0.02, (1 - done) / (1 - flat)))
        for optimizer, rate in ((muon, MUON_RATE), (adam, ADAM_RATE)):
            for group in optimizer.param_groups:
                group["lr"] = rate * factor
        chosen = goals >= 0
        logits = project(model(ids)[chosen], model.head)
        loss = F.cross_entropy(logits.float(), goals[chosen])
        loss.backward()
        elapsed = (time.monotonic() - start) / 60
        shared = torch.cat([p.grad.flatten() for p in parameters] + [torch.tensor([elapsed / minutes, loss.item()])])
        dist.all_reduce(shared)
        shared /= WORKERS
        place = 0
        for p in parameters:
            p.grad.copy_(shared[place : place + p.numel()].view_as(p))
            place += p.numel()
        for optimizer in (muon, adam):
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        done, mean_loss = shared[-2:].tolist()
        step, seen = step + 1, seen + WORKERS * ids.numel()
        running = mean_loss if step == 1 else 0.98 * running + 0.02 * mean_loss
        for name, p in model.named_parameters():
            average[name].lerp_(p.detach(), max(0.004, 1 / (step + 1)))
        if worker == 0:
            if step % 100 == 0:
                report(log, f"step {step} minute {elapsed:.1f} tokens {seen} loss {running:.4f}")
            if elapsed >= next_check:
                next_check += CHECK_EVERY
                export(average)
                report(log, f"exact match, greedy and unmasked: {check(8)}")
        if done >= 1:
            break
    if worker == 0:
        export(average)
        report(log, f"step {step} tokens {seen} loss {running:.4f}: done")
        report(log, f"exact match, greedy and unmasked: {check(50)}")
    dist.destroy_process_group()


def report(log: Path, line: str) -> None:
    print(line, flush=True)
    with log.open("a", encoding="utf-8") as stream:
        stream.write(line + "\n")


def export(parameters: dict[str, Tensor]) -> None:
    """Half precision, matrices as (in, out): the layout of the numpy network."""
    tensors = {
        "embedding": parameters["embedding.weight"],
        "previous": parameters["previous.weight"],
        "head": parameters["head.weight"].T,
    }
    for layer in range(LAYERS):
        for part in ("qkv", "out", "up", "down"):
            tensors[f"{layer}.{part}"] = parameters[f"blocks.{layer}.{part}.weight"].T
    metadata = {"layers": LAYERS, "heads": HEADS, "context": CONTEXT, "base": BASE}
    arrays = {name: np.ascontiguousarray(tensor.numpy().astype(np.float16)) for name, tensor in tensors.items()}
    save(WEIGHTS / "model.safetensors", arrays, {name: str(value) for name, value in metadata.items()})


def restore(model: Decoder) -> None:
    """Go on from the exported weights: what `export` did, undone."""
    tensors, _ = load(WEIGHTS / "model.safetensors")
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parts = name.split(".")
            stored = tensors[".".join(parts[1:3]) if parts[0] == "blocks" else parts[0]].astype(np.float32)
            parameter.copy_(torch.from_numpy(stored if len(parts) == 2 and parts[0] != "head" else stored.T.copy()))


def check(count: int) -> dict[str, float]:
    """The share of held-out inputs that the exported model answers exactly, without any mask."""
    from frisket.models.embedded import Embedded

    model = Embedded()
    shares = {}
    for name in STREAMS:
        right = 0
        for found in evaluation(name, count, seed=1):
            session = model.start(model.encode(render(found.text, found.keys)))
            ids: list[int] = []
            while len(ids) < 180 and (not ids or ids[-1] not in model.eos):
                ids.append(int(session.logits().argmax()))
                session.push(ids[-1])
            right += model.decode(ids) == json.dumps(found.answer, ensure_ascii=False)
        shares[name] = right / count
    return shares


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", action="store_true", help="go on from the exported weights with falling rates")
    options = parser.parse_args()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1])}
    workers = [
        Process(target=train, args=(options.minutes, options.seed, rank, options.resume)) for rank in range(WORKERS)
    ]
    for process in workers:
        process.start()
    for process in workers:
        process.join()
