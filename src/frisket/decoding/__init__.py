"""Model × Matcher × Sampler → text: the loop, the sampler, and `generate` on top of them."""

from frisket.decoding.loop import FinishReason, Step, decode
from frisket.decoding.sampler import GREEDY, Sampler

__all__ = ["GREEDY", "FinishReason", "Sampler", "Step", "decode"]
