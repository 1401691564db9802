"""Model × Matcher × Sampler → text: the decode loop, the sampler, and `generate` and its twins above them."""

from frisket.decoding.budget import Budget
from frisket.decoding.guard import Guard
from frisket.decoding.loop import FinishReason, Step, decode
from frisket.decoding.sampler import Sampler

__all__ = ["Budget", "FinishReason", "Guard", "Sampler", "Step", "decode"]
